"""Playback with today's tools: compared with the recorded results, or in their place."""

import pytest
from refund_run import CREATE_REFUND, GET_ORDER, fixture, refund_turns, result, says, user

from harness import errors
from harness.playback import replay
from harness.scenario import Scenario, Tool
from harness.transcript import Text
from harness.world import Stubs

FILE = "fixtures/refund.jsonl"
TOOLS = [Tool.model_validate(one) for one in (GET_ORDER, CREATE_REFUND)]
SCENARIO = Scenario(id="refund", system="s", users=["u"], tools=TOOLS, directory="scenarios/refund")
ORDER_RESULT = {"order_id": 4021, "total": 89.99}
REFUND_RESULT = {"refund_id": "refund-1", "amount": 89.99}


class Shop:
    """A world that adds a row for each refund, and answers as the recorded run says."""

    def start(self, tables):
        return {"refunds": {"key": "order_id", "rows": []}} | tables

    def call(self, state, name, arguments):
        if name == "get_order":
            return state, ORDER_RESULT, False
        rows = [*state["refunds"]["rows"], {"order_id": arguments["order_id"]}]
        return {"refunds": {"key": "order_id", "rows": rows}}, REFUND_RESULT, False


CHANGES = [{"call": "call_2", "table": "refunds", "key": 4021, "before": None, "after": {"order_id": 4021}}]


def played(recorded, **options):
    return replay(recorded, file=FILE, **options)


def test_a_world_that_answers_as_recorded_compares_equal():
    recorded = fixture()

    outcome = played(recorded, scenario=SCENARIO, mode="compare", world=Shop())

    assert outcome.errors == []
    assert outcome.transcript == recorded.transcript


def test_compare_reports_every_result_that_changed_and_plays_the_recorded_one():
    recorded = fixture()
    stubs = Stubs({"get_order": {"order_id": 4021, "total": 79.99}})

    outcome = played(recorded, scenario=SCENARIO, mode="compare", world=stubs)

    first, second = outcome.errors
    assert (type(first), first.exit_code, first.line) == (errors.ToolResultChanged, 3, 4)
    assert first.expected == '{"order_id":4021,"total":«89».99}'
    assert first.found == '{"order_id":4021,"total":«79».99}'
    assert (type(second), second.line) == (errors.ToolResultChanged, 6)
    assert second.found == "«error: no result is set for tool create_refund in stubs.json»"
    assert outcome.transcript == recorded.transcript


def state(initial, changes):
    return {"type": "state", "initial": initial, "changes": changes}


def recorded_with_effects():
    """Return a fixture with the effects that today's world has, and their hash."""
    effects = played(fixture(), scenario=SCENARIO, mode="live", world=Shop()).transcript.effects
    return fixture(tail=[state(effects.initial, CHANGES)]), effects


def test_effects_that_are_the_same_compare_equal():
    recorded, effects = recorded_with_effects()

    outcome = played(recorded, scenario=SCENARIO, mode="compare", world=Shop())

    assert outcome.errors == []
    assert outcome.transcript.effects == recorded.transcript.effects == effects


OTHER_EFFECTS = {
    "another start": (
        state("sha256:" + "0" * 64, CHANGES),
        "tables sha256:" + "0" * 64,
        None,
    ),
    "another row": (
        state(None, [CHANGES[0] | {"after": {"order_id": 1}}]),
        '…ll_2: refunds 4021: null -> {"order_id":«1»}',
        '…ll_2: refunds 4021: null -> {"order_id":«4021»}',
    ),
    "one change more today": (state(None, []), "«no further change»", '«call_2: refunds 4021: null -> {"order_id":4021}»'),
    "one change less today": (
        state(None, [*CHANGES, CHANGES[0] | {"call": "call_3"}]),
        '«call_3: refunds 4021: null -> {"order_id":4021}»',
        "«no further change»",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("line", "expected", "found"), OTHER_EFFECTS.values(), ids=OTHER_EFFECTS)
def test_effects_that_changed_are_a_finding(line, expected, found):
    _, effects = recorded_with_effects()
    recorded = fixture(tail=[line | ({} if line["initial"] else {"initial": effects.initial})])

    outcome = played(recorded, scenario=SCENARIO, mode="compare", world=Shop())

    (error,) = outcome.errors
    assert (type(error), error.exit_code, error.line) == (errors.EffectsChanged, 3, 8)
    assert (error.expected, error.found) == (expected, found or f"tables {effects.initial}")


def test_live_hands_out_what_the_world_says_now_and_says_where_the_conversation_parts():
    stubs = Stubs({"get_order": "gone", "create_refund": "done"})

    outcome = played(fixture(), scenario=SCENARIO, mode="live", world=stubs)

    (error,) = outcome.errors
    assert (type(error), error.exit_code, error.line) == (errors.ReplayMismatch, 5, 4)
    assert (error.expected, error.found) == ('«{"order_id":4021,"total":89.99}»', "«gone»")
    assert [turn.content for turn in outcome.transcript.turns[2::2]] == [[Text("gone")], [Text("done")]]


def test_live_records_what_the_world_of_today_did():
    outcome = played(fixture(), scenario=SCENARIO, mode="live", world=Shop())

    assert outcome.errors == []
    assert [change.after for change in outcome.transcript.effects.changes] == [{"order_id": 4021}]


@pytest.mark.parametrize("mode", ["compare", "live"])
def test_running_tools_needs_a_world(mode):
    outcome = played(fixture(), scenario=SCENARIO, mode=mode)

    (error,) = outcome.errors
    assert (type(error), error.file, outcome.transcript) == (errors.BadScenario, "scenarios/refund", None)


@pytest.mark.parametrize("mode", ["compare", "live"])
def test_a_run_without_calls_needs_no_world(mode):
    recorded = fixture([user(), says("We open at nine.")])

    assert played(recorded, mode=mode).transcript == recorded.transcript


class Broken:
    """A world whose code fails before the first call."""

    def start(self, tables):
        raise KeyError(tables)


def test_a_world_that_cannot_start_is_an_error_of_the_scenario():
    outcome = played(fixture(), scenario=SCENARIO, mode="compare", world=Broken())

    (error,) = outcome.errors
    assert (type(error), error.exit_code, error.file) == (errors.BadScenario, 4, "scenarios/refund/world.py")
    assert error.subject == "the world cannot start: KeyError: {}"


def test_a_placeholder_stands_for_todays_secret():
    turns = refund_turns()
    turns[2] = result(1, '{"order_id":4021,"token":"[secret:token:1]"}')
    stubs = Stubs({"get_order": {"order_id": 4021, "token": "s3cret"}, "create_refund": REFUND_RESULT})

    assert played(fixture(turns), scenario=SCENARIO, mode="compare", world=stubs).errors == []
