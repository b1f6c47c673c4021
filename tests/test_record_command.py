"""fc-record from end to end: a scenario, a provider on loopback, a recording and a fixture."""

import json

import pytest
from loopback import Loopback, plain, stream
from recording_project import SYSTEM, TABLES, TOOL, USER, Project, record
from spoken import chat_body, chat_events, messages_body, messages_events

from harness.fixture_derivation import fixture_of_recording
from harness.fixture_lines import lines_of_fixture
from harness.providers.dialect import dialect_of
from harness.scenario import Tool
from harness.transcript import AssistantTurn, Change, Outcome, Text, TokenLedger, ToolCall, ToolResultTurn, UserTurn
from harness.value import canonical, digest_of

LEDGER = TokenLedger(input=20, cache_read=None, cache_creation=None, output=5)


def answers(api, *, streamed=False, ids=("x1", "x2")):
    """Two answers: two calls at once, then a sentence."""
    if api == "chat":
        calls = [(ids[0], "find_parcel", '{"code": "K7-11"}'), (ids[1], "find_parcel", '{"code": "K8"}')]
        if streamed:
            return [stream(*chat_events(["Let me look."], calls)), stream(*chat_events(["It is in ", "Oslo."]))]
        return [plain(chat_body("Let me look.", calls)), plain(chat_body("It is in Oslo."))]
    calls = [(ids[0], "find_parcel", {"code": "K7-11"}), (ids[1], "find_parcel", {"code": "K8"})]
    if streamed:
        return [stream(*messages_events(["Let me look."], calls)), stream(*messages_events(["It is in ", "Oslo."]))]
    return [plain(messages_body("Let me look.", calls)), plain(messages_body("It is in Oslo."))]


TURNS = [
    UserTurn([Text(USER)]),
    AssistantTurn(
        [
            Text("Let me look."),
            ToolCall("call_1", "find_parcel", {"code": "K7-11"}),
            ToolCall("call_2", "find_parcel", {"code": "K8"}),
        ],
        LEDGER,
        "toolUse",
    ),
    ToolResultTurn("call_1", [Text('{"place":"Oslo"}')]),
    ToolResultTurn("call_2", [Text('{"error":"no such parcel"}')], is_error=True),
    AssistantTurn([Text("It is in Oslo.")], LEDGER, "stop"),
]


@pytest.mark.parametrize("api", ["chat", "messages"])
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "stream"])
def test_a_scenario_becomes_a_recording_and_a_fixture(tmp_path, monkeypatch, capsys, api, streamed):
    project = Project(tmp_path, api=api, stream=streamed)
    monkeypatch.chdir(tmp_path)

    with Loopback(*answers(api, streamed=streamed)) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    recording, fixture = project.loaded()
    assert ran.code == 0, ran.err
    assert fixture.transcript.turns == TURNS
    assert fixture.transcript.outcome is Outcome.COMPLETED
    row = TABLES["parcels"]["rows"][0]
    assert fixture.transcript.effects.changes == [Change("call_1", "parcels", "K7-11", row, row | {"asked": 1})]
    assert fixture.assertions_line == b'{"type":"assertions","assertions":[]}'
    assert sorted(project.files()) == ["fixtures/find-parcel.jsonl", "recordings/find-parcel.jsonl"]
    assert project.fixture.read_bytes() == lines_of_fixture(fixture_of_recording(recording, title="A parcel is found"))


def test_the_meta_line_says_what_was_recorded(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path, api="messages", stream=True)
    monkeypatch.chdir(tmp_path)

    with Loopback(*answers("messages", streamed=True)) as server:
        record(capsys, "scenarios/find-parcel", "--base-url", server.url, "--param", "top_k=3")

    recording, fixture = project.loaded()
    meta = fixture.meta
    assert (meta.fixture_id, meta.scenario, meta.recording) == ("find-parcel", "A parcel is found", "find-parcel")
    assert (meta.provider, meta.api, meta.model) == ("local", "messages", "m-asked")
    assert meta.params == {"max_tokens": 64, "temperature": 0, "top_k": 3, "stream": True}
    assert meta.system_prompt_hash == digest_of(SYSTEM.encode())
    assert meta.user_message_hash == digest_of(USER.encode())
    assert meta.tool_hashes == {"find_parcel": Tool.model_validate(TOOL).digest}
    assert sorted(meta.versions) == ["anthropic", "python"]
    assert (recording.header.model_answered, recording.header.host) == ("m-answered", server.url[7:])
    assert recording.end.outcome is Outcome.COMPLETED


