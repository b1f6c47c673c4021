"""Golden calls: what a suite may forgive, what an incomplete trace leaves open, what findings say."""

import time

import pytest
from conversations import unreadable
from desk import CANCEL, CONFIRM, DOMAIN, FAILED, LOOK, asked, call, cancelled, codes_of, confirmed, judged, want
from hypothesis import given
from hypothesis import strategies as st

from harness.judge.domain import UNKNOWN
from harness.judge.finding import Ruling, Rung, Status
from harness.transcript import Outcome

SEE = want("get_order", order_id="W1")
NOTE = want("note", text="broken", day="2026-03-01")
READS = ["get_order", "get_user", "find"]


@pytest.mark.parametrize(
    ("config", "wanted", "turns", "codes"),
    [
        pytest.param(
            {"failed_calls": "ignore"},
            [SEE],
            [call("get_order", order_id="W1", result=FAILED), LOOK],
            [],
            id="failed-ignored",
        ),
        pytest.param(
            {"failed_calls": "ignore"},
            [SEE],
            [call("get_order", order_id="W9", result=FAILED)],
            ["PARAM_HALLUCINATED_ID"],
            id="failed-still-explains",
        ),
        pytest.param(
            {"defaults": {"page": 1}},
            [want("find", query="x")],
            [call("find", query="x", page=1)],
            [],
            id="default-sent",
        ),
        pytest.param(
            {"defaults": {"page": 1}},
            [want("find", query="x", page=1)],
            [call("find", query="x")],
            [],
            id="default-left-out",
        ),
        pytest.param(
            {"defaults": {"page": 1}},
            [want("find", query="x")],
            [call("find", query="x", page=2)],
            ["PARAM_UNEXPECTED"],
            id="not-the-default",
        ),
        pytest.param(
            {"extra": "allow"}, [want("find", query="x")], [call("find", query="x", page=2)], [], id="extra-allowed"
        ),
        pytest.param(
            {"extra": "allow"},
            [want("find", query="x")],
            [call("find", query="x", page="2")],
            ["PARAM_WRONG_FORMAT"],
            id="extra-but-refused",
        ),
        pytest.param(
            {"extra": "allow"},
            [want("find", query="x")],
            [call("find", query="x", zone=2)],
            ["PARAM_UNEXPECTED"],
            id="extra-but-undeclared",
        ),
        pytest.param(
            {"missing": "allow"}, [want("find", query="x", page=1)], [call("find", query="x")], [], id="missing-allowed"
        ),
        pytest.param(
            {"coerce": "schema"},
            [want("find", query="x", page=1)],
            [call("find", query="x", page="1")],
            [],
            id="coerced",
        ),
        pytest.param({"names": {"strip": True}}, [SEE], [call(" get_order\n", order_id="W1")], [], id="name-stripped"),
    ],
)
def test_a_suite_may_declare_what_it_forgives(config, wanted, turns, codes):
    assert codes_of(judged(wanted, turns, config=config)) == codes


@pytest.mark.parametrize(
    ("wanted", "turns", "ruling"),
    [
        pytest.param([SEE], [LOOK], Ruling.NOT_JUDGED, id="held-so-far"),
        pytest.param([SEE], [], Ruling.NOT_JUDGED, id="may-come"),
        pytest.param([SEE], [LOOK, call("note", text="x", day="y")], Ruling.FAIL, id="an-extra-write-stays"),
        pytest.param([NOTE], [call("note", text="x", day="y")], Ruling.FAIL, id="a-wrong-write-stays"),
        pytest.param(
            [SEE], [call("get_order", order_id="W2")], Ruling.NOT_JUDGED, id="a-wrong-read-may-become-a-welcome-one"
        ),
        pytest.param([], [call("note", text="x", day="y")], Ruling.FAIL, id="unwanted"),
    ],
)
def test_on_an_incomplete_trace_only_what_cannot_be_mended_fails(wanted, turns, ruling):
    assert judged(wanted, turns, reads=READS, outcome=Outcome.TRUNCATED).verdict is ruling


def test_every_golden_call_and_parameter_shows_up():
    verdict = judged([CANCEL, CONFIRM], [cancelled()], ordered=True)

    assert [(one.check, str(one.outcome)) for one in verdict.findings] == [
        ("calls[0] request_cancel", "pass"),
        ("calls[0].order_id", "pass"),
        ("calls[0].reason", "pass"),
        ("calls[1] confirm", "fail"),
        ("calls[1].action_id", "not_applicable"),
        ("extra calls", "pass"),
        ("order", "pass"),
        ("calls[0] action_id chain", "fail"),
    ]


def test_a_finding_points_at_both_calls_and_the_path():
    verdict = judged(
        [SEE, want("request_move", order_id="W1", place={"city": "Rome", "zip": "1"})],
        [LOOK, asked("request_move", order_id="W1", place={"city": "Oslo", "zip": "1"})],
    )

    [finding] = verdict.failures
    assert (finding.golden, finding.call, finding.path, finding.expected, finding.actual) == (
        1,
        1,
        "place.city",
        "Rome",
        "Oslo",
    )
    assert finding.message == 'place.city of request_move (call_2): expected "Rome", got "Oslo"'


