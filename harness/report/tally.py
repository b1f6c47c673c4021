"""What results add up to, counted one by one in any order: sums a case, never the results themselves."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from operator import add
from typing import NamedTuple, TypeAlias, TypeVar

from harness.judge.finding import Code, Ruling, Rung
from harness.report.report import Result
from harness.transcript import TokenLedger

FIRST_CASES = 5
_SCORED = (Ruling.PASS, Ruling.FAIL)
_AMOUNTS = TokenLedger.__struct_fields__

Part = TypeVar("Part", bound=Hashable)
Counts: TypeAlias = tuple[int, ...]
"""How many results of each ruling, in the order of `Ruling`."""

# Most cases have one result: they share these, so that a case costs little memory.
_ONE: dict[Ruling, Counts] = {ruling: tuple(int(one is ruling) for one in Ruling) for ruling in Ruling}
_NONE: Counts = (0,) * len(Ruling)
_PASSED, _FAILED = (list(Ruling).index(ruling) for ruling in (Ruling.PASS, Ruling.FAIL))


class Place(NamedTuple):
    """What a case is counted under."""

    dimension: str | None = None
    group: str | None = None
    variant: str | None = None


Places: TypeAlias = dict[Place, dict[str, Counts]]
"""Places, in each the cases with their counts."""


@dataclass
class Hits:
    """How many FAIL results, and the first cases of them by name."""

    count: int = 0
    cases: list[str] = field(default_factory=list)

    def add(self, count: int, cases: Iterable[str]) -> None:
        """More results; of all their cases the first few are kept, whatever the order they come in."""
        self.count += count
        for case in cases:
            place = bisect_left(self.cases, case)
            if place == len(self.cases) or self.cases[place] != case:
                self.cases.insert(place, case)
                del self.cases[FIRST_CASES:]


@dataclass
class Tally:
    """Counts of results; the tallies of two parts add up to that of the whole.

    Held: the name of each case with its counts, and sums. `rungs` counts scored results, None those that hold no rung.
    `tokens` lacks an amount that no result reported.
    """

    places: Places = field(default_factory=dict)
    codes: dict[Code, Hits] = field(default_factory=dict)
    tools: dict[str, Hits] = field(default_factory=dict)
    rungs: Counter[Rung | None] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    reported: int = 0
    turns: int = 0
    calls: int = 0

    def add(self, result: Result) -> None:
        """One more result."""
        place = Place(result.dimension, result.group, result.variant)
        _count(self.places.setdefault(place, {}), result.case, _ONE[result.verdict])
        if result.verdict in _SCORED:
            self.rungs[result.rung] += 1
        if result.verdict is Ruling.FAIL:
            for code in result.taxonomy:
                self.codes.setdefault(code, Hits()).add(1, [result.case])
            for tool in result.tools:
                self.tools.setdefault(tool, Hits()).add(1, [result.case])
        if result.trace:
            self.turns += result.trace.turn_count
            self.calls += result.trace.call_count
        if result.tokens:
            self.reported += 1
            self.tokens.update(_reported(result.tokens))

    def merge(self, other: "Tally") -> None:
        """All results of another tally."""
        for place, cases in other.places.items():
            mine = self.places.setdefault(place, {})
            for case, counts in cases.items():
                _count(mine, case, counts)
        for code, hits in other.codes.items():
            self.codes.setdefault(code, Hits()).add(hits.count, hits.cases)
        for tool, hits in other.tools.items():
            self.tools.setdefault(tool, Hits()).add(hits.count, hits.cases)
        self.rungs.update(other.rungs)
        self.tokens.update(other.tokens)
        self.reported += other.reported
        self.turns += other.turns
        self.calls += other.calls


def _count(parts: dict[Part, Counts], part: Part, counts: Counts) -> None:
    before = parts.get(part)
    parts[part] = counts if before is None else tuple(map(add, before, counts))


def counts_by(places: Places, part_of: Callable[[Place, str], Part]) -> dict[Part, Counts]:
    """The counts of each part of the cases."""
    parts: dict[Part, Counts] = {}
    for place, cases in places.items():
        for case, counts in cases.items():
            _count(parts, part_of(place, case), counts)
    return parts


def sum_of(many: Iterable[Counts]) -> Counts:
    """Counts added up."""
    total = _NONE
    for counts in many:
        total = tuple(map(add, total, counts))
    return total


def passed_and_scored(many: Iterable[Counts]) -> list[tuple[int, int]]:
    """How many passed of how many that are scored; equal pairs are one, so that a million cost little."""
    pairs: dict[tuple[int, int], tuple[int, int]] = {}
    found = ((counts[_PASSED], counts[_PASSED] + counts[_FAILED]) for counts in many)
    return [pairs.setdefault(pair, pair) for pair in found]


def _reported(ledger: TokenLedger) -> dict[str, int]:
    amounts: dict[str, int | None] = {name: getattr(ledger, name) for name in _AMOUNTS}
    return {name: amount for name, amount in amounts.items() if amount is not None}


def tally_of(results: Iterable[Result]) -> Tally:
    """The tally of all results."""
    tally = Tally()
    for result in results:
        tally.add(result)
    return tally
