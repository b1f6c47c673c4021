"""Golden calls together: which other reads are forgiven, which order counts, which ids a chain hands on."""

import pytest
from conversations import unreadable
from desk import CANCEL, CONFIRM, FAILED, LOOK, TOOLS, asked, call, cancelled, codes_of, confirmed, judged, want

from harness.judge.domain import domain_from

SEE = want("get_order", order_id="W1")
NOTE = want("note", text="broken", day="2026-03-01")
READS = ["get_order", "get_user", "find"]


@pytest.mark.parametrize(
    ("turns", "reads", "codes"),
    [
        pytest.param([LOOK, call("get_user", user_id="U1")], None, [], id="in-the-suites-list"),
        pytest.param([LOOK, call("find", query="x")], None, ["CALL_EXTRA"], id="not-in-the-suites-list"),
        pytest.param([LOOK, call("find", query="x")], ["find"], [], id="in-the-cases-list"),
        pytest.param([LOOK, call("get_user", user_id="U1")], ["find"], ["CALL_EXTRA"], id="the-cases-list-replaces"),
        pytest.param([LOOK, call("get_user", user_id="U1")], [], ["CALL_EXTRA"], id="an-empty-list-is-strict"),
        pytest.param([LOOK, call("get_user", user_id="U1", result=FAILED)], None, ["CALL_EXTRA"], id="failed"),
        pytest.param([LOOK, call("get_user", user_id="U9")], None, ["CALL_EXTRA"], id="an-id-that-does-not-exist"),
        pytest.param([LOOK, call("get_user", user_id="U1", x=1)], None, ["CALL_EXTRA"], id="refused-by-the-schema"),
        pytest.param([LOOK, unreadable("get_user", "x")], None, ["CALL_EXTRA"], id="unreadable"),
        pytest.param([LOOK, call("note", text="x", day="y")], ["note"], ["CALL_EXTRA"], id="never-a-write"),
        pytest.param([LOOK, confirmed()], ["confirm"], ["CALL_EXTRA"], id="never-a-confirmation"),
        pytest.param([LOOK, call("sing")], ["sing"], ["TOOL_UNKNOWN"], id="never-an-unknown-tool"),
        pytest.param([call("get_order", order_id="W2"), LOOK], ["get_order"], [], id="golden-calls-are-kept-first"),
        pytest.param(
            [call("get_order", order_id="W2")], ["get_order"], ["PARAM_WRONG_VALUE"], id="a-near-miss-is-not-forgiven"
        ),
    ],
)
def test_only_sound_reads_are_forgiven(turns, reads, codes):
    verdict = judged([SEE], turns, config={"allowed_extra": ["get_user"]}, reads=reads)

    assert codes_of(verdict) == codes


@pytest.mark.parametrize(
    ("turns", "codes"),
    [
        pytest.param([cancelled(), LOOK, confirmed()], [], id="in-order"),
        pytest.param(
            [confirmed(), cancelled(), LOOK],
            ["ORDER_WRONG", "CHAIN_UNLINKED", "CHAIN_INCOMPLETE"],
            id="confirmed-first",
        ),
        pytest.param([LOOK, cancelled(), confirmed()], ["ORDER_WRONG"], id="one-astray"),
        pytest.param([LOOK, confirmed("A9")], ["CALL_MISSING", "CHAIN_UNLINKED"], id="missing-is-not-astray"),
    ],
)
def test_the_longest_part_in_order_is_kept(turns, codes):
    assert codes_of(judged([CANCEL, SEE, CONFIRM], turns, ordered=True)) == codes


def test_order_inside_one_answer_counts_unless_turns_are_strict():
    turns = [[call("get_user", user_id="U1"), LOOK]]
    wanted = [want("get_user", user_id="U1"), SEE]

    loose = judged(wanted, turns, ordered=True)
    strict = judged(wanted, turns, ordered=True, config={"strict_turns": True})

    assert (codes_of(loose), codes_of(strict)) == ([], ["ORDER_WRONG"])


