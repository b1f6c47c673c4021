"""Whether a result agrees with itself: the verdict, the codes and the rung that its own findings give."""

from harness.judge.engine import verdict_of
from harness.judge.finding import Ruling
from harness.report.report import Result
from harness.report.result import taxonomy_of
from harness.trace import ENDED_BY_AN_ERROR
from harness.transcript import Outcome
from harness.value import Json


def contradiction_in(result: Result) -> tuple[str, str, str] | None:
    """The first thing that a result says and its findings do not give: its name, what they give, what it says."""
    right = verdict_of(result.findings, None)
    if result.verdict not in _rulings_of(result, right.verdict):
        return "verdict", right.verdict, result.verdict
    codes = taxonomy_of(right.failures) if result.verdict is Ruling.FAIL else []
    if result.taxonomy != codes:
        return "taxonomy", ", ".join(codes) or "none", ", ".join(result.taxonomy) or "none"
    if result.rung is not right.rung:
        return "rung", str(right.rung), str(result.rung)
    return None


def _rulings_of(result: Result, by_findings: Ruling) -> tuple[Ruling, ...]:
    """The rulings that may stand beside these findings: what else decides is how the run ended, and a skip."""
    outcome = result.trace.outcome if result.trace else None
    if outcome not in ENDED_BY_AN_ERROR:
        return (by_findings,) if result.findings else (Ruling.SKIP, Ruling.NOT_JUDGED)
    if not result.findings:
        return (Ruling.SKIP, Ruling.NOT_JUDGED, Ruling.AGENT_ERROR)
    return (Ruling.AGENT_ERROR, by_findings) if _may_be_declared(result.golden, outcome) else (Ruling.AGENT_ERROR,)


def _may_be_declared(golden: Json, outcome: Outcome | None) -> bool:
    """Whether an assertion declares this ending, by which the run is judged all the same; or may, and was cut off."""
    match golden:
        case {"assertions": list(assertions)}:
            return any(not isinstance(one, dict) or one.get("is") == outcome for one in assertions)
        case str():
            return True
        case _:
            return False
