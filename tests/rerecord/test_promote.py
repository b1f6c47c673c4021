"""fc-record promote: a recorded conversation of any origin becomes a fixture that needs no agent."""

import json

import anthropic
import openai
import pytest
from doors import fc_record, fc_replay
from loopback import Loopback, plain
from msgspec.structs import replace
from spoken import chat_body, messages_body

from harness.files import load_fixture, load_journal
from harness.recording_lines import lines_of_recording
from harness.session.runs import record
from harness.transcript import Outcome

CALLS = [("call-a", "weather", '{"city": "Oslo"}'), ("call-b", "weather", '{"city": "Rome"}')]
TOOLS = {"weather": lambda city: {"city": city, "celsius": 4}}


def promote(*arguments):
    return fc_record("promote", *arguments)


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def openai_for(fc, url):
    return openai.OpenAI(api_key="k-placeholder", base_url=f"{url}/v1", http_client=fc.http_client())


def weather_agent(client, tools):
    """Ask, run the tools that the model wants, ask again."""
    messages = [{"role": "user", "content": "weather?"}]
    while True:
        message = client.chat.completions.create(model="m-test", messages=messages).choices[0].message
        if not message.tool_calls:
            return
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            result = tools[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})


def record_weather(path, *, again="Mild in both."):
    """Record a test's agent: one conversation with two calls at once."""
    with Loopback(plain(chat_body(None, CALLS)), plain(chat_body(again))) as upstream, record(path) as fc:
        weather_agent(openai_for(fc, upstream.url), fc.tools(TOOLS))


def record_two(path):
    """Record two conversations over two APIs."""
    with Loopback(plain(chat_body("One.")), plain(messages_body("Two."))) as upstream, record(path) as fc:
        ask = {"model": "m", "messages": [{"role": "user", "content": "first?"}]}
        openai_for(fc, upstream.url).chat.completions.create(**ask)
        ask["messages"] = [{"role": "user", "content": "second?"}]
        client = anthropic.Anthropic(api_key="k", base_url=upstream.url, http_client=fc.http_client())
        client.messages.create(**ask, max_tokens=9)


def test_a_tests_conversation_is_replayed_without_its_agent(project):
    record_weather(project / "recordings/tests-test_weather.jsonl")

    done = promote("recordings/tests-test_weather.jsonl", "--fixture-id", "weather-twice")

    replayed = fc_replay("--json")
    checked = fc_replay("check", "--json")
    assert done.stdout == (
        "fixtures/weather-twice.jsonl: 5 turns, 2 calls, from recordings/tests-test_weather.jsonl\n"
        "next: choose what must hold: fc-judge suggest weather-twice\n"
    )
    assert [(one["id"], one["status"]) for one in json.loads(replayed.stdout)["results"]] == [
        ("weather-twice", "NOT_JUDGED")
    ]
    assert [(one["status"], one["errors"], one["warnings"]) for one in json.loads(checked.stdout)["results"]] == [
        ("OK", [], [])
    ]


def test_a_fixture_says_where_it_comes_from(project):
    record_weather(project / "recordings/tests-test_weather.jsonl")

    promote("recordings/tests-test_weather.jsonl", "--fixture-id", "weather-twice", "--title", "Two cities")

    meta = load_fixture(project / "fixtures/weather-twice.jsonl").meta
    assert (meta.fixture_id, meta.scenario, meta.recording, meta.conversation, meta.origin) == (
        "weather-twice",
        "Two cities",
        "tests-test_weather",
        None,
        "test:tests-test_weather",
    )


def test_of_several_conversations_one_is_chosen(project):
    record_two(project / "recordings/two.jsonl")

    asked = promote("recordings/two.jsonl", "--fixture-id", "second")
    done = promote("recordings/two.jsonl", "--fixture-id", "second", "--conversation", 2, "--json")

    fixture = load_fixture(project / "fixtures/second.jsonl")
    assert (asked.exit_code, done.exit_code) == (2, 0)
    assert "say --conversation N\n  1: 'first?', 2 turns, 0 calls\n  2: 'second?', 2 turns, 0 calls" in asked.stderr
    assert json.loads(done.stdout) == {
        "fixture": "fixtures/second.jsonl",
        "recording": "recordings/two.jsonl",
        "conversation": 2,
        "conversations": 2,
        "turns": 2,
        "assertions": 0,
        "origin": "test:two",
    }
    assert (fixture.meta.conversation, fixture.meta.api) == (2, "messages")
    assert fc_replay("check").exit_code == 0


def test_of_several_recordings_in_a_file_one_conversation_is_chosen(project):
    for name in ("one", "two"):
        record_weather(project / f"{name}.jsonl", again=f"{name}.")
    both = b"".join((project / f"{name}.jsonl").read_bytes() for name in ("one", "two"))
    (project / "recordings").mkdir()
    (project / "recordings/both.jsonl").write_bytes(both)

    promote("recordings/both.jsonl", "--fixture-id", "later", "--conversation", 2)

    assert load_fixture(project / "fixtures/later.jsonl").transcript.turns[-1].content[0].text == "two."
    assert fc_replay("check").exit_code == 0


