"""Walking directories: each place once, nothing left out in silence, nothing opened that is no file."""

import os
import socket

import pytest

from harness.directories import files_below, walk
from harness.errors import UnreadablePath


@pytest.fixture
def top(tmp_path):
    """A directory with a file in it and one in a directory below."""
    directory = tmp_path / "top"
    (directory / "inner").mkdir(parents=True)
    for name in ("b.jsonl", "a.jsonl", "notes.md", "inner/c.jsonl"):
        directory.joinpath(name).write_text("")
    return directory


def found(top):
    return [str(path.relative_to(top)) for path in files_below([top], ".jsonl")]


def test_files_come_by_name_and_those_of_a_directory_before_what_is_below_it(top):
    assert found(top) == ["a.jsonl", "b.jsonl", "inner/c.jsonl"]


def test_whoever_walks_says_what_is_not_looked_into(top):
    seen = []
    for directory in walk([top], ".jsonl"):
        directory.inner.clear()
        seen.append(directory.path)

    assert seen == [str(top)]


def test_a_linked_directory_is_read_like_any_other(top, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "d.jsonl").write_text("")
    (top / "more").symlink_to("../elsewhere")

    assert found(top) == ["a.jsonl", "b.jsonl", "inner/c.jsonl", "more/d.jsonl"]


def test_a_place_that_two_ways_lead_to_is_read_once(top):
    (top / "same").symlink_to("inner")

    assert found(top) == ["a.jsonl", "b.jsonl", "inner/c.jsonl"]
    assert len([*files_below([top, top / "inner"], ".jsonl")]) == 3


def _loop(path):
    path.symlink_to("..")


def _self(path):
    path.symlink_to(path.name)


def _nowhere(path):
    path.symlink_to("gone")


def _socket(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


@pytest.mark.parametrize(
    ("name", "make", "told"),
    [
        pytest.param("back", _loop, "a link back to a directory that it lies in", id="loop"),
        pytest.param("back", _self, "cannot be read: Too many levels of symbolic links", id="a-link-to-itself"),
        pytest.param("more", _nowhere, "a link to what is not there", id="dangling-directory"),
        pytest.param("d.jsonl", _nowhere, "a link to what is not there", id="dangling-file"),
        pytest.param("d.jsonl", os.mkfifo, "no file: a pipe, a socket or a device, which is never read", id="pipe"),
        pytest.param("d.jsonl", _socket, "no file: a pipe, a socket or a device, which is never read", id="socket"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(top, monkeypatch, name, make, told):
    monkeypatch.chdir(top / "inner")  # a socket's path must be short
    make((top / "inner" / name).relative_to(top / "inner"))

    with pytest.raises(UnreadablePath) as refused:
        found(top)

    assert (refused.value.file, refused.value.subject) == (str(top / "inner" / name), told)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every directory")
def test_a_directory_that_may_not_be_read_is_refused_by_name(top):
    (top / "inner").chmod(0)

    with pytest.raises(UnreadablePath) as refused:
        found(top)

    (top / "inner").chmod(0o755)
    assert (refused.value.file, refused.value.subject) == (str(top / "inner"), "cannot be read: Permission denied")


@pytest.mark.parametrize("name", ["pipe", "notes.txt"])
def test_a_pipe_of_another_name_is_left_alone(top, name):
    os.mkfifo(top / name)

    assert found(top) == ["a.jsonl", "b.jsonl", "inner/c.jsonl"]


def test_an_editors_lock_is_no_evidence(top):
    (top / ".#a.jsonl").symlink_to("somebody@somewhere.1")

    assert found(top) == ["a.jsonl", "b.jsonl", "inner/c.jsonl"]
