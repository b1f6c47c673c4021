"""A loopback address in a provider's place: the caller gets what the provider sent, and a copy stays."""

import gzip
import http.client
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import anthropic
import openai
import pytest
from loopback import RESET, Loopback, plain, stream, until
from servers import PATHS, Proxy, ask, question, replay_of, serving
from spoken import chat_body, chat_events, messages_body

from harness.derivation import conversations_of, transcript_of
from harness.transcript import text_of
from harness.wire.proxy_server import target_path

KEY = "a-key-of-the-caller-0123456789"
EVENTS = chat_events(["Hel", "lo"])


def kept(proxy):
    return [(one.status, one.complete) for one in proxy.recording.exchanges]


def test_the_callers_key_goes_on_and_into_no_file(tmp_path):
    echo = plain({"error": {"message": f"the key {KEY} is wrong"}}, status=401)
    with Loopback(echo) as upstream:
        proxy = Proxy(tmp_path / "run.jsonl", upstream.url)
        with proxy() as url:
            answer = ask(
                url, PATHS["chat"], question("chat", text=f"is {KEY} mine?"), headers={"authorization": f"Bearer {KEY}"}
            )

    assert upstream.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert answer.json["error"]["message"] == f"the key {KEY} is wrong"
    assert KEY.encode() not in (tmp_path / "run.jsonl").read_bytes()
    assert proxy.recording.exchanges[0].body == '{"error": {"message": "the key [secret:value:1] is wrong"}}'


@pytest.mark.parametrize("name", ["authorization", "x-api-key", "api-key", "x-goog-api-key", "x-auth-token"])
def test_a_key_is_known_in_whatever_header_it_comes(tmp_path, name):
    with Loopback(plain(chat_body(f"Your key is {KEY}."))) as upstream:
        proxy = Proxy(tmp_path / "run.jsonl", upstream.url)
        with proxy() as url:
            ask(url, PATHS["chat"], question("chat"), headers={name: KEY})

    assert upstream.requests[0].headers[name] == KEY
    assert KEY.encode() not in (tmp_path / "run.jsonl").read_bytes()


def test_what_is_said_of_a_connection_is_said_anew(tmp_path):
    path, headers = PATHS["chat"] + "?beta=true", {"accept-encoding": "gzip", "x-own": "1"}
    with Loopback(plain(chat_body("Hello"), headers={"x-request-id": "req-1"})) as upstream:
        proxy = Proxy(tmp_path / "run.jsonl", f"{upstream.url}/v1")
        with proxy() as url:
            answer = ask(url, path, question("chat"), headers=headers)

    [request] = upstream.requests
    assert request.line == "POST /v1/chat/completions?beta=true HTTP/1.1"
    assert (request.headers["accept-encoding"], request.headers["x-own"]) == ("identity", "1")
    assert request.headers["host"] == upstream.url.removeprefix("http://")
    assert answer.headers["x-request-id"] == "req-1"


def test_the_first_chunk_of_a_stream_is_there_before_the_second_is_sent(tmp_path):
    was_read = threading.Event()
    with Loopback(stream(EVENTS[0], was_read, *EVENTS[1:])) as upstream:
        proxy = Proxy(tmp_path / "run.jsonl", upstream.url)
        with proxy() as url, closing(http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)) as connection:
            connection.request("POST", PATHS["chat"], json.dumps(question("chat", stream=True)))
            response = connection.getresponse()
            first = response.read1(65536)
            was_read.set()
            rest = response.read()

    assert (first, rest) == (EVENTS[0], b"".join(EVENTS[1:]))
    assert kept(proxy) == [(200, True)]


def test_a_stream_that_its_reader_left_is_kept_as_far_as_it_came(tmp_path):
    with Loopback(stream(EVENTS[0], 9, *EVENTS[1:])) as upstream:
        proxy = Proxy(tmp_path / "run.jsonl", upstream.url)
        with proxy() as url:
            with closing(http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)) as connection:
                connection.request("POST", PATHS["chat"], json.dumps(question("chat", stream=True)))
                connection.getresponse().read1(65536)
            until(lambda: proxy.growing.exchanges)

    assert kept(proxy) == [(200, False)]
    assert [chunk.text for chunk in proxy.recording.exchanges[0].chunks] == [EVENTS[0].decode()]


