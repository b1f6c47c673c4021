"""The disk: whole files or none, and names that are not there."""

import pytest

from harness import errors
from harness.files import load_fixture, read_bytes, write_whole


def test_a_file_is_written_with_its_directories(tmp_path):
    write_whole(tmp_path / "a" / "b.jsonl", b"x\n")

    assert (tmp_path / "a" / "b.jsonl").read_bytes() == b"x\n"


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "b.jsonl"
    write_whole(path, b"old\n")

    with pytest.raises(TypeError):
        write_whole(path, "no bytes")

    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {"b.jsonl": b"old\n"}


def test_a_written_file_can_be_read_by_others(tmp_path):
    write_whole(tmp_path / "a", b"")

    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("name", ["refnd.jsonl", "refund.jsonl/x"])
def test_a_path_that_is_not_there_is_a_usage_error(tmp_path, name):
    (tmp_path / "refund.jsonl").write_bytes(b"")

    with pytest.raises(errors.PathNotFound) as refused:
        read_bytes(tmp_path / name)

    assert refused.value.exit_code == 2


def test_the_nearest_file_is_named(tmp_path):
    (tmp_path / "refund.jsonl").write_bytes(b"")

    with pytest.raises(errors.PathNotFound) as refused:
        load_fixture(tmp_path / "refnd.jsonl")

    assert refused.value.nearest == str(tmp_path / "refund.jsonl")
