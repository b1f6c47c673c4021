"""fc-replay: each way a fixture can be wrong is its own code, file, line and exit code."""

import json

import pytest
from click.testing import CliRunner
from refund_run import (
    CREATE_REFUND,
    GET_ORDER,
    HEAD,
    HOLDS,
    SYSTEM,
    digest,
    ended,
    lines,
    refund_turns,
    says,
    user,
    write_scenario,
)
from replay_door import FIXTURE, places, run, told, write

from harness.cli.replay import main


@pytest.mark.usefixtures("project")
def test_a_good_fixture_passes():
    code, out = run()

    assert (code, out) == (0, "PASS         refund  (1 check passed; holds up to selection)\n1 checked: 1 PASS\n")


def scenario(**parts):
    return lambda directory: write_scenario(directory, **parts)


def removed(directory):
    for path in directory.iterdir():
        path.unlink()
    directory.rmdir()


INTEGER_AMOUNT = json.loads(json.dumps(CREATE_REFUND).replace('"number"', '"integer"'))
BUILT = 'def build():\n    return "Another prompt.\\n"\n'
TOML = 'prompt = "prompt:build"\n'
DRIFT = {
    "no scenario": (removed, [("SCENARIO_MISSING", FIXTURE, 1)], 3),
    "another prompt": (scenario(system=SYSTEM + " "), [("PROMPT_CHANGED", "scenarios/refund/system.txt", None)], 3),
    "another user text": (scenario(users=["Hello."]), [("USER_CHANGED", "scenarios/refund/user.txt", None)], 3),
    "a further user text": (scenario(users=[user()["content"][0]["text"], "Thanks."]), [("USER_CHANGED", "scenarios/refund/user.2.txt", None)], 3),
    "another description": (scenario(tools=[GET_ORDER | {"description": "?"}, CREATE_REFUND]), [("TOOL_CHANGED", "scenarios/refund/tools.json", None)], 3),
    "a schema that refuses": (scenario(tools=[GET_ORDER, INTEGER_AMOUNT]), [("TOOL_CHANGED", "scenarios/refund/tools.json", None), ("ARGUMENTS_REFUSED", FIXTURE, 5)], 3),
    "a prompt that code builds otherwise": (scenario(prompt_py=BUILT, scenario_toml=TOML), [("PROMPT_NOT_BUILT", "scenarios/refund/system.txt", None)], 3),
    "a builder that fails": (scenario(prompt_py="def build():\n    return 1 / 0\n", scenario_toml=TOML), [("BAD_SCENARIO", "scenarios/refund/scenario.toml", None)], 4),
    "a builder that gives no text": (scenario(prompt_py="def build():\n    return 1\n", scenario_toml=TOML), [("BAD_SCENARIO", "scenarios/refund/scenario.toml", None)], 4),
    "tools that are no JSON": (scenario(tools_json="[}"), [("BAD_SCENARIO", "scenarios/refund/tools.json", 1)], 4),
    "an empty prompt": (scenario(system=" \n"), [("EMPTY_PROMPT", "scenarios/refund/system.txt", None)], 2),
}  # fmt: skip


@pytest.mark.parametrize(("mutate", "errors", "exit_code"), DRIFT.values(), ids=DRIFT)
@pytest.mark.parametrize("command", [(), ("check",)], ids=["replay", "check"])
def test_a_scenario_that_drifted_is_named(project, command, mutate, errors, exit_code):
    mutate(project / "scenarios" / "refund")

    code, outcome = told(*command, FIXTURE)

    assert code == exit_code
    assert places(outcome) == errors
    assert outcome["status"] == {2: "USAGE", 3: "STALE", 4: "UNREADABLE"}[exit_code]


def test_a_stale_fixture_is_still_played_and_judged(project):
    write_scenario(project / "scenarios" / "refund", system="Other.")

    _, outcome = told()

    assert outcome["verdict"]["verdict"] == "PASS"


