"""The six assertion kinds: when each holds, what it says when it does not, what an incomplete trace leaves open."""

import pytest
from conversations import FAILED, call, trace, unreadable
from hypothesis import given
from hypothesis import strategies as st

from harness.fixture import (
    MessageContainsSubstring,
    NoToolCalled,
    OutcomeIs,
    ToolCallArgMatches,
    ToolCalled,
    TraceMaxTurns,
)
from harness.judge.assertions import assertions_hold, declared_outcomes, finding_of
from harness.judge.engine import judge
from harness.judge.finding import Code, Ruling, Rung, Status
from harness.transcript import Outcome

HIRE = ToolCalled("hire")
THREE_HIRES = [call("hire", role="cook"), [call("hire", role="baker"), call("hire", role="waiter")]]


def found(assertion, *turns, **rest):
    finding = finding_of(assertion, "it", trace(*turns, **rest))
    return finding.outcome, finding.code


PASSED = (Status.PASS, None)
OPEN = (Status.NOT_JUDGED, None)


@pytest.mark.parametrize(
    ("assertion", "turns", "expected"),
    [
        pytest.param(HIRE, [call("hire")], PASSED, id="once"),
        pytest.param(HIRE, [], (Status.FAIL, Code.CALL_MISSING), id="never"),
        pytest.param(HIRE, [call("Hire"), call("hire ")], (Status.FAIL, Code.CALL_MISSING), id="another-spelling"),
        pytest.param(HIRE, [call("hire", result=FAILED)], (Status.FAIL, Code.CALL_MISSING), id="none-succeeded"),
        pytest.param(HIRE, [call("hire", result=FAILED), call("hire")], PASSED, id="one-succeeded"),
        pytest.param(ToolCalled("hire", min_count=3), THREE_HIRES, PASSED, id="just-enough"),
        pytest.param(ToolCalled("hire", min_count=4), THREE_HIRES, (Status.FAIL, Code.CALL_MISSING), id="too-few"),
        pytest.param(ToolCalled("hire", max_count=3), THREE_HIRES, PASSED, id="just-not-too-many"),
        pytest.param(ToolCalled("hire", max_count=2), THREE_HIRES, (Status.FAIL, Code.CALL_EXTRA), id="too-many"),
        pytest.param(
            ToolCalled("hire", max_count=1),
            [call("hire", result=FAILED), call("hire")],
            (Status.FAIL, Code.CALL_EXTRA),
            id="a-failed-attempt-counts",
        ),
        pytest.param(ToolCalled("hire", min_count=0, max_count=1), [], PASSED, id="none-needed"),
        pytest.param(
            ToolCalled("hire", min_count=0, max_count=1), [call("hire", result=FAILED)], PASSED, id="none-need-succeed"
        ),
        pytest.param(HIRE, [unreadable("hire", "{oops")], (Status.FAIL, Code.CALL_MISSING), id="unreadable-and-failed"),
        pytest.param(ToolCalled("hire", order=1), [call("look"), call("hire")], PASSED, id="second-from-zero"),
        pytest.param(ToolCalled("hire", order=1), [[call("look"), call("hire")]], PASSED, id="second-in-one-turn"),
        pytest.param(
            ToolCalled("hire", order=0), [call("look"), call("hire")], (Status.FAIL, Code.ORDER_WRONG), id="not-first"
        ),
        pytest.param(ToolCalled("hire", order=1), [call("hire")], (Status.FAIL, Code.ORDER_WRONG), id="no-such-place"),
        pytest.param(
            ToolCalled("hire", order=0), [call("look")], (Status.FAIL, Code.CALL_MISSING), id="count-before-order"
        ),
        pytest.param(NoToolCalled("fire"), [call("hire")], PASSED, id="not-called"),
        pytest.param(
            NoToolCalled("fire"), [call("fire", result=FAILED)], (Status.FAIL, Code.CALL_UNWANTED), id="tried"
        ),
        pytest.param(NoToolCalled("fire"), [unreadable("fire", "")], (Status.FAIL, Code.CALL_UNWANTED), id="stammered"),
        pytest.param(NoToolCalled("fire"), [call("fire_all")], PASSED, id="not-called-but-alike"),
        pytest.param(TraceMaxTurns(4), [call("hire")], PASSED, id="turns-of-any-role"),
        pytest.param(TraceMaxTurns(3), [call("hire")], (Status.FAIL, Code.TURNS_EXCEEDED), id="one-turn-too-many"),
        pytest.param(OutcomeIs(Outcome.COMPLETED), [], PASSED, id="ended-as-said"),
        pytest.param(OutcomeIs(Outcome.REFUSED), [], (Status.FAIL, Code.OUTCOME_WRONG), id="ended-otherwise"),
    ],
)
def test_an_assertion_about_calls_turns_and_the_end(assertion, turns, expected):
    assert found(assertion, *turns) == expected


