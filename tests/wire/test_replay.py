"""What the real SDKs get from a replay: plain and streamed, in threads and tasks, and never from a socket."""

import asyncio
import json
import socket
import sys
from functools import partial

import anthropic as anthropic_sdk
import httpx2
import openai
import pytest
from spoken import chat_body, chat_events, messages_body, messages_events
from told_runs import Told, async_client_for, chat, client_for, completion, encoded, post, replay_of, told, user

from harness.wire.replay import MISS_STATUS
from harness.wire.replay_transport import Pace

ASKED = {"model": "m-test", "messages": [{"role": "user", "content": "hi"}]}


class Connections:
    """Every address family that any code of this process connects to."""

    def __init__(self):
        self.families = []

    def watch(self, event, arguments):
        if event == "socket.connect" and arguments[0].family in {socket.AF_INET, socket.AF_INET6}:
            self.families.append(arguments[0].family)


CONNECTIONS = Connections()
sys.addaudithook(CONNECTIONS.watch)


@pytest.fixture(autouse=True)
def _no_connection():
    before = len(CONNECTIONS.families)
    yield
    assert len(CONNECTIONS.families) == before


def openai_for(replay, **named):
    return openai.OpenAI(api_key="k", http_client=client_for(replay), **named)


def anthropic_for(replay, **named):
    return anthropic_sdk.Anthropic(api_key="k", http_client=client_for(replay), **named)


def recorded(answer, body=ASKED, api="chat", **named):
    run = Told()
    run.add(body, answer, api, **named)
    return run.recording()


def events(lines):
    return [line if isinstance(line, bytes) else encoded(line) for line in lines]


def test_openai_gets_the_plain_answer():
    replay = replay_of(recorded(chat_body("Hello", [("call_1", "weather", '{"city": "Rome"}')])))

    answer = openai_for(replay).chat.completions.create(**ASKED)

    call = answer.choices[0].message.tool_calls[0]
    assert (answer.choices[0].message.content, call.id, call.function.arguments) == (
        "Hello",
        "call_1",
        '{"city": "Rome"}',
    )
    assert replay.failures() == []


def test_openai_gets_the_stream_chunk_for_chunk():
    chunks = events(chat_events(["Hel", "lo"]))
    replay = replay_of(recorded(chunks, ASKED | {"stream": True}))

    with openai_for(replay).chat.completions.with_streaming_response.create(**ASKED, stream=True) as response:
        read = list(response.http_response.iter_raw())

    assert read == chunks
    assert replay.failures() == []


def test_anthropic_gets_both_forms():
    asked = {"model": "m-test", "max_tokens": 9, "messages": ASKED["messages"]}
    run = Told()
    run.add(asked, messages_body("Hello"), "messages")
    run.add(asked | {"stream": True}, events(messages_events(["Hel", "lo"])), "messages")
    replay = replay_of(run.recording())
    client = anthropic_for(replay)

    plain = client.messages.create(**asked)
    with client.messages.stream(**asked) as stream:
        text = stream.get_final_text()

    assert (plain.content[0].text, text) == ("Hello", "Hello")
    assert replay.failures() == []


def test_async_clients_get_both_forms():
    async def run(replay):
        chat_client = openai.AsyncOpenAI(api_key="k", http_client=async_client_for(replay))
        plain = await chat_client.chat.completions.create(**ASKED)
        stream = await chat_client.chat.completions.create(**ASKED, stream=True)
        texts = [chunk.choices[0].delta.content async for chunk in stream if chunk.choices]
        return plain.choices[0].message.content, "".join(filter(None, texts))

    told_run = Told()
    told_run.add(ASKED, chat_body("Hello"))
    told_run.add(ASKED | {"stream": True}, events(chat_events(["Hel", "lo"])))
    replay = replay_of(told_run.recording())

    answers = asyncio.run(run(replay))

    assert answers == ("Hello", "Hello")
    assert replay.failures() == []


@pytest.mark.parametrize("sdk", ["openai", "anthropic"])
def test_a_miss_reaches_the_agent_once_and_stays(sdk):
    replay = replay_of(told((chat(user("hi")), completion("Hello"))))
    asked = {"model": "m-test", "messages": [{"role": "user", "content": "ho"}]}

    if sdk == "openai":
        create = openai_for(replay).chat.completions.create
    else:
        create = partial(anthropic_for(replay).messages.create, max_tokens=9)

    with pytest.raises((openai.InternalServerError, anthropic_sdk.InternalServerError)) as raised:
        create(**asked)

    assert raised.value.status_code == MISS_STATUS
    assert "pytest --fc-record tests/test_told.py" in str(raised.value)
    assert replay.requests == 1
    assert [drift.category for drift in replay.failures()] == ["CONVERSATION"]


