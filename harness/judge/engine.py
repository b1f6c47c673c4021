"""Findings to a verdict: which ruling wins, which rung holds, and why."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from harness.judge.finding import Finding, Ruling, Rung, Status, Verdict, unjudged
from harness.trace import Trace

_RUNGS = tuple(Rung)
_PASS, _FAIL, _NOT_APPLICABLE = Status.PASS, Status.FAIL, Status.NOT_APPLICABLE


class Found(NamedTuple):
    """What an expectation found on a trace; `notes` decide nothing: repairs that were asked for and made."""

    findings: list[Finding]
    notes: Sequence[str] = ()


Expectation = Callable[[Trace], Found]
"""One dialect's expectation, compiled: a pure function of the trace."""


def judge(trace: Trace, expectations: Iterable[tuple[str, Expectation]]) -> Verdict:
    """All expectations on one trace. Each has a name, which stands in the finding that says it could not be judged."""
    findings: list[Finding] = []
    notes: list[str] = []
    for name, expectation in expectations:
        found = _guarded(name, expectation, trace)
        findings += found.findings
        notes += found.notes
    return verdict_of(findings, trace, warnings=notes)


def _guarded(name: str, expectation: Expectation, trace: Trace) -> Found:
    """An error of the judge costs one expectation, not the batch, and is never a pass."""
    try:
        return expectation(trace)
    except Exception as error:  # noqa: BLE001  whatever it is, this case is not judged and the next one is
        return Found([unjudged(name, f"the judge failed on {name}: {type(error).__name__}: {error}")])


def verdict_of(findings: list[Finding], trace: Trace | None, *, warnings: Iterable[str] = ()) -> Verdict:
    """The verdict that the findings give on a trace, or by themselves; nothing checked is never a pass."""
    counts = _counted(findings)
    ruling, reason = _ruling_of(counts, trace)
    return Verdict(ruling, reason, findings, _rung_of(counts), list(warnings))


def skipped(reason: str) -> Verdict:
    """The verdict of a case that says itself that it is not to be run."""
    return Verdict(Ruling.SKIP, reason, [])


def not_judged(reason: str) -> Verdict:
    """The verdict of a case that could not be judged at all."""
    return Verdict(Ruling.NOT_JUDGED, reason, [])


class _Counts(NamedTuple):
    """How many findings there are and came out how, and on which rungs something passed or did not."""

    all: int
    passed: int
    failed: int
    unknown: int
    held: list[Rung | None]
    broken: list[Rung | None]


def _counted(findings: list[Finding]) -> _Counts:
    """One walk over the findings. Rungs stand in lists, not sets: to hash a member of an enum is slow."""
    passed = failed = 0
    held: list[Rung | None] = []
    broken: list[Rung | None] = []
    for finding in findings:
        outcome = finding.outcome
        if outcome is _PASS:
            passed += 1
            if finding.rung not in held:
                held.append(finding.rung)
        elif outcome is not _NOT_APPLICABLE:
            failed += outcome is _FAIL
            broken.append(finding.rung)
    return _Counts(len(findings), passed, failed, len(broken) - failed, held, broken)


def _ruling_of(counts: _Counts, trace: Trace | None) -> tuple[Ruling, str]:
    if trace is not None and trace.agent_error:
        return Ruling.AGENT_ERROR, f"the run ended as {trace.outcome}" + (f": {trace.error}" if trace.error else "")
    if counts.failed:
        return Ruling.FAIL, f"{counts.failed} of {counts.all} checks failed"
    if counts.unknown:
        return Ruling.NOT_JUDGED, f"{counts.unknown} of {counts.all} checks could not be judged"
    if not counts.passed:
        return Ruling.NOT_JUDGED, "nothing was checked" if counts.all else "nothing is expected"
    return Ruling.PASS, f"{counts.passed} checks passed" if counts.passed > 1 else "1 check passed"


def _rung_of(counts: _Counts) -> Rung | None:
    """The highest rung that holds: something on it passed, and nothing on it or below failed or stayed unjudged."""
    highest = None
    for rung in _RUNGS:
        if rung in counts.broken:
            break
        if rung in counts.held:
            highest = rung
    return highest
