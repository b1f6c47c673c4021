"""Constraint specs: which trajectories keep every promise, and which promise each of the others breaks."""

import pytest
from conversations import FAILED, call, trace, unreadable
from hypothesis import given
from hypothesis import strategies as st
from shop import DOMAIN
from specs import failures_of, verdict_on

from harness.judge.finding import Code, Ruling, Status
from harness.transcript import Outcome


def test_a_write_that_failed_with_the_right_arguments_is_no_success():
    spec = "must_call: [{tool: create_refund, args: {order_id: 7}, count: 1}]"

    verdict = verdict_on(spec, trace(call("create_refund", order_id=7, result=FAILED)))

    assert [(one.code, one.message) for one in verdict.failures] == [
        (
            Code.CALL_MISSING,
            'create_refund with order_id 7 was called once, but no call succeeded; the last result is "failed"',
        )
    ]


@pytest.mark.parametrize(
    ("name", "alike"),
    [("Create_Refund", "only upper and lower case differ"), ("create_refund ", "only the space around it differs")],
)
def test_a_name_that_is_almost_right_is_no_call_of_the_tool_and_is_told(name, alike):
    verdict = verdict_on("must_call: [{tool: create_refund}]", trace(call(name)))

    assert [(one.code, one.message) for one in verdict.failures] == [
        (
            Code.CALL_MISSING,
            f'create_refund was never called, at least 1 expected; "{name}" (call_1) was called ({alike})',
        )
    ]


def test_a_whole_number_with_a_point_is_an_integer_and_noted():
    verdict = verdict_on(
        "must_call: [{tool: get_order, args: {order_id: 7}}]", trace(call("get_order", order_id=7.0)), DOMAIN
    )

    assert (verdict.verdict, verdict.warnings) == (Ruling.PASS, ["call_1: order_id: 7.0 was sent for an integer"])


MISSING, EXTRA = Code.CALL_MISSING, Code.CALL_EXTRA


@pytest.mark.parametrize(
    ("promise", "turns", "code"),
    [
        pytest.param("{tool: pay}", [call("pay"), call("pay")], None, id="at-least-once-by-default"),
        pytest.param("{tool: pay}", [], MISSING, id="never"),
        pytest.param("{tool: pay, count: 1}", [call("pay", result=FAILED), call("pay")], EXTRA, id="failed-ones-count"),
        pytest.param(
            "{tool: pay, count: 2}", [call("pay", result=FAILED), call("pay")], None, id="one-success-is-enough"
        ),
        pytest.param("{tool: pay, count: {max: 1}}", [], None, id="none-needed"),
        pytest.param("{tool: pay, count: {min: 2, max: 3}}", [call("pay")], MISSING, id="below-a-range"),
        pytest.param("{tool: pay, count: {min: 2, max: 3}}", [call("pay")] * 3, None, id="in-a-range"),
        pytest.param("{tool: pay, count: {min: 2, max: 3}}", [call("pay")] * 4, EXTRA, id="above-a-range"),
        pytest.param("{tool: pay, outcome: any}", [call("pay", result=FAILED)], None, id="any-outcome"),
        pytest.param("{tool: pay, args: {n: 1}}", [call("pay", n=1, m=2)], None, id="unlisted-arguments-are-ignored"),
        pytest.param(
            "{tool: pay, args: {n: 1}, extra: forbid}",
            [call("pay", n=1, m=2)],
            Code.PARAM_UNEXPECTED,
            id="extra-forbid",
        ),
        pytest.param(
            "{tool: pay, args: {n: 1}, extra: forbid, defaults: {m: 2}}",
            [call("pay", n=1, m=2)],
            None,
            id="extra-but-default",
        ),
        pytest.param("{tool: pay, args: {n: 1}}", [call("pay")], Code.PARAM_MISSING, id="listed-is-needed"),
        pytest.param("{tool: pay, args: {n: 1}, missing: allow}", [call("pay")], None, id="missing-allow"),
        pytest.param(
            "{tool: pay, args: {n: 1}, missing: allow}",
            [call("pay", n=2)],
            Code.PARAM_WRONG_VALUE,
            id="missing-allow-still-compares",
        ),
        pytest.param("{tool: pay, args: {n: null}}", [call("pay")], Code.PARAM_MISSING, id="null-is-not-missing"),
        pytest.param("{tool: pay, args: {n: null}}", [call("pay", n=None)], None, id="null"),
        pytest.param(
            "{tool: pay, args: {n: null}}", [call("pay", n="null")], Code.PARAM_WRONG_FORMAT, id="null-is-no-word"
        ),
        pytest.param("{tool: pay, args: {n: 7}}", [call("pay", n="7")], Code.PARAM_WRONG_FORMAT, id="typed"),
        pytest.param("{tool: pay, args: {page: 1}, defaults: {page: 1}}", [call("pay")], None, id="default-left-out"),
        pytest.param(
            "{tool: pay, args: {page: 1}, defaults: {page: 1}}",
            [call("pay", page=2)],
            Code.PARAM_WRONG_VALUE,
            id="default-overridden",
        ),
        pytest.param("{tool: pay, args: {}}", [unreadable("pay", "{n")], MISSING, id="unreadable-failed"),
        pytest.param(
            "{tool: pay, args: {n: 1}}", [unreadable("pay", "{n")], Code.ARGUMENTS_UNREADABLE, id="unreadable"
        ),
        pytest.param("{tool: pay}", [call("Pay"), call("pay ")], MISSING, id="another-spelling"),
    ],
)
def test_a_call_that_must_be_made(promise, turns, code):
    assert [one for _, one in failures_of(f"must_call: [{promise}]", *turns)] == ([code] if code else [])


