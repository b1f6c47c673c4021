"""Results as rows of bytes: taken as they come, given back by case and trial.

Held in memory: where each row stands (case, trial, a number) and nothing of its content, which lies in a file that
the caller opens.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO, NamedTuple, TypeVar

import msgspec

from harness import errors
from harness.report.report import Origin, Result
from harness.value import Json, as_json, decoder_of, encode

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
    return msgspec.convert(_scrubbed(as_json(part), scrub), type(part))


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
    """All rows of a run, in `file` as they came; iterating gives them by case and trial.

    `counted`: the results have no trials of their own; those of one case are numbered 1, 2, 3 as they came.
    """

    def __init__(self, file: BinaryIO, *, counted: bool = False) -> None:
        self._file = file
        self._counted = counted
        self._keys: set[tuple[str, int]] = set()
        self._cases: list[str] = []
        self._trials = array("Q")
        self._ends = array("Q", [0])
        self._was_read = True

    def __len__(self) -> int:
        return len(self._cases)

    def add(self, row: Row) -> None:
        """One more row; raises `DuplicateResult` where the trial is already there."""
        self.add_block(row.raw, [(row.case, row.trial, len(row.raw))])

    def add_block(self, raw: bytes | bytearray, places: Iterable[tuple[str, int, int]]) -> None:
        """More rows, one after the other in some bytes: the case of each, its trial and its size."""
        for case, trial, size in places:
            if not self._counted:
                self._check(case, trial)
            self._cases.append(case)
            self._trials.append(trial)
            self._ends.append(self._ends[-1] + size)
        if self._was_read:
            self._file.seek(self._ends[-1] - len(raw))
            self._was_read = False
        self._file.write(raw)

    def _check(self, case: str, trial: int) -> None:
        if (case, trial) in self._keys:
            raise errors.DuplicateResult(case, found=str(trial))
        self._keys.add((case, trial))

    def __iter__(self) -> Iterator[Row]:
        case, number = None, 0
        for index in self._order():
            number = number + 1 if self._cases[index] == case else 1
            case = self._cases[index]
            row = self._row_at(index)
            yield _numbered(row, number) if self._counted and row.trial != number else row

    def _order(self) -> Sequence[int]:
        """Rows of one case that have no trials of their own stay as they came."""
        order = sorted(range(len(self)), key=self._trials.__getitem__) if not self._counted else range(len(self))
        return array("Q", sorted(order, key=self._cases.__getitem__))

    def _row_at(self, index: int) -> Row:
        start = self._ends[index]
        self._was_read = True
        self._file.seek(start)
        return Row(self._cases[index], self._trials[index], self._file.read(self._ends[index + 1] - start))


def _numbered(row: Row, trial: int) -> Row:
    return row_of(msgspec.structs.replace(result_in(row), trial=trial))
