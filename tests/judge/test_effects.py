"""What `final_state` asks of the world: rows by key, nothing undeclared, and the call that made each change."""

import pytest
from conversations import call, trace
from shop import DOMAIN, TABLES, played, tool
from specs import verdict_on

from harness.judge.domain import UNKNOWN, domain_from
from harness.judge.finding import Code, Ruling, Status
from harness.judge.values import MISSING as NOTHING
from harness.trace import trace_of
from harness.transcript import Change, Effects
from harness.value import canonical, digest_of

TWO = {
    "a": {"key": "id", "rows": [{"id": 1, "n": 1, "at": "x"}, {"id": 2, "n": 2, "at": "x"}]},
    "b": {"rows": [{"n": 1}]},
}
START = digest_of(canonical(TWO))
HERE = domain_from([tool("set", "write")], TWO)


def seen(*changes, initial=START):
    """A run of three calls with these changes: (call, table, key, before, after)."""
    effects = Effects(initial, [Change(f"call_{number + 1}", *rest) for number, *rest in changes])
    return trace(call("set"), call("set"), call("set"), effects=effects)


SET_2 = (1, "a", 2, {"id": 2, "n": 2, "at": "x"}, {"id": 2, "n": 3, "at": "x"})
ADD_3 = (2, "a", 3, None, {"id": 3, "n": 3, "at": "y"})
DROP_1 = (0, "a", 1, {"id": 1, "n": 1, "at": "x"}, None)
TOUCH_1 = (0, "a", 1, {"id": 1, "n": 1, "at": "x"}, {"id": 1, "n": 1, "at": "y"})
UNDO_2 = (2, "a", 2, {"id": 2, "n": 3, "at": "x"}, {"id": 2, "n": 2, "at": "x"})
SET_B = (1, "b", 0, {"n": 1}, {"n": 2})

MISSING, WRONG, COLLATERAL = Code.STATE_MISSING, Code.STATE_WRONG, Code.STATE_COLLATERAL


@pytest.mark.parametrize(
    ("table", "changes", "codes"),
    [
        pytest.param("a: unchanged", [], [], id="unchanged"),
        pytest.param("a: unchanged", [SET_2], [COLLATERAL], id="unchanged-changed"),
        pytest.param("a: unchanged", [SET_2, UNDO_2], [], id="undone-is-unchanged"),
        pytest.param("a: {exactly: [{n: 2}, {n: 1}]}", [], [], id="exactly-in-any-order"),
        pytest.param("a: {exactly: [{n: 2}]}", [], [WRONG], id="exactly-as-many-rows"),
        pytest.param("a: {exactly: [{n: 2}]}", [DROP_1], [], id="exactly-after-a-removal"),
        pytest.param("a: {exactly: [{n: 1}, {n: 2}, {n: 4}]}", [], [MISSING], id="exactly-lacks"),
        pytest.param("a: {exactly: [{n: 1}, {n: 2}]}", [ADD_3], [COLLATERAL], id="exactly-one-added"),
        pytest.param("a: {exactly: [{id: 1, n: 1}, {id: 2, n: 2}]}", [SET_2], [WRONG], id="exactly-by-key"),
        pytest.param("a: {exactly: [{id: 1, n: 2}, {id: 2, n: 1}]}", [], [WRONG, WRONG], id="exactly-swapped"),
        pytest.param("a: {exactly: [{n: 1}, {n: 2}], strict: true}", [], [WRONG, WRONG], id="strict-forbids-unlisted"),
        pytest.param(
            "a: {exactly: [{id: 1, n: 1, at: x}, {id: 2, n: 2, at: x}], strict: true}", [], [], id="strict-kept"
        ),
        pytest.param("a: {exactly: [{n: {ge: 1}}, {n: 1}]}", [], [], id="exactly-best-pairing"),
        pytest.param("a: {contains: [{id: 2, n: 2}]}", [], [], id="contains"),
        pytest.param("a: {contains: [{id: 2, n: 3}]}", [], [WRONG], id="contains-another-value"),
        pytest.param("a: {contains: [{id: 9}]}", [], [MISSING], id="contains-not"),
        pytest.param("a: {contains: [{id: 3}]}", [ADD_3, SET_2], [COLLATERAL], id="contains-and-another-change"),
        pytest.param("a: {contains: [{id: 3}], others: ignore}", [ADD_3, SET_2], [], id="contains-ignoring-others"),
        pytest.param("a: {added: [{n: 3}]}", [ADD_3], [], id="added"),
        pytest.param("a: {added: [{n: 3}]}", [SET_2], [MISSING, COLLATERAL], id="changed-is-not-added"),
        pytest.param("a: {changed: [{id: 2, n: 3}]}", [SET_2], [], id="changed"),
        pytest.param("a: {changed: [{id: 2, n: 4}]}", [SET_2], [WRONG], id="changed-to-another-value"),
        pytest.param("a: {changed: [{id: 1}]}", [SET_2], [MISSING, COLLATERAL], id="another-row-changed"),
        pytest.param("a: {removed: [{n: 1}]}", [DROP_1], [], id="removed"),
        pytest.param("a: {removed: [{id: 1}]}", [], [MISSING], id="not-removed"),
        pytest.param("a: {changed: [{id: 2}], added: [{id: 3}]}", [SET_2, ADD_3], [], id="changed-and-added"),
        pytest.param("a: {changed: [{id: 2}], added: []}", [SET_2, ADD_3], [COLLATERAL], id="one-more-added"),
        pytest.param("a: unchanged", [SET_B], [COLLATERAL], id="a-table-not-named"),
        pytest.param("others: ignore, a: unchanged", [SET_B], [], id="others-ignore"),
        pytest.param("b: {exactly: [{n: 2}]}", [SET_B], [], id="rows-without-a-key"),
        pytest.param("ignore: [a.at], a: unchanged", [TOUCH_1], [], id="an-ignored-field"),
        pytest.param("ignore: ['*.at']", [TOUCH_1], [], id="ignored-in-every-table"),
        pytest.param("ignore: [b.at]", [TOUCH_1], [COLLATERAL], id="ignored-elsewhere"),
        pytest.param(
            "ignore: [a.at], a: {exactly: [{id: 1, n: 1}, {id: 2, n: 2}], strict: true}",
            [TOUCH_1],
            [],
            id="ignored-in-strict",
        ),
        pytest.param("c: {added: [{n: 1}]}", [(0, "c", 0, None, {"n": 1})], [], id="a-table-that-the-run-made"),
        pytest.param("c: {added: [{n: 1}]}", [], [MISSING], id="a-table-that-is-not-there"),
    ],
)
def test_the_state_at_the_end(table, changes, codes):
    verdict = verdict_on(f"final_state: {{{table}}}", seen(*changes), HERE)

    assert [one.code for one in verdict.failures] == codes
    assert verdict.verdict is (Ruling.FAIL if codes else Ruling.PASS)


