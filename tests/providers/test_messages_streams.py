"""Messages streams: blocks put together, inputs, signatures, ends, errors."""

import json

import pytest
from messages_wire import block, call, end, event, start, text

from harness.providers.anthropic_messages import DIALECT
from harness.providers.dialect import Reading
from harness.transcript import AssistantTurn, Opaque, Outcome, Text, Thinking, TokenLedger, ToolCall


def read(*events):
    return DIALECT.reading_of_stream(200, b"".join(events), complete=True)


def test_text_and_a_call():
    reading = read(
        start(cache_read_input_tokens=5),
        text(0, "On ", "it."),
        call(1, "t1", "ring", "", '{"ti', 'mes": 2}'),
        end("tool_use"),
    )

    assert reading == Reading(
        AssistantTurn(
            [Text("On it."), ToolCall("t1", "ring", {"times": 2})],
            TokenLedger(input=40, cache_read=5, cache_creation=None, output=12),
            "toolUse",
        ),
        model="m-1",
    )


@pytest.mark.parametrize(
    ("events", "arguments"),
    [
        pytest.param(call(0, "t", "f", '{"a":', " 1.5}"), {"a": 1.5}, id="pieces"),
        pytest.param(call(0, "t", "f", "", '{"a":1}', started={"old": 0}), {"a": 1}, id="pieces win over the start"),
        pytest.param(call(0, "t", "f", ""), {}, id="one empty piece"),
        pytest.param(call(0, "t", "f"), {}, id="no piece"),
        pytest.param(call(0, "t", "f", started={"on": True}), {"on": True}, id="all at the start"),
        pytest.param(
            call(0, "t", "f", "", started={"on": True}), {"on": True}, id="all at the start, and an empty piece"
        ),
        pytest.param(call(0, "t", "f", '{"a":1}', stopped=False), {"a": 1}, id="never stopped"),
    ],
)
def test_the_start_s_input_counts_only_where_no_pieces_come(events, arguments):
    reading = read(start(), events, end("tool_use"))

    assert (reading.outcome, reading.turn.calls) == (None, [ToolCall("t", "f", arguments)])


def test_thinking_keeps_its_signatures_and_its_place():
    raw = [
        block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "Let me "},
            {"type": "thinking_delta", "thinking": "see."},
            {"type": "signature_delta", "signature": "QUJD"},
        ),
        block(
            1, {"type": "thinking", "thinking": "", "signature": ""}, {"type": "signature_delta", "signature": "REVG"}
        ),
        block(2, {"type": "redacted_thinking", "data": "R0hJ"}),
        call(3, "t", "f", "{}"),
    ]

    assert read(start(), *raw, end("tool_use")).turn.content == [
        Thinking("Let me see.", {"type": "thinking", "signature": "QUJD"}),
        Thinking("", {"type": "thinking", "signature": "REVG"}),
        Opaque("messages", {"type": "redacted_thinking", "data": "R0hJ"}),
        ToolCall("t", "f", {}),
    ]


def test_blocks_of_server_tools_are_kept_whole_and_named():
    search = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    result = {
        "type": "web_search_tool_result",
        "tool_use_id": "s1",
        "content": [{"type": "web_search_result", "encrypted_content": "b3A="}],
    }

    reading = read(
        start(),
        block(0, search, {"type": "input_json_delta", "partial_json": '{"query":"tides"}'}),
        block(1, result),
        text(2, "High."),
        end(),
    )

    assert reading.turn.content == [
        Opaque("messages", {**search, "input": {"query": "tides"}}),
        Opaque("messages", result),
        Text("High."),
    ]
    assert (reading.server_calls, reading.turn.calls) == (["web_search"], [])


def test_citations_are_kept_beside_their_text():
    cited = [{"type": "char_location", "cited_text": "a"}, {"type": "char_location", "cited_text": "b"}]
    deltas = [{"type": "text_delta", "text": "So."}, *({"type": "citations_delta", "citation": one} for one in cited)]

    content = read(start(), block(0, {"type": "text", "text": "", "citations": []}, *deltas), end()).turn.content

    assert content == [Text("So."), Opaque("messages", {"extra": {"citations": cited}})]


def test_interleaved_blocks_and_used_labels():
    raw = [
        event("content_block_start", index=0, content_block={"type": "tool_use", "id": "a", "name": "f", "input": {}}),
        event("content_block_start", index=1, content_block={"type": "tool_use", "id": "b", "name": "f", "input": {}}),
        event("content_block_delta", index=1, delta={"type": "input_json_delta", "partial_json": '{"n":2}'}),
        event("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": '{"n":1}'}),
        call(0, "c", "f", '{"n":3}'),
    ]

    assert [one.arguments for one in read(start(), *raw, end("tool_use")).turn.calls] == [{"n": 1}, {"n": 2}, {"n": 3}]


