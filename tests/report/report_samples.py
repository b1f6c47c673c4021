"""Results to report on: a small run with every verdict, and hostile text."""

from harness.judge.finding import Code, Finding, Ruling, Rung, Status, Verdict
from harness.report.report import Result
from harness.report.result import Subject, result_of
from harness.trace import trace_of
from harness.transcript import (
    AssistantTurn,
    Change,
    Effects,
    Outcome,
    Text,
    TokenLedger,
    ToolCall,
    ToolResultTurn,
    Transcript,
    UserTurn,
)

HOSTILE = (
    "</script><script>alert(1)</script><svg onload=alert(2)><!-- ]]> & \" ' ` | \\ \x00\x07\x1b[31mred\x1b]8;;http://x\x07"
    "\x9b31m \u202eright to left\u2066 \ufeff\u2028 \ufffe \r\n\t# heading\n| a | b |\n```\n{{ 7*7 }} {% x %} 箱🧰"
)
EVIDENCE = "sha256:" + "0" * 64

GOLDEN = {
    "calls": [
        {"tool": "get_order", "params": {"order_id": "W443"}},
        {"tool": "request_refund", "params": {"order_id": "W443", "amount": 5}},
    ],
    "order_sensitive": True,
}


def transcript(*calls, text="Done.", outcome=Outcome.COMPLETED, error=None, changes=None):
    """One turn that makes the calls `(name, arguments)`, their results, and a last text."""
    made = [ToolCall(f"call_{number}", name, arguments) for number, (name, arguments) in enumerate(calls, 1)]
    results = [ToolResultTurn(call.id, [Text(f"result of {call.name}")], is_error=False) for call in made]
    turns = [
        UserTurn([Text("Refund order W443, please.")]),
        *([AssistantTurn(made, TokenLedger(10, 0, None, 5), "toolUse"), *results] if made else []),
        AssistantTurn([Text(text)], TokenLedger(20, 10, None, 7), "stop"),
    ]
    effects = None if changes is None else Effects(EVIDENCE, changes)
    return Transcript(turns, outcome, error, effects)


def passing(case="fc-d1-001", trial=1, **facts):
    """A case whose two checks passed."""
    findings = [
        Finding("golden[0]", Rung.SELECTION, Status.PASS, golden=0, call=0, message="get_order was called"),
        Finding("golden[0]", Rung.ARGUMENTS, Status.PASS, golden=0, call=0, message="its arguments are right"),
    ]
    verdict = Verdict(Ruling.PASS, "2 checks passed", findings, Rung.ARGUMENTS)
    trace = trace_of(transcript(("get_order", {"order_id": "W443"})))
    return result_of(Subject(case, trial, **facts), verdict, trace=trace, golden=GOLDEN, evidence=EVIDENCE)


def failing(case="fc-d2-001", trial=1, *, actual="5", text="Done.", registered=None, **facts):
    """A case with a wrong value, a missing call and a collateral change."""
    findings = [
        Finding("golden[0]", Rung.SELECTION, Status.FAIL, Code.CALL_MISSING, golden=0, message="get_order was not called"),
        Finding(
            "golden[1].amount", Rung.ARGUMENTS, Status.FAIL, Code.PARAM_WRONG_FORMAT, "amount", 1, 0, 5, actual,
            f"amount of request_refund: expected 5, got {actual!r}",
        ),
        Finding("others", Rung.EFFECTS, Status.FAIL, Code.STATE_COLLATERAL, "orders", call=0, expected=None, actual={"id": "W1"}, message="call 0 changed orders W1, which nothing asked for"),
        Finding("final", None, Status.NOT_APPLICABLE, message="there is no text to look for"),
    ]  # fmt: skip
    verdict = Verdict(Ruling.FAIL, "3 of 4 checks failed", findings, None, ["amount was read as a number"])
    changes = [Change("call_1", "orders", "W1", {"id": "W1", "state": "open"}, {"id": "W1", "state": text})]
    said = transcript(("request_refund", {"order_id": "W443", "amount": actual}), text=text, changes=changes)
    subject = Subject(case, trial, **facts)
    return result_of(subject, verdict, trace=trace_of(said), golden=GOLDEN, registered=registered, evidence=EVIDENCE)


def skipped(case="fc-d3-001", trial=1, **facts):
    """A case that is not to be run."""
    return result_of(Subject(case, trial, **facts), Verdict(Ruling.SKIP, "the shop is closed", []), trace=None)


def broken(case="fc-d3-002", trial=1, error="connection reset", **facts):
    """A case whose run broke."""
    verdict = Verdict(Ruling.AGENT_ERROR, f"the run ended as error: {error}", [])
    trace = trace_of(transcript(outcome=Outcome.ERROR, error=error))
    return result_of(Subject(case, trial, **facts), verdict, trace=trace, golden=GOLDEN)


def unjudged(case="fc-d4-001", trial=1, **facts):
    """A case without an expectation."""
    verdict = Verdict(Ruling.NOT_JUDGED, "nothing is expected", [])
    return result_of(Subject(case, trial, **facts), verdict, trace=trace_of(transcript()))


def a_run() -> list[Result]:
    """Every verdict once or more, in two dimensions and two variants, one case in two trials."""
    return [
        unjudged(dimension="D4"),
        failing(dimension="D2", group="refund", variant="1"),
        failing("fc-d2-002", text=HOSTILE, actual=HOSTILE, dimension="D2", group="refund", variant="2"),
        passing(dimension="D1", group="status", variant="1"),
        passing("fc-d1-002", 1, dimension="D1", group="status", variant="2"),
        failing("fc-d1-002", 2, dimension="D1", group="status", variant="2"),
        skipped(dimension="D3"),
        broken(dimension="D3"),
    ]
