"""The transport beneath the SDKs: what the client gets, when it gets it, and what is kept of it."""

import asyncio
import gzip
import threading
import time

import anthropic
import httpx2
import openai
import pytest
from loopback import RESET, Loopback, plain, stream
from spoken import chat_body, chat_events, messages_body, messages_events

from harness.wire.capture import AsyncCaptureTransport, Attempts, CaptureTransport

ASKED = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


def attempts_of(**named):
    return Attempts(time.monotonic, lambda: "2026-01-01T00:00:00.000Z", **named)


def client_of(attempts):
    return httpx2.Client(transport=CaptureTransport(httpx2.HTTPTransport(), attempts))


def openai_of(server, attempts, **named):
    return openai.OpenAI(api_key="k", base_url=server.url, http_client=client_of(attempts), **named)


def anthropic_of(server, attempts, **named):
    return anthropic.Anthropic(api_key="k", base_url=server.url, http_client=client_of(attempts), **named)


def kept(attempt):
    return attempt.status, attempt.body, attempt.complete


def test_a_plain_answer_is_kept_as_it_came():
    attempts, body = attempts_of(), b'{"a": 1,\n "b": [2]}'

    with Loopback(plain(body)) as server, client_of(attempts) as client:
        answer = client.post(server.url, json={"q": 1})

    [attempt] = attempts.take()
    assert answer.content == body
    assert kept(attempt) == (200, body, True)
    assert (attempt.request, attempt.at) == (b'{"q":1}', "2026-01-01T00:00:00.000Z")
    assert attempts.take() == []


def test_identity_is_asked_for_and_the_rest_of_the_request_is_untouched():
    attempts = attempts_of()

    with Loopback(plain(chat_body("hi"))) as server:
        openai_of(server, attempts).chat.completions.create(**ASKED)

    [request] = server.requests
    assert request.headers["accept-encoding"] == "identity"
    assert request.headers["authorization"] == "Bearer k"
    assert request.body == attempts.take()[0].request
    assert request.json == ASKED


def test_a_body_that_is_compressed_all_the_same_is_kept_readable():
    attempts, body = attempts_of(), b'{"a":1}'
    packed = gzip.compress(body)

    with Loopback(plain(packed, headers={"content-encoding": "gzip"})) as server, client_of(attempts) as client:
        answer = client.get(server.url)

    assert answer.json() == {"a": 1}
    assert kept(attempts.take()[0]) == (200, body, True)


def test_an_encoding_that_cannot_be_read_is_refused():
    attempts = attempts_of()

    with (
        Loopback(plain(b"?", headers={"content-encoding": "zstd"})) as server,
        client_of(attempts) as client,
        pytest.raises(httpx2.DecodingError),
    ):
        client.get(server.url)

    assert kept(attempts.take()[0]) == (200, b"", False)


def test_chunks_are_kept_one_for_one_with_rising_times():
    attempts, pieces = attempts_of(), [b"data: 1\n\n", b"data: \xe7\xae", b"\xb1\n", b"\n"]

    with (
        Loopback(stream(*(step for piece in pieces for step in (piece, 0.02)))) as server,
        client_of(attempts) as client,
        client.stream("GET", server.url) as answer,
    ):
        seen = list(answer.iter_raw())

    [attempt] = attempts.take()
    times = [ms for ms, _ in attempt.chunks]
    assert seen == [chunk for _, chunk in attempt.chunks] == pieces
    assert times == sorted(times)
    assert times[-1] - times[0] >= 55


@pytest.mark.parametrize("api", ["chat", "messages"])
def test_the_first_event_is_handed_on_before_the_last_is_sent(api):
    attempts, first_seen = attempts_of(), threading.Event()
    events = chat_events(["Hel", "lo"]) if api == "chat" else messages_events(["Hel", "lo"])
    script = stream(events[0], first_seen, *events[1:])

    with Loopback(script) as server:
        if api == "chat":
            answer = openai_of(server, attempts).chat.completions.create(**ASKED, stream=True)
        else:
            answer = anthropic_of(server, attempts).messages.create(**ASKED, max_tokens=9, stream=True)
        iterator = iter(answer)
        next(iterator)
        first_seen.set()
        rest = list(iterator)

    assert rest
    assert [kept(one) for one in attempts.take()] == [(200, b"".join(events), True)]


