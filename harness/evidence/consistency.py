"""Whether runs of one evaluation agree: case by case, with what flips, against a standard that is written down here."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from harness import errors
from harness.evidence.basis import Basis, basis_of, differences_of, seed_of
from harness.evidence.pairs import ALPHA, chance_between, scores_of
from harness.excerpt import counted
from harness.fixture import Digest
from harness.judge.finding import Code, Ruling, Status
from harness.report.report import UNFINISHED, Borders, Count, PassPower, Report, Result, Share
from harness.report.statistics import pass_power

FEWEST_RUNS = 3
AGREEMENT_PERCENT = 90
_SCORED = (Ruling.PASS, Ruling.FAIL)

Rule: TypeAlias = Literal["runs", "judged", "agreement", "drift"]


class Condition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One condition of the standard: what is needed, what was found, and whether that holds."""

    rule: Rule
    needed: str
    found: str
    holds: bool


class RunScore(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the runs: its id where it has one, its report and its recordings by hash, and its score."""

    run: str | None
    report: Digest
    evidence: Digest
    verdict_counts: dict[Ruling, Count]
    accuracy: Share | None
    accuracy_interval: Borders | None


class Agreement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A case's verdicts: a list a run, in the order of the runs, each by trial."""

    case: str
    verdicts: list[list[Ruling]]
    agrees: bool


class Broken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A promise that a trial broke."""

    code: Code | None
    message: str


class FlipTrial(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One trial of a case that flips; `run` counts from 1."""

    run: Count
    trial: Count
    verdict: Ruling
    reason: str
    broken: list[Broken]


class Flip(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A case on which the runs do not agree, with what each trial broke."""

    case: str
    trials: list[FlipTrial]


class Consistency(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    forbid_unknown_fields=True,
    tag_field="type",
    tag="consistency",
):
    """ConsistencyV1. `basis` is that of the first run: model, request and inputs are those of all.

    `agreement` is the share of the cases, skipped ones left out, on which all trials of all runs have one verdict.
    """

    format_version: Literal[1] = 1
    basis: Basis
    holds: bool
    standard: list[Condition]
    runs: list[RunScore]
    agreement: Share | None
    pass_power: list[PassPower]
    flips: list[Flip]
    cases: list[Agreement]

    @property
    def failed(self) -> list[Condition]:
        """The conditions that do not hold."""
        return [one for one in self.standard if not one.holds]


class Manifest(NamedTuple):
    """What no recording of a run proves: its manifest by hash, and when it ended."""

    digest: Digest
    ended_at: str | None


class Member(NamedTuple):
    """A run that takes part: what to call it in messages, its report, its id, and the inputs it was recorded with.

    Of a report's file only those are known that it was judged by: `recorded` is then None, and so is `manifest`.
    """

    name: str
    report: Report
    run: str | None = None
    recorded: dict[str, Digest] | None = None
    manifest: Manifest | None = None


def consistency_of(members: Sequence[Member]) -> Consistency:
    """How the runs agree; raises `NotComparable` or `OtherEvidence` where they are not runs of one evaluation."""
    _refuse_strangers(members)
    bases = [basis_of(one.report, one.run) for one in members]
    _refuse_twins(members, bases)
    reports = [one.report for one in members]
    cases = list(_agreements(reports))
    counted_cases = [one for one in cases if any(ruling is not Ruling.SKIP for run in one.verdicts for ruling in run)]
    agreement = sum(one.agrees for one in counted_cases) / len(counted_cases) if counted_cases else None
    standard = [
        _enough_runs(len(members)),
        _all_judged(reports),
        _agreeing(counted_cases, agreement),
        _no_drift(reports),
    ]
    return Consistency(
        basis=bases[0],
        holds=all(one.holds for one in standard),
        standard=standard,
        runs=[_score_of(one.report, basis) for one, basis in zip(members, bases, strict=True)],
        agreement=agreement,
        pass_power=list(_powers(cases)),
        flips=list(_flips(reports, {one.case for one in cases if not one.agrees})),
        cases=cases,
    )


def _refuse_strangers(members: Sequence[Member]) -> None:
    """Raise unless all are whole runs of the same evaluation: model, request, agent, inputs, judge, cases, trials."""
    first, *others = members
    stopped = [one.name for one in members if not one.report.complete]
    told = [f"{name}: {UNFINISHED}" for name in stopped]
    for one in others:
        found = [*map(str, differences_of(first.report, one.report))]
        if _trials_of(first.report) != _trials_of(one.report):
            found.append("the cases and trials are not the same")
        told += [f"{first.name} against {one.name}: {difference}" for difference in found]
    if told:
        raise errors.NotComparable("not runs of one evaluation: " + "; ".join(told))


def _refuse_twins(members: Sequence[Member], bases: list[Basis]) -> None:
    for (one, there), (other, here) in combinations(zip(members, bases, strict=True), 2):
        if there.evidence == here.evidence:
            raise errors.OtherEvidence(f"{one.name} and {other.name} are the same recordings: one run is no second one")


def _trials_of(report: Report) -> list[tuple[str, int]]:
    return [(one.case, one.trial) for one in report.results]


def _agreements(reports: list[Report]) -> Iterator[Agreement]:
    verdicts: dict[str, list[list[Ruling]]] = {}
    for number, report in enumerate(reports):
        for one in report.results:
            runs = verdicts.setdefault(one.case, [[] for _ in reports])
            runs[number].append(one.verdict)
    for case in sorted(verdicts):
        yield Agreement(case, verdicts[case], len({ruling for run in verdicts[case] for ruling in run}) == 1)


def _enough_runs(count: int) -> Condition:
    return Condition("runs", f"at least {FEWEST_RUNS} runs", counted(count, "run"), count >= FEWEST_RUNS)


def _all_judged(reports: list[Report]) -> Condition:
    missing = [
        f"{one.case} ({one.verdict} in run {number})"
        for number, report in enumerate(reports, 1)
        for one in report.results
        if one.verdict not in (*_SCORED, Ruling.SKIP)
    ]
    found = f"{counted(len(missing), 'trial')} not: {_first_of(missing)}" if missing else "all are"
    return Condition("judged", "every trial that is not skipped is PASS or FAIL", found, not missing)


def _agreeing(cases: list[Agreement], agreement: float | None) -> Condition:
    count = sum(one.agrees for one in cases)
    found = f"{count} of {len(cases)}" + (f" ({100 * agreement:.1f} %)" if agreement is not None else "")
    needed = f"on at least {AGREEMENT_PERCENT} % of the cases all trials of all runs have one verdict"
    return Condition("agreement", needed, found, bool(cases) and 100 * count >= AGREEMENT_PERCENT * len(cases))


def _no_drift(reports: list[Report]) -> Condition:
    """Flips that all go one way are no noise: the provider, or something between, has changed."""
    pairs = list(combinations(range(len(reports)), 2))
    alpha = ALPHA / max(len(pairs), 1)
    seed = seed_of(reports[0].inputs)
    scores = [scores_of(report.results) for report in reports]
    chances = [(chance_between(scores[one], scores[other], seed=seed), one, other) for one, other in pairs]
    known = [(chance, one, other) for chance, one, other in chances if chance is not None]
    share = f"{ALPHA} over {counted(len(pairs), 'pair')}"
    needed = f"no two runs differ beyond chance: p of the paired test at least {alpha:.4f} ({share})"
    if not known:
        return Condition("drift", needed, "no two runs scored the same case", holds=False)
    p, one, other = min(known)
    return Condition("drift", needed, f"smallest p {p:.4f}, runs {one + 1} and {other + 1}", p >= alpha)


def _first_of(names: list[str], limit: int = 5) -> str:
    return ", ".join(names[:limit]) + (" …" if len(names) > limit else "")


def _score_of(report: Report, basis: Basis) -> RunScore:
    summary = report.summary
    return RunScore(
        run=basis.run,
        report=basis.report,
        evidence=basis.evidence,
        verdict_counts=summary.verdict_counts,
        accuracy=summary.accuracy,
        accuracy_interval=summary.accuracy_interval,
    )


def _powers(cases: list[Agreement]) -> Iterator[PassPower]:
    """pass^k over all runs: each trial of each run is a trial of its case."""
    scored = [[ruling for run in one.verdicts for ruling in run if ruling in _SCORED] for one in cases]
    counts = [(rulings.count(Ruling.PASS), len(rulings)) for rulings in scored]
    for k in range(1, max((trials for _, trials in counts), default=0) + 1):
        powers = [pass_power(passed, trials, k) for passed, trials in counts if trials >= k]
        yield PassPower(k, math.fsum(powers) / len(powers), len(powers))


def _flips(reports: list[Report], flipping: set[str]) -> Iterator[Flip]:
    trials: dict[str, list[FlipTrial]] = {case: [] for case in sorted(flipping)}
    for number, report in enumerate(reports, 1):
        for one in report.results:
            if one.case in flipping:
                trial = FlipTrial(number, one.trial, one.verdict, one.reason, list(broken_in(one)))
                trials[one.case].append(trial)
    return (Flip(case, trials[case]) for case in trials)


def broken_in(result: Result) -> Iterator[Broken]:
    """The promises that a result broke."""
    for finding in result.findings:
        if finding.outcome is Status.FAIL:
            yield Broken(finding.code, finding.message or finding.check)
