"""Lines that are on the disk when they are said to be, and files that appear together or not at all."""

import threading

import pytest
from small_disk import a_small_disk

from harness import errors
from harness.journal import Journal, write_together


def files_in(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}


def test_a_line_is_there_as_soon_as_it_is_added(tmp_path):
    journal = Journal(tmp_path / "deep/run.jsonl")

    journal.add(b"one\n")
    first = journal.path.read_bytes()
    journal.add(b"two\n")

    assert (first, journal.path.read_bytes(), journal.path.name) == (b"one\n", b"one\ntwo\n", "run.jsonl.partial")
    journal.close(keep=True)


def test_a_finished_journal_goes_and_an_unfinished_one_stays(tmp_path):
    finished, unfinished = Journal(tmp_path / "a.jsonl"), Journal(tmp_path / "b.jsonl")
    unfinished.add(b"one\n")

    finished.close(keep=False)
    unfinished.close(keep=True)

    assert files_in(tmp_path) == {"b.jsonl.partial": b"one\n"}


def test_what_an_earlier_run_left_is_moved_aside_and_never_written_over(tmp_path):
    asides = []
    for number in range(3):
        journal = Journal(tmp_path / "a.jsonl")
        asides.append(journal.aside and journal.aside.name)
        journal.add(b"%d\n" % number)
        journal.close(keep=True)

    assert asides == [None, "a.1.jsonl.partial", "a.2.jsonl.partial"]
    assert files_in(tmp_path) == {"a.jsonl.partial": b"2\n", "a.1.jsonl.partial": b"0\n", "a.2.jsonl.partial": b"1\n"}


def test_a_journal_that_is_being_written_is_refused(tmp_path):
    journal = Journal(tmp_path / "a.jsonl")
    journal.add(b"mine\n")

    with pytest.raises(errors.WrongOption):
        Journal(tmp_path / "a.jsonl")

    journal.close(keep=True)
    assert files_in(tmp_path) == {"a.jsonl.partial": b"mine\n"}


def test_files_are_written_together(tmp_path):
    (tmp_path / "a").write_bytes(b"old")

    write_together({tmp_path / "a": b"new", tmp_path / "deep/er/b": b"b"})

    assert files_in(tmp_path) == {"a": b"new"}
    assert files_in(tmp_path / "deep/er") == {"b": b"b"}


@pytest.mark.parametrize("there", [True, False], ids=["replaced", "new"])
def test_a_file_that_cannot_be_written_takes_the_others_back(tmp_path, there):
    (tmp_path / "blocked").mkdir()
    (tmp_path / "blocked/file").write_bytes(b"x")
    if there:
        (tmp_path / "a").write_bytes(b"old")

    with pytest.raises(errors.NotWritten, match="blocked"):
        write_together({tmp_path / "a": b"new", tmp_path / "blocked": b"no file can stand here"})

    assert files_in(tmp_path) == ({"a": b"old"} if there else {})
    assert files_in(tmp_path / "blocked") == {"file": b"x"}


def test_a_line_that_the_disk_has_no_room_for_leaves_the_lines_before(tmp_path):
    journal = Journal(tmp_path / "run.jsonl")
    journal.add(b"one\n")

    with a_small_disk(10), pytest.raises(errors.NotWritten, match="File too large") as refused:
        journal.add(b"x" * 20 + b"\n")
    journal.close(keep=True)

    assert refused.value.file == str(journal.path)
    assert files_in(tmp_path) == {"run.jsonl.partial": b"one\n"}


def test_a_journal_of_what_could_not_be_written_in_the_end_does_not_begin(tmp_path):
    (tmp_path / "run.jsonl").mkdir()

    with pytest.raises(errors.NotWritten, match="a directory stands there"):
        Journal(tmp_path / "run.jsonl")

    assert files_in(tmp_path) == {}


def test_of_several_that_begin_at_once_one_writes_and_the_others_are_refused(tmp_path):
    start, begun, refused = threading.Barrier(8), [], []

    def begin():
        start.wait()
        try:
            begun.append(Journal(tmp_path / "run.jsonl"))
        except errors.HarnessError as error:
            refused.append(error.subject)

    threads = [threading.Thread(target=begin) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for journal in begun:
        journal.add(b"line\n")
    written = (tmp_path / "run.jsonl.partial").read_bytes() if begun else b"line\n"
    for journal in begun:
        journal.close(keep=False)

    assert len(begun) <= 1
    assert set(refused) <= {"another run is writing this journal; wait for it or stop it"}
    assert written == b"line\n"