def test_promoted_again_a_fixture_keeps_its_assertions_and_title(project):
    path = project / "recordings/weather.jsonl"
    record_weather(path)
    promote(path, "--fixture-id", "weather-twice", "--title", "Two cities")
    fixture = project / "fixtures/weather-twice.jsonl"
    held = b'{"type":"assertions", "assertions":[{"kind":"tool_called","name":"weather","min_count":2}]}\n'
    fixture.write_bytes(b"".join([*fixture.read_bytes().splitlines(keepends=True)[:-1], held]))
    record_weather(path, again="Cold in both.")

    done = promote(path, "--fixture-id", "weather-twice")

    loaded = load_fixture(fixture)
    assert (done.exit_code, loaded.meta.scenario, loaded.assertions_line + b"\n") == (0, "Two cities", held)
    assert loaded.transcript.turns[-1].content[0].text == "Cold in both."
    assert fc_replay().exit_code == 0


def test_a_fixture_of_another_conversation_is_not_replaced_unasked(project):
    record_two(project / "recordings/two.jsonl")
    promote("recordings/two.jsonl", "--fixture-id", "talk", "--conversation", 1)
    before = (project / "fixtures/talk.jsonl").read_bytes()

    refused = promote("recordings/two.jsonl", "--fixture-id", "talk", "--conversation", 2)
    unchanged = (project / "fixtures/talk.jsonl").read_bytes()
    replaced = promote("recordings/two.jsonl", "--fixture-id", "talk", "--conversation", 2, "--replace")

    assert (refused.exit_code, unchanged) == (2, before)
    assert "expected: two, conversation 1\n  found:    two, conversation 2" in refused.stderr
    assert (replaced.exit_code, load_fixture(project / "fixtures/talk.jsonl").meta.conversation) == (0, 2)


def test_a_changed_recording_is_told_from_what_was_promoted(project):
    path = project / "recordings/weather.jsonl"
    record_weather(path)
    promote(path, "--fixture-id", "weather-twice")
    record_weather(path, again="Cold in both.")

    checked = fc_replay("check", "--json")

    [error] = json.loads(checked.stdout)["results"][0]["errors"]
    assert (error["code"], error["next"]) == (
        "NOT_DERIVED",
        "pytest --fc-record weather, then promote its recording again",
    )


def test_a_conversation_that_is_gone_is_said(project):
    record_two(project / "recordings/two.jsonl")
    promote("recordings/two.jsonl", "--fixture-id", "second", "--conversation", 2)
    [recording] = load_journal(project / "recordings/two.jsonl").recordings
    del recording.exchanges[1]
    recording = replace(recording, end=replace(recording.end, exchanges=1))
    (project / "recordings/two.jsonl").write_bytes(lines_of_recording(recording))

    checked = fc_replay("check")

    assert checked.exit_code == 4
    assert "the recording holds 1 conversation, and no number 2" in checked.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        pytest.param(["recordings/weather.jsonl", "--fixture-id", "No Name"], 2, "kebab-case", id="no name"),
        pytest.param(["recordings/wether.jsonl", "--fixture-id", "x"], 2, "nearest:  recordings/weather", id="no file"),
        pytest.param(["fixtures/talk.jsonl", "--fixture-id", "x"], 2, "this is no recording", id="a fixture"),
        pytest.param(["recordings/weather.jsonl", "--fixture-id", "../x"], 2, "kebab-case", id="a path"),
    ],
)
def test_what_cannot_be_promoted_is_refused(project, arguments, code, said):
    record_weather(project / "recordings/weather.jsonl")
    promote("recordings/weather.jsonl", "--fixture-id", "talk")

    done = promote(*arguments)

    assert (done.exit_code, said in done.stderr) == (code, True)


@pytest.mark.parametrize("answered", [0, 1], ids=["none answered", "one of two answered"])
def test_a_conversation_that_was_left_with_open_calls_is_incomplete(project, answered):
    path = project / "recordings/left.jsonl"
    with Loopback(plain(chat_body(None, CALLS))) as upstream, record(path) as fc:
        client = openai_for(fc, upstream.url)
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "weather?"}])
        run = fc.tools(TOOLS)["weather"]
        for _ in range(answered):
            run(city="Oslo")

    done = promote(path, "--fixture-id", "left")

    transcript = load_fixture(project / "fixtures/left.jsonl").transcript
    assert (done.exit_code, len(transcript.turns)) == (0, 2 + answered)
    assert (transcript.outcome, transcript.error) == (
        Outcome.INCOMPLETE,
        "the conversation was left with calls unanswered",
    )
    assert fc_replay("check").exit_code == 0
    assert [one["errors"] for one in json.loads(fc_replay("--json").stdout)["results"]] == [[]]


def test_a_conversation_that_cannot_be_a_fixture_is_refused(project):
    messages = [{"role": "assistant", "content": "I begin."}, {"role": "user", "content": "go on"}]
    with Loopback(plain(chat_body("Well."))) as upstream, record(project / "recordings/odd.jsonl") as fc:
        openai_for(fc, upstream.url).chat.completions.create(model="m", messages=messages)

    done = promote("recordings/odd.jsonl", "--fixture-id", "odd")

    assert (done.exit_code, (project / "fixtures").exists()) == (4, False)
    assert "a conversation starts with a user turn" in done.stderr
