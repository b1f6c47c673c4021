"""What the page shows of a result: calls side by side, places that differ, what was said in order."""

import pytest
from report_samples import GOLDEN, HOSTILE, broken, failing, passing, transcript, unjudged

from harness.judge.finding import Code, Finding, Ruling, Rung, Status, Verdict
from harness.report.result import Subject, result_of
from harness.report.view import Card, Check, Entry, Pair, RowChange, Words, entry_of, view_of
from harness.trace import trace_of
from harness.transcript import Change
from harness.value import encode

ORDER = Card("get_order", "", [("order_id", '"W443"', False)])


def test_golden_and_actual_calls_stand_side_by_side():
    line = ("amount", "5 (number)", '"5" (string)', "")

    assert view_of(failing()).pairs == [
        Pair("missing", ORDER, None, [("", 'get_order(order_id="W443")', "nothing", "")]),
        Pair(
            "differs",
            Card("request_refund", "", [("order_id", '"W443"', False), ("amount", "5", True)]),
            Card("request_refund", "call_1", [("order_id", '"W443"', False), ("amount", '"5"', True)]),
            [line],
        ),
    ]


def judged(findings, *calls, golden=GOLDEN):
    verdict = Verdict(Ruling.FAIL, "judged", findings)
    return view_of(result_of(Subject("a", 1), verdict, trace=trace_of(transcript(*calls)), golden=golden))


def test_calls_that_no_golden_has_are_told_apart():
    extra = Finding(
        "extra", Rung.SELECTION, Status.FAIL, Code.CALL_EXTRA, call=1, message="request_refund is not expected"
    )
    held = Finding("golden[0]", Rung.ARGUMENTS, Status.PASS, golden=0, call=2)
    calls = [("get_user", {}), ("request_refund", {"n": 1}), ("get_order", {"order_id": "W443"})]

    pairs = judged([held, extra], *calls, golden={"calls": GOLDEN["calls"][:1]}).pairs

    assert [(pair.fit, pair.golden and pair.golden.name, pair.actual.id) for pair in pairs] == [
        ("same", "get_order", "call_3"), ("allowed", None, "call_1"), ("extra", None, "call_2"),
    ]  # fmt: skip


def test_a_call_whose_effect_is_wrong_is_still_the_expected_call():
    held = Finding("golden[0]", Rung.ARGUMENTS, Status.PASS, golden=0, call=0)
    wrong = Finding("orders", Rung.EFFECTS, Status.FAIL, Code.STATE_WRONG, call=0, message="wrong")

    pairs = judged([held, wrong], ("get_order", {"order_id": "W443"}), golden={"calls": GOLDEN["calls"][:1]}).pairs

    assert [pair.fit for pair in pairs] == ["same"]


def test_a_golden_value_says_by_which_rule_it_is_compared():
    rules = {"a": "any", "b": "contains", "c": "exact"}
    golden = {"calls": [{"tool": "t", "params": {"a": 1, "b": "x", "c": 2}, "param_rules": rules}]}

    (pair,) = judged([], golden=golden).pairs

    assert pair.golden.args == [("a", "any value", False), ("b", '"x" (contains)', False), ("c", "2", False)]


def test_a_broken_chain_marks_the_argument_and_claims_no_value():
    broken_chain = Finding(
        "calls[0] chain", Rung.ORDER, Status.FAIL, Code.CHAIN_UNLINKED, "order_id", 0, 0, actual="W443"
    )

    (pair, *_) = judged([broken_chain], ("get_order", {"order_id": "W443"})).pairs

    assert pair.actual.args == [("order_id", '"W443"', True)]
    assert pair.lines == []


def test_a_golden_call_that_nothing_was_found_about_is_unknown():
    assert [pair.fit for pair in view_of(broken()).pairs] == ["unknown", "unknown"]


def test_the_conversation_is_told_in_order():
    assert view_of(passing()).talk == [
        Words("user", "Refund order W443, please."),
        Words("call", 'get_order {"order_id":"W443"}', "call_1"),
        Words("result", "result of get_order", "call_1"),
        Words("assistant", "Done."),
    ]


def test_a_change_names_the_call_that_made_it_and_the_fields_that_differ():
    assert view_of(failing()).changes == [
        RowChange("call_1 request_refund", "orders", '"W1"', "changed", [("state", '"open"', '"Done."')])
    ]


@pytest.mark.parametrize(
    ("before", "after", "how", "fields"),
    [
        (None, {"id": 1}, "added", [("id", "", "1")]),
        ({"id": 1}, None, "removed", [("id", "1", "")]),
        ({"id": 1, "n": True}, {"id": 1, "n": 1}, "changed", [("n", "true", "1")]),
    ],
    ids=["added", "removed", "changed"],
)
def test_a_change_says_how(before, after, how, fields):
    trace = trace_of(transcript(changes=[Change("call_9", "t", 1, before, after)]))

    view = view_of(result_of(Subject("a", 1), Verdict(Ruling.PASS, "", []), trace=trace))

    assert view.changes == [RowChange("call_9", "t", "1", how, fields)]


def test_checks_come_with_their_diff():
    assert view_of(failing()).checks[:2] == [
        Check(Status.FAIL, "golden[0]", "get_order was not called", "CALL_MISSING", "selection", [("", 'get_order(order_id="W443")', "nothing", "")]),
        Check(Status.FAIL, "golden[1].amount", "amount of request_refund: expected 5, got '5'", "PARAM_WRONG_FORMAT", "arguments", [("amount", "5 (number)", '"5" (string)', "")]),
    ]  # fmt: skip


def test_an_expectation_without_golden_calls_is_shown_as_written():
    view = judged([], golden={"must_call": [{"tool": "a", "count": 12345678901234567890123}]})

    assert (
        view.expectation
        == '{\n  "must_call": [\n    {\n      "tool": "a",\n      "count": 12345678901234567890123\n    }\n  ]\n}'
    )


def test_the_list_shows_what_is_searched():
    assert entry_of(failing(dimension="D2", group="refund", variant="2")) == Entry(
        case="fc-d2-001",
        trial=1,
        verdict="FAIL",
        reason="get_order was not called; amount of request_refund: expected 5, got '5'; call 0 changed orders W1, which nothing asked for",
        said="Refund order W443, please.",
        dimension="D2",
        group="refund",
        variant="2",
        codes=["CALL_MISSING", "PARAM_WRONG_FORMAT", "STATE_COLLATERAL"],
        tools=["get_order", "request_refund"],
    )


def test_a_result_without_a_trace_has_a_view():
    view = view_of(result_of(Subject("a", 1), Verdict(Ruling.SKIP, "closed", []), trace=None))

    assert (view.talk, view.facts) == ([], [])


def test_nothing_in_a_view_is_hidden_or_obeyed():
    raw = encode([view_of(failing(text=HOSTILE, actual=HOSTILE)), entry_of(unjudged(HOSTILE))]).decode()

    assert not set("\u202e\u2066\u2028\ufeff\x1b\x9b") & set(raw)
    assert "\\u001b" not in raw.replace("\\\\u001b", "")


def test_a_broken_run_says_why_and_not_what_it_did_before():
    made = failing()
    broken_run = result_of(
        Subject("a", 1), Verdict(Ruling.AGENT_ERROR, "the run ended as max_steps", made.findings), trace=None
    )

    assert entry_of(broken_run).reason == view_of(broken_run).reason == "the run ended as max_steps"
    assert entry_of(made).reason.startswith("get_order was not called; ")
