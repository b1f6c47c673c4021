"""Two runs or more, case by case: who passes where the other does not, whether chance does as much, what it took."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple

import msgspec

from harness import errors
from harness.evidence.basis import RULES, Basis, basis_of, differences_of, seed_of
from harness.evidence.consistency import Broken, Member, broken_in
from harness.evidence.pairs import Scores, Shift, part_of, scores_of, shift_between
from harness.evidence.unpaired import Side, Unpaired, unpaired_of
from harness.judge.finding import Ruling
from harness.raw_run import changed_inputs
from harness.report.report import Borders, Count, Report, Result, Share, Trials
from harness.report.result import call_text
from harness.value import canonical

_A_MILLION = 1_000_000


class Price(NamedTuple):
    """Money for a million tokens; what came from the cache costs `cached`."""

    input: Decimal
    output: Decimal
    cached: Decimal


class Spent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a conversation took, as means over `conversations`; tokens and cost over the `reported` ones."""

    conversations: Count
    turns: float | None
    calls: float | None
    reported: Count
    tokens_in: float | None
    tokens_out: float | None
    cost: float | None


class Entrant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the runs: its name on the command line, what it stands on, its score, and what it took.

    `changed` are the files of its suite that are no longer what it was recorded with.
    """

    name: str
    basis: Basis
    changed: list[str]
    verdict_counts: dict[Ruling, Count]
    accuracy: Share | None
    accuracy_interval: Borders | None
    trials: Trials
    spent: Spent


class Standing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a case came out in one run. `calls` and `broken` are of a trial that failed, else of the first."""

    verdicts: list[Ruling]
    calls: list[str]
    broken: list[Broken]