def test_equal_golden_calls_may_be_served_in_either_order():
    wanted = [SEE, want("get_order", {"order_id": "any"}, order_id="W1")]
    turns = [call("get_order", order_id="W2"), LOOK]

    assert codes_of(judged(wanted, turns)) == []
    assert codes_of(judged(wanted, turns, ordered=True)) == ["ORDER_WRONG"]


MOVE = want("request_move", order_id="W2", place={"city": "Rome", "zip": "1"})
MOVED = asked("request_move", "A2", order_id="W2", place={"city": "Rome", "zip": "1"})


@pytest.mark.parametrize(
    ("wanted", "turns", "codes"),
    [
        pytest.param([CANCEL, CONFIRM], [cancelled(), confirmed()], [], id="linked"),
        pytest.param(
            [CANCEL, CONFIRM], [cancelled(), confirmed("A7")], ["CHAIN_UNLINKED", "CHAIN_INCOMPLETE"], id="a-made-up-id"
        ),
        pytest.param(
            [CANCEL, CONFIRM],
            [cancelled(), confirmed("A7", result=FAILED)],
            ["CALL_MISSING", "CHAIN_UNLINKED", "CHAIN_INCOMPLETE"],
            id="a-made-up-id-refused",
        ),
        pytest.param([CANCEL, CONFIRM], [cancelled()], ["CALL_MISSING", "CHAIN_INCOMPLETE"], id="never-taken"),
        pytest.param([CANCEL], [cancelled()], [], id="nothing-resolves-it"),
        pytest.param([CANCEL, CONFIRM], [[cancelled(), confirmed()]], [], id="guessed-in-one-answer"),
        pytest.param([CANCEL, MOVE, CONFIRM], [cancelled(), MOVED, confirmed("A2")], [], id="one-of-two-is-resolved"),
        pytest.param(
            [CANCEL, MOVE, CONFIRM, CONFIRM],
            [cancelled(), MOVED, confirmed("A2"), confirmed("A2")],
            ["CHAIN_INCOMPLETE"],
            id="one-taken-twice",
        ),
        pytest.param(
            [CANCEL, MOVE, CONFIRM, CONFIRM],
            [cancelled(), MOVED, confirmed("A2"), confirmed("A1")],
            [],
            id="both-taken",
        ),
        pytest.param(
            [CANCEL, CONFIRM],
            [call("request_cancel", order_id="W1", reason="late", result="ok"), confirmed()],
            ["CHAIN_UNLINKED"],
            id="a-result-without-an-id",
        ),
    ],
)
def test_what_is_issued_is_taken(wanted, turns, codes):
    assert codes_of(judged(wanted, turns)) == codes


def test_without_tables_an_id_is_known_when_it_was_seen():
    domain = domain_from(TOOLS, None, "Our VIP is W5.")
    runs = {
        "nowhere": [call("get_order", order_id="W8")],
        "said by the user": [call("get_order", order_id="W7")],
        "in the system prompt": [call("get_order", order_id="W5")],
        "in an earlier result": [
            call("get_user", user_id="U1", result='{"orders":["W8"]}'),
            call("get_order", order_id="W8"),
        ],
        "in an earlier call only": [call("find", query="W8"), call("get_order", order_id="W8")],
        "part of a longer id": [call("get_order", order_id="W77")],
        "in a result of the same answer": [
            [call("get_user", user_id="U1", result="W8"), call("get_order", order_id="W8")]
        ],
    }

    found = {
        name: [
            code
            for code in codes_of(judged([SEE], turns, domain=domain, user="About W7 and W771."))
            if code.startswith("PARAM")
        ]
        for name, turns in runs.items()
    }

    assert found == {
        "nowhere": ["PARAM_HALLUCINATED_ID"],
        "said by the user": ["PARAM_WRONG_VALUE"],
        "in the system prompt": ["PARAM_WRONG_VALUE"],
        "in an earlier result": ["PARAM_WRONG_VALUE"],
        "in an earlier call only": ["PARAM_HALLUCINATED_ID"],
        "part of a longer id": ["PARAM_HALLUCINATED_ID"],
        "in a result of the same answer": ["PARAM_HALLUCINATED_ID"],
    }
