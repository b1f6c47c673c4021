"""A secret does not survive in a stream, however it is cut; everything else keeps its bytes and its borders."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spoken import chat_events, messages_events

from harness.providers.dialect import dialect_of
from harness.transcript import text_of
from harness.wire.redact import Edit, Redactor, edited
from harness.wire.redact_stream import scrubbed_chunks

KEY = "sk-ant-api03-FAKEfakeFAKEfake0123456789"
NAME = "[secret:anthropic-key:1]"


def cut(raw, size):
    return [raw[at : at + size] for at in range(0, len(raw), size)]


def reading_of(api, chunks):
    return dialect_of(api).reading_of_stream(200, b"".join(chunks), complete=True)


def test_a_stream_without_secrets_keeps_every_byte_and_border():
    chunks = cut(b"".join(chat_events(["箱→北 🚚", " done"], [("c1", "find", '{"code": "K7-11"}')])), 37)

    assert scrubbed_chunks(chunks, Redactor(["known value 1"])) == chunks


@pytest.mark.parametrize("size", [1, 7, 37, 100_000])
def test_a_secret_across_chunk_borders_is_found(size):
    raw = b"".join(chat_events([f"it is {KEY} now"]))

    chunks = scrubbed_chunks(cut(raw, size), Redactor())

    assert len(chunks) == len(cut(raw, size))
    assert b"".join(chunks) == raw.replace(KEY.encode(), NAME.encode())


@pytest.mark.parametrize("api", ["chat", "messages"])
@pytest.mark.parametrize("size", [1, 3, 11])
def test_a_secret_that_is_streamed_letter_by_letter_is_found(api, size):
    texts = cut(f"it is {KEY} now, and {KEY} again", size)
    events = chat_events(texts) if api == "chat" else messages_events(texts)

    chunks = scrubbed_chunks(events, Redactor())

    assert len(chunks) == len(events)
    assert text_of(reading_of(api, chunks).turn) == f"it is {NAME} now, and {NAME} again"
    assert reading_of(api, chunks).turn.token_ledger == reading_of(api, events).turn.token_ledger


@pytest.mark.parametrize("api", ["chat", "messages"])
def test_a_secret_field_in_streamed_arguments_is_found(api):
    arguments = {"user": "ann", "password": 'hun"ter 22', "pin": 12345678, "api_key": "F1", "n": 1.50}
    if api == "chat":
        events = chat_events(calls=[("c1", "log_in", json.dumps(arguments)), ("c2", "log_in", '{"password": "x y"}')])
    else:
        events = messages_events(calls=[("c1", "log_in", arguments), ("c2", "log_in", {"password": "x y"})])

    first, second = reading_of(api, scrubbed_chunks(events, Redactor())).turn.calls

    assert first.arguments == arguments | {"password": "[secret:password:1]", "api_key": "[secret:api-key:1]"}
    assert second.arguments == {"password": "[secret:password:2]"}


def test_a_known_value_with_escapes_is_found_piece_by_piece():
    value = 'two "words" here'
    events = chat_events(calls=[("c1", "say", json.dumps({"text": f"<{value}>"}))])

    [call] = reading_of("chat", scrubbed_chunks(events, Redactor([value]))).turn.calls

    assert call.arguments == {"text": "<[secret:value:1]>"}


def test_texts_of_different_places_are_not_joined():
    events = [
        b'data: {"choices":[{"index":0,"delta":{"content":"sk-ant-api03-FAKE"}},{"index":1,"delta":{"content":"other"}}]}\n\n',
        b'data: {"choices":[{"index":1,"delta":{"content":" words"}},{"index":0,"delta":{"content":"fakeFAKEfake0123"}}]}\n\n',
    ]

    assert b"".join(scrubbed_chunks(events, Redactor())) == (
        b'data: {"choices":[{"index":0,"delta":{"content":"[secret:anthropic-key:1]"}},{"index":1,"delta":{"content":"other"}}]}\n\n'
        b'data: {"choices":[{"index":1,"delta":{"content":" words"}},{"index":0,"delta":{"content":""}}]}\n\n'
    )


def test_what_is_no_event_is_scrubbed_as_bytes():
    chunks = [b": " + KEY[:10].encode(), KEY[10:].encode() + b"\n\n", b"data: not json " + KEY.encode(), b"\xff\n\n"]

    assert scrubbed_chunks(chunks, Redactor()) == [
        b": " + NAME.encode(),
        b"\n\n",
        b"data: not json " + NAME.encode(),
        b"\xff\n\n",
    ]


@given(st.binary(max_size=60), st.integers(1, 9), st.data())
def test_edits_keep_the_number_of_chunks_and_all_other_bytes(raw, size, data):
    chunks = cut(raw, size)
    points = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6, unique=True)))
    edits = [Edit(start, end, b"<>") for start, end in zip(points[::2], points[1::2], strict=False)]

    after = edited(chunks, edits)

    expected, at = b"", 0
    for edit in edits:
        expected += raw[at : edit.start] + edit.text
        at = edit.end
    assert len(after) == len(chunks)
    assert b"".join(after) == (expected + raw[at:] if chunks else b"")
