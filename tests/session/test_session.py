"""A user's own agent, recorded against a provider on loopback and replayed without one."""

import asyncio
import json
from contextlib import suppress

import httpx2
import openai
import pytest
from loopback import Loopback, plain, stream
from spoken import chat_body, chat_events, messages_events
from weather_agent import (
    OPENAI_TOOLS,
    QUESTION,
    anthropic_agent,
    anthropic_for,
    async_openai_agent,
    async_openai_for,
    openai_agent,
    openai_for,
)

from harness import errors
from harness.files import load_journal
from harness.session.runs import record, replay

CALL = [("call_1", "weather", '{"city": "Rome"}')]
LOOP = (plain(chat_body(None, CALL)), plain(chat_body("21 C")))


def encoded(events):
    return [event if isinstance(event, bytes) else json.dumps(event).encode() for event in events]


def weather(city):
    return {"city": city, "celsius": 21}


def no_weather(city):
    raise AssertionError(f"the tool ran on replay, for {city}")


def broken(city):
    return city / 0


def recorded(path, *answers, tools=None):
    with Loopback(*(answers or LOOP)) as server, record(path) as fc:
        openai_agent(openai_for(fc, server.url), fc.tools(tools or {"weather": weather}))
    return path


def test_a_plain_loop_replays_without_provider_and_tools(tmp_path):
    path = recorded(tmp_path / "loop.jsonl")

    with replay(path) as fc:
        answer = openai_agent(openai_for(fc), fc.tools({"weather": no_weather}))

    assert answer == "21 C"


def test_a_streamed_async_loop_replays(tmp_path):
    async def aweather(city):
        return weather(city)

    async def run(fc, tool, **named):
        return await async_openai_agent(async_openai_for(fc, **named), fc.tools({"weather": tool}))

    answers = stream(*encoded(chat_events((), CALL))), stream(*encoded(chat_events(("21", " C"))))
    with Loopback(*answers) as server, record(tmp_path / "loop.jsonl") as fc:
        live = asyncio.run(run(fc, aweather, url=server.url))

    async def no_aweather(city):
        no_weather(city)

    with replay(tmp_path / "loop.jsonl") as fc:
        again = asyncio.run(run(fc, no_aweather))

    assert (live, again) == ("21 C", "21 C")


def test_a_streamed_loop_over_messages_replays(tmp_path):
    answers = (
        stream(*messages_events((), [("toolu_1", "weather", {"city": "Rome"})])),
        stream(*messages_events(("21 C",))),
    )
    with Loopback(*answers) as server, record(tmp_path / "loop.jsonl") as fc:
        live = anthropic_agent(anthropic_for(fc, server.url), fc.tools({"weather": weather}))

    with replay(tmp_path / "loop.jsonl") as fc:
        again = anthropic_agent(anthropic_for(fc), fc.tools({"weather": no_weather}))

    assert (live, again) == ("21 C", "21 C")


def test_the_trace_is_the_same_while_recording_and_replaying(tmp_path):
    traces = []
    with Loopback(*LOOP) as server, record(tmp_path / "loop.jsonl") as fc:
        openai_agent(openai_for(fc, server.url), fc.tools({"weather": weather}))
        traces.append(fc.trace)

    with replay(tmp_path / "loop.jsonl") as fc:
        openai_agent(openai_for(fc), fc.tools({"weather": no_weather}))
        traces.append(fc.trace)

    live, again = traces
    assert [(call.name, call.arguments) for call in live.calls("weather", city="Rome")] == [
        ("weather", {"city": "Rome"})
    ]
    assert (again.all, again.answer, again.outcome) == (live.all, "21 C", "completed")
    live.no_call("weather", city="Oslo")
    with pytest.raises(AssertionError, match=r'weather \{"city":"Rome"\}'):
        live.calls("weather", city="Oslo")


def test_the_trace_of_a_replay_holds_what_the_agent_has_done_so_far(tmp_path):
    path = recorded(tmp_path / "loop.jsonl")
    texts = []

    def noting(city):
        texts.append((len(fc.trace.all), fc.trace.all[0].result, fc.trace.answer))
        return weather(city)

    with replay(path) as fc:
        openai_agent(openai_for(fc), fc.tools({"weather": noting}, modes={"weather": "live"}))
        texts.append((len(fc.trace.all), fc.trace.all[0].result, fc.trace.answer))

    assert texts == [(1, None, ""), (1, '{"city": "Rome", "celsius": 21}', "21 C")]


def test_a_recording_says_what_ran(tmp_path):
    path = recorded(tmp_path / "loop.jsonl")

    [recording] = load_journal(path).recordings

    assert recording.header.origin == "test:loop"
    assert (recording.header.model, recording.header.model_answered) == ("m-test", "m-answered")
    assert [exchange.parent for exchange in recording.exchanges] == [None, 0]
    assert [(run.exchange, run.position, run.call, run.name) for run in recording.tools] == [
        (0, 0, "call_1", "weather")
    ]
    assert not path.with_name("loop.jsonl.partial").exists()


def test_a_changed_prompt_is_answered_and_fails_at_the_end(tmp_path):
    path = recorded(tmp_path / "loop.jsonl")
    answers = []

    with pytest.raises(errors.AgentDrifted) as raised, replay(path) as fc:
        answers.append(openai_agent(openai_for(fc), fc.tools({"weather": no_weather}), system="Be long."))

    assert answers == ["21 C"]
    assert raised.value.exit_code == 3
    assert "messages[0].content" in str(raised.value)


def test_a_drift_that_is_allowed_by_name_passes(tmp_path):
    path = recorded(tmp_path / "loop.jsonl")

    with replay(path) as fc:
        fc.allow("PROMPT")
        openai_agent(openai_for(fc), fc.tools({"weather": no_weather}), system="Be long.")


