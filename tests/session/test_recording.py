"""What of an agent's traffic becomes an exchange, and what a recording cannot hold."""

import asyncio
import json
from contextlib import suppress

import httpx
import httpx2
import openai
import pytest
from loopback import RESET, Loopback, plain, stream
from spoken import chat_body, chat_events
from weather_agent import QUESTION, openai_for

from harness import errors
from harness.files import load_journal
from harness.session.runs import record, replay

ASKED = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
BUSY = plain({"error": {"message": "busy"}}, status=429, headers={"retry-after-ms": "1"})
HELLO = plain(chat_body("Hello"))


def exchanges_in(path):
    return load_journal(path).recordings[0].exchanges


def text_of(answer):
    return answer.choices[0].message.content


def test_tries_that_all_failed_are_one_exchange_and_the_next_request_another(tmp_path):
    def run(fc, **named):
        client = openai_for(fc, **named)
        with pytest.raises(openai.RateLimitError):
            client.chat.completions.create(**ASKED)
        return text_of(client.chat.completions.create(**ASKED))

    path = tmp_path / "run.jsonl"
    with Loopback(BUSY, BUSY, BUSY, HELLO) as server, record(path) as fc:
        live = run(fc, url=server.url)
    with replay(path) as fc:
        again = run(fc)

    assert [(one.status, one.attempts, one.retried) for one in exchanges_in(path)] == [
        (429, 3, [429, 429]),
        (200, 1, []),
    ]
    assert (live, again) == ("Hello", "Hello")


def test_a_client_that_does_not_count_its_tries_sends_requests_of_their_own(tmp_path):
    def run(fc, url):
        client = fc.http_client()
        return [client.post(url + "/v1/chat/completions", json=ASKED).status_code for _ in range(3)]

    path = tmp_path / "run.jsonl"
    with Loopback(BUSY, BUSY, HELLO) as server, record(path) as fc:
        live = run(fc, server.url)
    with replay(path) as fc:
        again = run(fc, "https://api.example.test")

    assert (live, again) == ([429, 429, 200], [429, 429, 200])


def test_a_stream_that_the_agent_leaves_early_replays_as_far(tmp_path):
    chunks = [
        event if isinstance(event, bytes) else json.dumps(event).encode() for event in chat_events(("Let me ", "look."))
    ]
    held = stream(*chunks[:2], 20, *chunks[2:])

    def run(fc, **named):
        with openai_for(fc, **named).chat.completions.create(**ASKED, stream=True) as answer:
            texts = iter(answer)
            return [next(texts).choices[0].delta.content for _ in range(2)]

    path = tmp_path / "run.jsonl"
    with Loopback(held) as server, record(path) as fc:
        live = run(fc, url=server.url)
    with replay(path) as fc:
        again = run(fc)

    [exchange] = exchanges_in(path)
    assert (live, again) == (["", "Let me "], ["", "Let me "])
    assert not exchange.complete


def test_a_request_that_asks_no_model_is_passed_on_and_is_no_exchange(tmp_path):
    path = tmp_path / "run.jsonl"

    with Loopback(plain({"data": []}), HELLO) as server, record(path) as fc:
        fc.http_client().get(server.url + "/v1/models")
        openai_for(fc, server.url).chat.completions.create(**ASKED)
        notes = fc.notes()

    assert notes == []
    assert len(exchanges_in(path)) == 1


def test_a_request_that_nothing_answers_leaves_no_whole_recording(tmp_path):
    def run(fc, url):
        client = openai_for(fc, url)
        client.chat.completions.create(**ASKED)
        with suppress(openai.APIConnectionError):
            client.with_options(max_retries=0).chat.completions.create(**ASKED)

    path = tmp_path / "run.jsonl"
    with (
        Loopback(HELLO, [RESET]) as server,
        pytest.raises(errors.LiveCallFailed, match="chat/comp"),
        record(path) as fc,
    ):
        run(fc, server.url)

    assert not path.exists()
    assert len(exchanges_in(path.with_name("run.jsonl.partial"))) == 1


