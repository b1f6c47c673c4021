"""Chat Completions streams: calls put together by their labels, ends, errors, habits of hosts."""

import json

import pytest
from chat_wire import call, calls, chunk, read, said, stream

from harness.providers.dialect import Reading
from harness.providers.openai_chat import DIALECT
from harness.transcript import AssistantTurn, Outcome, Text, Thinking, TokenLedger, ToolCall


def test_text_and_a_call_in_pieces():
    raw = stream(
        chunk({"role": "assistant", "content": "Sure"}),
        chunk({"content": ", now."}),
        calls(call(0, "c1", "ring", "")),
        calls(call(0, arguments='{"times"')),
        calls(call(0, arguments=": 2}")),
        chunk(
            finish="tool_calls",
            usage={"prompt_tokens": 30, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 10}},
        ),
        finish=None,
    )

    assert read(raw) == Reading(
        AssistantTurn(
            [Text("Sure, now."), ToolCall("c1", "ring", {"times": 2})],
            TokenLedger(input=20, cache_read=10, cache_creation=None, output=9),
            "toolUse",
        ),
        model="m-1",
    )


def test_done_without_a_finish_reason_is_usable_and_noted():
    reading = read(stream(calls(call(0, "a", "f", '{"n":1}')), finish=None))

    assert (reading.outcome, said(reading), reading.warnings) == (None, [("a", "f", {"n": 1})], ["no finish reason"])


@pytest.mark.parametrize("complete", [True, False])
def test_a_stream_that_only_stops_is_incomplete(complete):
    raw = stream(chunk({"content": "Let me"}), calls(call(0, "a", "f", '{"n":1')), finish=None, done=False)

    reading = DIALECT.reading_of_stream(200, raw, complete=complete)

    assert reading.outcome is Outcome.INCOMPLETE
    assert reading.turn.content == [Text("Let me"), ToolCall("a", "f", None, '{"n":1')]


def test_a_call_whose_arguments_never_came_is_no_empty_object_in_a_broken_stream():
    reading = read(stream(calls(call(0, "a", "f", "")), finish=None, done=False))

    assert reading.turn.calls == [ToolCall("a", "f", None, "")]


def test_a_reader_who_left_after_the_finish_reason_has_the_whole_answer():
    raw = stream(chunk({"content": "Hi."}), finish="stop", done=False)

    assert DIALECT.reading_of_stream(200, raw, complete=False).outcome is None


def test_an_event_cut_at_the_end_is_dropped_and_one_whole_is_kept():
    whole = chunk({"content": "Hi."}, finish="stop")

    assert read(whole.rstrip()).turn.content == [Text("Hi.")]
    assert read(whole[:-20]).outcome is Outcome.INCOMPLETE


def test_chunks_without_choices_and_comments_are_read_over():
    raw = b": PROCESSING\n\n" + stream(
        b'data: {"choices":[],"prompt_filter_results":[]}\n\n',
        b"event: ping\ndata: {}\n\n",
        chunk({"content": "Hi."}, finish="stop"),
        b'data: {"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":2,"total_tokens":6}}\n\n',
        finish=None,
    )

    reading = read(raw)

    assert (reading.outcome, reading.turn.content) == (None, [Text("Hi.")])
    assert reading.turn.token_ledger == TokenLedger(input=4, cache_read=None, cache_creation=None, output=2)


def test_other_choices_are_left_and_noted():
    raw = stream(
        chunk({"content": "B"}, index=1), chunk({"content": "A"}), chunk(finish="stop", index=1), finish="stop"
    )

    reading = read(raw)

    assert (reading.turn.content, reading.warnings) == ([Text("A")], ["2 choices: only the first is read"])


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        pytest.param(b'data: {"error":{"message":"overloaded","code":502}}\n\n', "overloaded", id="an error object"),
        pytest.param(b'event: error\ndata: {"error":"busy"}\n\n', "busy", id="an error event"),
        pytest.param(
            b'data: {"object":"error","message":"too long","type":"BadRequest"}\n\n',
            "BadRequest: too long",
            id="an object that is one",
        ),
        pytest.param(chunk(finish="error"), "finish reason error", id="a finish reason"),
        pytest.param(
            b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"error","error":{"message":"gone"}}]}\n\n',
            "gone",
            id="a choice",
        ),
        pytest.param(
            b"data: {not json}\n\n",
            "event 2 of the stream is no JSON",
            id="no JSON",
        ),
        pytest.param(
            b'data: {"choices":[{"delta":{"content":"\xff"}}]}\n\n',
            "event 2 of the stream is no JSON",
            id="no UTF-8",
        ),
    ],
)
def test_an_error_inside_a_stream_is_the_end_and_keeps_what_was_said(event, reason):
    reading = read(chunk({"content": "So f"}) + event + b"data: [DONE]\n\n")

    assert reading.outcome is Outcome.ERROR
    assert reading.error.startswith(reason)
    assert reading.turn.content == [Text("So f")]


def test_a_stream_that_says_nothing_is_an_error():
    assert read(b"data: [DONE]\n\n").outcome is Outcome.ERROR
    assert read(b"").outcome is Outcome.INCOMPLETE


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_of_compatible_hosts_is_thinking(field):
    raw = stream(chunk({field: "Hm"}), chunk({field: "m."}), chunk({"content": "Yes."}), finish="stop")

    assert read(raw).turn.content == [Thinking("Hmm.", {"field": field}), Text("Yes.")]


def test_a_refusal_in_pieces():
    reading = read(stream(chunk({"refusal": "I can"}), chunk({"refusal": "not."}), finish="stop"))

    assert (reading.outcome, reading.turn.stop_reason, reading.turn.content) == (
        Outcome.REFUSED,
        "refusal",
        [Text("I cannot.")],
    )


def test_lines_of_the_native_ollama_api():
    events = [
        {"model": "q", "message": {"role": "assistant", "content": "Two "}, "done": False},
        {
            "model": "q",
            "message": {
                "role": "assistant",
                "content": "lamps.",
                "tool_calls": [{"function": {"name": "lamp", "arguments": {"on": True}}}],
            },
            "done": False,
        },
        {
            "model": "q",
            "message": {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"function": {"name": "lamp", "arguments": {"on": False}}}],
            },
            "done": False,
        },
        {
            "model": "q",
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 11,
            "eval_count": 5,
        },
    ]

    reading = read(b"".join(json.dumps(event).encode() + b"\n" for event in events))

    assert [block.text for block in reading.turn.content if isinstance(block, Text)] == ["Two lamps."]
    assert [(one.name, one.arguments) for one in reading.turn.calls] == [
        ("lamp", {"on": True}),
        ("lamp", {"on": False}),
    ]
    assert reading.turn.token_ledger == TokenLedger(input=11, cache_read=None, cache_creation=None, output=5)
    assert (reading.outcome, reading.model) == (None, "q")


def test_a_host_that_answers_whole_when_it_was_asked_to_stream():
    raw = b'{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}]}'

    assert read(raw) == DIALECT.reading_of_body(200, raw)
    assert read(raw).turn.content == [Text("Hi.")]


def test_separators_of_other_worlds_are_text():
    text = "one\u2028two\u2029three\x85four"
    raw = stream(
        b"data: "
        + json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}, ensure_ascii=False).encode()
        + b"\n\n",
        finish="stop",
    )

    assert read(raw).turn.content == [Text(text)]
