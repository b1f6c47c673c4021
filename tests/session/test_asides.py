"""Requests that ask no model: recorded beside the exchanges, answered again on replay."""

import json
from contextlib import suppress

import httpx
import httpx2
import pytest
from loopback import Loopback, plain
from spoken import chat_body, messages_body
from weather_agent import QUESTION, anthropic_for, openai_for

from harness import errors
from harness.files import load_journal
from harness.session.runs import record, replay

MODELS = {"object": "list", "data": [{"id": "m-test", "object": "model", "created": 0, "owned_by": "someone"}]}
HELLO = plain(chat_body("Hello"))


def chat(client):
    return client.chat.completions.create(model="m-test", messages=[QUESTION])


def test_a_list_of_models_is_asked_for_before_and_after_and_replays(tmp_path):
    def run(client):
        return [[one.id for one in client.models.list()], chat(client).model, [one.id for one in client.models.list()]]

    path = tmp_path / "run.jsonl"
    with Loopback(plain(MODELS), HELLO, plain(MODELS)) as server, record(path) as fc:
        live = run(openai_for(fc, f"{server.url}/v1"))
        notes = fc.notes()

    with replay(path) as fc:
        again = run(openai_for(fc))

    assert again == live == [["m-test"], "m-answered", ["m-test"]]
    assert notes == []
    (recording,) = load_journal(path).recordings
    assert [(one.after, one.method, one.path) for one in recording.asides] == [
        (0, "GET", "/v1/models"),
        (1, "GET", "/v1/models"),
    ]


def count(client, text):
    return client.messages.count_tokens(model="m-test", messages=[{"role": "user", "content": text}]).input_tokens


@pytest.fixture
def counted(tmp_path):
    """A recording of two counts, then a message."""
    counts = [plain({"input_tokens": 7}), plain({"input_tokens": 9})]
    with Loopback(*counts, plain(messages_body("Hello"))) as server, record(tmp_path / "run.jsonl") as fc:
        client = anthropic_for(fc, server.url)
        assert [count(client, "one"), count(client, "two")] == [7, 9]
        client.messages.create(model="m-test", max_tokens=9, messages=[QUESTION])
    return tmp_path / "run.jsonl"


def test_each_count_of_tokens_is_the_one_of_its_text_in_any_order_and_as_often_as_asked(counted):
    with replay(counted) as fc:
        client = anthropic_for(fc)
        counts = [count(client, text) for text in ("two", "one", "two")]
        client.messages.create(model="m-test", max_tokens=9, messages=[QUESTION])

    assert counts == [9, 7, 9]


def test_none_has_to_be_asked_for(counted):
    with replay(counted) as fc:
        anthropic_for(fc).messages.create(model="m-test", max_tokens=9, messages=[QUESTION])


def test_a_count_of_another_text_is_told_with_its_first_difference(counted):
    with pytest.raises(errors.AgentDiverged) as caught, replay(counted) as fc, suppress(Exception):
        count(anthropic_for(fc), "three")

    assert "CONVERSATION: POST /v1/messages/count_tokens does not send what was recorded" in str(caught.value)
    assert "three" in str(caught.value)


def test_what_was_never_asked_is_named(counted):
    with pytest.raises(errors.AgentDiverged, match="nothing is recorded of GET /v1/models"), replay(counted) as fc:
        fc.http_client().get("https://api.example.test/v1/models?limit=5")


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
def test_pages_of_a_list_are_told_apart_by_their_query(tmp_path, library):
    path = tmp_path / "run.jsonl"
    with Loopback(plain({"page": 1}), plain({"page": 2}), HELLO) as server, record(path) as fc:
        client = fc.http_client(library)
        assert [client.get(f"{server.url}/v1/files?page={page}").json()["page"] for page in (1, 2)] == [1, 2]
        chat(openai_for(fc, f"{server.url}/v1"))

    with replay(path) as fc:
        client = fc.http_client(library)
        pages = [client.get(f"https://api.example.test/api/v1/files?page={page}").json()["page"] for page in (2, 1)]
        chat(openai_for(fc))

    assert pages == [2, 1]