def test_the_nearest_call_explains_a_miss():
    spec = "must_call: [{tool: pay, args: {to: {city: Rome}, sum: 5, note: x}}]"
    turns = [
        call("pay", to={"city": "Oslo"}, sum=6, note="x"),
        call("pay", to={"city": "Oslo"}, sum=5, note="x"),
        call("look"),
    ]

    [finding] = verdict_on(spec, trace(*turns)).failures

    assert (finding.call, finding.path, finding.expected, finding.actual) == (1, "to.city", "Rome", "Oslo")
    assert finding.message.endswith('call_2 comes nearest: to.city: expected "Rome", got "Oslo"')


@pytest.mark.parametrize(
    ("promise", "turns", "status"),
    [
        pytest.param("{first: a, then: b}", [call("a"), call("b")], Status.PASS, id="before"),
        pytest.param("{first: a, then: b}", [call("b"), call("a")], Status.FAIL, id="after"),
        pytest.param("{first: a, then: b}", [call("b")], Status.FAIL, id="first-never"),
        pytest.param("{first: a, then: b}", [call("a")], Status.NOT_APPLICABLE, id="then-never"),
        pytest.param("{first: a, then: b}", [call("a", result=FAILED), call("b")], Status.FAIL, id="first-failed"),
        pytest.param(
            "{first: a, then: b}", [call("a", result=FAILED), call("a"), call("b")], Status.PASS, id="first-retried"
        ),
        pytest.param(
            "{first: a, then: b}", [call("b", result=FAILED), call("a"), call("b")], Status.FAIL, id="then-attempted"
        ),
        pytest.param("{first: a, then: b}", [[call("a"), call("b")]], Status.PASS, id="one-answer"),
        pytest.param(
            "{first: a, then: b, strict_turns: true}", [[call("a"), call("b")]], Status.FAIL, id="strict-turns"
        ),
        pytest.param(
            "{first: a, then: b, strict_turns: true}", [call("a"), call("b")], Status.PASS, id="strict-turns-kept"
        ),
        pytest.param(
            "{first: {tool: a, args: {n: 1}}, then: b}",
            [call("a", n=2), call("b"), call("a", n=1)],
            Status.FAIL,
            id="with-args",
        ),
        pytest.param(
            "{first: a, then: {tool: b, args: {n: 1}}}",
            [call("b", n=2), call("a"), call("b", n=1)],
            Status.PASS,
            id="then-args",
        ),
    ],
)
def test_what_must_come_before_what(promise, turns, status):
    verdict = verdict_on(f"must_call_before: [{promise}]", trace(*turns))

    assert [one.outcome for one in verdict.findings] == [status]


@pytest.mark.parametrize(
    ("promise", "turns", "called"),
    [
        pytest.param("{tool: fire}", [call("fire", result=FAILED)], True, id="attempts-count"),
        pytest.param("fire", [call("fire")], True, id="a-bare-name"),
        pytest.param("{tool: fire}", [unreadable("fire", "x")], True, id="unreadable"),
        pytest.param("{tool: pay, args: {to: {not: 7}}}", [call("pay", to=7)], False, id="the-allowed-value"),
        pytest.param(
            "{tool: pay, args: {to: {not: 7}}}",
            [call("pay", to=7), call("pay", to="7")],
            True,
            id="another-kind-is-not-7",
        ),
        pytest.param("{tool: pay, args: {to: 8}}", [call("pay", to=8, sum=1)], True, id="unlisted-ignored"),
        pytest.param("{tool: pay, args: {to: 8, sum: 2}}", [call("pay", to=8, sum=1)], False, id="all-must-fit"),
    ],
)
def test_what_must_not_be_called(promise, turns, called):
    assert [one for _, one in failures_of(f"must_not_call: [{promise}]", *turns)] == [Code.CALL_UNWANTED] * called


