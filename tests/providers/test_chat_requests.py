"""Chat Completions requests: our words to the body, bodies of any agent to parts and turns."""

import json

import pytest

from harness import errors
from harness.providers.dialect import Parts, Request
from harness.providers.openai_chat import DIALECT
from harness.scenario import Tool
from harness.transcript import AssistantTurn, Opaque, Text, Thinking, ToolCall, ToolResultTurn, UserTurn

LAMP = Tool(
    name="lamp",
    description="Switch.",
    parameters={"type": "object", "properties": {"on": {"type": "boolean", "x-ref": "lamps"}}},
    effect="write",
)
SENT = {
    "type": "function",
    "function": {
        "name": "lamp",
        "description": "Switch.",
        "parameters": {"type": "object", "properties": {"on": {"type": "boolean"}}},
    },
}


def body_of(*turns, system="Be brief.", tools=(), params=None):
    return DIALECT.body_of(Request("m", system, list(tools), params or {}, list(turns)))


def test_a_whole_conversation():
    turns = [
        UserTurn([Text("Light.")]),
        AssistantTurn([Text("Now."), ToolCall("a", "lamp", {"on": True}), ToolCall("b", "lamp", None, '{"on":')]),
        ToolResultTurn("b", [Text("no JSON")], is_error=True),
        ToolResultTurn("a", [Text("ok")]),
        AssistantTurn([ToolCall("c", "lamp", {})]),
        ToolResultTurn("c", [Text("ok")]),
    ]

    assert body_of(*turns, tools=[LAMP], params={"temperature": 0, "stream": True}) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Light."},
            {
                "role": "assistant",
                "content": "Now.",
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "lamp", "arguments": '{"on":true}'}},
                    {"id": "b", "type": "function", "function": {"name": "lamp", "arguments": '{"on":'}},
                ],
            },
            {"role": "tool", "tool_call_id": "a", "content": "ok"},
            {"role": "tool", "tool_call_id": "b", "content": "no JSON"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c", "type": "function", "function": {"name": "lamp", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "c", "content": "ok"},
        ],
        "tools": [SENT],
        "temperature": 0,
        "stream": True,
    }


def test_what_is_not_there_is_not_sent():
    assert body_of(UserTurn([Text("Hi.")]), system="") == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi."}],
    }


def test_the_bytes_are_the_same_whichever_tool_was_done_first():
    calls = AssistantTurn([ToolCall(id_, "lamp", {}) for id_ in "abc"])
    results = [ToolResultTurn(id_, [Text(id_)]) for id_ in "abc"]

    bodies = {
        json.dumps(body_of(calls, *order)) for order in (results, results[::-1], [results[1], results[2], results[0]])
    }

    assert len(bodies) == 1


def read_message(message):
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    return DIALECT.reading_of_body(200, json.dumps(body).encode()).turn


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"role": "assistant", "content": "Hi."}, id="text"),
        pytest.param({"role": "assistant", "content": ""}, id="nothing"),
        pytest.param({"role": "assistant", "content": "Yes.", "reasoning_content": "Hm."}, id="reasoning"),
        pytest.param(
            {
                "role": "assistant",
                "content": "Yes.",
                "reasoning": "Hm.",
                "reasoning_details": [{"type": "x", "data": "b3A="}],
            },
            id="opaque reasoning",
        ),
        pytest.param(
            {"role": "assistant", "content": "Yes.", "extra_content": {"google": {"a": 1}}}, id="fields of the message"
        ),
        pytest.param(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "a",
                        "type": "function",
                        "function": {"name": "lamp", "arguments": '{"on":true}'},
                        "extra_content": {"google": {"thought_signature": "c2ln"}},
                    },
                    {"id": "b", "type": "custom", "custom": {"name": "sum", "input": "1+1"}},
                ],
            },
            id="fields of a call, and a custom one",
        ),
    ],
)
def test_an_answer_goes_back_as_it_came(message):
    assert body_of(read_message(message), system="")["messages"] == [message]


def test_blocks_of_other_apis_are_left_out():
    turn = AssistantTurn(
        [
            Thinking("Hm.", {"type": "thinking", "signature": "c2ln"}),
            Opaque("messages", {"type": "redacted_thinking"}),
            Text("Hi."),
        ]
    )

    assert body_of(turn, system="")["messages"] == [{"role": "assistant", "content": "Hi."}]


def test_a_body_is_taken_apart():
    body = body_of(UserTurn([Text("Hi.")]), tools=[LAMP], params={"seed": 1})

    assert DIALECT.parts_of(body) == Parts(
        model="m",
        system=[{"role": "system", "content": "Be brief."}],
        tools=[SENT],
        params={"seed": 1},
        messages=[{"role": "user", "content": "Hi."}],
    )


def test_only_leading_instructions_are_the_system():
    messages = [
        {"role": "developer", "content": "A"},
        {"role": "system", "content": "B"},
        {"role": "user", "content": "C"},
        {"role": "system", "content": "D"},
    ]

    parts = DIALECT.parts_of({"model": "m", "messages": messages, "functions": [{"name": "f"}]})

    assert (parts.system, parts.messages, parts.tools) == (messages[:2], messages[2:], [{"name": "f"}])


def test_messages_of_any_agent_become_turns():
    messages = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "See "}, {"type": "image_url", "image_url": {"url": "u"}}],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "ok"}]},
        {"role": "system", "content": "Hurry."},
        {"role": "assistant", "function_call": {"name": "g", "arguments": "{}"}},
        {"role": "function", "name": "g", "content": "done"},
    ]

    turns = DIALECT.turns_of(messages)

    legacy = turns[4].calls[0]
    assert turns == [
        UserTurn([Text("See [image_url]")]),
        AssistantTurn([ToolCall("a", "f", {})]),
        ToolResultTurn("a", [Text("ok")]),
        UserTurn([Text("Hurry.")]),
        AssistantTurn([ToolCall(legacy.id, "g", {})]),
        ToolResultTurn(legacy.id, [Text("done")]),
    ]


@pytest.mark.parametrize("body", [{}, {"messages": "Hi."}, {"messages": None}])
def test_a_body_without_messages_is_refused(body):
    with pytest.raises(errors.UnreadableAnswer):
        DIALECT.parts_of(body)


@pytest.mark.parametrize("message", ["Hi.", {}, {"content": "Hi."}, None])
def test_a_message_without_a_role_is_refused(message):
    with pytest.raises(errors.UnreadableAnswer):
        DIALECT.turns_of([message])