def test_bytes_that_are_no_text_come_again(tmp_path):
    path, sound = tmp_path / "run.jsonl", bytes(range(256))
    answer = plain(sound, headers={"content-type": "audio/mpeg"})
    with Loopback(answer, HELLO) as server, record(path) as fc:
        fc.http_client().post(f"{server.url}/v1/audio/speech", json={"input": "hi"})
        chat(openai_for(fc, f"{server.url}/v1"))

    with replay(path) as fc:
        again = fc.http_client().post("https://api.example.test/v1/audio/speech", json={"input": "hi"})
        chat(openai_for(fc))

    assert (again.content, again.headers["content-type"]) == (sound, "audio/mpeg")


def test_a_run_of_nothing_else_is_no_run_of_an_agent(tmp_path):
    def run():
        with Loopback(plain(MODELS)) as server, record(tmp_path / "run.jsonl") as fc:
            fc.http_client().get(f"{server.url}/v1/models")

    with pytest.raises(errors.NotIntercepted) as caught:
        run()

    assert str(caught.value) == (
        "no request to a model passed the recorder: nothing was recorded\n"
        "  found:    not recorded, since no model was asked beside it: /v1/models (1 time)"
    )


@pytest.fixture
def uploaded(tmp_path):
    """A recording of two uploads, then a chat."""
    answers = [plain({"id": "file-1"}), plain({"id": "file-2"}), HELLO]
    with Loopback(*answers) as server, record(tmp_path / "run.jsonl") as fc:
        client = openai_for(fc, f"{server.url}/v1")
        assert [upload(client, raw) for raw in (b"\x00\xff one", b"two")] == ["file-1", "file-2"]
        chat(client)
    return tmp_path / "run.jsonl"


def upload(client, raw):
    return client.files.create(file=("orders.bin", raw), purpose="user_data").id


def test_each_upload_gets_the_answer_of_its_bytes(uploaded):
    with replay(uploaded) as fc:
        client = openai_for(fc)
        again = [upload(client, raw) for raw in (b"two", b"\x00\xff one")]
        chat(client)

    assert again == ["file-2", "file-1"]
    assert b"orders.bin" not in uploaded.read_bytes()


def test_an_upload_of_other_bytes_has_drifted(uploaded):
    with pytest.raises(errors.AgentDiverged) as caught, replay(uploaded) as fc, suppress(Exception):
        upload(openai_for(fc), b"three")

    assert "CONVERSATION: POST /v1/files does not send what was recorded: its bytes are others" in str(caught.value)


def test_a_key_inside_an_upload_may_be_another_one(tmp_path):
    key = "sk-proj-{}0123456789abcdefghijABCDEFGHIJ"
    path = tmp_path / "run.jsonl"
    with Loopback(plain({"ok": 1}), HELLO) as server, record(path) as fc:
        fc.http_client().post(f"{server.url}/v1/token", data={"grant": "x", "key": key.format("one")})
        chat(openai_for(fc, f"{server.url}/v1"))

    with replay(path) as fc:
        url = "https://api.example.test/v1/token"
        again = fc.http_client().post(url, data={"grant": "x", "key": key.format("two")})
        chat(openai_for(fc))

    assert again.json() == {"ok": 1}
    assert b"abcdefghij" not in path.read_bytes()


def test_an_answer_too_large_for_a_line_reaches_the_program_whole_and_is_said_not_to_be_recorded(tmp_path):
    path, whole = tmp_path / "run.jsonl", bytes(range(256)) * 40_000
    with Loopback(plain(whole), HELLO) as server, record(path) as fc:
        got = fc.http_client().get(f"{server.url}/v1/files/film/content").content
        chat(openai_for(fc, f"{server.url}/v1"))
        notes = fc.notes()

    assert got == whole
    assert notes == ["not recorded, since its answer is too large for a line: /v1/files/film/content (1 time)"]