def test_a_miss_that_the_agent_swallows_fails_at_the_end(tmp_path):
    path = recorded(tmp_path / "loop.jsonl")

    with pytest.raises(errors.AgentDiverged) as raised, replay(path) as fc, suppress(openai.InternalServerError):
        openai_agent(openai_for(fc), {"weather": lambda city: {"city": city, "celsius": 22}})

    assert raised.value.exit_code == 5
    assert "TOOL_RESULT" in str(raised.value)


def test_a_request_that_is_no_longer_sent_fails_at_the_end(tmp_path):
    path = recorded(tmp_path / "loop.jsonl")

    with pytest.raises(errors.AgentDiverged, match="UNPLAYED"), replay(path) as fc:
        openai_for(fc).chat.completions.create(
            model="m-test", messages=[{"role": "system", "content": "Be brief."}, QUESTION], tools=OPENAI_TOOLS
        )


def test_a_run_without_any_request_is_an_error_both_ways(tmp_path):
    path = recorded(tmp_path / "loop.jsonl")

    with pytest.raises(errors.AgentDiverged, match="NOT_INTERCEPTED"), replay(path):
        pass
    with pytest.raises(errors.NotIntercepted, match="made without http_client"), record(tmp_path / "other.jsonl"):
        pass

    assert not (tmp_path / "other.jsonl").exists()


def test_a_run_that_fails_replaces_no_recording(tmp_path):
    path = recorded(tmp_path / "loop.jsonl")
    before = path.read_bytes()

    with pytest.raises(TypeError) as raised, Loopback(*LOOP) as server, record(path) as fc:
        openai_agent(openai_for(fc, server.url), fc.tools({"weather": broken}))

    assert path.read_bytes() == before
    assert load_journal(path.with_name("loop.jsonl.partial")).recordings[0].end is None
    assert raised.value.__notes__ == [
        f"the run broke off, 1 exchange kept: {path}.partial; to read it: fc-replay show {path}.partial"
    ]


def test_retries_are_one_exchange_and_replay_at_once(tmp_path):
    busy = plain({"error": {"message": "busy"}}, status=503, headers={"retry-after-ms": "1"})
    path = recorded(tmp_path / "loop.jsonl", busy, *LOOP)

    with replay(path) as fc:
        answer = openai_agent(openai_for(fc), fc.tools({"weather": no_weather}))

    [first, _] = load_journal(path).recordings[0].exchanges
    assert (first.status, first.attempts, first.retried) == (200, 2, [503])
    assert answer == "21 C"


def test_a_secret_of_the_environment_reaches_no_file(tmp_path, monkeypatch):
    secret = "correct-horse-battery"
    monkeypatch.setenv("WEATHER_API_TOKEN", secret)
    tools = {"weather": lambda city: {"city": city, "link": f"https://w.example/?q={secret}"}}

    path = recorded(tmp_path / "loop.jsonl", tools=tools)
    monkeypatch.delenv("WEATHER_API_TOKEN")
    with replay(path) as fc:
        answer = openai_agent(openai_for(fc), fc.tools({"weather": no_weather}))

    assert secret not in path.read_text()
    assert answer == "21 C"


def test_a_client_past_the_session_is_found(tmp_path):
    path = recorded(tmp_path / "loop.jsonl")

    with replay(path) as fc:
        fc.check(openai_for(fc))
        with pytest.raises(errors.NotIntercepted):
            fc.check(openai.OpenAI(api_key="k"))
        openai_agent(openai_for(fc), fc.tools({"weather": no_weather}))


def test_clients_that_the_test_cannot_reach_are_intercepted_on_wish(tmp_path):
    def run(url):
        return openai_agent(openai.OpenAI(api_key="k", base_url=url), {"weather": weather})

    before = httpx2.HTTPTransport.handle_request
    with Loopback(*LOOP) as server, record(tmp_path / "loop.jsonl") as fc, fc.everywhere():
        live = run(server.url)
    with replay(tmp_path / "loop.jsonl") as fc, fc.everywhere():
        again = run("https://api.example.test/v1")
    with pytest.raises(errors.AgentDiverged), replay(tmp_path / "loop.jsonl") as fc, fc.everywhere():
        raise ValueError

    assert (live, again) == ("21 C", "21 C")
    assert httpx2.HTTPTransport.handle_request is before


def test_what_varies_is_declared_with_a_reason(tmp_path):
    def run(fc, number, **named):
        return openai_agent(
            openai_for(fc, **named), fc.tools({"weather": weather}), system=f"Run {number}.", user=f"u-{number}"
        )

    with Loopback(*LOOP) as server, record(tmp_path / "loop.jsonl") as fc:
        run(fc, 1, url=server.url)
    with replay(tmp_path / "loop.jsonl") as fc:
        fc.ignore("user", reason="a new one in each run")
        fc.normalise(lambda text: text.replace("Run 2", "Run 1"), reason="counts runs")
        with pytest.raises(errors.WrongOption):
            fc.ignore("seed", reason=" ")
        run(fc, 2)
        with pytest.raises(errors.WrongOption):
            fc.ignore("seed", reason="too late")


@pytest.mark.parametrize(
    ("content", "error"),
    [
        pytest.param(None, errors.RecordingMissing, id="missing"),
        pytest.param(b"", errors.MalformedLine, id="empty"),
    ],
)
def test_a_recording_that_cannot_be_replayed_is_said(tmp_path, content, error):
    path = tmp_path / "loop.jsonl"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(error), replay(path):
        pass


def test_a_recording_of_another_test_is_not_replayed(tmp_path):
    path = recorded(tmp_path / "loop.jsonl").rename(tmp_path / "other.jsonl")

    with pytest.raises(errors.RecordingTaken), replay(path):
        pass
