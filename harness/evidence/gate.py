"""A run held to a baseline: whether they can be compared, which cases got worse or better, whether it passes."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from harness.evidence.baseline import Baseline, LockedCase
from harness.evidence.basis import RULES, differences_of, seed_of
from harness.evidence.consistency import Broken, broken_in
from harness.evidence.pairs import ALPHA, CaseScore, Scores, Shift, scores_of, shift_between
from harness.judge.finding import Ruling
from harness.raw_run import UNANSWERED, asked_again_text
from harness.report.report import UNFINISHED, Count, Report, Result

# What a run may change and still be held to the baseline, where the caller says so: it is what was to be tried.
ALLOWABLE = ("model", "provider", "api", "request", "agent", "config", "prompt", "tools", "world", "selection", "again")
# What it may never change, and why.
NEVER = {
    "cases": "what is asked and what is right stands in the cases",
    "tables": "what is right is said of the rows of the tables",
    "policy": "what is right follows from the policy",
    "judge": "other rules of the judge give other verdicts on the same calls",
    "complete": "of a run that was stopped nobody knows what it left out",
    "evidence": "a run whose files are not as it made them is no evidence",
}
_SCORED = (Ruling.PASS, Ruling.FAIL)
_UNJUDGED = (Ruling.AGENT_ERROR, Ruling.NOT_JUDGED)


class Doubts(NamedTuple):
    """What is known beside a baseline and a report.

    `refused` is why the run's files are no evidence, `unproven` what the baseline rests on and nobody could look at.
    """

    refused: Sequence[str] = ()
    unproven: Sequence[str] = ()


class Obstruction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something in which run and baseline differ; one that is `allowed` is told and stands in nobody's way."""

    name: str
    reason: str
    allowed: bool