@pytest.mark.parametrize(
    ("role", "substring", "expected"),
    [
        pytest.param("assistant", "All set", PASSED, id="inside"),
        pytest.param("assistant", "all set", (Status.FAIL, Code.TEXT_MISSING), id="another-case"),
        pytest.param("user", "All set", (Status.FAIL, Code.TEXT_MISSING), id="another-role"),
        pytest.param("user", "build", PASSED, id="user"),
        pytest.param("toolResult", "agent-42", PASSED, id="tool-result"),
    ],
)
def test_a_message_contains_a_substring(role, substring, expected):
    assertion = MessageContainsSubstring(role, substring)

    assert found(assertion, call("hire", result="agent-42"), user="build a team", answer="All set.") == expected


ARGUMENTS = {"role": "head cook", "age": 41, "tags": ["new", {"since": "May"}], "boss": None}


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        pytest.param("role", "^head", PASSED, id="searches"),
        pytest.param("role", "^cook", (Status.FAIL, Code.PARAM_WRONG_VALUE), id="not-found"),
        pytest.param("age", "41", (Status.FAIL, Code.PARAM_WRONG_FORMAT), id="a-number-never-matches"),
        pytest.param("boss", "null", (Status.FAIL, Code.PARAM_WRONG_FORMAT), id="null-never-matches"),
        pytest.param("salary", ".*", (Status.FAIL, Code.PARAM_MISSING), id="missing"),
        pytest.param("tags.0", "new", PASSED, id="list-index"),
        pytest.param("tags.1.since", "May", PASSED, id="deep"),
        pytest.param("tags.2", ".*", (Status.FAIL, Code.PARAM_MISSING), id="past-the-end"),
        pytest.param("tags.-1", ".*", (Status.FAIL, Code.PARAM_MISSING), id="no-negative-index"),
        pytest.param("tags.٠", ".*", (Status.FAIL, Code.PARAM_MISSING), id="ascii-digits-only"),
        pytest.param("role.0", ".*", (Status.FAIL, Code.PARAM_MISSING), id="into-a-string"),
        pytest.param("role", "(a)\\1", OPEN, id="a-pattern-of-the-wrong-kind"),
    ],
)
def test_an_argument_matches_a_pattern(path, pattern, expected):
    assert found(ToolCallArgMatches("hire", path, pattern), call("hire", **ARGUMENTS)) == expected


@pytest.mark.parametrize(
    ("turns", "expected", "number"),
    [
        pytest.param([], (Status.FAIL, Code.CALL_MISSING), None, id="not-called"),
        pytest.param([unreadable("hire", "[]")], (Status.FAIL, Code.ARGUMENTS_UNREADABLE), 0, id="unreadable"),
        pytest.param(
            [call("hire"), call("hire", role=3), call("hire", role="cook")],
            (Status.FAIL, Code.PARAM_WRONG_VALUE),
            2,
            id="the-nearest-is-told",
        ),
        pytest.param([call("hire", role="cook"), call("hire", role="baker")], PASSED, 1, id="one-is-enough"),
    ],
)
def test_any_call_of_the_name_may_match(turns, expected, number):
    finding = finding_of(ToolCallArgMatches("hire", "role", "^baker$"), "it", trace(*turns))

    assert ((finding.outcome, finding.code), finding.call) == (expected, number)


@pytest.mark.parametrize(
    ("assertion", "turns", "expected"),
    [
        pytest.param(HIRE, [call("hire")], OPEN, id="held-so-far"),
        pytest.param(HIRE, [], OPEN, id="may-still-come"),
        pytest.param(
            ToolCalled("hire", max_count=1), [call("hire"), call("hire")], (Status.FAIL, Code.CALL_EXTRA), id="over"
        ),
        pytest.param(
            ToolCalled("hire", order=0), [call("look"), call("hire")], (Status.FAIL, Code.ORDER_WRONG), id="taken"
        ),
        pytest.param(ToolCalled("hire", order=2), [call("hire")], OPEN, id="place-still-free"),
        pytest.param(NoToolCalled("fire"), [], OPEN, id="not-called-yet"),
        pytest.param(NoToolCalled("fire"), [call("fire")], (Status.FAIL, Code.CALL_UNWANTED), id="forbidden-seen"),
        pytest.param(MessageContainsSubstring("assistant", "bye"), [], OPEN, id="text-may-come"),
        pytest.param(ToolCallArgMatches("hire", "role", "x"), [call("hire", role="y")], OPEN, id="argument-may-come"),
        pytest.param(TraceMaxTurns(1), [call("hire")], (Status.FAIL, Code.TURNS_EXCEEDED), id="turns-over"),
        pytest.param(TraceMaxTurns(9), [], OPEN, id="turns-may-come"),
        pytest.param(OutcomeIs(Outcome.COMPLETED), [], OPEN, id="the-end-is-not-known"),
    ],
)
def test_on_an_incomplete_trace_only_what_cannot_be_mended_fails(assertion, turns, expected):
    assert found(assertion, *turns, outcome=Outcome.INCOMPLETE) == expected