def test_a_miss_says_what_drifted_in_its_body():
    replay = replay_of(told((chat(user("depth of lake A")), completion("10 m"))))

    served = post(replay, chat(user("depth of lake B")))

    error = json.loads(served.pieces[0].raw)["error"]
    assert (served.status, served.headers["x-should-retry"]) == (599, "false")
    assert (error["type"], error["code"]) == ("fc_replay_miss", "CONVERSATION")
    assert "depth of lake «B»" in error["message"]


@pytest.mark.parametrize("status", [408, 429, 500, 503, 529])
def test_a_recorded_failure_is_retried_without_waiting(status):
    run = Told()
    run.add(ASKED, {"error": {"message": "slow down"}}, status=status, tries=3)
    replay = replay_of(run.recording())
    client = openai_for(replay)

    with pytest.raises(openai.APIStatusError) as raised:
        client.chat.completions.create(**ASKED)

    assert raised.value.response.headers["retry-after-ms"] == "1"
    assert (raised.value.status_code, replay.requests) == (status, 3)
    assert replay.failures() == []


def test_every_hand_out_of_a_stream_starts_at_the_first_event():
    chunks = [b'data: {"n":1}\n\n', b'data: {"n":2}\n\n', b"data: [DONE]\n\n"]
    replay = replay_of(recorded(chunks, ASKED | {"stream": True}), allowed=frozenset({"EXHAUSTED"}))
    seen = []

    with client_for(replay) as client:
        for wanted in (3, 3, 1, 3):
            with client.stream(
                "POST", "https://api.example.test/v1/chat/completions", json=ASKED | {"stream": True}
            ) as response:
                seen.append([chunk for _, chunk in zip(range(wanted), response.iter_raw(), strict=False)])

    assert seen == [chunks, chunks, chunks[:1], chunks]
    assert replay.failures() == []


def test_a_stream_that_was_left_replays_as_far_as_it_was_read():
    asked = ASKED | {"stream": True}
    replay = replay_of(recorded(events(chat_events(["Let me ", "look."]))[:2], asked, complete=False))

    with openai_for(replay).chat.completions.create(**asked) as stream:
        first = next(iter(stream))

    assert first.choices
    assert replay.failures() == []


def test_a_stream_that_was_left_is_never_replayed_as_a_whole_one():
    asked = ASKED | {"stream": True}
    replay = replay_of(recorded(events(chat_events(["Let me ", "look."]))[:2], asked, complete=False))

    with pytest.raises(openai.APIConnectionError) as raised:
        list(openai_for(replay).chat.completions.create(**asked))

    assert isinstance(raised.value.__cause__, httpx2.ReadError)

    assert [drift.category for drift in replay.failures()] == ["EXHAUSTED"]


def test_recorded_waits_are_spent_on_wish():
    slept = []

    async def asleep(seconds):
        slept.append(("task", seconds))

    pace = Pace(lambda seconds: slept.append(("thread", seconds)), asleep)
    asked = ASKED | {"stream": True}
    chunks = [b"data: {}\n\n", b"data: [DONE]\n\n"]

    async def read(replay):
        async with async_client_for(replay, pace=pace) as client:
            await client.post("https://api.example.test/v1/chat/completions", json=asked)

    with client_for(replay_of(recorded(chunks, asked)), pace=pace) as client:
        client.post("https://api.example.test/v1/chat/completions", json=asked)
    asyncio.run(read(replay_of(recorded(chunks, asked))))

    assert slept == [("thread", 0.001), ("thread", 0.001), ("task", 0.001), ("task", 0.001)]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        pytest.param("GET", "/v1/models", id="models"),
        pytest.param("POST", "/v1/embeddings", id="embeddings"),
        pytest.param("POST", "/v1/chat/completions", id="no-json"),
    ],
)
def test_what_is_no_model_call_is_never_sent_on(method, path):
    replay = replay_of(told((chat(user("hi")), completion("Hello"))))

    with client_for(replay) as client:
        answer = client.request(method, "https://api.example.test" + path, content=b"no json")

    assert answer.status_code == MISS_STATUS
    assert replay.failures()[0].category == "NOT_INTERCEPTED"