DIVERGED = {
    "exhausted": (refund_turns()[:-1], "REPLAY_EXHAUSTED", 6),
    "unplayed": ([*refund_turns(), says("And more.")], "REPLAY_UNPLAYED", 8),
    "mismatch": ([user(), user("again"), says("done")], "REPLAY_MISMATCH", 3),
}


@pytest.mark.parametrize(("turns", "code", "number"), DIVERGED.values(), ids=DIVERGED)
def test_a_replay_that_diverges_is_named(project, turns, code, number):
    users = [turn["content"][0]["text"] for turn in turns if turn["role"] == "user"]
    write_scenario(project / "scenarios" / "refund", users=users)
    write(project, lines(turns, assertions=HOLDS, head=HEAD))

    exit_code, outcome = told()

    assert (exit_code, outcome["status"]) == (5, "DIVERGED")
    assert places(outcome) == [(code, FIXTURE, number)]
    assert outcome["errors"][0]["next"] == "fc-record scenarios/refund"


ORIGINS = {
    "a test": (
        "test:tests/test_a.py::test_b",
        "pytest --fc-record tests/test_a.py::test_b, then promote its recording again",
    ),
    "an import": ("import:har", "import the run again: fc-record import har FILE"),
    "a scenario": ("scenario", "fc-record scenarios/refund"),
}


@pytest.mark.parametrize(("origin", "command"), ORIGINS.values(), ids=ORIGINS)
def test_the_command_that_mends_is_that_of_the_origin(project, origin, command):
    write(project, lines(refund_turns()[:-1], head=HEAD | {"origin": origin}))

    _, outcome = told()

    assert [error["next"] for error in outcome["errors"]] == [command]


def test_several_things_at_once_end_with_the_first_of_the_documented_order(project):
    write_scenario(project / "scenarios" / "refund", system="Other.")
    write(project, lines(refund_turns()[:-1], head=HEAD))

    code, outcome = told()

    assert code == 5
    assert [error["code"] for error in outcome["errors"]] == ["PROMPT_CHANGED", "REPLAY_EXHAUSTED"]


JUDGED = {
    "a failing check": (lines(assertions=[{"kind": "no_tool_called", "name": "get_order"}], head=HEAD), "FAIL", 1),
    "nothing expected": (lines(head=HEAD), "NOT_JUDGED", 6),
    "a run that was cut off": (lines(refund_turns()[:3], assertions=HOLDS, head=HEAD, tail=[ended("max_steps", "went on")]), "AGENT_ERROR", 6),
    "a declared end": (lines(refund_turns()[:3], assertions=[{"kind": "outcome", "is": "max_steps"}], head=HEAD, tail=[ended("max_steps", "went on")]), "PASS", 0),
}  # fmt: skip


@pytest.mark.parametrize(("parts", "status", "exit_code"), JUDGED.values(), ids=JUDGED)
def test_what_was_played_is_judged(project, parts, status, exit_code):
    write(project, parts)

    code, outcome = told()

    assert (code, outcome["status"], outcome["errors"]) == (exit_code, status, [])


@pytest.mark.parametrize("parts", [row[0] for row in JUDGED.values()], ids=JUDGED)
def test_without_a_gate_a_verdict_fails_nothing(project, parts):
    write(project, parts)

    code, _ = run("--no-gate")

    assert code == 0


def test_without_a_gate_a_stale_fixture_still_fails(project):
    write_scenario(project / "scenarios" / "refund", system="Other.")

    code, _ = run("--no-gate")

    assert code == 3


def test_a_scenarios_expectation_is_judged_beside_the_assertions(project):
    (project / "scenarios" / "refund" / "expect.yaml").write_text("must_not_call:\n  - tool: create_refund\n")

    code, outcome = told()

    assert (code, outcome["status"]) == (1, "FAIL")


