"""What lint says of expectations: what is wrong with them, and what they do not see."""

import pytest
from conversations import call, trace
from desk import CANCEL, CONFIRM, DOMAIN, want
from shop import DOMAIN as SHOP
from shop import TOOLS as SHOP_TOOLS

from harness.errors import BadExpectation
from harness.fixture import (
    MessageContainsSubstring,
    NoToolCalled,
    OutcomeIs,
    ToolCallArgMatches,
    ToolCalled,
    TraceMaxTurns,
)
from harness.judge.constraint_spec import spec_of
from harness.judge.domain import domain_from
from harness.judge.lint_assertions import blind_spots, expectations_of, lint_assertions
from harness.judge.lint_golden import golden_run, lint_case
from harness.judge.lint_spec import lint_spec
from harness.judge.remark import Flaw
from harness.suite import Case, Golden, JudgeConfig
from harness.transcript import Outcome

TOOLS = {"hire": "write", "look": "read"}


@pytest.mark.parametrize(
    ("assertions", "faults"),
    [
        pytest.param([ToolCalled("hire"), NoToolCalled("look"), TraceMaxTurns(9)], [], id="sound"),
        pytest.param([ToolCalled("hier")], [Flaw.UNKNOWN_TOOL], id="unknown-tool"),
        pytest.param([ToolCallArgMatches("hier", "role", "x")], [Flaw.UNKNOWN_TOOL], id="unknown-tool-of-an-argument"),
        pytest.param([NoToolCalled("hier")], [Flaw.CANNOT_FAIL], id="not-offered-anyway"),
        pytest.param([ToolCalled("hire", min_count=0)], [Flaw.CANNOT_FAIL], id="any-number"),
        pytest.param([ToolCalled("hire", min_count=0, max_count=2)], [], id="a-maximum-can-fail"),
        pytest.param([ToolCalled("hire", min_count=0, order=1)], [], id="a-place-can-fail"),
        pytest.param([MessageContainsSubstring("assistant", "")], [Flaw.CANNOT_FAIL], id="empty-text"),
        pytest.param([TraceMaxTurns(0)], [Flaw.CONTRADICTION], id="no-turn"),
        pytest.param([ToolCalled("hire", min_count=3, max_count=2)], [Flaw.CONTRADICTION], id="impossible-count"),
        pytest.param([ToolCallArgMatches("hire", "role", "(")], [Flaw.UNREADABLE], id="pattern"),
        pytest.param([ToolCalled("hire"), NoToolCalled("hire")], [Flaw.CONTRADICTION], id="must-and-must-not"),
        pytest.param([NoToolCalled("hire"), ToolCalled("hire")], [Flaw.CONTRADICTION], id="must-not-and-must"),
        pytest.param(
            [NoToolCalled("hire"), ToolCallArgMatches("hire", "a", "b")],
            [Flaw.CONTRADICTION],
            id="argument-of-what-must-not",
        ),
        pytest.param(
            [ToolCalled("hire", max_count=2), ToolCalled("hire", min_count=3)], [Flaw.CONTRADICTION], id="two-counts"
        ),
        pytest.param([ToolCalled("hire", order=0), ToolCalled("look", order=0)], [Flaw.CONTRADICTION], id="one-place"),
        pytest.param([ToolCalled("hire", order=0), ToolCalled("look", order=1)], [], id="two-places"),
        pytest.param([OutcomeIs(Outcome.REFUSED), OutcomeIs(Outcome.COMPLETED)], [Flaw.CONTRADICTION], id="two-ends"),
    ],
)
def test_assertions_by_themselves(assertions, faults):
    assert [one.flaw for one in lint_assertions(assertions, TOOLS)] == faults


def test_where_tools_are_not_known_no_name_is_called_unknown():
    assert lint_assertions([ToolCalled("anything"), NoToolCalled("something")], {}) == []


@pytest.mark.parametrize(
    ("assertions", "unseen"),
    [
        pytest.param([ToolCalled("hire", max_count=1), ToolCalled("look", order=0)], [], id="all-is-seen"),
        pytest.param([ToolCalled("hire")], ["without call_1 (look)", "with one more hire"], id="half-is-seen"),
        pytest.param(
            [TraceMaxTurns(9)],
            ["without any call", "without call_1 (look)", "without call_2 (hire)", "with one more hire"],
            id="nothing-is-seen",
        ),
    ],
)
def test_what_assertions_do_not_see_is_told(assertions, unseen):
    seen = trace(call("look"), call("hire"))

    remarks = blind_spots(seen, expectations_of(assertions, None), TOOLS)

    assert [one.message for one in remarks] == ([f"a run passes also {'; '.join(unseen)}"] if unseen else [])


