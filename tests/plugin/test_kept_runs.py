"""What the plugin says after a run: what was kept of one whose test failed, and what to do about one that drifted."""

import pytest
from greeter import TEST, text_of
from loopback import Loopback, plain
from spoken import chat_body

pytest_plugins = ["pytester"]

TOOLS = """
import json, os
import pytest

def ask(fc, tools):
    url = os.environ.get("MODEL_URL", "https://api.example.test") + "/v1/chat/completions"
    messages = [{"role": "user", "content": "rooms?"}]
    while True:
        answer = fc.http_client().post(url, json={"model": "m", "messages": messages}).json()["choices"][0]["message"]
        if not answer.get("tool_calls"):
            return answer["content"]
        messages.append(answer)
        for call in answer["tool_calls"]:
            result = tools[call["function"]["name"]](**json.loads(call["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result)})

def rooms(floor):
    return {"rooms": 7}

def test_rooms(fc):
    assert ask(fc, fc.tools({"rooms": rooms})) == "7"
"""


@pytest.fixture
def with_tools(project, monkeypatch):
    """The project with a recording of an agent that runs a tool."""
    project.write(test_rooms=TOOLS)
    call = plain(chat_body(None, [("call_1", "rooms", '{"floor": 3}')]))
    with Loopback(call, plain(chat_body("7"))) as server, monkeypatch.context() as patch:
        patch.setenv("MODEL_URL", server.url)
        project.run("--fc-record").assert_outcomes(passed=1)
    return project


def test_the_run_of_a_failing_test_can_be_taken_instead(project):
    project.write()
    project.record()
    path = project.recordings / "test_greeter-test_hello.jsonl"
    project.write(TEST.replace('"hi") == "Hello"', '"ho") == "Bye"'))
    project.record()
    project.write(TEST.replace('"hi"', '"ho"'))

    path.with_name(path.name + ".failed").replace(path)

    project.run().assert_outcomes(passed=1)


def test_a_first_recording_is_kept_though_an_assert_of_its_test_fails(project):
    project.write(TEST.replace('"Hello"', '"Bye"'))

    recorded, server = project.record()
    project.write()
    replayed = project.run()

    recorded.assert_outcomes(failed=1)
    replayed.assert_outcomes(passed=1)
    assert len(server.requests) == 1
    assert "0 replayed, 1 recorded" in text_of(recorded)
    assert "recorded though its test failed: recordings/test_greeter-test_hello.jsonl" in text_of(recorded)


def test_a_run_that_broke_off_says_where_its_journal_is(project):
    project.write(TEST.replace('assert ask(fc, "hi") == "Hello"', '1 / len(ask(fc, "hi")[9:])'))

    recorded, _ = project.record()

    recorded.assert_outcomes(failed=1)
    assert "0 replayed, 0 recorded, 1 not recorded" in text_of(recorded)
    assert "fc-replay show recordings/test_greeter-test_hello.jsonl.partial" in text_of(recorded)
    assert [path.name for path in project.recordings.iterdir()] == ["test_greeter-test_hello.jsonl.partial"]


def test_a_missing_recording_names_the_path_and_the_one_of_nearly_this_name(project):
    project.write()
    project.record()
    project.write(TEST.replace("test_hello", "test_hallo"))

    result = project.run()

    result.assert_outcomes(errors=1)
    assert f"expected: {project.recordings / 'test_greeter-test_hallo.jsonl'}" in text_of(result)
    assert f"nearest:  {project.recordings / 'test_greeter-test_hello.jsonl'}" in text_of(result)


@pytest.mark.parametrize("rooms", [7, 8])
def test_tools_that_no_longer_pass_the_session_are_named_as_the_cause(with_tools, rooms):
    source = TOOLS.replace('fc.tools({"rooms": rooms})', '{"rooms": rooms}').replace("7}", f"{rooms}}}")
    with_tools.write(test_rooms=source)

    result = with_tools.run()

    assert "give the agent its tools through fc.tools(…), as when this was recorded" in text_of(result)


def test_a_drift_of_tools_that_pass_the_session_says_to_record_again(with_tools):
    with_tools.write(test_rooms=TOOLS.replace("json.dumps(result)", "json.dumps([result])"))

    result = with_tools.run()

    assert "through fc.tools(…), as when" not in text_of(result)
    assert "record again: pytest --fc-record test_rooms.py::test_rooms" in text_of(result)


def test_the_summary_says_how_many_results_were_the_recorded_ones(with_tools):
    result = with_tools.run()

    result.assert_outcomes(passed=1)
    assert '1 tool call got the recorded result; fc.tools(…, modes={"NAME": "compare"}) runs the tool too' in text_of(
        result
    )


def test_the_cause_of_a_drift_is_the_first_line_of_its_error(project, monkeypatch):
    project.write()
    project.record()
    monkeypatch.setenv("PROMPT", "Be long.")

    lines = project.run().outlines

    [at] = [number for number, line in enumerate(lines) if "ERROR at teardown" in line]
    assert lines[at + 1].startswith("PROMPT: the system prompt is not what was recorded")


@pytest.mark.parametrize("option", ["--fc-record", "--verbose"])
def test_a_blocking_client_where_an_async_one_is_needed_is_named(project, option):
    project.write()
    project.record()
    source = "import openai\n\ndef test_hello(fc):\n    openai.AsyncOpenAI(api_key='k', http_client=fc.http_client())\n"
    project.write(source)

    result, _ = project.record(option=option)

    assert "AsyncOpenAI and AsyncAnthropic take fc.async_http_client()" in text_of(result)


def test_a_newer_recording_takes_the_one_of_a_failed_test_away(project):
    project.write()
    project.record()
    aside = project.recordings / "test_greeter-test_hello.jsonl.failed"
    project.write(TEST.replace('"Hello"', '"Bye"'))
    project.record()
    was_there = aside.exists()
    project.write()

    project.record()

    assert (was_there, aside.exists()) == (True, False)
