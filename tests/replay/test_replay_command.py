"""fc-replay: each way a fixture can be wrong is its own code, file, line and exit code."""

import json

import pytest
from click.testing import CliRunner
from refund_run import (
    CREATE_REFUND,
    GET_ORDER,
    SYSTEM,
    TOOLS,
    call,
    digest,
    ended,
    line,
    lines,
    meta,
    refund_turns,
    result,
    says,
    tool_digest,
    user,
    write_scenario,
)

from harness.cli.replay import main

HASHES = {tool["name"]: tool_digest(tool) for tool in TOOLS}
HEAD = meta(toolHashes=HASHES, agentVersion="0.1.0", userMessageHash=digest(user()["content"][0]["text"]))
HOLDS = [{"kind": "tool_called", "name": "create_refund", "max_count": 1}]
FIXTURE = "fixtures/refund.jsonl"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Make a directory with one good fixture and its scenario, and work in it."""
    monkeypatch.chdir(tmp_path)
    write_scenario(tmp_path / "scenarios" / "refund")
    (tmp_path / "fixtures").mkdir()
    write(tmp_path, lines(assertions=HOLDS, head=HEAD))
    return tmp_path


def write(project, parts, name="refund"):
    (project / "fixtures" / f"{name}.jsonl").write_bytes(b"".join(parts))


def run(*arguments):
    done = CliRunner().invoke(main, [str(one) for one in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done.exit_code, done.stdout


def told(*arguments):
    """Return the exit code and the one result of `--json`."""
    code, out = run(*arguments, "--json")
    (only,) = json.loads(out)["results"]
    return code, only


def places(outcome):
    return [(error["code"], error["file"], error["line"]) for error in outcome["errors"]]


@pytest.mark.usefixtures("project")
def test_a_good_fixture_passes():
    code, out = run()

    assert (code, out) == (0, "PASS         refund  (1 check passed; holds up to selection)\n1 checked: 1 PASS\n")


def changed(number, edit):
    """Edit the JSON of one line, counted from 1."""

    def mutate(parts):
        value = json.loads(parts[number - 1])
        edit(value)
        return [*parts[: number - 1], line(value), *parts[number:]]

    return mutate


def replaced(number, *raw):
    return lambda parts: [*parts[: number - 1], *raw, *parts[number:]]


def without(number):
    return replaced(number)


def deep(value):
    nested = 0
    for _ in range(201):
        nested = [nested]
    value["content"][0]["arguments"] = {"order_id": nested}


END = line(ended("refused"))
STATE = line({"type": "state", "initial": digest(""), "changes": []})
FORM = {
    "not JSON": (replaced(3, b"{oops\n"), "MALFORMED_LINE", 3),
    "an empty line": (replaced(3, b"\n"), "MALFORMED_LINE", 3),
    "not UTF-8": (replaced(3, b'{"type":"turn\xff"}\n'), "MALFORMED_LINE", 3),
    "NaN": (lambda parts: [parts[0], parts[1], parts[2].replace(b"4021", b"NaN"), *parts[3:]], "MALFORMED_LINE", 3),
    "an exponent out of range": (lambda parts: [parts[0], parts[1], parts[2].replace(b"4021", b"1e99999999999999999999"), *parts[3:]], "MALFORMED_LINE", 3),
    "two objects in a line": (replaced(3, b"{}{}\n"), "MALFORMED_LINE", 3),
    "an object over two lines": (lambda parts: [parts[0], parts[1], parts[2].replace(b',"', b',\n"', 1), *parts[3:]], "MALFORMED_LINE", 3),
    "a list": (replaced(3, b"[]\n"), "MALFORMED_LINE", 3),
    "too deep": (changed(3, deep), "MALFORMED_LINE", 3),
    "an unknown type": (changed(3, lambda one: one.update(type="trun")), "MALFORMED_LINE", 3),
    "an unknown key": (changed(3, lambda one: one.update(tokenLeger=1)), "MALFORMED_LINE", 3),
    "an unknown role": (changed(2, lambda one: one.update(role="system")), "MALFORMED_LINE", 2),
    "an unknown block": (changed(2, lambda one: one["content"][0].update(type="image")), "MALFORMED_LINE", 2),
    "an unknown assertion": (changed(8, lambda one: one["assertions"][0].update(kind="tool_caled")), "MALFORMED_LINE", 8),
    "an assertion without its name": (changed(8, lambda one: one["assertions"][0].pop("name")), "MALFORMED_LINE", 8),
    "a negative count": (changed(8, lambda one: one["assertions"][0].update(min_count=-1)), "MALFORMED_LINE", 8),
    "a meta line without its prompt's hash": (changed(1, lambda one: one.pop("systemPromptHash")), "MALFORMED_LINE", 1),
    "a hash that is none": (changed(1, lambda one: one.update(systemPromptHash="sha256:abc")), "MALFORMED_LINE", 1),
    "an answer without its ledger": (changed(3, lambda one: one.pop("tokenLedger")), "MALFORMED_LINE", 3),
    "an answer without content": (changed(3, lambda one: one.pop("content")), "MALFORMED_LINE", 3),
    "a user turn without content": (changed(2, lambda one: one.pop("content")), "MALFORMED_LINE", 2),
    "a result without its call": (changed(4, lambda one: one.pop("toolUseId")), "MALFORMED_LINE", 4),
    "an answer with a result's field": (changed(3, lambda one: one.update(toolUseId="call_1")), "MALFORMED_LINE", 3),
    "a user turn with a ledger": (changed(2, lambda one: one.update(tokenLedger=says()["tokenLedger"])), "MALFORMED_LINE", 2),
    "a result with a stop reason": (changed(4, lambda one: one.update(stopReason="stop")), "MALFORMED_LINE", 4),
    "a user turn that calls": (changed(2, lambda one: one["content"].append(call(9, "get_order"))), "MALFORMED_LINE", 2),
    "arguments that are text": (changed(3, lambda one: one["content"][0].update(arguments="{}")), "MALFORMED_LINE", 3),
    "no line at all": (lambda _: [], "META_MISSING", 1),
    "no meta line": (without(1), "META_MISSING", 1),
    "a meta line that is second": (lambda parts: [parts[1], parts[0], *parts[2:]], "META_MISPLACED", 2),
    "a second meta line": (lambda parts: [*parts[:4], parts[0], *parts[4:]], "META_MISPLACED", 5),
    "no assertions": (without(8), "ASSERTIONS_MISSING", 7),
    "assertions in the middle": (lambda parts: [*parts[:4], parts[7], *parts[4:7]], "ASSERTIONS_MISPLACED", 5),
    "assertions twice": (lambda parts: [*parts, parts[7]], "ASSERTIONS_MISPLACED", 8),
    "a gap": (changed(4, lambda one: one.update(turnIndex=3)), "TURN_INDEX_GAP", 4),
    "a repeat": (changed(4, lambda one: one.update(turnIndex=1)), "TURN_INDEX_REPEAT", 4),
    "a start above zero": (changed(2, lambda one: one.update(turnIndex=1)), "TURN_INDEX_GAP", 2),
    "a negative index": (changed(2, lambda one: one.update(turnIndex=-1)), "TURN_INDEX_REPEAT", 2),
    "a result of no call": (changed(4, lambda one: one.update(toolUseId="call_9")), "RESULT_ORPHAN", 4),
    "a result of an earlier turn's call": (changed(6, lambda one: one.update(toolUseId="call_1")), "RESULT_ORPHAN", 6),
    "a call without result before an answer": (lambda _: lines([user(), says(call(1, "get_order")), says("done")], head=HEAD), "RESULT_MISSING", 4),
    "a call without result before a user": (lambda _: lines([user(), says(call(1, "get_order")), user("so?")], head=HEAD), "RESULT_MISSING", 4),
    "a call without result at the end": (lambda _: lines(refund_turns()[:2], head=HEAD), "RESULT_MISSING", 3),
    "one result of two": (lambda _: lines([user(), says(call(1, "a"), call(2, "b")), result(2, ""), says()], head=HEAD), "RESULT_MISSING", 5),
    "no turn": (lambda _: lines([user()], head=HEAD)[::2], "TURN_ORDER", 2),
    "an answer first": (lambda _: lines([says("hello"), user()], head=HEAD), "TURN_ORDER", 2),
    "a state before the turns": (lambda parts: [parts[0], STATE, *parts[1:]], "TURN_ORDER", 2),
    "a turn after the end": (lambda parts: [*parts[:6], END, *parts[6:]], "TURN_ORDER", 8),
    "two states": (lambda parts: [*parts[:7], STATE, STATE, parts[7]], "TURN_ORDER", 9),
    "a state after the end": (lambda parts: [*parts[:7], END, STATE, parts[7]], "TURN_ORDER", 9),
    "an id that is not the file's name": (changed(1, lambda one: one.update(fixtureId="other")), "NAME_MISMATCH", 1),
    "user words that are not those of the hash": (changed(2, lambda one: one["content"][0].update(text="Hi")), "HASH_MISMATCH", 1),
}  # fmt: skip


@pytest.mark.parametrize(("mutate", "code", "number"), FORM.values(), ids=FORM)
@pytest.mark.parametrize("command", [(), ("check",)], ids=["replay", "check"])
def test_a_fixture_that_breaks_the_form_is_named_with_its_line(project, command, mutate, code, number):
    write(project, mutate(lines(assertions=HOLDS, head=HEAD)))

    exit_code, outcome = told(*command, "fixtures")

    assert exit_code == 4
    assert places(outcome) == [(code, FIXTURE, number)]
    assert outcome["status"] == "UNREADABLE"
    assert outcome["errors"][0]["next"] or code == "NAME_MISMATCH"


NEAREST = {
    "type": (changed(3, lambda one: one.update(type="trun")), "turn"),
    "key": (changed(3, lambda one: one.update(tokenLeger=1)), "tokenLedger"),
    "kind": (changed(8, lambda one: one["assertions"][0].update(kind="tool_caled")), "tool_called"),
    "role": (changed(2, lambda one: one.update(role="User")), "user"),
    "field of an assertion": (changed(8, lambda one: one["assertions"][0].update(mincount=1)), "min_count"),
}


@pytest.mark.parametrize(("mutate", "nearest"), NEAREST.values(), ids=NEAREST)
def test_a_misspelt_word_is_told_with_the_nearest_known_one(project, mutate, nearest):
    write(project, mutate(lines(assertions=HOLDS, head=HEAD)))

    _, outcome = told()

    assert outcome["errors"][0]["nearest"] == nearest


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
    "tools that are no JSON": (scenario(tools_json="[}"), [("BAD_SCENARIO", "scenarios/refund/tools.json", None)], 4),
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
    write(tmp_path, example, "ceo-team-building-empty")

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
    write(project, changed(3, lambda one: one.update({"\x1b[31mkey": 1}))(lines(head=HEAD)))

    _, out = run()

    assert "\x1b" not in out
    assert "\\x1b[31mkey" in out
