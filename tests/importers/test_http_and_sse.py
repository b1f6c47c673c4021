"""Raw HTTP captures and bare streams become recordings."""

import json

import pytest
from imports import SHARED, format_of, import_of, real_files, said_in, transcripts_of

from harness.importers.tally import Tally
from harness.transcript import Outcome

STREAM = b"".join(
    f"data: {json.dumps({'id': 'cc-1', 'choices': [choice]})}\n\n".encode()
    for choice in ({"index": 0, "delta": {"content": "Low."}}, {"index": 0, "delta": {}, "finish_reason": "stop"})
)


def asked(said, **beside):
    body = json.dumps({"model": "m-1", "messages": said, **beside})
    head = ["POST /v1/chat/completions HTTP/1.1", "Host: 127.0.0.1:8080", "Authorization: Bearer abc", "User-Agent: OpenAI/Python 3.1.0"]  # fmt: skip
    return "\r\n".join([*head, f"Content-Length: {len(body)}", "", body]).encode()


def told(message, finish="stop", *, status="200 OK"):
    body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": finish}]})
    return f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def chunked(*chunks, end=True):
    body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + (b"0\r\n\r\n" if end else b"")
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + body


USER = {"role": "user", "content": "Tide?"}
CALL = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}


def test_captures_of_a_directory_are_linked_in_the_order_of_their_names():
    second = asked([USER, CALLING, {"role": "tool", "tool_call_id": "c1", "content": "low"}])

    result = import_of(
        b"",
        **{
            "2.response.http": told({"role": "assistant", "content": "Low."}),
            "1.request.http": asked([USER]),
            "1.response.http": told(CALLING, "tool_calls"),
            "2.request.http": second,
        },
    )

    [recording] = result.recordings
    assert said_in(result) == [("user", "Tide?"), ("assistant", "", ("tide", {})), ("result", "low"), ("assistant", "Low.")]  # fmt: skip
    assert (recording.header.provider, recording.header.host) == ("local", "127.0.0.1:8080")
    assert recording.header.versions == {"openai": "3.1.0"}
    assert b"Bearer" not in result.lines


def test_a_file_may_hold_a_request_and_its_response():
    result = import_of(asked([USER]) + b"\n" + told({"role": "assistant", "content": "Low."}))

    assert result.format == "http"
    assert said_in(result) == [("user", "Tide?"), ("assistant", "Low.")]


def test_the_chunks_of_a_stream_are_kept_one_for_one():
    result = import_of(asked([USER], stream=True) + chunked(STREAM[:30], STREAM[30:]))

    [recording] = result.recordings
    [exchange] = recording.exchanges
    assert [chunk.text.encode() for chunk in exchange.chunks] == [STREAM[:30], STREAM[30:]]
    assert exchange.complete


@pytest.mark.parametrize(
    "response",
    [
        pytest.param(chunked(STREAM[:80], end=False), id="no last chunk"),
        pytest.param(chunked(STREAM[:80])[:-40], id="cut inside a chunk"),
        pytest.param(told({"role": "assistant", "content": "Low."})[:-10], id="shorter than its length"),
    ],
)
def test_an_answer_that_broke_off_is_incomplete(response):
    result = import_of(asked([USER]) + response)

    [recording] = result.recordings
    assert not recording.exchanges[0].complete
    assert recording.end.outcome is Outcome.INCOMPLETE


def test_a_request_without_an_answer_is_counted():
    result = import_of(asked([USER]))

    assert (result.recordings, result.left_out) == ([], {"a request without an answer": 1})


def test_a_bare_stream_is_an_answer_to_an_unknown_request():
    result = import_of(STREAM)

    assert result.format == "sse"
    assert said_in(result) == [("assistant", "Low.")]
    assert result.notes == {"an answer whose request was not kept": 1}


@pytest.mark.parametrize("raw", [b"data: hello\n\n", b"event: ping\n\n", b"HTTP is a protocol", b"POST it"], ids=repr)
def test_other_texts_are_not_taken_for_exchanges(raw):
    assert format_of(raw) is None


@pytest.mark.parametrize(
    "raw", [b"POST / HTTP/1.1\r\n" + b"\x00" * 50, b"POST / HTTP/1.1\r\n\r\nHTTP/1.1 200\n", chunked(b"x")], ids=repr
)
def test_broken_captures_are_no_crash(raw):
    assert import_of(raw, "http").recordings == []


@pytest.mark.skipif(not SHARED.exists(), reason="the captures of a real model are not here")
def test_real_captures_are_read_without_loss():
    parts = {name.rpartition("/")[2]: raw for name, raw in real_files("local-model", ".http")}

    result = import_of(b"", **parts)

    assert result.seen == result.written == Tally(exchanges=88, calls=63, results=31, errors=6)
    assert result.left_out == {
        "POST /v1/messages/count_tokens": 1,
        "POST /v1/nope": 1,
        "a request without an answer": 2,
    }
    assert max(len(one.turns) for one in transcripts_of(result)) == 14


@pytest.mark.skipif(not SHARED.exists(), reason="the streams of other projects are not here")
def test_real_bare_streams_are_read():
    for name, raw in real_files("wire", ".txt"):
        result = import_of(raw)

        assert result.seen == result.written, name
        assert len(transcripts_of(result)) == 1, name
