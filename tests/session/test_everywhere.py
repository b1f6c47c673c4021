"""`fc.everywhere()` beside the session's own clients: each request passes once."""

import asyncio

import httpx
import openai
import pytest
from loopback import Loopback, plain
from spoken import chat_body
from weather_agent import async_openai_for, openai_for

from harness.files import load_journal
from harness.session.runs import record, replay

HELLO = plain(chat_body("Hello"))


def ask(client, text):
    return client.chat.completions.create(model="m-test", messages=[{"role": "user", "content": text}])


def everywhere_and_own(fc, url="https://api.example.test"):
    with fc.everywhere(), fc.everywhere():
        ask(openai_for(fc, f"{url}/v1"), "own")
        ask(openai.OpenAI(base_url=f"{url}/v1", api_key="a-key-of-nobody"), "out of reach")
        asyncio.run(ask(async_openai_for(fc, f"{url}/v1"), "own, asynchronous"))
    ask(openai_for(fc, f"{url}/v1"), "own, later")


@pytest.mark.parametrize("proxy", ["", "http://127.0.0.1:9"], ids=["direct", "a proxy for others"])
def test_each_request_is_recorded_once(tmp_path, monkeypatch, proxy):
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    path = tmp_path / "run.jsonl"
    with Loopback(HELLO) as server, record(path) as fc:
        everywhere_and_own(fc, server.url)

    with replay(path) as fc:
        everywhere_and_own(fc)

    (recording,) = load_journal(path).recordings
    said = [one.messages[0]["content"] for one in recording.exchanges]
    assert said == ["own", "out of reach", "own, asynchronous", "own, later"]
    assert len(server.requests) == 4


def test_a_client_of_the_older_http_library_is_reached_too(tmp_path):
    def asked(url):
        body = {"model": "m-test", "messages": [{"role": "user", "content": "Hi"}]}
        return httpx.post(f"{url}/v1/chat/completions", json=body).json()["choices"][0]["message"]["content"]

    path, before = tmp_path / "run.jsonl", httpx.HTTPTransport.handle_request
    with Loopback(HELLO) as server, record(path) as fc, fc.everywhere():
        live = asked(server.url)

    with replay(path) as fc, fc.everywhere():
        again = asked("https://api.example.test")

    assert (live, again) == ("Hello", "Hello")
    assert httpx.HTTPTransport.handle_request is before