def test_an_exchange_holds_only_what_its_parent_does_not(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    with Loopback(*answers("chat")) as server:
        record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    recording, _ = project.loaded()
    first, second = recording.exchanges
    sent = [dialect_of("chat").parts_of(request.json).messages for request in server.requests]
    assert (first.parent, second.parent) == (None, 0)
    assert (first.messages, first.messages + second.messages) == (sent[0], sent[1])
    assert [(run.exchange, run.position, run.call) for run in recording.tools] == [(0, 0, "x1"), (0, 1, "x2")]
    assert len(recording.contexts) == 1


def test_recording_again_changes_the_time_only(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    written = []
    for ids in (("x1", "x2"), ("y7", "y8")):
        with Loopback(*answers("chat", ids=ids)) as server:
            record(capsys, "scenarios/find-parcel", "--base-url", server.url)
        lines = [json.loads(line) for line in project.fixture.read_bytes().splitlines()]
        times = lines[0].pop("recordedAt")
        written.append((lines, times))

    assert written[0][0] == written[1][0]
    assert written[0][1] < written[1][1]


def test_the_assertions_of_a_person_stay_byte_for_byte(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)
    line = b'{"type": "assertions",  "assertions": [{"kind":"tool_called","name":"find_parcel","min_count":2}]}'

    for _ in range(2):
        with Loopback(*answers("chat")) as server:
            assert record(capsys, "scenarios/find-parcel", "--base-url", server.url).code == 0
        lines = project.fixture.read_bytes().splitlines()
        project.fixture.write_bytes(b"\n".join([*lines[:-1], line]) + b"\n")
    # What is broken before the last line is made anew, the last line is kept.
    project.fixture.write_bytes(b"broken\n" + line + b"\n")
    with Loopback(*answers("chat")) as server:
        record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert project.loaded()[1].assertions_line == line


def test_a_run_that_ends_badly_is_recorded(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    with Loopback(plain(chat_body("It is", finish="length"))) as server:
        truncated = record(capsys, "scenarios/find-parcel", "--base-url", server.url)
    first = project.loaded()[1].transcript
    with Loopback(answers("chat")[0]) as server:
        endless = record(capsys, "scenarios/find-parcel", "--base-url", server.url, "--max-steps", "2")
    second = project.loaded()[1].transcript

    assert (truncated.code, first.outcome) == (0, Outcome.TRUNCATED)
    assert (endless.code, second.outcome) == (0, Outcome.MAX_STEPS)
    assert "find-parcel: max_steps (the model went on after 2 requests), 2 requests, 4 tool calls" in endless.out
    assert json.loads(project.fixture.read_bytes().splitlines()[-2])["type"] == "end"


def test_the_ledger_and_the_paths_stand_on_stdout_and_the_talk_on_stderr(tmp_path, monkeypatch, capsys):
    Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    with Loopback(*answers("chat")) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert ran.out == (
        "find-parcel: completed, 2 requests, 2 tool calls\n"
        "  request  input  cache_read  cache_creation  output\n"
        "        1     20           -               -       5\n"
        "        2     20           -               -       5\n"
        "    total     40           -               -      10\n"
        "  recording: recordings/find-parcel.jsonl\n"
        "  fixture:   fixtures/find-parcel.jsonl\n"
    )
    assert ran.err == (
        f"find-parcel: recording m-asked at {server.url}/v1 (chat, plain)\n"
        "user: Where is K7-11?\n"
        "model: Let me look.\n"
        '  call: find_parcel {"code":"K7-11"}\n'
        '  call: find_parcel {"code":"K8"}\n'
        '  result: {"place":"Oslo"}\n'
        '  error: {"error":"no such parcel"}\n'
        "model: It is in Oslo.\n"
        "next: fc-judge suggest find-parcel\n"
    )


def test_json_says_the_same(tmp_path, monkeypatch, capsys):
    Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    with Loopback(*answers("chat", streamed=True)) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url, "--stream", "--json")

    ledger = {"input": 20, "cache_read": None, "cache_creation": None, "output": 5}
    assert json.loads(ran.out) == {
        "recordings": [
            {
                "id": "find-parcel", "outcome": "completed", "error": None, "requests": 2, "calls": 2,
                "usage": [ledger, ledger], "total": ledger | {"input": 40, "output": 10},
                "recording": "recordings/find-parcel.jsonl", "fixture": "fixtures/find-parcel.jsonl", "aside": None,
                "served": 0, "changed": None,
            }
        ],
        "errors": [],
    }  # fmt: skip
    assert "model: It is in Oslo.\n" in ran.err


def test_flags_alone_make_a_scenario(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    prompts = tmp_path / "elsewhere"
    prompts.mkdir()
    (prompts / "s.txt").write_bytes(b"You are the CEO.\r\n")
    (prompts / "u.txt").write_bytes(b"Build me a team.\n")
    flags = {
        "--scenario": "Empty company, CEO bootstrap",
        "--fixture-id": "ceo-bootstrap-empty",
        "--provider": "anthropic",
        "--model": "claude-sonnet-5-5",
        "--system-prompt-file": "elsewhere/s.txt",
        "--user-message-file": "elsewhere/u.txt",
        "--output": "tests/eval/fixtures/ceo-bootstrap-empty.jsonl",
    }

    with Loopback(plain(messages_body("Done."))) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        ran = record(capsys, *(word for pair in flags.items() for word in pair))
        again = record(capsys, "scenarios/ceo-bootstrap-empty")

    assert (ran.code, again.code) == (0, 0), ran.err + again.err
    directory = tmp_path / "scenarios/ceo-bootstrap-empty"
    written = {path.name: path.read_bytes() for path in directory.iterdir()}
    assert (ran.code, again.code) == (0, 0), ran.err + again.err
    assert (written["system.txt"], written["user.txt"]) == (b"You are the CEO.\r\n", b"Build me a team.\n")
    assert b"* -text" in written[".gitattributes"]
    assert written["scenario.toml"].decode() == (
        'title = "Empty company, CEO bootstrap"\n\n[model]\nprovider = "anthropic"\napi = "messages"\n'
        'name = "claude-sonnet-5-5"\n'
    )
    first, second = (
        json.loads((tmp_path / name).read_bytes().splitlines()[0])
        for name in (flags["--output"], "fixtures/ceo-bootstrap-empty.jsonl")
    )
    assert first | {"recordedAt": ""} == second | {"recordedAt": ""}
    assert first["systemPromptHash"] == digest_of(b"You are the CEO.\r\n")


def test_several_scenarios_are_recorded_one_after_the_other(tmp_path, monkeypatch, capsys):
    Project(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert record(capsys, "new", "check").code == 0

    with Loopback(plain(chat_body("Yes."))) as server:
        ran = record(capsys, "scenarios/find-parcel", "./scenarios/check", "--model", "m", "--base-url", server.url)

    assert ran.code == 0, ran.err
    assert sorted(path.name for path in (tmp_path / "fixtures").iterdir()) == ["check.jsonl", "find-parcel.jsonl"]


def test_a_new_scenario_can_be_recorded_as_it_is(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    new = record(capsys, "new", "weather-oslo")
    with Loopback(plain(chat_body(calls=[("x", "get_weather", '{"city": "Oslo"}')])), plain(chat_body("4."))) as server:
        ran = record(capsys, "scenarios/weather-oslo", "--base-url", server.url, "--model", "m")

    assert new.out.splitlines() == [
        f"scenarios/weather-oslo/{name}"
        for name in (".gitattributes", "scenario.toml", "stubs.json", "system.txt", "tools.json", "user.txt")
    ]
    assert ran.code == 0, ran.err
    assert '  result: {"celsius":4,"sky":"clear"}\n' in ran.err


def test_a_built_prompt_is_what_is_sent(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)
    project.write("scenarios/find-parcel/prompt.py", f"def build():\n    return {SYSTEM!r}\n")
    toml = (project.scenario / "scenario.toml").read_text()
    (project.scenario / "scenario.toml").write_text('prompt = "prompt:build"\n' + toml)

    with Loopback(*answers("chat")) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert ran.code == 0, ran.err
    assert server.requests[0].json["messages"][0] == {"role": "system", "content": SYSTEM}


def test_the_tables_that_a_run_began_with_are_hashed(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    with Loopback(*answers("chat")) as server:
        record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert project.loaded()[0].state.initial == digest_of(canonical(TABLES))
