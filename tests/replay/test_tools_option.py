"""fc-replay --tools: recorded results alone, compared with the world's of today, or the world in their place."""

import json

import pytest
from refund_run import write_scenario
from replay_door import FIXTURE, places, run, told

WORLD = """
def start(tables):
    return {"refunds": {"key": "order_id", "rows": []}}


def call(state, name, arguments):
    if name == "get_order":
        return state, {"order_id": 4021, "total": TOTAL}, False
    return state, {"refund_id": "refund-1", "amount": 89.99}, False
"""
LIVE = {
    "compare, as recorded": ("compare", "89.99", 0, []),
    "compare, another result": ("compare", "79.99", 3, [("TOOL_RESULT_CHANGED", FIXTURE, 4)]),
    "live, as recorded": ("live", "89.99", 0, []),
    "live, another result": ("live", "79.99", 5, [("REPLAY_MISMATCH", FIXTURE, 4)]),
    "recorded never runs the world": ("recorded", "1 / 0", 0, []),
}


@pytest.mark.parametrize(("mode", "total", "exit_code", "errors"), LIVE.values(), ids=LIVE)
def test_the_world_can_be_run_beside(project, mode, total, exit_code, errors):
    write_scenario(project / "scenarios" / "refund", world_py=WORLD.replace("TOTAL", total))

    code, outcome = told("--tools", mode)

    assert (code, places(outcome)) == (exit_code, errors)
    assert outcome["verdict"]["verdict"] == "PASS"


def test_a_secret_that_the_world_says_today_is_not_shown(project, monkeypatch):
    monkeypatch.setenv("SHOP_TOKEN", "t0p-s3cret-value")
    world = WORLD.replace("TOTAL", '"t0p-s3cret-value"')
    write_scenario(project / "scenarios" / "refund", world_py=world)

    code, outcome = told("--tools", "compare")

    assert code == 3
    assert "t0p-s3cret" not in json.dumps(outcome)
    assert outcome["errors"][0]["found"] == '{"order_id":4021,"total":«"[secret:value:1]"»}'


def test_recorded_results_need_no_world_code_that_loads(project):
    write_scenario(project / "scenarios" / "refund", world_py="raise SystemError('never loaded')")

    assert run()[0] == 0
    assert told("--tools", "compare")[1]["errors"][0]["code"] == "BAD_SCENARIO"