@pytest.mark.parametrize(
    ("table", "change", "told"),
    [
        pytest.param(
            "a: unchanged",
            SET_2,
            (1, "a.n", 2, 3, "a row 2 was changed by call_2 (set), which nothing declares: n 2 → 3"),
            id="changed",
        ),
        pytest.param(
            "a: {added: []}",
            ADD_3,
            (2, "a", NOTHING, ADD_3[4], "a row 3 was added by call_3 (set), which nothing declares"),
            id="added",
        ),
        pytest.param(
            "a: {added: []}",
            DROP_1,
            (0, "a", DROP_1[3], NOTHING, "a row 1 was removed by call_1 (set), which nothing declares"),
            id="removed",
        ),
        pytest.param(
            "a: {changed: [{id: 2, n: 4}]}",
            SET_2,
            (1, "a.n", 4, 3, "a row 2, last changed by call_2 (set), is not as expected: n: expected 4, got 3"),
            id="wrong",
        ),
    ],
)
def test_a_change_is_told_with_the_call_that_made_it(table, change, told):
    [finding] = verdict_on(f"final_state: {{{table}}}", seen(change), HERE).failures

    assert (finding.call, finding.path, finding.expected, finding.actual, finding.message) == told


def test_a_number_keeps_its_kind_in_a_row():
    verdict = verdict_on('final_state: {a: {contains: [{id: "2", n: 2}]}}', seen(), HERE)

    assert [one.code for one in verdict.failures] == [MISSING]


@pytest.mark.parametrize(
    ("run", "domain"),
    [
        pytest.param(trace(call("set")), HERE, id="no-state-recorded"),
        pytest.param(seen(initial="sha256:" + "0" * 64), HERE, id="another-world"),
        pytest.param(seen(), domain_from([], {"a": TWO["a"]}), id="tables-changed-since"),
        pytest.param(seen(), UNKNOWN, id="no-world-at-hand"),
    ],
)
def test_a_world_that_is_not_the_one_at_hand_is_not_judged(run, domain):
    verdict = verdict_on("final_state: {a: unchanged}", run, domain)

    assert verdict.verdict is Ruling.NOT_JUDGED
    assert {one.outcome for one in verdict.findings} == {Status.NOT_JUDGED}


def test_an_empty_final_state_wants_nothing_changed():
    runs = [played(call("get_order", order_id=7)), played(call("cancel_order", order_id=7))]

    verdicts = [verdict_on("final_state: {}", trace_of(run), DOMAIN).verdict for run in runs]

    assert verdicts == [Ruling.PASS, Ruling.FAIL]


def test_every_listed_row_and_every_table_shows_up():
    spec = "final_state: {refunds: {exactly: [{order_id: 7}, {order_id: 8}]}, orders: unchanged}"

    verdict = verdict_on(spec, trace_of(played()), DOMAIN)

    assert [one.check for one in verdict.findings] == [
        "final_state refunds.exactly[0]",
        "final_state refunds.exactly[1]",
        "final_state refunds",
        "final_state orders",
        "final_state other tables",
    ]


def test_the_tables_of_the_shop_are_left_alone():
    before = canonical(TABLES)

    played(call("create_refund", order_id=7, amount=1), call("cancel_order", order_id=8))

    assert canonical(TABLES) == before
