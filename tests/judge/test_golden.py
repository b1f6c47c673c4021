"""Golden calls: each code with the one run that earns it, and the runs next to it that do not."""

import pytest
from conversations import unreadable
from desk import CANCEL, CONFIRM, FAILED, LOOK, asked, call, cancelled, codes_of, confirmed, judged, want

from harness.judge.finding import Ruling

SEE = want("get_order", order_id="W1")
NOTE = want("note", text="broken", day="2026-03-01")
READS = ["get_order", "get_user", "find"]


@pytest.mark.parametrize(
    ("wanted", "turns", "codes"),
    [
        pytest.param([SEE], [LOOK], [], id="called"),
        pytest.param([SEE], [], ["CALL_MISSING"], id="not-called"),
        pytest.param([SEE], [LOOK, LOOK], ["CALL_EXTRA"], id="once-too-often"),
        pytest.param([SEE, SEE], [LOOK, LOOK], [], id="twice-as-wanted"),
        pytest.param([SEE, SEE], [LOOK], ["CALL_MISSING"], id="one-call-satisfies-one"),
        pytest.param([SEE], [call("find", query="W1")], ["TOOL_WRONG"], id="another-tool"),
        pytest.param([SEE], [call("find", query="W1"), LOOK], ["CALL_EXTRA"], id="another-tool-besides"),
        pytest.param(
            [SEE, NOTE], [call("find", query="x")], ["TOOL_WRONG", "CALL_MISSING"], id="one-wrong-one-missing"
        ),
        pytest.param([SEE], [call("getorder", order_id="W1")], ["TOOL_UNKNOWN"], id="no-such-tool"),
        pytest.param([SEE], [LOOK, call("getorder", order_id="W1")], ["TOOL_UNKNOWN"], id="no-such-tool-besides"),
        pytest.param([SEE], [call("get_order ", order_id="W1")], ["TOOL_UNKNOWN"], id="a-space-after-the-name"),
        pytest.param([], [LOOK], ["CALL_UNWANTED"], id="none-wanted"),
        pytest.param([], [call("dance")], ["TOOL_UNKNOWN"], id="none-wanted-and-unknown"),
        pytest.param([], [], [], id="none-wanted-none-made"),
        pytest.param(
            [CANCEL, CONFIRM], [cancelled(), confirmed(), cancelled("A2")], ["CALL_DUPLICATE"], id="a-write-again"
        ),
        pytest.param(
            [CANCEL, CONFIRM],
            [cancelled(), confirmed(), confirmed(result=FAILED)],
            ["CALL_EXTRA"],
            id="a-failed-one-again",
        ),
        pytest.param([SEE], [call("get_order", order_id="W1", result=FAILED)], ["CALL_MISSING"], id="right-but-failed"),
        pytest.param(
            [SEE], [call("get_order", order_id="W1", result=FAILED), LOOK], ["CALL_EXTRA"], id="failed-then-right"
        ),
        pytest.param([SEE], [unreadable("get_order", "{order")], ["ARGUMENTS_UNREADABLE"], id="unreadable"),
        pytest.param([SEE], [unreadable("get_order", "{order"), LOOK], ["CALL_EXTRA"], id="unreadable-then-right"),
        pytest.param([SEE], [call("get_order")], ["PARAM_MISSING"], id="parameter-missing"),
        pytest.param(
            [SEE], [call("get_order", order_id="W1", fast=True)], ["PARAM_UNEXPECTED"], id="parameter-unexpected"
        ),
        pytest.param([SEE], [call("get_order", order_id=1)], ["PARAM_WRONG_FORMAT"], id="another-kind"),
        pytest.param([SEE], [call("get_order", order_id="W9")], ["PARAM_HALLUCINATED_ID"], id="no-such-id"),
        pytest.param(
            [SEE], [call("get_order", order_id="W9", result=FAILED)], ["PARAM_HALLUCINATED_ID"], id="no-such-id-refused"
        ),
        pytest.param([SEE], [call("get_order", order_id="W2")], ["PARAM_WRONG_VALUE"], id="a-known-id-that-is-wrong"),
        pytest.param([CANCEL], [cancelled(reason="tired")], ["PARAM_WRONG_FORMAT"], id="not-in-the-enum"),
        pytest.param([CANCEL], [cancelled(reason="mistake")], ["PARAM_WRONG_VALUE"], id="in-the-enum-but-wrong"),
        pytest.param(
            [CANCEL],
            [asked("request_cancel", order_id="W9")],
            ["PARAM_HALLUCINATED_ID", "PARAM_MISSING"],
            id="one-code-a-parameter",
        ),
        pytest.param([want("find", query="x", page=1)], [call("find", query="x", page=1.0)], [], id="numbers-by-value"),
        pytest.param(
            [want("find", query="x", page=1)],
            [call("find", query="x", page=True)],
            ["PARAM_WRONG_FORMAT"],
            id="no-boolean",
        ),
        pytest.param(
            [want("find", query="x", page=1)],
            [call("find", query="x", page="1")],
            ["PARAM_WRONG_FORMAT"],
            id="no-string",
        ),
        pytest.param(
            [want("find", query="x", tags=["a", "b"])],
            [call("find", query="x", tags=["b", "a", "a"])],
            [],
            id="lists-are-sets",
        ),
        pytest.param(
            [want("find", query="x")], [call("find", query="x", page=None)], ["PARAM_UNEXPECTED"], id="null-is-there"
        ),
        pytest.param(
            [want("request_move", order_id="W1", place={"city": "Rome", "zip": "1"})],
            [asked("request_move", order_id="W1", place={"zip": "1", "city": "Rome"})],
            [],
            id="nested-in-any-key-order",
        ),
        pytest.param(
            [want("request_move", order_id="W1", place={"city": "Rome", "zip": "1"})],
            [asked("request_move", order_id="W1", place={"zip": "1"})],
            ["PARAM_MISSING"],
            id="nested-missing",
        ),
        pytest.param(
            [want("request_move", order_id="W1", place={"city": "Rome", "zip": "1"})],
            [asked("request_move", order_id="W1", place={"zip": "1", "city": "Rome", "floor": 2})],
            ["PARAM_UNEXPECTED"],
            id="nested-unexpected",
        ),
        pytest.param(
            [want("request_move", order_id="W1", place={"city": "Rome", "zip": "1"})],
            [asked("request_move", order_id="W1", place={"zip": 1, "city": "Rome"})],
            ["PARAM_WRONG_FORMAT"],
            id="nested-kind",
        ),
        pytest.param(
            [want("note", {"text": "contains", "day": "normalized_date"}, text="broken", day="2026-03-01")],
            [call("note", text="it came broken", day="20260301")],
            [],
            id="rules",
        ),
        pytest.param(
            [NOTE],
            [call("note", text="it came broken", day="2026-03-01")],
            ["PARAM_WRONG_VALUE"],
            id="exact-by-default",
        ),
        pytest.param(
            [want("note", {"day": "normalized_date"}, text="x", day="2026-03-01")],
            [call("note", text="x", day="1 March")],
            ["PARAM_WRONG_FORMAT"],
            id="a-date-in-words",
        ),
        pytest.param(
            [want("get_order", {"order_id": "any"}, order_id="W1")],
            [call("get_order", order_id="W2")],
            [],
            id="any-known-id",
        ),
        pytest.param(
            [want("get_order", {"order_id": "any"}, order_id="W1")],
            [call("get_order", order_id="W9")],
            ["PARAM_HALLUCINATED_ID"],
            id="any-is-no-invented-id",
        ),
    ],
)
def test_a_run_earns_its_codes(wanted, turns, codes):
    verdict = judged(wanted, turns)

    assert codes_of(verdict) == codes
    assert verdict.verdict is (Ruling.FAIL if codes else Ruling.PASS)