def test_httpx_of_older_sdks_is_recorded_and_replayed_alike(tmp_path):
    chunks = [event if isinstance(event, bytes) else json.dumps(event).encode() for event in chat_events(("a", "b"))]

    async def streamed(fc, url):
        client = fc.async_http_client(httpx)
        async with client, client.stream("POST", url, json=ASKED | {"stream": True}) as response:
            return [chunk async for chunk in response.aiter_raw()]

    def run(fc, host):
        url = host + "/v1/chat/completions"
        with fc.http_client(httpx) as client:
            answer = client.post(url, json=ASKED).json()
        return answer["choices"][0]["message"]["content"], asyncio.run(streamed(fc, url))

    path = tmp_path / "run.jsonl"
    with Loopback(HELLO, stream(*chunks)) as server, record(path) as fc:
        live = run(fc, server.url)
    with replay(path) as fc:
        again = run(fc, "https://api.example.test")

    assert again == live
    assert "".join(chunk.decode() for chunk in live[1]) == "".join(chunk.decode() for chunk in chunks)


def test_eight_agents_at_once_are_recorded_and_replayed_each_for_itself(tmp_path):
    def echo(request):
        words = [message["content"] for message in request.json["messages"]]
        return plain(chat_body(f"{words[0]} {len(words)}"))

    async def agent(client, name):
        messages = [{"role": "user", "content": name}]
        for _ in range(3):
            answer = await client.chat.completions.create(model="m", messages=messages)
            messages += [{"role": "assistant", "content": text_of(answer)}, {"role": "user", "content": "and?"}]
        return [message["content"] for message in messages]

    async def run(fc, url):
        client = openai.AsyncOpenAI(api_key="k", base_url=url, http_client=fc.async_http_client())
        return await asyncio.gather(*(agent(client, f"guest {guest}") for guest in range(8)))

    path = tmp_path / "run.jsonl"
    with Loopback(echo) as server, record(path) as fc:
        live = asyncio.run(run(fc, server.url))
    with replay(path) as fc:
        again = asyncio.run(run(fc, "https://api.example.test/v1"))

    assert again == live
    assert [talk[5] for talk in live] == [f"guest {guest} 5" for guest in range(8)]
    assert sorted(len(one.messages) for one in exchanges_in(path)) == [1] * 8 + [2] * 16


def test_the_client_of_a_session_has_the_settings_of_the_sdks_own(tmp_path):
    own = openai.OpenAI(api_key="k").timeout

    with Loopback(HELLO) as server, record(tmp_path / "run.jsonl") as fc:
        client = fc.http_client()
        openai_for(fc, server.url).chat.completions.create(**ASKED)

    assert client.timeout == own == httpx2.Timeout(600, connect=5)
    assert client.follow_redirects


def test_a_run_after_which_an_assert_fails_stands_beside_an_earlier_one(tmp_path):
    path = tmp_path / "loop.jsonl"
    with Loopback(HELLO) as server, record(path) as fc:
        openai_for(fc, server.url).chat.completions.create(**ASKED)
    before = path.read_bytes()

    with pytest.raises(AssertionError) as raised, Loopback(HELLO) as server, record(path) as fc:
        assert text_of(openai_for(fc, server.url).chat.completions.create(**ASKED)) == "Bye"

    assert path.read_bytes() == before
    assert load_journal(path.with_name("loop.jsonl.failed")).recordings[0].end is not None
    assert f"mv {path}.failed {path}" in raised.value.__notes__[-1]


@pytest.mark.parametrize("header", ["authorization", "x-api-key", "api-key", "x-goog-api-key", "X-Auth-Token"])
def test_a_key_that_only_the_client_knows_is_in_no_file_though_the_answer_repeats_it(tmp_path, header):
    key, path = "my-own-key-of-a-gateway-77", tmp_path / "run.jsonl"
    with Loopback(plain({"you": key}), plain(chat_body(f"Your key is {key}."))) as server, record(path) as fc:
        client = fc.http_client()
        client.get(f"{server.url}/v1/models", headers={header: f"Bearer {key}"})
        body = {"model": "m-test", "messages": [QUESTION]}
        client.post(f"{server.url}/v1/chat/completions", json=body, headers={header: key})

    assert key.encode() not in path.read_bytes()
    assert b"Your key is [secret:value:1]." in path.read_bytes()
