"""The disk: whole files or none, and names that are not there."""

import os
from pathlib import Path

import pytest
from small_disk import a_small_disk

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


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("home", "a directory stands there"),
        ("file/x.json", "is no directory"),
        ("file/deep/x.json", "is no directory"),
        ("x" * 300, "File name too long"),
    ],
)
def test_a_place_that_no_file_can_have_is_named(tmp_path, name, reason):
    (tmp_path / "home").mkdir()
    (tmp_path / "file").write_bytes(b"old")

    with pytest.raises(errors.NotWritten, match=reason) as refused:
        write_whole(tmp_path / name, b"new")

    assert (refused.value.file, refused.value.exit_code) == (str(tmp_path / name), 2)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "home"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_a_disk_without_room_is_named_and_the_old_file_stays(tmp_path):
    write_whole(tmp_path / "a", b"old")

    with a_small_disk(64), pytest.raises(errors.NotWritten, match="File too large") as refused:
        write_whole(tmp_path / "a", b"x" * 100)

    assert refused.value.file == str(tmp_path / "a")
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {"a": b"old"}


def test_a_device_is_written_into_and_stays_one():
    full = Path("/dev/full")

    with pytest.raises(errors.NotWritten, match="No space left"):
        write_whole(full, b"x")

    assert full.is_char_device()


def test_a_pipe_is_written_into(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)

    write_whole(tmp_path / "pipe", b"x\n")

    assert os.read(reader, 10) == b"x\n"
    os.close(reader)


def test_a_name_of_the_allowed_length_can_be_written(tmp_path):
    write_whole(tmp_path / ("x" * 255), b"x")

    assert [len(one.name) for one in tmp_path.iterdir()] == [255]


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
