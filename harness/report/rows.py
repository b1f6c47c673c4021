"""Results as rows of bytes: taken as they come, given back by case and trial.

Held in memory: where each row stands (case, trial, two numbers) and nothing of its content, which lies in a file that
the caller opens.
"""

from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple, TypeVar

import msgspec

from harness import errors
from harness.report.report import Origin, Result
from harness.value import Json, decode, decoder_of, encode

_Part = TypeVar("_Part", Result, Origin)

_decoder = decoder_of(Result)


class Row(NamedTuple):
    """One result as bytes, with what it is sorted by."""

    case: str
    trial: int
    raw: bytes


def row_of(result: Result) -> Row:
    """The row of a result."""
    return Row(result.case, result.trial, encode(result))


def result_in(row: Row) -> Result:
    """The result of a row."""
    result: Result = _decoder.decode(row.raw)
    return result


def scrubbed(part: _Part, scrub: Callable[[str], str]) -> _Part:
    """The part with every text in it, keys included, as `scrub` returns it."""
    return msgspec.convert(_scrubbed(decode(encode(part)), scrub), type(part))


def _scrubbed(value: Json, scrub: Callable[[str], str]) -> Json:
    match value:
        case str():
            return scrub(value)
        case list():
            return [_scrubbed(item, scrub) for item in value]
        case dict():
            return {scrub(key): _scrubbed(item, scrub) for key, item in value.items()}
        case _:
            return value


class Rows:
    """All rows of a run, in `file` as they came; iterating gives them by case and trial."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._places: dict[tuple[str, int], tuple[int, int]] = {}
        self._end = 0

    def __len__(self) -> int:
        return len(self._places)

    def add(self, row: Row) -> None:
        """One more row; raises `DuplicateResult` where the trial is already there."""
        key = (row.case, row.trial)
        if key in self._places:
            raise errors.DuplicateResult(row.case, found=str(row.trial))
        self._file.seek(self._end)
        self._file.write(row.raw)
        self._places[key] = self._end, len(row.raw)
        self._end += len(row.raw)

    def __iter__(self) -> Iterator[Row]:
        for key in sorted(self._places):
            start, size = self._places[key]
            self._file.seek(start)
            yield Row(*key, self._file.read(size))
