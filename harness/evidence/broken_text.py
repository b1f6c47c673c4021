"""The promises that one trial broke, in words: many of one code are one line, since a run-away agent breaks dozens."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.evidence.consistency import Broken
from harness.excerpt import shortened
from harness.report.outline import Line, Span

_MOST = 3  # of one case
_MOST_ALIKE = 3
_LONGEST = 200


class Told(NamedTuple):
    """What was broken: the code, with how often where that is more than a few times, and the first sentence."""

    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.code} {self.message}" if self.code else self.message


def told_of(broken: Sequence[Broken]) -> Iterator[Told]:
    """Each promise, or for a code that stands there more than a few times the first of them and how many."""
    counts = Counter(one.code for one in broken if one.code)
    told = set[str]()
    for one in broken:
        count = counts[one.code] if one.code else 1
        if count <= _MOST_ALIKE:
            yield Told(one.code or "", one.message)
        elif one.code and one.code not in told:
            told.add(one.code)
            yield Told(f"{one.code} × {count}", f"{one.message} (and {count - 1} more)")  # noqa: RUF001  a sign


def lines_of_broken(broken: Sequence[Broken]) -> Iterator[Line]:
    """The first promises that a trial broke, below the line of its case, and how many more."""
    told = [*told_of(broken)]
    for one in told[:_MOST]:
        code = [Span(one.code, "bad", code=True), Span(" ")] if one.code else []
        yield Line((*code, Span(shortened(one.message, _LONGEST))), 1)
    if len(told) > _MOST:
        yield Line((Span(f"… {len(told) - _MOST} more", "dim"),), 1)