def test_pings_and_unknown_events_are_read_over():
    raw = [start(), event("ping"), event("tomorrow", new=[1]), text(0, "Hi."), b": keep-alive\n\n", end()]

    assert read(*raw) == read(start(), text(0, "Hi."), end())


def test_an_unknown_delta_is_noted():
    reading = read(start(), block(0, {"type": "text", "text": "Hi."}, {"type": "mood_delta", "mood": "fine"}), end())

    assert (reading.turn.content, reading.warnings) == ([Text("Hi.")], ["delta 'mood_delta' is unknown"])


@pytest.mark.parametrize(
    ("stop", "outcome", "reason"),
    [
        pytest.param("end_turn", None, "stop", id="end"),
        pytest.param("stop_sequence", None, "stop", id="sequence"),
        pytest.param("pause_turn", None, "pause", id="pause"),
        pytest.param("max_tokens", Outcome.TRUNCATED, "length", id="limit"),
        pytest.param("model_context_window_exceeded", Outcome.TRUNCATED, "length", id="window"),
        pytest.param("refusal", Outcome.REFUSED, "refusal", id="refusal"),
    ],
)
def test_each_stop_reason(stop, outcome, reason):
    reading = read(start(), text(0, "half an answ"), end(stop))

    assert (reading.outcome, reading.turn.stop_reason, reading.turn.content) == (
        outcome,
        reason,
        [Text("half an answ")],
    )


def test_a_stream_that_only_stops_is_incomplete_and_keeps_what_came():
    reading = read(
        start(), text(0, "Let me"), call(1, "a", "f", '{"n":1', stopped=False), call(2, "b", "f", stopped=False)
    )

    assert reading.outcome is Outcome.INCOMPLETE
    assert reading.turn.content == [Text("Let me"), ToolCall("a", "f", None, '{"n":1'), ToolCall("b", "f", None, "")]


def test_a_stop_reason_without_the_last_event_is_incomplete():
    raw = b"".join([start(), text(0, "Hi."), end()]).removesuffix(event("message_stop"))

    assert read(raw).outcome is Outcome.INCOMPLETE


def test_a_last_event_without_its_blank_line_counts():
    assert read(b"".join([start(), text(0, "Hi."), end()]).rstrip()).outcome is None


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        pytest.param(
            event("error", error={"type": "overloaded_error", "message": "Overloaded"}),
            "overloaded_error: Overloaded",
            id="error",
        ),
        pytest.param(
            b'event: error\ndata: {"error":{"message":"bad gateway"}}\n\n', "bad gateway", id="error in OpenAI's form"
        ),
        pytest.param(b"event: error\ndata: {}\n\n", "an error without a message", id="error without words"),
        pytest.param(b"data: oops\n\n", "event 5 of the stream is no JSON", id="no JSON"),
        pytest.param(
            event("content_block_delta", index=9, delta={"type": "input_json_delta", "partial_json": "{"}),
            "cannot place fragment: no block is open at index 9",
            id="a fragment of no call",
        ),
    ],
)
def test_an_error_inside_a_stream_is_the_end_and_keeps_what_was_said(broken, reason):
    reading = read(start(), text(0, "So f"), broken, end())

    assert (reading.outcome, reading.turn.content) == (Outcome.ERROR, [Text("So f")])
    assert reading.error.startswith(reason)


def test_text_of_a_host_that_opens_no_block_is_read():
    raw = [event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece}) for piece in ("H", "i.")]

    reading = read(start(), *raw, end())

    assert (reading.turn.content, reading.warnings) == ([Text("Hi.")], ["a text block was never opened"])


def test_a_host_that_answers_whole_when_it_was_asked_to_stream():
    raw = json.dumps(
        {"type": "message", "content": [{"type": "text", "text": "Hi."}], "stop_reason": "end_turn"}
    ).encode()

    assert read(raw) == DIALECT.reading_of_body(200, raw)
    assert read(raw).turn.content == [Text("Hi.")]


def test_later_token_counts_replace_earlier_ones():
    ledger = read(
        start(), text(0, "Hi."), end(input_tokens=41, cache_creation_input_tokens=3, cache_read_input_tokens=None)
    ).turn.token_ledger

    assert ledger == TokenLedger(input=41, cache_read=None, cache_creation=3, output=12)
