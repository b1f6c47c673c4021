"""Promises about tools and tables that do not exist: told where they are judged, and never green by themselves."""

import pytest
from conversations import call, trace
from shop import DOMAIN
from specs import verdict_on

from harness.fixture import MessageContainsSubstring, NoToolCalled, ToolCallArgMatches, ToolCalled
from harness.judge.assertions import assertions_hold
from harness.judge.domain import UNKNOWN, domain_from
from harness.judge.engine import judge
from harness.judge.finding import Ruling, Status
from harness.judge.lint_assertions import lint_assertions
from harness.judge.remark import Flaw
from harness.transcript import Effects
from harness.value import canonical, digest_of

NOT_OFFERED = "is not among the tools offered, so nothing can call it"
TABLES = {"orders": {"key": "id", "rows": [{"id": 1}]}}


@pytest.mark.parametrize(
    "assertion",
    [ToolCalled("pey", min_count=0), NoToolCalled("pey"), ToolCallArgMatches("pey", "a", "b")],
    ids=lambda one: type(one).__name__,
)
def test_an_assertion_about_a_tool_that_is_not_offered_is_told(assertion):
    expectation = assertions_hold([NoToolCalled("refund"), assertion], {"pay": "", "refund": ""})

    verdict = judge(trace(call("pay")), [("assertions", expectation)])

    assert verdict.warnings == [f"assertions[1]: pey {NOT_OFFERED}; did you mean pay?"]


def test_nothing_is_told_where_the_tools_are_not_known():
    verdict = judge(trace(call("pay")), [("assertions", assertions_hold([NoToolCalled("pey")]))])

    assert (verdict.verdict, verdict.warnings) == (Ruling.PASS, [])


SPECS = {
    "must_not_call": ("must_not_call: [get_ordr]", "must_not_call[0]"),
    "must_call": ("must_call: [{tool: get_ordr, count: 0}]", "must_call[0]"),
    "before": ("must_call_before: [{first: get_order, then: get_ordr}]", "must_call_before[0]"),
}


@pytest.mark.parametrize(("spec", "where"), SPECS.values(), ids=SPECS)
def test_a_specs_promise_about_a_tool_that_is_not_offered_is_told(spec, where):
    assert "get_order" in DOMAIN.tools

    told, unknown = (verdict_on(spec, trace(call("x")), domain).warnings for domain in (DOMAIN, UNKNOWN))

    assert told == [f"{where}: get_ordr {NOT_OFFERED}; did you mean get_order?"]
    assert unknown == []


STATES = {
    "unchanged": ("unchanged", Ruling.NOT_JUDGED),
    "no rows": ("{exactly: []}", Ruling.NOT_JUDGED),
    "rows": ("{contains: [{id: 1}]}", Ruling.FAIL),
}


@pytest.mark.parametrize(("state", "ruling"), STATES.values(), ids=STATES)
def test_a_state_of_a_table_that_does_not_exist_is_never_a_pass(state, ruling):
    seen = trace(call("x"), effects=Effects(digest_of(canonical(TABLES)), []))

    verdict = verdict_on(f"final_state: {{ordrs: {state}}}", seen, domain_from([], TABLES))

    assert verdict.verdict is ruling
    assert "the world has no table ordrs; did you mean orders?" in [one.message for one in verdict.findings]


ALWAYS = {
    "any number of calls": ToolCalled("pay", min_count=0),
    "the empty text": MessageContainsSubstring("assistant", ""),
    "the empty pattern": ToolCallArgMatches("pay", "to", ""),
    "a pattern of anything": ToolCallArgMatches("pay", "to", ".*"),
    "an anchored pattern of anything": ToolCallArgMatches("pay", "to", "^(.|\\s)*$"),
}


@pytest.mark.parametrize("assertion", ALWAYS.values(), ids=ALWAYS)
def test_an_assertion_that_always_holds_is_linted_and_is_no_evidence(assertion):
    seen = trace(call("pay", to="Ada"))

    alone = judge(seen, [("assertions", assertions_hold([assertion]))])
    beside = judge(seen, [("assertions", assertions_hold([assertion, ToolCalled("pay")]))])

    assert (alone.verdict, alone.reason) == (Ruling.NOT_JUDGED, "nothing was checked")
    assert [one.outcome for one in beside.findings] == [Status.NOT_APPLICABLE, Status.PASS]
    assert beside.verdict is Ruling.PASS
    assert [one.flaw for one in lint_assertions([assertion], {"pay": "write"})] == [Flaw.CANNOT_FAIL]


SOMETIMES = {
    "a number of calls": ToolCalled("pay", min_count=0, max_count=2),
    "a place": ToolCalled("pay", min_count=0, order=0),
    "an empty string": ToolCallArgMatches("pay", "memo", "^$"),
    "a word or nothing": ToolCallArgMatches("pay", "to", "^[A-Za-z]*$"),
}


@pytest.mark.parametrize("assertion", SOMETIMES.values(), ids=SOMETIMES)
def test_an_assertion_that_may_fail_is_evidence(assertion):
    seen = trace(call("pay", to="Ada", memo=""))

    assert judge(seen, [("assertions", assertions_hold([assertion]))]).verdict is Ruling.PASS
    assert lint_assertions([assertion], {"pay": "write"}) == []


def test_a_pattern_of_anything_still_needs_the_call():
    verdict = judge(trace(call("pay")), [("assertions", assertions_hold([ToolCallArgMatches("pay", "to", "")]))])

    assert verdict.verdict is Ruling.FAIL


def test_a_specs_call_of_any_number_is_no_evidence():
    verdict = verdict_on("must_call: [{tool: get_order, count: {min: 0}}]", trace(call("get_order")), DOMAIN)

    assert (verdict.verdict, verdict.reason) == (Ruling.NOT_JUDGED, "nothing was checked")
