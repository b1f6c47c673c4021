"""Two runs by case: who passes more often where, and whether chance does as much."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from harness.judge.finding import Ruling
from harness.report.report import Count, Result, Share
from harness.report.statistics import mcnemar, paired_bootstrap

ALPHA = 0.05

Test: TypeAlias = Literal["mcnemar", "bootstrap"]
Shown: TypeAlias = Literal["higher", "lower", "no difference shown"]


class CaseScore(NamedTuple):
    """A case's scored trials in one run; what was not scored is in neither number."""

    case: str
    dimension: str | None
    group: str | None
    variant: str | None
    passed: int
    scored: int

    @property
    def share(self) -> Fraction:
        """How many of the scored trials passed; there is at least one."""
        return Fraction(self.passed, self.scored)


Scores: TypeAlias = Mapping[str, CaseScore]


class Shift(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the second run scores against the first, over the cases that both scored.

    `first` and `second` are means over cases of their pass shares; `mean` is their difference, `low` to `high` its
    95 % interval with the variants of one scenario drawn together. `down` and `up` count cases that pass less and more
    often. `p` is of the test named: exact McNemar on single trials, the paired bootstrap on repeated ones.
    """

    case_count: Count
    first: Share
    second: Share
    mean: float
    low: float
    high: float
    down: Count
    up: Count
    test: Test
    p: Share
    shown: Shown


def scores_of(results: Iterable[Result]) -> dict[str, CaseScore]:
    """The scored cases of a run, by name."""
    scores: dict[str, CaseScore] = {}
    for one in results:
        if one.verdict in (Ruling.PASS, Ruling.FAIL):
            before = scores.get(one.case) or CaseScore(one.case, one.dimension, one.group, one.variant, 0, 0)
            passed = before.passed + (one.verdict is Ruling.PASS)
            scores[one.case] = before._replace(passed=passed, scored=before.scored + 1)
    return scores


class _Pairs(NamedTuple):
    """The cases that both runs scored, first run first."""

    both: list[tuple[CaseScore, CaseScore]]

    @property
    def down(self) -> int:
        return sum(there.share > here.share for there, here in self.both)

    @property
    def up(self) -> int:
        return sum(there.share < here.share for there, here in self.both)

    @property
    def single(self) -> bool:
        """Whether each case was tried once in each run."""
        return all(there.scored == here.scored == 1 for there, here in self.both)


def _pairs_of(first: Scores, second: Scores) -> _Pairs:
    return _Pairs([(first[case], second[case]) for case in sorted(first.keys() & second.keys())])


def chance_between(first: Scores, second: Scores, *, seed: bytes) -> float | None:
    """How easily chance does as much as parts the two runs; None where no case was scored in both."""
    pairs = _pairs_of(first, second)
    if not pairs.both:
        return None
    if pairs.single:
        return mcnemar(pairs.down, pairs.up)
    moved = paired_bootstrap(_by_scenario(pairs.both), seed=seed)
    return None if moved is None else moved.p


def shift_between(first: Scores, second: Scores, *, seed: bytes) -> Shift | None:
    """The shift over the cases that both runs scored; None where there is no such case."""
    pairs = _pairs_of(first, second)
    both = pairs.both
    moved = paired_bootstrap(_by_scenario(both), seed=seed)
    if moved is None:
        return None
    p = mcnemar(pairs.down, pairs.up) if pairs.single else moved.p
    return Shift(
        case_count=len(both),
        first=float(sum(there.share for there, _ in both) / len(both)),
        second=float(sum(here.share for _, here in both) / len(both)),
        mean=moved.mean,
        low=moved.low,
        high=moved.high,
        down=pairs.down,
        up=pairs.up,
        test="mcnemar" if pairs.single else "bootstrap",
        p=p,
        shown="no difference shown" if p >= ALPHA else "higher" if moved.mean > 0 else "lower",
    )


def _by_scenario(pairs: list[tuple[CaseScore, CaseScore]]) -> list[list[Fraction]]:
    """The differences, those of one scenario's variants together; a case that stands alone is its own scenario."""
    groups: dict[tuple[str | None, str], list[Fraction]] = {}
    for there, here in pairs:
        key = (there.group, "" if there.group else there.case)
        groups.setdefault(key, []).append(here.share - there.share)
    return [groups[key] for key in sorted(groups, key=lambda key: (key[0] or "", key[1]))]


def part_of(scores: Scores, name: Literal["dimension", "variant"]) -> dict[str, dict[str, CaseScore]]:
    """The scores apart by dimension or variant, names in order; cases without one are in none."""
    parts: dict[str, dict[str, CaseScore]] = {}
    for score in scores.values():
        part: str | None = getattr(score, name)
        if part is not None:
            parts.setdefault(part, {})[score.case] = score
    return {part: parts[part] for part in sorted(parts)}
