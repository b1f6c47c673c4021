"""Reports read row by row and written as one."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from harness import errors, files
from harness.cli.judging.batch import Batch
from harness.cli.judging.book import Book
from harness.cli.judging.desk import Desk, Wishes
from harness.cli.outputs import refuse_overwriting
from harness.report.reading import about_parts, read_results
from harness.report.report import Head
from harness.report.writing import head_of

_MOST_ROWS = 250


class _Read(NamedTuple):
    """One report's file and what it says beside its results."""

    path: Path
    head: Head


def merge_reports(paths: list[Path], wishes: Wishes) -> list[int]:
    """The reports as one, told and written; raises `BadReport` where they are not the parts of one."""
    refuse_overwriting(wishes.forms.outputs, [*map(str, paths)])
    parts = [_Read(path, _head_in(path)) for path in paths]
    about = about_parts([part.head for part in parts], [str(part.path) for part in parts])
    parts.sort(key=lambda part: part.head.shard.index if part.head.shard else 0)
    counted = about.origin is None and all(part.head.shard for part in parts)
    with tempfile.TemporaryFile() as spool:
        desk = Desk(Book(spool, counted=counted), wishes)
        complete = desk.take_all(batch for part in parts for batch in _batches_in(part.path))
        if about.complete and complete and about.origin is not None:
            _check_whole(parts, desk.book)
        head = head_of(desk.book.tally, about._replace(complete=about.complete and complete))
        desk.tell_report(head)
        desk.complain(desk.book.write(head, wishes.forms))
    return desk.codes(complete=complete)


def _check_whole(parts: list[_Read], book: Book) -> None:
    """Raise `BadReport` where the shards of a run, each of which may be sound, do not hold what the run recorded."""
    from harness.evidence.basis import evidence_of_results

    shard = parts[0].head.shard
    if shard is not None and evidence_of_results(book.results()) != shard.of:
        sentence = "the shards together do not hold the recordings of the run that they say they are of"
        raise errors.BadReport(sentence, file=", ".join(str(part.path) for part in parts))


def _head_in(path: Path) -> Head:
    with _opened(path) as file:
        return read_results(file, file=str(path))[0]


def _batches_in(path: Path) -> Iterator[Batch]:
    batch = Batch()
    with _opened(path) as file:
        for result in read_results(file, file=str(path))[1]:
            batch.add(result)
            batch.counts[result.verdict] += 1
            if len(batch.places) == _MOST_ROWS:
                yield batch
                batch = Batch()
    yield batch


def _opened(path: Path) -> BinaryIO:
    try:
        files.refuse_endless(path, twice=True)
        return path.open("rb")
    except OSError:
        raise errors.PathNotFound(file=str(path)) from None