@pytest.mark.parametrize(
    "leave",
    [
        pytest.param(lambda answer: answer.close(), id="close"),
        pytest.param(lambda answer: answer.__exit__(None, None, None), id="with"),
        pytest.param(lambda answer: answer.response.close(), id="response"),
    ],
)
def test_a_stream_that_the_client_leaves_is_kept_once_and_is_not_complete(leave):
    attempts, never = attempts_of(), threading.Event()
    events = chat_events(["Let me ", "look."], [("c1", "find", '{"code":"K7"}')])

    with Loopback(stream(events[0], events[1], never, *events[2:])) as server:
        answer = openai_of(server, attempts).chat.completions.create(**ASKED, stream=True)
        next(answer)
        next(answer)
        leave(answer)
        leave(answer)
        never.set()

    assert [kept(one) for one in attempts.take()] == [(200, events[0] + events[1], False)]


def test_a_stream_that_was_read_to_its_last_word_is_complete_though_the_client_leaves_then():
    attempts, never = attempts_of(), threading.Event()
    events = chat_events(["hi"])

    with Loopback(stream(*events, never)) as server:
        with openai_of(server, attempts).chat.completions.create(**ASKED, stream=True) as answer:
            list(answer)
        never.set()

    assert [kept(one) for one in attempts.take()] == [(200, b"".join(events), True)]


@pytest.mark.parametrize("ends", [pytest.param([RESET], id="reset"), pytest.param([], id="cut")])
def test_a_stream_that_breaks_is_not_complete(ends):
    attempts, events = attempts_of(), messages_events(["Hel", "lo"])

    with Loopback(stream(*events[:3], 0.05, *ends, ends=False)) as server:
        answer = anthropic_of(server, attempts, max_retries=0).messages.create(**ASKED, max_tokens=9, stream=True)
        with pytest.raises((httpx2.HTTPError, anthropic.APIError)):
            list(answer)

    assert [kept(one) for one in attempts.take()] == [(200, b"".join(events[:3]), False)]


def test_every_attempt_is_kept_with_its_status():
    attempts = attempts_of()
    busy = plain({"error": {"message": "slow down"}}, status=429, headers={"retry-after-ms": "1"})

    with Loopback(busy, busy, plain(chat_body("hi"))) as server:
        openai_of(server, attempts).chat.completions.create(**ASKED)

    assert [(one.status, one.complete) for one in attempts.take()] == [(429, True), (429, True), (200, True)]


def test_an_attempt_that_nobody_answered_has_no_status():
    attempts = attempts_of()

    with Loopback([RESET]) as server, client_of(attempts) as client, pytest.raises(httpx2.HTTPError):
        client.get(server.url)

    assert kept(attempts.take()[0]) == (0, b"", False)


def test_the_async_transport_keeps_the_same():
    attempts, events = attempts_of(), chat_events(["Hel", "lo"])

    async def ask(url):
        transport = AsyncCaptureTransport(httpx2.AsyncHTTPTransport(), attempts)
        async with httpx2.AsyncClient(transport=transport) as client:
            sdk = openai.AsyncOpenAI(api_key="k", base_url=url, http_client=client)
            answer = await sdk.chat.completions.create(**ASKED, stream=True)
            return [event async for event in answer]

    with Loopback(stream(*events)) as server:
        seen = asyncio.run(ask(server.url))

    assert len(seen) == len(events) - 1
    assert [kept(one) for one in attempts.take()] == [(200, b"".join(events), True)]


def test_an_async_task_that_is_cancelled_leaves_one_incomplete_attempt():
    attempts, never = attempts_of(), threading.Event()
    events = chat_events(["Hel", "lo"])

    async def ask(url):
        transport = AsyncCaptureTransport(httpx2.AsyncHTTPTransport(), attempts)
        async with httpx2.AsyncClient(transport=transport) as client:
            sdk = openai.AsyncOpenAI(api_key="k", base_url=url, http_client=client)
            answer = await sdk.chat.completions.create(**ASKED, stream=True)
            async for _ in answer:
                pass

    async def cancel(url):
        task = asyncio.create_task(ask(url))
        await asyncio.sleep(0.3)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    with Loopback(stream(*events[:2], never)) as server:
        asyncio.run(cancel(server.url))
        never.set()

    assert [kept(one) for one in attempts.take()] == [(200, b"".join(events[:2]), False)]


def test_a_full_read_and_a_later_close_are_one_attempt():
    attempts = attempts_of()

    with Loopback(plain(messages_body("hi"))) as server:
        client = anthropic_of(server, attempts)
        client.messages.create(**ASKED, max_tokens=9)
        client.close()

    assert [kept(one)[::2] for one in attempts.take()] == [(200, True)]