class Moved(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A case that passes more or less often than in the baseline, of its scored trials there and here.

    `lost`: it passed every trial of the baseline and fails every one here. `broken` is what it broke here.
    """

    case: str
    dimension: str | None
    variant: str | None
    passed_there: Count
    scored_there: Count
    passed_here: Count
    scored_here: Count
    lost: bool
    broken: list[Broken]


class Gate(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What a baseline says of a run. `reasons` are why it does not pass; `shift` is the run against the baseline.

    `assisted`: not all that the baseline rests on was a person's. `unscored` are cases that it scored, and this run
    did not; `unjudged` those with a trial here that broke off or was not judged. `unproven` is what the baseline was
    taken on its own word for, since it was not at hand. Of a run that is not comparable nothing else is said.
    """

    locked_on: str
    assisted: bool
    comparable: bool
    obstructions: list[Obstruction]
    passes: bool
    reasons: list[str]
    strict: bool
    shift: Shift | None
    regressions: list[Moved]
    improvements: list[Moved]
    unscored: list[str]
    unjudged: list[str] = []
    unproven: list[str] = []

    @property
    def exit_code(self) -> int:
        """0 where the run passes, 1 where it does not, 4 where it cannot be held to this baseline."""
        return 4 if not self.comparable else 0 if self.passes else 1


def gate_of(
    baseline: Baseline,
    report: Report,
    *,
    strict: bool = False,
    allowed: Collection[str] = (),
    doubts: Doubts = Doubts(),  # noqa: B008  it is a value
) -> Gate:
    """Hold a run to a baseline. `allowed` names differences (of `ALLOWABLE`) that are what is being tried.

    A run fails where a case that passed every trial of the baseline fails every one here or has no verdict here, where
    it scores lower beyond chance (p < 0.05), and with `strict` where any case passes less often.
    """
    obstructions = list(_obstructions(baseline, report, allowed, doubts))
    gate = Gate(
        locked_on=baseline.locked_on,
        assisted=baseline.assisted,
        comparable=all(one.allowed for one in obstructions),
        obstructions=obstructions,
        passes=False,
        reasons=[],
        strict=strict,
        shift=None,
        regressions=[],
        improvements=[],
        unscored=[],
        unproven=[*doubts.unproven],
    )
    return _held(gate, baseline, report) if gate.comparable else gate


def _held(gate: Gate, baseline: Baseline, report: Report) -> Gate:
    """What a baseline says of a run that can be held to it."""
    there, here = _locked_scores(baseline), scores_of(report.results)
    shift = shift_between(there, here, seed=seed_of(baseline.basis.inputs))
    moved = list(_moved(there, here, report))
    regressions = [one for one in moved if one.passed_here * one.scored_there < one.passed_there * one.scored_here]
    unscored = sorted(there.keys() - here.keys())
    broken = [case for case in unscored if case in _always_passed(baseline) & {one.case for one in report.results}]
    reasons = [*_reasons(regressions, shift, strict=gate.strict), *_unheard(broken)]
    return replace(
        gate,
        passes=not reasons,
        reasons=reasons,
        shift=shift,
        regressions=regressions,
        improvements=[one for one in moved if one not in regressions],
        unscored=unscored,
        unjudged=sorted({one.case for one in report.results if one.verdict in _UNJUDGED}),
    )


def _obstructions(
    baseline: Baseline, report: Report, allowed: Collection[str], doubts: Doubts
) -> Iterator[Obstruction]:
    for one in differences_of(baseline.basis, report):
        name = "judge" if one.name == RULES else one.name
        reason = f"{one.name} differs: {one.there} in the baseline, {one.here} here"
        yield Obstruction(name, reason, name in allowed and name in ALLOWABLE)
    if not report.complete:
        yield Obstruction("complete", UNFINISHED, allowed=False)
    if again := asked_again_text(report.origin.asked_again if report.origin else {}):
        yield Obstruction("again", again, "again" in allowed or not was_answered(report))
    missing = {one.case for one in baseline.cases} - {one.case for one in report.results}
    if missing:
        reason = f"{len(missing)} of the baseline's {len(baseline.cases)} cases are not in the run"
        yield Obstruction("selection", reason, "selection" in allowed)
    if doubts.refused:
        first, *others = [one.partition("\n")[0] for one in doubts.refused]
        more = f", and {len(others)} more" if others else ""
        yield Obstruction("evidence", f"the run is no evidence as it lies here: {first}{more}", allowed=False)


def was_answered(report: Report) -> bool:
    """Whether the model had answered a trial before it was asked again, so that the better answer may be kept."""
    return report.origin is not None and not UNANSWERED.issuperset(report.origin.asked_again)


def _locked_scores(baseline: Baseline) -> dict[str, CaseScore]:
    scores = (_score_of(one) for one in baseline.cases)
    return {score.case: score for score in scores if score.scored}


def _always_passed(baseline: Baseline) -> set[str]:
    """The cases of which no trial failed or broke off."""
    return {one.case for one in baseline.cases if all(ruling is Ruling.PASS for run in one.verdicts for ruling in run)}


def _unheard(cases: list[str]) -> Iterator[str]:
    if cases:
        yield f"passed every trial of the baseline, and has no verdict here: {', '.join(cases)}"


def _score_of(one: LockedCase) -> CaseScore:
    rulings = [ruling for run in one.verdicts for ruling in run if ruling in _SCORED]
    return CaseScore(one.case, one.dimension, one.group, one.variant, rulings.count(Ruling.PASS), len(rulings))


def _moved(there: Scores, here: Scores, report: Report) -> Iterator[Moved]:
    failed: dict[str, Result] = {}
    for result in report.results:
        if result.verdict is Ruling.FAIL:
            failed.setdefault(result.case, result)
    for case in sorted(there.keys() & here.keys()):
        one, other = there[case], here[case]
        if one.share != other.share:
            yield Moved(
                case=case,
                dimension=other.dimension,
                variant=other.variant,
                passed_there=one.passed,
                scored_there=one.scored,
                passed_here=other.passed,
                scored_here=other.scored,
                lost=one.passed == one.scored and other.passed == 0,
                broken=list(broken_in(failed[case])) if case in failed else [],
            )


def _reasons(regressions: list[Moved], shift: Shift | None, *, strict: bool) -> Iterator[str]:
    lost = [one.case for one in regressions if one.lost]
    if lost:
        yield f"passed every trial of the baseline, and fails every one here: {', '.join(lost)}"
    if shift is not None and shift.p < ALPHA and shift.mean < 0:
        yield f"scores lower than the baseline beyond chance (p = {shift.p:.4f})"
    if strict and regressions:
        yield f"passes less often than in the baseline (strict): {', '.join(one.case for one in regressions)}"
    if shift is None:
        yield "no case was scored in both: there is nothing to hold to the baseline"