def test_a_stream_that_breaks_breaks_for_the_caller_too(tmp_path):
    with Loopback(stream(EVENTS[0], 0.05, RESET)) as upstream:
        proxy = Proxy(tmp_path / "run.jsonl", upstream.url)
        with proxy() as url, pytest.raises(http.client.IncompleteRead):
            ask(url, PATHS["chat"], question("chat", stream=True))

    assert kept(proxy) == [(200, False)]


def test_an_upstream_that_is_not_there_is_said(tmp_path):
    with Loopback(plain({})) as upstream:
        pass
    proxy = Proxy(tmp_path / "run.jsonl", upstream.url)

    with proxy() as url:
        answer = ask(url, PATHS["chat"], question("chat"))

    assert (answer.status, answer.json["error"]["type"]) == (502, "fc_proxy")
    assert str(proxy.growing.failure()).startswith("the live call failed: no answer came from /v1/chat/completions")


def test_a_caller_that_leaves_before_the_answer_takes_its_request_with_it(tmp_path):
    asked, left = threading.Event(), threading.Event()

    def answer(_request):
        asked.set()
        left.wait(20)
        return plain(chat_body("too late"))

    with Loopback(answer) as upstream:
        proxy = Proxy(tmp_path / "run.jsonl", upstream.url)
        with proxy() as url:
            with closing(http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)) as connection:
                connection.request("POST", PATHS["chat"], json.dumps(question("chat")))
                asked.wait(20)
            until(lambda: proxy.growing.intake.unanswered)
            left.set()

    assert proxy.growing.exchanges == []


def test_requests_that_ask_no_model_pass_and_are_kept_beside(tmp_path):
    with Loopback(plain({"data": []}), plain(chat_body("Hello"))) as upstream:
        proxy = Proxy(tmp_path / "run.jsonl", upstream.url)
        with proxy() as url:
            models = ask(url, "/v1/models", method="GET")
            ask(url, PATHS["chat"], question("chat"))

    assert (models.status, models.json) == (200, {"data": []})
    assert upstream.requests[0].line == "GET /v1/models HTTP/1.1"
    assert proxy.growing.notes() == []
    assert [one.path for one in proxy.growing.recording.asides] == ["/v1/models"]
    assert kept(proxy) == [(200, True)]


def test_an_answer_that_is_compressed_all_the_same_is_kept_readable(tmp_path):
    raw = gzip.compress(json.dumps(chat_body("Hello")).encode())
    with Loopback(plain(raw, headers={"content-encoding": "gzip"})) as upstream:
        proxy = Proxy(tmp_path / "run.jsonl", upstream.url)
        with proxy() as url:
            answer = ask(url, PATHS["chat"], question("chat"))

    assert (answer.body, answer.headers["content-encoding"]) == (raw, "gzip")
    assert json.loads(proxy.recording.exchanges[0].body) == chat_body("Hello")


def test_tries_of_one_request_are_one_exchange(tmp_path):
    busy = plain({"error": {"message": "busy"}}, status=429, headers={"retry-after-ms": "1"})
    with Loopback(busy, plain(chat_body("Hello"))) as upstream:
        proxy = Proxy(tmp_path / "run.jsonl", upstream.url)
        with proxy() as url, openai.OpenAI(api_key="k", base_url=f"{url}/v1") as client:
            client.chat.completions.create(**question("chat"))

    assert [(one.status, one.attempts, one.retried) for one in proxy.recording.exchanges] == [(200, 2, [429])]


def echo(request):
    """Answer with what was said last, in the API's own words."""
    text = f"you said {request.json['messages'][-1]['content']}"
    return plain(messages_body(text) if request.path.endswith("/messages") else chat_body(text))


def talk(url, number):
    """Three questions in a row, in one API or the other."""
    messages = []
    with (
        openai.OpenAI(api_key="k", base_url=f"{url}/v1") as chat,
        anthropic.Anthropic(api_key="k", base_url=url) as other,
    ):
        for step in range(3):
            messages.append({"role": "user", "content": f"question {step} of {number}"})
            if number % 2:
                answer = other.messages.create(model="m", max_tokens=9, messages=messages).content[0].text
            else:
                answer = chat.chat.completions.create(model="m", messages=messages).choices[0].message.content
            messages.append({"role": "assistant", "content": answer})
    return messages


