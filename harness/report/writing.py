"""A report to bytes: the head in the first line, then each result in a line of its own, one valid JSON value in all."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from harness import errors
from harness.fixture import Digest
from harness.report.report import Head, Origin, Report, Result, Shard
from harness.report.rows import Row, row_of
from harness.report.summary import summary_of
from harness.report.tally import Tally, tally_of
from harness.value import encode

OPENING, CLOSING = b'"results":[', b"]}"


class About(NamedTuple):
    """What a report says beside its results; `inputs` are the hashes of what they were judged by."""

    complete: bool = True
    shard: Shard | None = None
    origin: Origin | None = None
    inputs: dict[str, Digest] = {}  # noqa: RUF012  never written to


def head_of(tally: Tally, about: About) -> Head:
    """The head of the report whose results the tally has counted."""
    return Head(**about._asdict(), summary=summary_of(tally))


def report_of(results: Iterable[Result], about: About = About()) -> Report:  # noqa: B008  it is a value
    """A whole report in memory; the results may come in any order. Raises `DuplicateResult`."""
    ordered = sorted(results, key=lambda result: (result.case, result.trial))
    for one, other in pairwise(ordered):
        if (one.case, one.trial) == (other.case, other.trial):
            raise errors.DuplicateResult(one.case, found=str(one.trial))
    return Report(**about._asdict(), summary=summary_of(tally_of(ordered)), results=ordered)


def chunks_of(head: Head, rows: Iterable[Row], *, gate: bytes | None = None) -> Iterator[bytes]:
    """The bytes of a report file; the rows come sorted, as `Rows` gives them, and one is held at a time.

    `gate` is what a baseline says of the run, encoded; a report's own file is of the run alone, and never holds it.
    """
    yield encode(head)[:-1] + (b',"gate":' + gate if gate else b"") + b"," + OPENING
    separator = b"\n"
    for row in rows:
        yield separator + row.raw
        separator = b",\n"
    yield b"\n" + CLOSING + b"\n"


def bytes_of(report: Report) -> bytes:
    """The bytes of a report file."""
    return b"".join(chunks_of(head_in(report), map(row_of, report.results)))


def head_in(report: Head) -> Head:
    """A report's head alone."""
    return Head(**{name: getattr(report, name) for name in Head.__struct_fields__})