def test_a_run_that_does_not_pass_itself_is_not_tried():
    assert blind_spots(trace(), expectations_of([ToolCalled("hire")], None), TOOLS) == []


def remarks_on(text, domain=SHOP):
    spec, document = spec_of(text.encode(), file="expect.yaml")
    return [(one.flaw, document.line(one.path)) for one in lint_spec(spec, document, file="expect.yaml", domain=domain)]


SOUND = """
must_call:
  - tool: create_refund
    args: {order_id: 7, amount: {le: 90}}
    count: 1
must_not_call:
  - tool: create_refund
    args: {order_id: {not: 7}}
final_state:
  refunds: {exactly: [{order_id: 7}]}
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(SOUND, [], id="sound"),
        pytest.param("case: x", [(Flaw.NOTHING_EXPECTED, 1)], id="nothing"),
        pytest.param(
            "must_call:\n  - tool: creat_refund\nfinal_state: {}", [(Flaw.UNKNOWN_TOOL, 2)], id="unknown-tool"
        ),
        pytest.param(
            "must_not_call:\n  - cancel\nfinal_state: {}", [(Flaw.UNKNOWN_TOOL, 2)], id="unknown-forbidden-tool"
        ),
        pytest.param(
            "must_call_before:\n  - first: chek\n    then: create_refund\nfinal_state: {}",
            [(Flaw.UNKNOWN_TOOL, 2)],
            id="unknown-first",
        ),
        pytest.param(
            "must_call:\n  - tool: create_refund\n    args:\n      order: 7\nfinal_state: {}",
            [(Flaw.UNKNOWN_PARAMETER, 4)],
            id="unknown-parameter",
        ),
        pytest.param(
            "must_not_call:\n  - tool: create_refund\n    args:\n      order_id: '7'\nfinal_state: {}",
            [(Flaw.UNREACHABLE, 4)],
            id="never-of-this-kind",
        ),
        pytest.param(
            "must_call:\n  - tool: create_refund\nmust_not_call: [create_refund]\nfinal_state: {}",
            [(Flaw.CONTRADICTION, 2)],
            id="must-and-must-not",
        ),
        pytest.param(
            "must_call:\n  - tool: create_refund\n    args: {order_id: 7}\nmust_not_call:\n  - tool: create_refund\n    args: {order_id: {gt: 5}}\nfinal_state: {}",
            [(Flaw.CONTRADICTION, 2)],
            id="must-and-must-not-by-value",
        ),
        pytest.param(
            "must_call_before:\n  - {first: get_order, then: create_refund}\n  - {first: create_refund, then: get_order}\nfinal_state: {}",
            [(Flaw.CONTRADICTION, 2), (Flaw.CONTRADICTION, 3)],
            id="each-before-the-other",
        ),
        pytest.param(
            "must_call_before:\n  - {first: get_order, then: get_order}\nfinal_state: {}",
            [(Flaw.CONTRADICTION, 2)],
            id="before-itself",
        ),
        pytest.param(
            "must_call_before:\n  - {first: get_order, then: create_refund}\nmust_not_call: [get_order]\nfinal_state: {}",
            [(Flaw.CONTRADICTION, 2)],
            id="first-is-forbidden",
        ),
        pytest.param(
            "must_call:\n  - tool: create_refund\n    count: {min: 0}\nfinal_state: {}",
            [(Flaw.CANNOT_FAIL, 2)],
            id="any-number",
        ),
        pytest.param(
            "must_call:\n  - tool: create_refund\n    args: {order_id: 7}\nmust_not_call: [cancel_order, escalate_to_human]",
            [(Flaw.BLIND, 2), (Flaw.BLIND, 1)],
            id="a-second-write-is-not-seen",
        ),
        pytest.param("must_not_call: [cancel_order]", [(Flaw.BLIND, 1)], id="other-writes-are-not-seen"),
        pytest.param(
            "must_call:\n  - tool: create_refund\n    args: {order_id: {present: true}}\nfinal_state: {}",
            [],
            id="present-is-seen",
        ),
        pytest.param(
            "final_state:\n  others: ignore\n  orders: unchanged",
            [(Flaw.BLIND, 1), (Flaw.BLIND, 1)],
            id="ignored-tables-are-not-seen",
        ),
        pytest.param("final_state:\n  refund: unchanged", [(Flaw.UNKNOWN_TABLE, 2)], id="unknown-table"),
        pytest.param(
            "final_state:\n  orders:\n    changed:\n      - {order_id: 7, stat: x}",
            [(Flaw.UNKNOWN_FIELD, 4)],
            id="unknown-field",
        ),
        pytest.param(
            "final_state:\n  orders: {contains: [{order_id: 7, status: delivered}]}",
            [(Flaw.ALREADY_TRUE, 2)],
            id="already-true",
        ),
        pytest.param(
            "final_state:\n  orders: {exactly: [{order_id: 7}, {order_id: 8}]}",
            [(Flaw.ALREADY_TRUE, 2)],
            id="already-exactly",
        ),
        pytest.param(
            "final_state:\n  orders: {exactly: [{order_id: 7, status: x}, {order_id: 8}]}", [], id="one-row-to-change"
        ),
    ],
)
def test_a_spec_by_itself(text, found):
    assert remarks_on(text) == found


def test_a_state_without_a_world_is_never_judged():
    assert remarks_on("final_state: {}", domain_from(SHOP_TOOLS, None)) == [(Flaw.UNREACHABLE, 1)]


def test_a_spec_that_cannot_be_compiled_is_an_error():
    with pytest.raises(BadExpectation):
        remarks_on("must_call: [{tool: create_refund, args: {amount: {gt: x}}}]")


def case(calls, **changes):
    fields = {
        "id": "fc-d1-001",
        "dimension": "D1",
        "category": "c",
        "instruction": "i",
        "context": {"db_fixture": "standard", "notes": "n"},
        "golden": {"calls": calls, "order_sensitive": True, "allowed_extra": []},
        "negative": not calls,
        "skip": False,
        "skip_reason": None,
    }
    return Case.model_validate(fields | changes)


@pytest.mark.parametrize(
    ("calls", "config", "faults"),
    [
        pytest.param([CANCEL, CONFIRM], {}, [], id="a-chain"),
        pytest.param([], {}, [], id="no-call"),
        pytest.param([want("find", query="x", tags=["a", "b"])], {}, [], id="a-list"),
        pytest.param(
            [want("note", {"text": "contains", "day": "normalized_date"}, text="x", day="2026-03-01")],
            {},
            [],
            id="rules",
        ),
        pytest.param(
            [want("request_move", {"place": "normalized_str"}, order_id="W1", place={"city": "Rome", "zip": "1"})],
            {},
            [],
            id="nested",
        ),
        pytest.param([want("fnd", query="x")], {}, [Flaw.UNKNOWN_TOOL], id="unknown-tool"),
        pytest.param(
            [want("note", {"day": "normalized_date"}, text="x", day="soon")],
            {},
            [Flaw.UNREADABLE],
            id="unreadable-rule",
        ),
        pytest.param([want("get_order", order_id="W9")], {}, [], id="an-id-of-no-table-is-the-validators-business"),
        pytest.param(
            [want("request_cancel", order_id="W1", reason="tired")],
            {},
            [Flaw.GOLDEN_FAILS_ITSELF],
            id="refused-by-its-schema",
        ),
        pytest.param([want("find", query="x", page=1)], {"extra": "allow"}, [], id="closed-schema-sees-extras-anyway"),
        pytest.param([want("get_order", {"order_id": "any"}, order_id="W1")] * 2, {}, [], id="twins-may-change-places"),
        pytest.param(
            [want("note", {"text": "contains"}, text="", day="x")], {}, [], id="contains-nothing-is-still-a-string"
        ),
    ],
)
def test_a_golden_is_tried_on_itself(calls, config, faults):
    remarks = lint_case(case(calls), JudgeConfig.model_validate(config), DOMAIN)

    assert [one.flaw for one in remarks] == faults


def test_what_a_golden_does_not_see_is_told():
    """Two cancellations, one confirmation of any action: which of both is confirmed is not stated."""
    loose = [want("get_order", {"order_id": "any"}, order_id="W1"), want("get_order", order_id="W1")]

    remarks = lint_case(case(loose), JudgeConfig(), DOMAIN)

    assert [(one.flaw, one.message) for one in remarks] == [
        (Flaw.BLIND, "a run passes in which calls[0] and calls[1] (get_order, get_order) change places")
    ]


def test_a_case_without_a_golden_says_so():
    assert [one.flaw for one in lint_case(case([], golden=None), JudgeConfig(), DOMAIN)] == [Flaw.NOTHING_EXPECTED]


def test_the_golden_run_hands_ids_on():
    golden = Golden.model_validate({"calls": [CANCEL, CONFIRM], "order_sensitive": True})

    calls = golden_run(golden, DOMAIN)

    assert [one.arguments for one in calls] == [CANCEL["params"], {"action_id": "issued-0"}]