def test_an_expectation_that_cannot_be_read_is_named(project):
    (project / "scenarios" / "refund" / "expect.yaml").write_text("must_cal: []\n")

    code, outcome = told()

    assert (code, outcome["status"]) == (4, "UNREADABLE")
    assert [error["file"] for error in outcome["errors"]] == ["scenarios/refund/expect.yaml"]


def test_the_example_of_the_first_readers_loads_and_is_exhausted(tmp_path, monkeypatch):
    example = [
        b'{"type":"meta","fixtureId":"ceo-team-building-empty","piAgentCoreVersion":"0.67.68","recordedAt":"2026-04-20T21:14:00.000Z","scenario":"Empty company, CEO bootstrap","systemPromptHash":"%s"}\n' % digest("x").encode(),
        b'{"type":"turn","turnIndex":0,"role":"user","content":[{"type":"text","text":"build me a team"}]}\n',
        b'{"type":"turn","turnIndex":1,"role":"assistant","content":[{"type":"text","text":"Starting team build."},{"type":"toolCall","id":"call_1","name":"hire_agent","arguments":{"role":"engineer"}}],"tokenLedger":{"input":12345,"cache_read":11000,"cache_creation":345,"output":234}}\n',
        b'{"type":"turn","turnIndex":2,"role":"toolResult","toolUseId":"call_1","content":[{"type":"text","text":"hired agent-42"}]}\n',
        b'{"type":"assertions","assertions":[{"kind":"tool_called","name":"hire_agent","min_count":3,"max_count":5},{"kind":"trace_max_turns","max":40}]}\n',
    ]  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "fixtures" / "ceo-team-building-empty.jsonl").write_bytes(b"".join(example))

    code, outcome = told()

    assert code == 5
    assert places(outcome) == [
        ("SCENARIO_MISSING", "fixtures/ceo-team-building-empty.jsonl", 1),
        ("REPLAY_EXHAUSTED", "fixtures/ceo-team-building-empty.jsonl", 4),
    ]
    assert outcome["warnings"] == ["recorded by agent version 0.67.68, replayed by 0.1.0"]


@pytest.mark.usefixtures("project")
def test_a_fixture_is_found_by_its_id():
    code, outcome = told("refund")

    assert (code, outcome["file"]) == (0, FIXTURE)


@pytest.mark.usefixtures("project")
def test_a_path_that_is_not_there_is_told_with_the_nearest():
    done = CliRunner().invoke(main, ["fixtures/refnd.jsonl"])

    assert done.exit_code == 2
    assert done.stderr == "fixtures/refnd.jsonl: no such file or directory\n  nearest:  fixtures/refund.jsonl\n"


def test_an_empty_directory_is_not_green(project):
    (project / FIXTURE).unlink()

    code, out = run()

    assert (code, out) == (6, "0 checked: nothing to replay\n")


def test_a_subcommands_name_wins_over_a_path(project):
    (project / "check").mkdir()

    assert run("check", "fixtures")[0] == 0
    assert run("./check") == (6, "0 checked: nothing to replay\n")


def test_errors_are_printed_below_their_fixture(project):
    write_scenario(project / "scenarios" / "refund", system=SYSTEM.replace("once", "twice"))

    _, out = run()

    assert out == (
        "STALE        refund  (judged PASS)\n"
        "  PROMPT_CHANGED: scenarios/refund/system.txt: system.txt is no longer the prompt that was recorded\n"
        f"    expected: {digest(SYSTEM)}\n"
        f"    found:    {digest(SYSTEM.replace('once', 'twice'))}\n"
        "    next:     fc-record scenarios/refund\n"
        "1 checked: 1 STALE (PROMPT_CHANGED 1)\n"
    )


def test_nothing_of_a_file_moves_the_cursor(project):
    write(project, [b'{"type":"meta","\\u001b[31mtype":1}\n'])

    _, out = run()

    assert "\x1b" not in out
    assert "\\x1b[31mtype" in out