def test_an_answer_of_a_model_too_large_for_a_line_reaches_the_program_whole_and_fails_the_recording(tmp_path):
    words, got = "word " * 2_000_000, []

    def run():
        with Loopback(plain(chat_body(words))) as server, record(tmp_path / "run.jsonl") as fc:
            got.append(chat(openai_for(fc, f"{server.url}/v1")).choices[0].message.content)

    with pytest.raises(errors.LineTooLong, match="the answer cannot be written: it takes more than 8388608 bytes"):
        run()

    assert got == [words]


def test_no_secret_of_such_a_request_or_its_answer_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOP_API_KEY", "a-value-of-the-shop-81")
    path = tmp_path / "run.jsonl"
    answer = plain({"note": "a-value-of-the-shop-81"})
    with Loopback(answer, HELLO) as server, record(path) as fc:
        secret = {"input": "a-value-of-the-shop-81"}
        fc.http_client().post(f"{server.url}/v1/embeddings?key=a-value-of-the-shop-81", json=secret)
        chat(openai_for(fc, f"{server.url}/v1"))

    with replay(path) as fc:
        other = {"input": "a-value-of-the-shop-81"}
        again = fc.http_client().post("https://api.example.test/v1/embeddings?key=a-value-of-the-shop-81", json=other)
        chat(openai_for(fc))

    assert again.status_code == 200
    assert b"shop-81" not in path.read_bytes()
    assert json.loads(again.content)["note"] != ""


@pytest.fixture
def listed(tmp_path):
    """A recording of one page of a list, then a chat."""
    with Loopback(plain({"page": 1}), HELLO) as server, record(tmp_path / "run.jsonl") as fc:
        fc.http_client().get(f"{server.url}/v1/files?limit=2&key=a-key-of-the-caller-81&order=asc")
        chat(openai_for(fc, f"{server.url}/v1"))
    return tmp_path / "run.jsonl"


def test_the_order_of_a_query_says_nothing(listed):
    with replay(listed) as fc:
        again = fc.http_client().get("https://api.example.test/v1/files?order=asc&limit=2&key=another-key-of-it-82")
        chat(openai_for(fc))

    assert again.json() == {"page": 1}
    assert b"caller-81" not in listed.read_bytes()


def test_another_query_is_told_with_its_first_difference(listed):
    def run():
        with replay(listed) as fc:
            fc.http_client().get("https://api.example.test/v1/files?order=asc&limit=3&key=another-key-of-it-82")

    with pytest.raises(errors.AgentDiverged) as caught:
        run()

    assert "CONVERSATION: GET /v1/files has another query than recorded" in str(caught.value)
    assert "limit=«3»" in str(caught.value)
    assert "of-it-82" not in str(caught.value)


@pytest.mark.parametrize("body", [b"no json", b"[1]", b'{"model":"m-test"}'], ids=["bytes", "list", "no messages"])
def test_a_request_that_no_provider_understands_is_refused_again(tmp_path, body):
    path, refusal = tmp_path / "run.jsonl", plain({"error": {"message": "what?"}}, status=400)

    def run(fc, url):
        answer = fc.http_client().post(f"{url}/v1/chat/completions", content=body)
        chat(openai_for(fc, f"{url}/v1"))
        return answer.status_code, answer.json()

    with Loopback(refusal, HELLO) as server, record(path) as fc:
        live = run(fc, server.url)
    with replay(path) as fc:
        again = run(fc, "https://api.example.test")

    assert again == live == (400, {"error": {"message": "what?"}})
    assert load_journal(path).recordings[0].header.model == "m-test"


def test_a_redirect_is_followed_again(tmp_path):
    path = tmp_path / "run.jsonl"

    def run(fc, url):
        got = fc.http_client().get(f"{url}/v1/files/film/content").content
        chat(openai_for(fc, f"{url}/v1"))
        return got

    moved = plain(b"", status=302, headers={"location": "/store/film?X-Amz-Signature=0123456789abcdef"})
    with Loopback(moved, plain(b"film"), HELLO) as server, record(path) as fc:
        live = run(fc, server.url)
    with replay(path) as fc:
        again = run(fc, "https://api.example.test")

    assert again == live == b"film"
    assert b"0123456789abcdef" not in path.read_bytes()
