"""Answers without end: in time or in size, none is waited for or held for ever."""

import asyncio
import time

import httpx2
import pytest
from loopback import Loopback, plain, stream

from harness.wire.capture import MAX_ANSWER_BYTES, AsyncCaptureTransport, Attempts, CaptureTransport


def attempts_of(**named):
    return Attempts(time.monotonic, lambda: "2026-01-01T00:00:00.000Z", **named)


def client_of(attempts):
    return httpx2.Client(transport=CaptureTransport(httpx2.HTTPTransport(), attempts))


def kept(attempt):
    return attempt.status, attempt.body, attempt.complete


def test_a_dripping_answer_is_bounded_as_a_whole():
    attempts, drip = attempts_of(limit=0.2), [b"data: 1\n\n", 0.06] * 20

    with (
        Loopback(stream(*drip)) as server,
        client_of(attempts) as client,
        client.stream("GET", server.url) as answer,
        pytest.raises(httpx2.ReadTimeout),
    ):
        list(answer.iter_raw())

    [attempt] = attempts.take()
    assert not attempt.complete
    assert 200 <= attempt.ms < 1000


def test_headers_that_drip_for_ever_are_bounded_as_well():
    attempts, drip = attempts_of(limit=0.3), [b"HTTP/1.1 200 OK\r\n", *[b"x-a: b\r\n", 0.05] * 100]

    with Loopback(drip) as server, client_of(attempts) as client, pytest.raises(httpx2.ReadTimeout):
        client.get(server.url)

    assert kept(attempts.take()[0]) == (0, b"", False)


def test_a_body_that_ends_since_its_time_was_up_is_no_whole_one():
    attempts, head = attempts_of(limit=0.3), b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"

    with Loopback([head, b'{"a": 1}', 20]) as server, client_of(attempts) as client, pytest.raises(httpx2.ReadTimeout):
        client.get(server.url)

    assert kept(attempts.take()[0]) == (200, b'{"a": 1}', False)


def test_a_connection_that_is_used_again_has_the_time_of_each_request():
    keep = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
    attempts = attempts_of(limit=0.3)

    with Loopback([keep, 0.1, keep, 20]) as server, client_of(attempts) as client:
        answers = [client.get(server.url).content for _ in range(2)]
        with pytest.raises(httpx2.ReadTimeout):
            client.get(server.url)

    assert answers == [b"{}", b"{}"]
    assert [attempt.complete for attempt in attempts.take()] == [True, True, False]


def endless():
    """A body that goes on until the client leaves."""
    return [b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n", *[b" " * (1 << 20)] * 64]


def test_a_body_without_end_is_left_where_no_line_could_hold_it():
    attempts = attempts_of()

    with Loopback(endless()) as server, client_of(attempts) as client:
        size = len(client.get(server.url).content)

    [attempt] = attempts.take()
    assert (attempt.endless, attempt.complete, len(attempt.body)) == (True, False, size)
    assert MAX_ANSWER_BYTES < size < 2 * MAX_ANSWER_BYTES


def test_an_answer_that_a_program_waits_for_passes_whole_though_it_is_not_kept():
    attempts, whole = attempts_of(bounded=False), b"x" * (MAX_ANSWER_BYTES + 2_000_000)

    with Loopback(plain(whole)) as server, client_of(attempts) as client:
        got = client.get(server.url).content

    [attempt] = attempts.take()
    assert got == whole
    assert (attempt.endless, attempt.complete) == (True, False)
    assert MAX_ANSWER_BYTES < len(attempt.body) < len(whole)


def test_the_async_transport_leaves_a_body_without_end_too():
    attempts = attempts_of()

    async def ask(url):
        transport = AsyncCaptureTransport(httpx2.AsyncHTTPTransport(), attempts)
        async with httpx2.AsyncClient(transport=transport) as client:
            return len((await client.get(url)).content)

    with Loopback(endless()) as server:
        size = asyncio.run(ask(server.url))

    [attempt] = attempts.take()
    assert (attempt.endless, attempt.complete, len(attempt.body)) == (True, False, size)
