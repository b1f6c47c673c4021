"""Recorded answers at a loopback address: the bytes that were recorded, or a refusal that says why."""

import http.client
import json
import time

import openai
import pytest
from loopback import RESET, Loopback, plain, stream
from servers import PATHS, ask, question, recorded, replay_of, serving
from spoken import chat_body, chat_events, messages_body, messages_events

RESPONSES_BODY = {
    "id": "resp-1", "object": "response", "status": "completed", "model": "m-answered",
    "output": [{"type": "message", "id": "msg-1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "Hello", "annotations": []}]}],
}  # fmt: skip
RESPONSES_EVENTS = [
    b"event: response.output_text.delta\ndata: " + json.dumps({"type": "response.output_text.delta", "delta": "Hello"}).encode() + b"\n\n",
    b"event: response.completed\ndata: " + json.dumps({"type": "response.completed", "response": RESPONSES_BODY}).encode() + b"\n\n",
]  # fmt: skip
PLAIN = {"chat": chat_body("Hello"), "messages": messages_body("Hello"), "responses": RESPONSES_BODY}
EVENTS = {"chat": chat_events(["Hel", "lo"]), "messages": messages_events(["Hel", "lo"]), "responses": RESPONSES_EVENTS}
APIS = sorted(PATHS)


def slowly(events):
    """Send each event when the one before it was surely read."""
    return [step for event in events for step in (event, 0.02)]


def record(path, *asked, answers):
    with Loopback(*answers) as upstream, recorded(path, upstream.url) as url:
        return [ask(url, PATHS[api], body) for api, body in asked]


def record_hello(path, **named):
    return record(path, ("chat", question("chat", **named)), answers=[plain(chat_body("Hello"))])


@pytest.mark.parametrize("api", APIS)
def test_a_plain_answer_is_served_as_it_was(tmp_path, api):
    [live] = record(tmp_path / "run.jsonl", (api, question(api)), answers=[plain(PLAIN[api])])
    replay = replay_of(tmp_path / "run.jsonl")

    with serving(replay) as url:
        again = ask(url, PATHS[api], question(api))

    assert (again.status, again.body, again.headers["content-type"]) == (200, live.body, "application/json")
    assert replay.failures() == []


@pytest.mark.parametrize("api", APIS)
def test_a_stream_is_served_chunk_by_chunk(tmp_path, api):
    events = EVENTS[api]
    [live] = record(tmp_path / "run.jsonl", (api, question(api, stream=True)), answers=[stream(*slowly(events))])
    replay = replay_of(tmp_path / "run.jsonl")

    with serving(replay) as url:
        again = ask(url, PATHS[api], question(api, stream=True))

    assert live.chunks == again.chunks == events
    assert again.headers["content-type"] == "text/event-stream"
    assert replay.failures() == []


def test_another_base_path_is_as_good(tmp_path):
    record_hello(tmp_path / "run.jsonl")

    with serving(replay_of(tmp_path / "run.jsonl")) as url:
        again = ask(url, "/some/proxy/v3/chat/completions?x=1", question("chat"))

    assert again.json == chat_body("Hello")


def test_a_request_that_was_not_recorded_is_told_what_differs(tmp_path):
    record_hello(tmp_path / "run.jsonl", text="Where is parcel K7?")
    replay = replay_of(tmp_path / "run.jsonl")

    with serving(replay) as url:
        answer = ask(url, PATHS["chat"], question("chat", text="Where is parcel K8?"))

    assert (answer.status, answer.headers["x-should-retry"]) == (404, "false")
    assert answer.json == {
        "type": "error",
        "error": {
            "type": "fc_replay_miss",
            "code": "CONVERSATION",
            "message": "CONVERSATION: the conversation is not the recorded one\n"
            "  at        messages[0].content\n"
            "  recorded  Where is parcel «K7»?\n"
            "  sent      Where is parcel «K8»?\n"
            "  in        run.jsonl, exchange 0\n"
            "record again: record-it-again",
        },
    }
    assert [drift.category for drift in replay.failures()] == ["CONVERSATION"]


def test_no_official_sdk_asks_again_after_a_miss(tmp_path):
    record_hello(tmp_path / "run.jsonl")
    replay = replay_of(tmp_path / "run.jsonl")

    def agent(url):
        with openai.OpenAI(api_key="k", base_url=f"{url}/v1") as client:
            client.chat.completions.create(**question("chat", text="hello"))

    with serving(replay) as url, pytest.raises(openai.NotFoundError, match="CONVERSATION"):
        agent(url)

    assert replay.requests == 1


def test_a_miss_stays_though_the_next_request_is_answered(tmp_path):
    record_hello(tmp_path / "run.jsonl")
    replay = replay_of(tmp_path / "run.jsonl")

    with serving(replay) as url:
        statuses = [ask(url, PATHS["chat"], question("chat", text=text)).status for text in ("hello", "hi")]

    assert statuses == [404, 200]
    assert [drift.category for drift in replay.failures()] == ["CONVERSATION"]


def test_a_changed_system_prompt_is_answered_and_noted(tmp_path):
    record_hello(tmp_path / "run.jsonl", system="Be brief.")
    replay = replay_of(tmp_path / "run.jsonl")

    with serving(replay) as url:
        answer = ask(url, PATHS["chat"], question("chat", system="Be very brief."))

    assert answer.json == chat_body("Hello")
    assert [(drift.category, drift.served) for drift in replay.failures()] == [("PROMPT", True)]


def test_what_was_never_asked_for_is_unplayed(tmp_path):
    asked = [("chat", question("chat", text=text)) for text in ("one", "two")]
    record(tmp_path / "run.jsonl", *asked, answers=[plain(chat_body("Hello"))])
    replay = replay_of(tmp_path / "run.jsonl")

    with serving(replay) as url:
        ask(url, PATHS["chat"], asked[0][1])

    assert [(drift.category, drift.exchange) for drift in replay.failures()] == [("UNPLAYED", 1)]


def test_a_refusal_of_the_provider_is_served_without_its_wait(tmp_path):
    busy = plain({"error": {"message": "busy"}}, status=429, headers={"retry-after": "7"})
    path = tmp_path / "run.jsonl"
    with Loopback(busy, plain(chat_body("Hello"))) as upstream, recorded(path, upstream.url) as url:
        statuses = [ask(url, PATHS["chat"], question("chat")).status for _ in range(2)]
    replay = replay_of(path)

    with serving(replay) as url, openai.OpenAI(api_key="k", base_url=f"{url}/v1") as client:
        start = time.monotonic()
        answer = client.chat.completions.create(**question("chat"))
        took = time.monotonic() - start

    assert statuses == [429, 200]
    assert answer.choices[0].message.content == "Hello"
    assert (replay.failures(), took < 5) == ([], True)


def test_a_stream_that_was_left_ends_where_it_was_left(tmp_path):
    path = _record_left_stream(tmp_path)
    replay = replay_of(path)

    with serving(replay) as url:
        first = _read_once(url)

    assert first == EVENTS["chat"][0]
    assert replay.failures() == []


def test_a_reader_that_wants_more_of_a_stream_that_was_left_is_cut_off(tmp_path):
    path = _record_left_stream(tmp_path)
    replay = replay_of(path)

    with serving(replay, leaving=0.05) as url, pytest.raises(http.client.IncompleteRead):
        ask(url, PATHS["chat"], question("chat", stream=True))

    assert [drift.category for drift in replay.failures()] == ["EXHAUSTED"]


def test_a_stream_that_broke_breaks_again_at_once_and_nothing_has_drifted(tmp_path):
    first, *_ = EVENTS["chat"]
    with (
        Loopback(stream(first, RESET)) as upstream,
        recorded(tmp_path / "run.jsonl", upstream.url) as url,
        pytest.raises(http.client.IncompleteRead),
    ):
        ask(url, PATHS["chat"], question("chat", stream=True))
    replay = replay_of(tmp_path / "run.jsonl")

    with serving(replay, leaving=60) as url, pytest.raises(http.client.IncompleteRead):
        ask(url, PATHS["chat"], question("chat", stream=True))

    assert replay.failures() == []


def _record_left_stream(tmp_path):
    first, *_ = EVENTS["chat"]
    path = tmp_path / "run.jsonl"
    with Loopback(stream(first, 5)) as upstream, recorded(path, upstream.url) as url:
        assert _read_once(url) == first
    return path


def _read_once(url):
    """Read the first chunk of a stream, then leave."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)
    connection.request("POST", PATHS["chat"], json.dumps(question("chat", stream=True)))
    chunk = connection.getresponse().read1(65536)
    connection.close()
    return chunk


def test_recorded_waits_are_spent_on_wish(tmp_path):
    steps = [EVENTS["chat"][0], 1.5, *EVENTS["chat"][1:]]
    record(tmp_path / "run.jsonl", ("chat", question("chat", stream=True)), answers=[stream(*steps)])

    def seconds(**options):
        with serving(replay_of(tmp_path / "run.jsonl"), **options) as url:
            start = time.monotonic()
            ask(url, PATHS["chat"], question("chat", stream=True))
            return time.monotonic() - start

    assert seconds() < 1.4 <= seconds(recorded_waits=True)


def test_several_recordings_are_served_as_one_and_named_in_the_report(tmp_path):
    for name in ("one", "two"):
        record_hello(tmp_path / f"{name}.jsonl", text=name)
    replay = replay_of(tmp_path / "one.jsonl", tmp_path / "two.jsonl")

    with serving(replay) as url:
        statuses = [ask(url, PATHS["chat"], question("chat", text=text)).status for text in ("two", "one")]
        drifted = ask(url, PATHS["chat"], question("chat", text="two", model="other"))

    assert statuses == [200, 200]
    assert "in        two.jsonl, exchange 0" in drifted.json["error"]["message"]


def test_the_root_says_how_far_the_replay_has_come(tmp_path):
    asked = [("chat", question("chat", text=text)) for text in ("one", "two")]
    record(tmp_path / "run.jsonl", *asked, answers=[plain(chat_body("Hello"))])

    with serving(replay_of(tmp_path / "run.jsonl")) as url:
        ask(url, PATHS["chat"], asked[0][1])
        ask(url, PATHS["chat"], asked[0][1])
        told = ask(url, "/", method="GET").json

    assert [drift.pop("category") for drift in told["drifts"]] == ["EXHAUSTED"]
    assert {**told, "drifts": []} == {"recording": "run.jsonl", "requests": 2, "given": 1, "exchanges": 2, "drifts": []}


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"host": "evil.example:8910"}, id="a name that was rebound to this machine"),
        pytest.param({"host": "10.0.0.7"}, id="another machine's address"),
        pytest.param({"host": "127.0.0.1.evil.example"}, id="a name that begins like this machine"),
        pytest.param({"origin": "https://evil.example"}, id="a web page"),
        pytest.param({"origin": "null"}, id="a web page without an origin"),
    ],
)
def test_strangers_are_refused(tmp_path, headers):
    record_hello(tmp_path / "run.jsonl")
    replay = replay_of(tmp_path / "run.jsonl")

    with serving(replay) as url:
        answer = ask(url, PATHS["chat"], question("chat"), headers=headers)

    assert (answer.status, answer.json["error"]["type"], replay.requests) == (403, "fc_refused", 0)


@pytest.mark.parametrize("host", ["localhost", "localhost:8910", "127.0.0.1:1", "[::1]:8910", "LOCALHOST"])
def test_this_machine_is_answered_by_each_of_its_names(tmp_path, host):
    record_hello(tmp_path / "run.jsonl")

    with serving(replay_of(tmp_path / "run.jsonl")) as url:
        answer = ask(url, PATHS["chat"], question("chat"), headers={"host": host})

    assert answer.status == 200


def test_a_request_without_end_is_refused(tmp_path):
    record_hello(tmp_path / "run.jsonl")
    replay = replay_of(tmp_path / "run.jsonl")

    with serving(replay) as url:
        answer = ask(url, PATHS["chat"], b"x" * (32 * 1024 * 1024 + 1))

    assert (answer.status, answer.json["error"]["type"], replay.requests) == (413, "fc_too_large", 0)
