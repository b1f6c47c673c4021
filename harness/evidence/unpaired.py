"""Which cases of two runs cannot be paired, and why."""

from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias, get_args

import msgspec

from harness.evidence.pairs import Scores
from harness.judge.finding import Ruling
from harness.report.report import Count, Result

Why: TypeAlias = Literal[
    "only in the first run",
    "only in the second run",
    "expects something else",
    "not scored in either run",
    "not scored in the first run",
    "not scored in the second run",
]


class Unpaired(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Cases that are not paired for one reason; `verdicts` counts what stands in place of a score, by trial."""

    why: Why
    cases: list[str]
    verdicts: dict[Ruling, Count]


class Side(NamedTuple):
    """A run's scores of the cases that expect the same in both, and all its results, by case."""

    scores: Scores
    results: dict[str, list[Result]]


def unpaired_of(first: Side, second: Side, alike: set[str]) -> Iterator[Unpaired]:
    """The cases that are not compared, by the reason; `alike` are those that expect the same in both runs."""
    groups: dict[Why, list[str]] = {}
    for case in sorted(first.results.keys() | second.results.keys()):
        why = _why(case, first, second, alike)
        if why is not None:
            groups.setdefault(why, []).append(case)
    for reason in get_args(Why):
        if reason in groups:
            verdicts = _unscored(groups[reason], first, second) if "not scored" in reason else {}
            yield Unpaired(why=reason, cases=groups[reason], verdicts=verdicts)


def _why(case: str, first: Side, second: Side, alike: set[str]) -> Why | None:
    if case not in second.results:
        return "only in the first run"
    if case not in first.results:
        return "only in the second run"
    if case not in alike:
        return "expects something else"
    match case in first.scores, case in second.scores:
        case True, True:
            return None
        case False, False:
            return "not scored in either run"
        case False, _:
            return "not scored in the first run"
        case _:
            return "not scored in the second run"


def _unscored(cases: list[str], *sides: Side) -> dict[Ruling, int]:
    lost = [(side, case) for side in sides for case in cases if case not in side.scores]
    counts = Counter(one.verdict for side, case in lost for one in side.results[case])
    return {ruling: counts[ruling] for ruling in Ruling if counts[ruling]}
