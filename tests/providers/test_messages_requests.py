"""Messages requests: our words to the body, bodies of any agent to parts and turns."""

import json

import pytest

from harness import errors
from harness.providers.anthropic_messages import DIALECT
from harness.providers.dialect import Parts, Request
from harness.scenario import Tool
from harness.transcript import AssistantTurn, Opaque, Text, Thinking, ToolCall, ToolResultTurn, UserTurn

LAMP = Tool(name="lamp", description="Switch.", parameters={"type": "object", "properties": {}}, effect="write")
SENT = {"name": "lamp", "description": "Switch.", "input_schema": {"type": "object", "properties": {}}}


def body_of(*turns, system="Be brief.", tools=(), params=None):
    return DIALECT.body_of(Request("m", system, list(tools), params or {}, list(turns)))


def test_a_whole_conversation():
    turns = [
        UserTurn([Text("Light.")]),
        AssistantTurn([Text("Now."), ToolCall("a", "lamp", {"on": True}), ToolCall("b", "lamp", None, '{"on":')]),
        ToolResultTurn("b", [Text("no JSON")], is_error=True),
        ToolResultTurn("a", [Text("ok")]),
        AssistantTurn([Text("Done.")]),
        UserTurn([Text("Thanks.")]),
    ]

    assert body_of(*turns, tools=[LAMP], params={"temperature": 0}) == {
        "model": "m",
        "max_tokens": 4096,
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Light."}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Now."},
                    {"type": "tool_use", "id": "a", "name": "lamp", "input": {"on": True}},
                    {"type": "tool_use", "id": "b", "name": "lamp", "input": {"INVALID_JSON": '{"on":'}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": "ok"},
                    {"type": "tool_result", "tool_use_id": "b", "content": "no JSON", "is_error": True},
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
            {"role": "user", "content": [{"type": "text", "text": "Thanks."}]},
        ],
        "tools": [SENT],
        "temperature": 0,
    }


def test_params_set_another_limit_and_an_empty_system_is_not_sent():
    assert body_of(UserTurn([Text("Hi.")]), system="", params={"max_tokens": 9}) == {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi."}]}],
    }


def test_the_results_of_an_answer_are_one_message_in_call_order_whichever_was_done_first():
    calls = AssistantTurn([ToolCall(id_, "lamp", {}) for id_ in ("c1", "c2", "c3")])
    results = [ToolResultTurn(id_, [Text(id_)]) for id_ in ("c1", "c2", "c3")]

    bodies = [body_of(calls, *order) for order in (results, results[::-1], [results[1], results[2], results[0]])]

    assert [block["tool_use_id"] for block in bodies[1]["messages"][1]["content"]] == ["c1", "c2", "c3"]
    assert len({json.dumps(body) for body in bodies}) == 1


def test_an_empty_answer_is_left_out_and_each_request_only_adds_to_the_one_before():
    turns = [UserTurn([Text("A")]), AssistantTurn([]), UserTurn([Text("B")]), AssistantTurn([Text("C")])]

    shorter, longer = body_of(*turns[:3])["messages"], body_of(*turns)["messages"]

    assert longer[: len(shorter)] == shorter
    assert [message["role"] for message in longer] == ["user", "user", "assistant"]


def read_content(content):
    body = {"content": content, "stop_reason": "end_turn"}
    return DIALECT.reading_of_body(200, json.dumps(body).encode()).turn


@pytest.mark.parametrize(
    "content",
    [
        pytest.param([{"type": "text", "text": "Hi."}], id="text"),
        pytest.param(
            [
                {"type": "thinking", "thinking": "Hm.", "signature": "QUJD"},
                {"type": "redacted_thinking", "data": "REVG"},
            ],
            id="thinking",
        ),
        pytest.param(
            [{"type": "text", "text": "So.", "citations": [{"type": "x"}]}, {"type": "text", "text": "And."}],
            id="citations",
        ),
        pytest.param(
            [
                {"type": "server_tool_use", "id": "s", "name": "n", "input": {"q": 1}},
                {"type": "new_tool_result", "tool_use_id": "s", "content": []},
            ],
            id="server tools",
        ),
        pytest.param(
            [
                {
                    "type": "tool_use",
                    "id": "a",
                    "name": "f",
                    "input": {"x": [1, None]},
                    "caller": {"type": "code", "tool_id": "s"},
                }
            ],
            id="a call of a program",
        ),
    ],
)
def test_an_answer_goes_back_as_it_came(content):
    assert body_of(read_content(content))["messages"] == [{"role": "assistant", "content": content}]


def test_sending_an_answer_back_changes_nothing_in_it():
    turn = read_content([{"type": "tool_use", "id": "a", "name": "f", "input": {}, "caller": {"type": "code"}}])
    before = repr(turn)

    body_of(turn)

    assert repr(turn) == before


def test_blocks_of_other_apis_are_left_out():
    turn = AssistantTurn(
        [Thinking("Hm.", {"field": "reasoning"}), Thinking("Hm."), Opaque("chat", {"extra": {"a": 1}}), Text("Hi.")]
    )

    assert body_of(turn)["messages"] == [{"role": "assistant", "content": [{"type": "text", "text": "Hi."}]}]


def test_a_body_is_taken_apart():
    body = body_of(UserTurn([Text("Hi.")]), tools=[LAMP], params={"stream": True})

    assert DIALECT.parts_of(body) == Parts(
        model="m",
        system=["Be brief."],
        tools=[SENT],
        params={"max_tokens": 4096, "stream": True},
        messages=body["messages"],
    )


def test_a_system_in_parts_stays_in_parts():
    system = [{"type": "text", "text": "A", "cache_control": {"type": "ephemeral"}}]

    assert DIALECT.parts_of({"model": "m", "system": system, "messages": []}).system == system


def test_messages_of_any_agent_become_turns():
    messages = [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": [{"type": "text", "text": "See "}, {"type": "image", "source": {}}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "a",
                    "content": [{"type": "text", "text": "no"}],
                    "is_error": True,
                },
                {"type": "text", "text": "Try again."},
            ],
        },
    ]

    assert DIALECT.turns_of(messages) == [
        UserTurn([Text("Hi.")]),
        AssistantTurn([Text("Hello.")]),
        UserTurn([Text("See "), Text("[image]")]),
        AssistantTurn([ToolCall("a", "f", {})]),
        ToolResultTurn("a", [Text("no")], is_error=True),
        UserTurn([Text("Try again.")]),
    ]


@pytest.mark.parametrize("body", [{}, {"messages": "Hi."}, {"messages": None}])
def test_a_body_without_messages_is_refused(body):
    with pytest.raises(errors.UnreadableAnswer):
        DIALECT.parts_of(body)


@pytest.mark.parametrize("message", ["Hi.", {}, {"content": "Hi."}, None])
def test_a_message_without_a_role_is_refused(message):
    with pytest.raises(errors.UnreadableAnswer):
        DIALECT.turns_of([message])