@pytest.mark.parametrize(
    ("sent", "hint"),
    [
        pytest.param("get_order\n", "get_order", id="newline"),
        pytest.param("functions.get_order", "get_order", id="prefix"),
        pytest.param("get_order</arg_value>", "get_order", id="tag"),
        pytest.param("get_order<|channel|>json", "get_order", id="channel"),
        pytest.param("Get_Order", "get_order", id="case"),
        pytest.param("get.order", "get_order", id="separator"),
        pytest.param("", None, id="empty"),
        pytest.param("sing", None, id="nothing-alike"),
    ],
)
def test_an_unknown_name_comes_with_a_hint(sent, hint):
    [finding] = judged([], [call(sent)]).failures

    assert finding.message.endswith(f"; did you mean {hint}?") if hint else "did you mean" not in finding.message


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        pytest.param(
            "Get_Order",
            '"Get_Order" (call_1) was called instead of get_order (only upper and lower case differ)',
            id="case",
        ),
        pytest.param(
            "get_order ",
            '"get_order " (call_1) was called instead of get_order (only the space around it differs)',
            id="space",
        ),
        pytest.param("find", '"find" (call_1) was called instead of get_order', id="another"),
    ],
)
def test_a_name_that_is_nearly_right_is_told_so(sent, told):
    [finding] = judged([SEE], [call(sent, order_id="W1")], domain=UNKNOWN).failures

    assert (str(finding.code), finding.message) == ("TOOL_WRONG", told)


def test_a_whole_number_with_a_point_is_noted():
    verdict = judged([want("find", query="x", page=1)], [call("find", query="x", page=1.0)])

    assert (verdict.verdict, verdict.warnings) == (Ruling.PASS, ["call_1: page: 1.0 was sent for an integer"])


@pytest.mark.parametrize(
    ("turns", "rung"),
    [
        pytest.param([cancelled(), confirmed()], Rung.ORDER, id="all"),
        pytest.param([cancelled(), confirmed("A7")], Rung.ARGUMENTS, id="chain-broken"),
        pytest.param([cancelled(reason="mistake"), confirmed()], Rung.SELECTION, id="argument-wrong"),
        pytest.param([cancelled()], None, id="call-missing"),
    ],
)
def test_the_highest_rung_that_holds(turns, rung):
    assert judged([CANCEL, CONFIRM], turns, ordered=True).rung is rung


WANTED = st.sampled_from(
    [SEE, want("get_order", order_id="W2"), want("get_order", {"order_id": "any"}, order_id="W1"), NOTE, CANCEL]
)
CALLS = st.sampled_from(
    [
        LOOK,
        call("get_order", order_id="W2"),
        call("get_order", order_id="W9", result=FAILED),
        call("find", query="x"),
        cancelled(),
        call("sing"),
        unreadable("note", "{"),
    ]
)


@given(st.lists(WANTED, max_size=4), st.lists(CALLS, max_size=4), st.randoms(use_true_random=False))
def test_the_verdict_does_not_depend_on_how_golden_calls_are_listed(wanted, turns, chance):
    shuffled = chance.sample(wanted, len(wanted))

    verdicts = [judged(listed, turns, reads=READS).verdict for listed in (wanted, shuffled)]

    assert verdicts[0] is verdicts[1]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=2),
    max_leaves=4,
)
ANY_CALLS = st.tuples(
    st.sampled_from(["get_order", "request_move", "confirm", "find", "sing", ""]),
    st.dictionaries(st.sampled_from(["order_id", "place", "action_id", "query"]), JSON, max_size=3)
    | st.text(max_size=2),
    st.sampled_from(["ok", FAILED, None, '{"action_id":[1]}', "[[{}]]"]),
)


@given(
    st.lists(WANTED | st.just(CONFIRM), max_size=3),
    st.lists(ANY_CALLS, max_size=4),
    st.booleans(),
    st.sampled_from(Outcome),
    st.sampled_from([DOMAIN, UNKNOWN]),
)
def test_no_trace_makes_the_judge_raise(wanted, turns, ordered, outcome, domain):
    verdict = judged(wanted, turns, ordered=ordered, outcome=outcome, domain=domain)

    assert not [one.message for one in verdict.findings if one.message.startswith("the judge failed")]
    assert verdict.verdict is not Ruling.SKIP
    assert all(one.outcome is not Status.FAIL or one.code for one in verdict.findings)


def test_two_hundred_equal_calls_take_no_minutes():
    turns = [call("get_order", order_id="W1") for _ in range(200)]
    start = time.process_time()

    right = judged([SEE] * 200, turns)
    wrong = judged([want("get_order", order_id="W2")] * 200, turns)

    assert time.process_time() - start < 20  # half a second where nothing else runs
    assert (len(right.failures), len(wrong.failures)) == (0, 200)