def test_eight_conversations_at_once_do_not_mix(tmp_path):
    with Loopback(echo) as upstream:
        proxy = Proxy(tmp_path / "run.jsonl", upstream.url)
        with proxy() as url, ThreadPoolExecutor(8) as pool:
            live = list(pool.map(talk, [url] * 8, range(8)))
    replay = replay_of(tmp_path / "run.jsonl")

    with serving(replay) as url, ThreadPoolExecutor(8) as pool:
        again = list(pool.map(talk, [url] * 8, range(8)))

    recording = proxy.recording
    said = [[text_of(turn) for turn in transcript_of(recording, leaf).turns] for leaf in conversations_of(recording)]
    assert sorted(said) == sorted([message["content"] for message in messages] for messages in live)
    assert again == live
    assert (replay.failures(), len(replay.given())) == ([], 24)


@pytest.mark.parametrize(
    ("base", "path", "target"),
    [
        pytest.param("", "/v1/chat/completions", "/v1/chat/completions", id="a bare address"),
        pytest.param("/v1", "/v1/chat/completions", "/v1/chat/completions", id="the same path"),
        pytest.param("/v1/", "/v1/messages", "/v1/messages", id="a slash at the end"),
        pytest.param("/v1", "/chat/completions", "/v1/chat/completions", id="no version asked"),
        pytest.param("/api/v1", "/api/v1/responses", "/api/v1/responses", id="a longer path"),
        pytest.param("/api/v1", "/v1/responses", "/api/v1/responses", id="only its version"),
        pytest.param(
            "/v1beta/openai", "/v1beta/openai/chat/completions", "/v1beta/openai/chat/completions", id="other"
        ),
        pytest.param("/gateway", "/v1/messages", "/gateway/v1/messages", id="a gateway"),
        pytest.param("/gate", "/gateway/v1/messages", "/gate/gateway/v1/messages", id="only its beginning"),
    ],
)
def test_paths_meet_the_upstreams_own(base, path, target):
    assert target_path(base, path) == target


def test_an_answer_too_large_for_a_line_reaches_the_caller_whole(tmp_path):
    film = bytes(range(256)) * 40_000
    with Loopback(plain(film), plain(chat_body("Hello"))) as upstream:
        proxy = Proxy(tmp_path / "run.jsonl", upstream.url)
        with proxy() as url:
            got = ask(url, "/v1/files/film/content", None).body
            ask(url, PATHS["chat"], question("chat"))

    assert got == film
    assert proxy.growing.notes() == [
        "not recorded, since its answer is too large for a line: /v1/files/film/content (1 time)"
    ]
    assert kept(proxy) == [(200, True)]


def test_a_request_that_the_end_cuts_off_is_said_to_be_unanswered(tmp_path):
    with Loopback([60]) as upstream, ThreadPoolExecutor(1) as asking:
        proxy = Proxy(tmp_path / "run.jsonl", upstream.url)
        with proxy() as url:
            asking.submit(ask, url, PATHS["chat"], question("chat"))
            until(lambda: upstream.requests)

    assert proxy.growing.intake.unanswered == [PATHS["chat"]]


@pytest.mark.parametrize(
    ("target", "seen"),
    [("{own}/store/film?a=1", "/store/film?a=1"), ("https://else.example.test/f", "https://else.example.test/f")],
    ids=["upstream", "elsewhere"],
)
def test_a_redirect_of_the_provider_leads_through_the_proxy_and_on_replay_to_this_machine(tmp_path, target, seen):
    def moved(request):
        return plain(b"", status=302, headers={"location": target.format(own=f"http://{request.headers['host']}")})

    with Loopback(moved, plain(chat_body("Hello"))) as upstream:
        proxy = Proxy(tmp_path / "run.jsonl", upstream.url)
        with proxy() as url:
            live = ask(url, "/v1/files/film/content", method="GET").headers["location"]
            ask(url, PATHS["chat"], question("chat"))
    with serving(replay_of(tmp_path / "run.jsonl")) as url:
        again = ask(url, "/v1/files/film/content", method="GET").headers["location"]

    assert (live, again) == (seen, seen.removeprefix("https://else.example.test"))
