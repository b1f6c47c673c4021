"""Findings to a verdict: which ruling wins, which rung holds, and why."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from harness.judge.finding import Finding, Ruling, Rung, Status, Verdict, unjudged
from harness.trace import Trace

_RUNGS = tuple(Rung)


class Found(NamedTuple):
    """What an expectation found on a trace; `notes` decide nothing: repairs that were asked for and made."""

    findings: list[Finding]
    notes: Sequence[str] = ()


Expectation = Callable[[Trace], Found]
"""One dialect's expectation, compiled: a pure function of the trace."""


def judge(trace: Trace, expectations: Iterable[tuple[str, Expectation]]) -> Verdict:
    """All expectations on one trace. Each has a name, which stands in the finding that says it could not be judged."""
    found = [_guarded(name, expectation, trace) for name, expectation in expectations]
    findings = [finding for one in found for finding in one.findings]
    return verdict_of(findings, trace, warnings=[note for one in found for note in one.notes])


def _guarded(name: str, expectation: Expectation, trace: Trace) -> Found:
    """An error of the judge costs one expectation, not the batch, and is never a pass."""
    try:
        return expectation(trace)
    except Exception as error:  # noqa: BLE001  whatever it is, this case is not judged and the next one is
        return Found([unjudged(name, f"the judge failed on {name}: {type(error).__name__}: {error}")])


def verdict_of(findings: list[Finding], trace: Trace, *, warnings: Iterable[str] = ()) -> Verdict:
    """The verdict that the findings give on a trace; nothing checked is never a pass."""
    ruling, reason = _ruling_of(findings, trace)
    return Verdict(ruling, reason, findings, rung_of(findings), list(warnings))


def skipped(reason: str) -> Verdict:
    """The verdict of a case that says itself that it is not to be run."""
    return Verdict(Ruling.SKIP, reason, [])


def not_judged(reason: str) -> Verdict:
    """The verdict of a case that could not be judged at all."""
    return Verdict(Ruling.NOT_JUDGED, reason, [])


def _ruling_of(findings: list[Finding], trace: Trace) -> tuple[Ruling, str]:
    if trace.agent_error:
        return Ruling.AGENT_ERROR, f"the run ended as {trace.outcome}" + (f": {trace.error}" if trace.error else "")
    outcomes = [finding.outcome for finding in findings]
    failed, unknown, passed = (outcomes.count(status) for status in (Status.FAIL, Status.NOT_JUDGED, Status.PASS))
    if failed:
        return Ruling.FAIL, f"{failed} of {len(findings)} checks failed"
    if unknown:
        return Ruling.NOT_JUDGED, f"{unknown} of {len(findings)} checks could not be judged"
    if not passed:
        return Ruling.NOT_JUDGED, "nothing was checked" if findings else "nothing is expected"
    return Ruling.PASS, f"{passed} checks passed" if passed > 1 else "1 check passed"


def rung_of(findings: list[Finding]) -> Rung | None:
    """The highest rung that holds: something on it passed, and nothing on it or below failed or stayed unjudged."""
    # Lists, not sets: to compare members of an enum by identity is many times faster than to hash them.
    held: list[Rung | None] = []
    broken: list[Rung | None] = []
    for finding in findings:
        if finding.outcome is Status.PASS:
            if finding.rung not in held:
                held.append(finding.rung)
        elif finding.outcome is not Status.NOT_APPLICABLE:
            broken.append(finding.rung)
    highest = None
    for rung in _RUNGS:
        if rung in broken:
            break
        if rung in held:
            highest = rung
    return highest