def test_an_answer_cut_short_is_a_known_end():
    assert found(OutcomeIs(Outcome.COMPLETED), outcome=Outcome.TRUNCATED) == (Status.FAIL, Code.OUTCOME_WRONG)


def test_a_declared_outcome_makes_a_bad_end_a_judged_one():
    assertions = [OutcomeIs(Outcome.MAX_STEPS), HIRE]
    seen = trace(call("hire"), outcome=Outcome.MAX_STEPS, declared=declared_outcomes(assertions))

    verdict = judge(seen, [("assertions", assertions_hold(assertions))])

    assert verdict.verdict is Ruling.PASS


def test_every_assertion_gives_its_finding_in_order():
    assertions = [ToolCalled("hire", min_count=9), NoToolCalled("hire"), TraceMaxTurns(99)]

    verdict = judge(trace(call("hire")), [("assertions", assertions_hold(assertions))])

    assert [(one.check, one.rung, one.outcome) for one in verdict.findings] == [
        ("assertions[0] tool_called hire", Rung.SELECTION, Status.FAIL),
        ("assertions[1] no_tool_called hire", Rung.SELECTION, Status.FAIL),
        ("assertions[2] trace_max_turns", None, Status.PASS),
    ]


def test_a_message_says_which_promise_was_broken():
    seen = trace(call("hire"), call("fire"), call("hire"))

    messages = [
        finding_of(assertion, "it", seen).message
        for assertion in [
            ToolCalled("hire", max_count=1),
            NoToolCalled("fire"),
            ToolCalled("look"),
            ToolCalled("Fire"),
            ToolCalled("hire", order=1),
        ]
    ]

    assert messages == [
        "hire was called 2 times (call_1, call_3), at most 1 allowed",
        "called fire, which must not be called (call_2)",
        "look was never called, at least 1 expected",
        'Fire was never called, at least 1 expected; "fire" (call_2) was called (only upper and lower case differ)',
        "call number 1, counted from 0, should be hire, but is fire (call_2)",
    ]


NAMES = st.sampled_from(["hire", "fire", "look", ""])
COUNTS = st.integers(0, 3)
ASSERTIONS = st.one_of(
    st.builds(ToolCalled, NAMES, COUNTS, st.none() | COUNTS, st.none() | COUNTS),
    st.builds(NoToolCalled, NAMES),
    st.builds(MessageContainsSubstring, st.sampled_from(["user", "assistant", "toolResult"]), st.text(max_size=2)),
    st.builds(ToolCallArgMatches, NAMES, st.text("ab.01", max_size=4), st.text("ab^$.*(", max_size=3)),
    st.builds(TraceMaxTurns, COUNTS),
    st.builds(OutcomeIs, st.sampled_from(Outcome)),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=3),
    max_leaves=5,
)
ARGUMENT_OBJECTS = st.dictionaries(st.sampled_from("ab"), JSON, max_size=2)
CALLS = st.tuples(NAMES, ARGUMENT_OBJECTS | st.text(max_size=3), st.sampled_from(["ok", FAILED, None]))


@given(st.lists(ASSERTIONS, max_size=4), st.lists(CALLS, max_size=4), st.sampled_from(Outcome))
def test_no_trace_makes_the_judge_raise(assertions, calls, outcome):
    seen = trace(*calls, outcome=outcome, declared=declared_outcomes(assertions))

    findings = assertions_hold(assertions)(seen).findings

    assert len(findings) == len(assertions)
    assert all(finding.message for finding in findings)


GRAMMAR = {
    "one call": (ToolCalled("hire", order=1), [call("hire")], "there is 1 call"),
    "no call": (ToolCalled("x", 0, order=0), [], "there are 0 calls"),
    "an assistant": (MessageContainsSubstring("assistant", "Done"), [], "an assistant message contains"),
}


@pytest.mark.parametrize(("assertion", "turns", "told"), GRAMMAR.values(), ids=GRAMMAR)
def test_messages_are_english(assertion, turns, told):
    assert told in finding_of(assertion, "it", trace(*turns)).message
