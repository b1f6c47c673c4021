"""One refund, many trajectories: equivalent paths pass, and each failure names the promise it broke."""

import pytest
from conversations import call
from shop import DOMAIN, played
from specs import verdict_on

from harness.judge.finding import Code, Ruling, Rung
from harness.trace import trace_of

REFUND = """
case: refund-7
input: "Refund order 7, it arrived damaged."
must_call:
  - tool: create_refund
    args: {order_id: 7, amount: 89.50}
    count: 1
must_call_before:
  - first: check_eligibility
    then: create_refund
must_not_call:
  - tool: escalate_to_human
  - tool: create_refund
    args: {order_id: {not: 7}}
final_state:
  refunds: {exactly: [{order_id: 7, amount: 89.5, status: created}]}
  orders: unchanged
"""
LOOK, POLICY = call("get_order", order_id=7), call("search_policy", query="damaged")
CHECK, PAY = call("check_eligibility", order_id=7), call("create_refund", order_id=7, amount=89.5)


@pytest.mark.parametrize(
    "turns",
    [
        pytest.param([LOOK, POLICY, CHECK, PAY], id="order-first"),
        pytest.param([POLICY, LOOK, CHECK, PAY], id="policy-first"),
        pytest.param([CHECK, PAY, LOOK], id="a-look-afterwards"),
        pytest.param([[CHECK, PAY]], id="both-in-one-answer"),
    ],
)
def test_equivalent_paths_all_pass(turns):
    verdict = verdict_on(REFUND, trace_of(played(*turns)), DOMAIN)

    assert (verdict.verdict, verdict.rung, verdict.failures) == (Ruling.PASS, Rung.EFFECTS, [])


@pytest.mark.parametrize(
    ("turns", "broken"),
    [
        pytest.param(
            [CHECK, PAY, PAY],
            {
                "must_call[0] create_refund": (
                    Code.CALL_DUPLICATE,
                    "was called 2 times (call_2, call_3), at most 1 allowed",
                ),
                "final_state refunds": (Code.STATE_COLLATERAL, 'refunds row "R2" was added by call_3 (create_refund)'),
            },
            id="double-refund",
        ),
        pytest.param(
            [CHECK, call("create_refund", order_id=8, amount=89.5)],
            {
                "must_call[0] create_refund": (Code.PARAM_WRONG_VALUE, "order_id: expected 7, got 8"),
                "must_not_call[1] create_refund": (Code.CALL_UNWANTED, "called create_refund with order_id 8"),
                "final_state refunds.exactly[0]": (Code.STATE_WRONG, "order_id: expected 7, got 8"),
            },
            id="wrong-order-id",
        ),
        pytest.param(
            [PAY, CHECK],
            {
                "must_call_before[0] check_eligibility → create_refund": (
                    Code.ORDER_WRONG,
                    "create_refund was called (call_1) before check_eligibility, which succeeded only at call_2",
                )
            },
            id="refund-before-eligibility",
        ),
        pytest.param(
            [CHECK, PAY, call("escalate_to_human", reason="unsure")],
            {
                "must_not_call[0] escalate_to_human": (Code.CALL_UNWANTED, "called escalate_to_human"),
                "final_state other tables": (
                    Code.STATE_COLLATERAL,
                    "log row 0 was added by call_3 (escalate_to_human)",
                ),
            },
            id="escalation",
        ),
        pytest.param(
            [CHECK, call("create_refund", order_id=7, amount=895)],
            {
                "must_call[0] create_refund": (Code.PARAM_WRONG_VALUE, "amount: expected 89.5, got 895"),
                "final_state refunds.exactly[0]": (Code.STATE_MISSING, "refunds holds no row"),
            },
            id="a-write-that-failed-but-was-reported-as-success",
        ),
        pytest.param(
            [CHECK, PAY, call("cancel_order", order_id=8)],
            {
                "final_state orders": (
                    Code.STATE_COLLATERAL,
                    'orders row 8 was changed by call_3 (cancel_order), which nothing declares: status "shipped" → "cancelled"',
                )
            },
            id="collateral-change-of-an-order",
        ),
        pytest.param(
            [CHECK, call("create_refund", order_id=9, amount=89.5)],
            {
                "must_call[0] create_refund": (Code.PARAM_HALLUCINATED_ID, "got 9 (no such id is known)"),
                "must_not_call[1] create_refund": (Code.CALL_UNWANTED, "with order_id 9"),
                "final_state refunds.exactly[0]": (Code.STATE_MISSING, "refunds holds no row"),
            },
            id="an-order-that-does-not-exist",
        ),
    ],
)
def test_each_failure_names_the_broken_promise(turns, broken):
    verdict = verdict_on(REFUND, trace_of(played(*turns, answer="Your refund is on its way.")), DOMAIN)

    told = {one.check: (one.code, one.message) for one in verdict.failures}
    assert verdict.verdict is Ruling.FAIL
    assert {check: code for check, (code, _) in told.items()} == {check: code for check, (code, _) in broken.items()}
    assert [check for check, (_, words) in broken.items() if words not in told[check][1]] == []