@pytest.mark.parametrize(
    ("text", "status"),
    [
        pytest.param("Please.", Status.PASS, id="equal"),
        pytest.param("Please", Status.FAIL, id="not-equal"),
        pytest.param("please.", Status.FAIL, id="case-counts"),
    ],
)
def test_the_input_is_the_users_text(text, status):
    verdict = verdict_on(f"input: {text}", trace(call("look")))

    assert [one.outcome for one in verdict.findings] == [status]


@pytest.mark.parametrize(
    ("spec", "turns", "ruling"),
    [
        pytest.param("must_call: [{tool: pay}]", [call("pay")], Ruling.NOT_JUDGED, id="held-so-far"),
        pytest.param("must_call: [{tool: pay}]", [], Ruling.NOT_JUDGED, id="may-come"),
        pytest.param("must_call: [{tool: pay, count: 1}]", [call("pay"), call("pay")], Ruling.FAIL, id="too-many"),
        pytest.param("must_not_call: [pay]", [], Ruling.NOT_JUDGED, id="not-yet"),
        pytest.param("must_not_call: [pay]", [call("pay")], Ruling.FAIL, id="forbidden"),
        pytest.param("must_call_before: [{first: a, then: b}]", [call("b")], Ruling.FAIL, id="too-late"),
        pytest.param("must_call_before: [{first: a, then: b}]", [], Ruling.NOT_JUDGED, id="order-may-come"),
        pytest.param("final_state: {}", [], Ruling.NOT_JUDGED, id="state-may-come"),
    ],
)
def test_on_an_incomplete_trace_only_what_cannot_be_mended_fails(spec, turns, ruling):
    assert verdict_on(spec, trace(*turns, outcome=Outcome.TRUNCATED)).verdict is ruling


@pytest.mark.parametrize("spec", ["{}", "case: x", "must_call: []"])
def test_a_spec_that_expects_nothing_is_no_pass(spec):
    assert verdict_on(spec, trace(call("pay"))).verdict is Ruling.NOT_JUDGED


def test_coercion_is_declared_schema_bound_and_noted():
    seen = trace(call("create_refund", order_id="7", amount="89.5"))

    strict = verdict_on("must_call: [{tool: create_refund, args: {order_id: 7}}]", seen, DOMAIN)
    loose = verdict_on("{coerce: schema, must_call: [{tool: create_refund, args: {order_id: 7}}]}", seen, DOMAIN)
    one = verdict_on("must_call: [{tool: create_refund, args: {order_id: 7}, coerce: schema}]", seen, DOMAIN)

    assert [verdict.verdict for verdict in (strict, loose, one)] == [Ruling.FAIL, Ruling.PASS, Ruling.PASS]
    assert loose.warnings == [
        'call_1: order_id: the string "7" is read as 7',
        'call_1: amount: the string "89.5" is read as 89.5',
    ]
    assert 'call_1: order_id: the string "7" is read as 7' in one.findings[0].message


def test_names_are_cleaned_only_where_declared():
    seen = trace(call("functions.get_order\n", order_id=7))

    strict = verdict_on("must_call: [get_order]".replace("get_order", "{tool: get_order}"), seen, DOMAIN)
    loose = verdict_on(
        "{names: {strip: true, drop_prefix: [functions.]}, must_call: [{tool: get_order}]}", seen, DOMAIN
    )

    assert (strict.verdict, loose.verdict) == (Ruling.FAIL, Ruling.PASS)
    assert loose.warnings == ['call_1: the name "functions.get_order\\n" is read as get_order']


CALLS = st.builds(
    lambda name, n, result: call(name, n=n, result=result),
    st.sampled_from("ab"),
    st.sampled_from([1, "1", None, 2]),
    st.sampled_from(["ok", FAILED]),
)
PROMISES = st.sampled_from(
    ["{tool: a}", "{tool: a, args: {n: 1}, count: 1}", "{tool: b, args: {n: {not: 1}}}", "{tool: b, count: {max: 2}}"]
)


@given(st.lists(PROMISES, max_size=4), st.lists(CALLS, max_size=5), st.randoms(use_true_random=False))
def test_the_verdict_does_not_depend_on_how_promises_are_listed(promises, calls, chance):
    shuffled = chance.sample(promises, len(promises))
    seen = trace(*calls)

    verdicts = [verdict_on(f"must_call: [{', '.join(listed)}]", seen).verdict for listed in (promises, shuffled)]

    assert verdicts[0] is verdicts[1]