class Flip(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A case that one run passes more often than the other."""

    case: str
    dimension: str | None
    variant: str | None
    first: Standing
    second: Standing


class Duel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first run and another. `differences` are what is not the same in the two beside what they scored."""

    name: str
    differences: list[str]
    unpaired: list[Unpaired]
    shift: Shift | None
    dimensions: dict[str, Shift]
    variants: dict[str, Shift]
    down: list[Flip]
    up: list[Flip]


class Comparison(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    forbid_unknown_fields=True,
    tag_field="type",
    tag="comparison",
):
    """ComparisonV1: every run by itself, and each but the first against the first."""

    format_version: Literal[1] = 1
    semantics_version: int
    runs: list[Entrant]
    duels: list[Duel]


def comparison_of(members: Sequence[Member], prices: Mapping[str, Price] | None = None) -> Comparison:
    """The runs compared with the first; raises `NotComparable` where they were judged by other rules.

    `prices` are by the runs' names; a run without one has no cost.
    """
    first, *others = members
    for one in others:
        if one.report.semantics_version != first.report.semantics_version:
            raise errors.NotComparable(
                f"{one.name} was judged by other rules than {first.name}: judge both again, by the same version",
                expected=f"version {first.report.semantics_version}",
                found=f"version {one.report.semantics_version}",
            )
    return Comparison(
        semantics_version=first.report.semantics_version,
        runs=[_entrant_of(one, (prices or {}).get(one.name)) for one in members],
        duels=[_duel_of(first, one) for one in others],
    )


def _entrant_of(member: Member, price: Price | None) -> Entrant:
    summary = member.report.summary
    return Entrant(
        name=member.name,
        basis=basis_of(member.report, member.run),
        changed=changed_inputs(member.recorded, member.report.inputs) if member.recorded is not None else [],
        verdict_counts=summary.verdict_counts,
        accuracy=summary.accuracy,
        accuracy_interval=summary.accuracy_interval,
        trials=summary.trials,
        spent=_spent_in(member.report, price),
    )


def _spent_in(report: Report, price: Price | None) -> Spent:
    traces = [one.trace for one in report.results if one.trace is not None]
    ledgers = [one.tokens for one in report.results if one.tokens is not None]
    cached = sum(one.cache_read or 0 for one in ledgers)
    fresh = sum((one.input or 0) + (one.cache_creation or 0) for one in ledgers)
    written = sum(one.output or 0 for one in ledgers)
    cost = None
    if price is not None and ledgers:
        money = fresh * price.input + cached * price.cached + written * price.output
        cost = float(money / _A_MILLION / len(ledgers))
    return Spent(
        conversations=len(traces),
        turns=_mean(sum(one.turn_count for one in traces), len(traces)),
        calls=_mean(sum(one.call_count for one in traces), len(traces)),
        reported=len(ledgers),
        tokens_in=_mean(fresh + cached, len(ledgers)),
        tokens_out=_mean(written, len(ledgers)),
        cost=cost,
    )


def _mean(total: int, count: int) -> float | None:
    return total / count if count else None


def _duel_of(one: Member, other: Member) -> Duel:
    first, second = one.report, other.report
    there, here = _by_case(first), _by_case(second)
    alike = {case for case in there.keys() & here.keys() if _expects_the_same(there[case], here[case])}
    sides = Side(_scored(first, alike), there), Side(_scored(second, alike), here)
    seed = seed_of(first.inputs)
    return Duel(
        name=other.name,
        differences=[*_differences(one, other)],
        unpaired=list(unpaired_of(*sides, alike)),
        shift=shift_between(sides[0].scores, sides[1].scores, seed=seed),
        dimensions=dict(_shifts_by("dimension", *sides, seed=seed)),
        variants=dict(_shifts_by("variant", *sides, seed=seed)),
        down=list(_flips(*sides, sign=-1)),
        up=list(_flips(*sides, sign=1)),
    )


def _differences(one: Member, other: Member) -> Iterator[str]:
    """What differs in the two reports, and in the inputs that the runs were recorded with, which may be others."""
    for difference in differences_of(one.report, other.report):
        if difference.name != RULES:
            yield str(difference)
    if one.recorded is not None and other.recorded is not None:
        yield from (
            f"{name}, as it was when they were recorded" for name in changed_inputs(one.recorded, other.recorded)
        )


def _by_case(report: Report) -> dict[str, list[Result]]:
    cases: dict[str, list[Result]] = {}
    for one in report.results:
        cases.setdefault(one.case, []).append(one)
    return cases


def _expects_the_same(there: list[Result], here: list[Result]) -> bool:
    return canonical(there[0].golden) == canonical(here[0].golden)


def _scored(report: Report, cases: set[str]) -> Scores:
    return scores_of(one for one in report.results if one.case in cases)


def _shifts_by(
    name: Literal["dimension", "variant"], first: Side, second: Side, *, seed: bytes
) -> Iterator[tuple[str, Shift]]:
    there, here = part_of(first.scores, name), part_of(second.scores, name)
    for part in sorted(there.keys() & here.keys()):
        shift = shift_between(there[part], here[part], seed=seed)
        if shift is not None:
            yield part, shift


def _flips(first: Side, second: Side, *, sign: int) -> Iterator[Flip]:
    """The cases that move in one direction, those that move furthest first."""
    both = first.scores.keys() & second.scores.keys()
    moved = {case: second.scores[case].share - first.scores[case].share for case in both}
    for case in sorted((case for case in moved if moved[case] * sign > 0), key=lambda case: (-abs(moved[case]), case)):
        yield Flip(
            case=case,
            dimension=second.scores[case].dimension,
            variant=second.scores[case].variant,
            first=_standing_of(first.results[case]),
            second=_standing_of(second.results[case]),
        )


def _standing_of(results: list[Result]) -> Standing:
    shown = next((one for one in results if one.verdict is Ruling.FAIL), results[0])
    calls = shown.trace.calls if shown.trace else []
    return Standing(
        verdicts=[one.verdict for one in results],
        calls=[call_text(one.name, one.arguments if one.arguments is not None else one.raw) for one in calls],
        broken=list(broken_in(shown)),
    )
