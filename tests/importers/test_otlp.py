"""Spans of calls to models become recordings, whichever instrumentation wrote them."""

import json

import pytest
from imports import import_of, said_in
from spans import LOW, REASONING, RESPONSE, TEXT, TOOL_CALL, attribute, export, new_span, parts, span, told

from harness.importers.tally import Tally
from harness.transcript import Outcome

CALL = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": '{"port": 7}'}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
USER = {"role": "user", "content": "Tide?"}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "low"}
SAID = [("user", "Tide?"), ("assistant", "", ("tide", {"port": 7})), ("result", "low"), ("assistant", "Low.")]


FIRST = new_span(1, [parts("user", TEXT)], parts("assistant", REASONING, TOOL_CALL, finish_reason="tool_call"))
SECOND = new_span(
    2,
    [parts("user", TEXT), parts("assistant", REASONING, TOOL_CALL), parts("tool", RESPONSE)],
    parts("assistant", LOW, finish_reason="stop"),
)
NUMBERED = (
    span(
        1,
        {
            "gen_ai.system": "openai",
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content": "Tide?",
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.finish_reason": "tool_calls",
            "gen_ai.completion.0.tool_calls.0.id": "c1",
            "gen_ai.completion.0.tool_calls.0.name": "tide",
            "gen_ai.completion.0.tool_calls.0.arguments": '{"port": 7}',
            "llm.request.functions.0.name": "tide",
            "llm.request.functions.0.parameters": '{"type": "object"}',
            "gen_ai.usage.prompt_tokens": 9,
        },
    ),
    span(
        2,
        {
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content": "Tide?",
            "gen_ai.prompt.1.role": "assistant",
            "gen_ai.prompt.1.tool_calls.0.id": "c1",
            "gen_ai.prompt.1.tool_calls.0.name": "tide",
            "gen_ai.prompt.1.tool_calls.0.arguments": '{"port": 7}',
            "gen_ai.prompt.2.role": "tool",
            "gen_ai.prompt.2.tool_call_id": "c1",
            "gen_ai.prompt.2.content": "low",
            "gen_ai.completion.0.content": "Low.",
        },
    ),
)


EVENTS = (
    span(
        1,
        {"gen_ai.operation.name": "chat"},
        events=[
            told("gen_ai.user.message", content="Tide?"),
            told("gen_ai.choice", index="0", finish_reason="tool_calls", message={"tool_calls": [CALL]}),
        ],
    ),
    span(
        2,
        {"gen_ai.operation.name": "chat"},
        events=[
            told("gen_ai.user.message", content="Tide?"),
            told("gen_ai.assistant.message", tool_calls=[CALL]),
            told("gen_ai.tool.message", content="low", id="c1"),
            told("gen_ai.choice", finish_reason="stop", message={"content": "Low."}),
        ],
    ),
)
WHOLE = (
    span(
        1, {"gen_ai.prompt": json.dumps([USER]), "gen_ai.completion": json.dumps([CALLING])}
    ),
    span(
        2,
        {
            "gen_ai.prompt": json.dumps([USER, CALLING, {"role": "tool", "id": "c1", **RESULT}]),
            "gen_ai.completion": json.dumps([{"role": "assistant", "content": "Low."}]),
        },
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    "spans", [(FIRST, SECOND), NUMBERED, EVENTS], ids=["parts", "numbered attributes", "events"]
)  # fmt: skip
def test_spans_of_any_age_say_the_same(spans):
    result = import_of(export(*spans))

    [recording] = result.recordings
    assert (result.format, said_in(result)) == ("otlp", SAID)
    assert recording.header.recorded_at == "2023-11-14T22:13:21.000Z"
    assert result.seen == result.written


def test_messages_in_one_attribute_are_read():
    assert said_in(import_of(export(*WHOLE)))[:2] == SAID[:2]


def test_events_beside_their_span_are_read():
    record = {
        "spanId": "s1",
        "attributes": [attribute("event.name", "gen_ai.user.message")],
        "body": {"kvlistValue": {"values": [attribute("content", "Tide?")]}},
    }
    choice = {
        "spanId": "s1",
        "eventName": "gen_ai.choice",
        "body": {"kvlistValue": {"values": [{"key": "message", "value": {"kvlistValue": {"values": [attribute("content", "Low.")]}}}]}},
    }  # fmt: skip
    logs = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record, choice]}]}]})
    raw = export(span(1, {"gen_ai.operation.name": "chat"})) + "\n" + logs + "\n"

    assert said_in(import_of(raw)) == [("user", "Tide?"), ("assistant", "Low.")]


def test_what_a_tool_gave_stands_on_its_own_span():
    tool = span(
        2,
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "no port"},
        status={"code": 2},
    )

    result = import_of(export(FIRST, tool, span(3, {"gen_ai.operation.name": "invoke_agent"})))

    assert said_in(result) == [*SAID[:2], ("error", "no port")]
    assert result.left_out == {"a span of invoke_agent": 1}
    assert result.seen == result.written == Tally(exchanges=1, calls=1, results=1, thinking=1)


def around(number, **beside):
    """An agent's span, which says what was asked of it and what it said at last."""
    told = {"gen_ai.input.messages": json.dumps([parts("user", TEXT)]), "gen_ai.operation.name": "invoke_agent"}
    return span(number, told | {"gen_ai.output.messages": json.dumps([parts("assistant", LOW)])}, **beside)


def test_an_agents_span_is_no_call_beside_those_that_it_is_made_of():
    result = import_of(export(around(0), FIRST, SECOND))

    assert said_in(result) == SAID
    assert result.left_out == {"a span of invoke_agent": 1}


def test_an_agents_span_alone_is_a_call():
    result = import_of(export(around(0, traceId="other"), FIRST, SECOND))

    assert [len(one.exchanges) for one in result.recordings] == [1, 2]
    assert result.left_out == {}


def test_a_span_that_is_no_object_is_counted():
    result = import_of(export("span", FIRST, SECOND))

    assert said_in(result) == SAID
    assert result.left_out == {"a span that is no object": 1}


def test_a_failed_call_is_an_error():
    failed = span(
        1,
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": json.dumps([parts("user", TEXT)]),
            "error.type": "429",
        },
        status={"code": 2, "message": "slow down"},
    )

    [recording] = import_of(export(failed)).recordings

    assert (recording.end.outcome, recording.end.error) == (Outcome.ERROR, "HTTP 500: 429: slow down")


def test_a_call_whose_messages_were_not_kept_is_counted():
    result = import_of(export(span(1, {"gen_ai.operation.name": "chat"}), span(2, {"http.method": "GET"})))

    assert result.left_out == {"a call to a model whose messages were not kept": 1, "a span chat 2": 1}
