"""A stream whose line broke while it was recorded breaks again at the same place, and an agent that copes replays."""

import asyncio
import threading
from contextlib import suppress

import httpx2
import pytest
from loopback import RESET, Loopback, plain, stream, until
from spoken import chat_body, chat_events
from weather_agent import QUESTION, openai_for

from harness import errors
from harness.files import load_journal
from harness.session.runs import record, replay

FIRST, *REST = chat_events(["Hel", "lo"])
BROKEN, WHOLE = stream(FIRST, RESET), plain(chat_body("Hello"))


def coping(fc, url="https://api.example.test"):
    """What was read of a stream before it broke, then the plain answer."""
    client = openai_for(fc, f"{url}/v1")
    read = []
    try:
        events = client.chat.completions.create(model="m-test", messages=[QUESTION], stream=True)
        read.extend(event.id for event in events)
    except Exception as error:  # noqa: BLE001  what the SDK makes of its HTTP library's own
        read.append(type(error).__name__)
    return read, client.chat.completions.create(model="m-test", messages=[QUESTION]).choices[0].message.content


def test_an_agent_that_copes_with_a_broken_stream_replays_as_it_ran(tmp_path):
    path = tmp_path / "run.jsonl"
    with Loopback(BROKEN, WHOLE) as server, record(path) as fc:
        live = coping(fc, server.url)

    with replay(path) as fc:
        again = coping(fc)

    assert again == live
    assert (len(live[0]), live[1]) == (2, "Hello")
    (recording,) = load_journal(path).recordings
    assert [(one.complete, one.broke) for one in recording.exchanges] == [(False, True), (True, False)]


def test_an_asynchronous_reader_gets_the_break_again_too(tmp_path):
    path = tmp_path / "run.jsonl"

    async def reading(fc, url="https://api.example.test"):
        read = b""
        try:
            body = {"model": "m-test", "messages": [QUESTION], "stream": True}
            async with (
                fc.async_http_client() as client,
                client.stream("POST", f"{url}/v1/chat/completions", json=body) as got,
            ):
                async for chunk in got.aiter_raw():
                    read += chunk
        except Exception as error:  # noqa: BLE001  the HTTP library's own
            return read, type(error).__name__
        return read, "ended"

    with Loopback(BROKEN) as server, record(path) as fc:
        live = asyncio.run(reading(fc, server.url))
    with replay(path) as fc:
        again = asyncio.run(reading(fc))

    assert live == again == (FIRST, "ReadError")


def test_reading_on_where_the_reader_left_is_still_told(tmp_path):
    path = tmp_path / "run.jsonl"
    with Loopback(stream(FIRST, *REST)) as server, record(path) as fc:
        client = openai_for(fc, f"{server.url}/v1")
        with client.chat.completions.create(model="m-test", messages=[QUESTION], stream=True) as events:
            next(iter(events))

    with pytest.raises(errors.AgentDiverged, match="EXHAUSTED"), replay(path) as fc:
        coping(fc)


def test_a_stream_that_is_still_held_when_the_run_ends_was_left(tmp_path):
    path, held = tmp_path / "run.jsonl", []

    def peek(fc, url="https://api.example.test"):
        client = openai_for(fc, f"{url}/v1")
        held.append(client.chat.completions.create(model="m-test", messages=[QUESTION], stream=True))
        return next(iter(held[-1])).choices[0].delta

    with Loopback(stream(FIRST, *REST)) as server, record(path) as fc:
        live = peek(fc, server.url)
    with replay(path) as fc:
        again = peek(fc)
    for one in held:
        one.close()

    (recording,) = load_journal(path).recordings
    assert again == live
    assert [(one.complete, one.broke) for one in recording.exchanges] == [(False, False)]


def suppressed(client, url):
    with suppress(httpx2.HTTPError):
        client.post(url, json={"model": "m-test", "messages": [QUESTION]})


def test_a_request_that_is_still_waiting_when_the_run_ends_got_no_answer(tmp_path):
    def run():
        with Loopback([60]) as server, record(tmp_path / "run.jsonl") as fc:
            asking = threading.Thread(target=suppressed, args=(fc.http_client(), f"{server.url}/v1/chat/completions"))
            asking.start()
            until(lambda: server.requests)

    with pytest.raises(errors.LiveCallFailed, match="no answer came from /v1/chat/completions"):
        run()


def test_a_reader_that_gives_up_by_the_clock_does_so_again_with_the_recorded_waits(tmp_path):
    path = tmp_path / "run.jsonl"

    async def impatient(fc, url="https://api.example.test"):
        body, read = {"model": "m-test", "messages": [QUESTION], "stream": True}, b""
        with suppress(TimeoutError):
            async with (
                asyncio.timeout(0.3),
                fc.async_http_client() as client,
                client.stream("POST", f"{url}/v1/chat/completions", json=body) as got,
            ):
                async for chunk in got.aiter_raw():
                    read += chunk
        return read

    with Loopback(stream(FIRST, 20, *REST)) as server, record(path) as fc:
        live = asyncio.run(impatient(fc, server.url))
    with replay(path, timing="recorded") as fc:
        again = asyncio.run(impatient(fc))

    assert live == again == FIRST
