"""What a trace says of a transcript."""

import pytest

from harness.trace import Call, trace_of
from harness.transcript import (
    AssistantTurn,
    Opaque,
    Outcome,
    Text,
    Thinking,
    ToolCall,
    ToolResultTurn,
    Transcript,
    UserTurn,
)


def transcript(*turns, outcome=Outcome.COMPLETED):
    return Transcript([UserTurn([Text("go")]), *turns], outcome)


def test_calls_stand_in_written_order_with_their_results():
    turns = [
        AssistantTurn([Text("on it"), ToolCall("a", "tap", {"n": 1}), ToolCall("b", "scan", None, "{oops")]),
        ToolResultTurn("b", [Text("no object")], is_error=True),
        ToolResultTurn("a", [Text("wet "), Text("hands")]),
        AssistantTurn([ToolCall("c", "tap", {})]),
        ToolResultTurn("c", [Text("dry")]),
    ]

    trace = trace_of(transcript(*turns))

    assert trace.calls == [
        Call(0, 1, 0, "a", "tap", {"n": 1}, None, "wet hands", is_error=False),
        Call(1, 1, 1, "b", "scan", None, "{oops", "no object", is_error=True),
        Call(2, 4, 0, "c", "tap", {}, None, "dry", is_error=False),
    ]


def test_ids_that_repeat_pair_inside_their_turn():
    turns = [
        AssistantTurn([ToolCall("x", "tap", {"n": 1}), ToolCall("x", "tap", {"n": 2})]),
        ToolResultTurn("x", [Text("first")]),
        ToolResultTurn("x", [Text("second")]),
        AssistantTurn([ToolCall("x", "tap", {"n": 3})]),
        ToolResultTurn("x", [Text("third")]),
    ]

    trace = trace_of(transcript(*turns))

    assert [call.result for call in trace.calls] == ["first", "second", "third"]


def test_a_call_without_a_result_did_not_succeed():
    trace = trace_of(transcript(AssistantTurn([ToolCall("a", "tap", {})]), outcome=Outcome.TIMEOUT))

    assert trace.calls == [Call(0, 1, 0, "a", "tap", {})]
    assert not trace.calls[0].succeeded


def test_only_calls_that_were_ours_to_make_are_calls():
    """Text about tools, reasoning and what the provider ran itself are none."""
    blocks = [
        Thinking("I could call scan."),
        Opaque("messages", {"type": "server_tool_use", "name": "scan"}),
        Text('I called scan for you: {"name": "scan"}'),
        ToolCall("a", "tap", {}),
    ]

    trace = trace_of(transcript(AssistantTurn(blocks), ToolResultTurn("a", [Text("wet")])))

    assert [call.name for call in trace.calls] == ["tap"]


@pytest.mark.parametrize(
    ("outcome", "declared", "complete", "agent_error"),
    [
        pytest.param(Outcome.COMPLETED, (), True, False, id="completed"),
        pytest.param(Outcome.REFUSED, (), True, False, id="refused"),
        pytest.param(Outcome.TRUNCATED, (), False, False, id="truncated"),
        pytest.param(Outcome.INCOMPLETE, (), False, False, id="incomplete"),
        pytest.param(Outcome.ERROR, (), False, True, id="error"),
        pytest.param(Outcome.TIMEOUT, (), False, True, id="timeout"),
        pytest.param(Outcome.MAX_STEPS, (), False, True, id="max-steps"),
        pytest.param(Outcome.MAX_STEPS, (Outcome.MAX_STEPS,), True, False, id="declared-max-steps"),
        pytest.param(Outcome.TRUNCATED, (Outcome.TRUNCATED,), True, False, id="declared-truncated"),
        pytest.param(Outcome.TRUNCATED, (Outcome.MAX_STEPS,), False, False, id="another-declared"),
    ],
)
def test_how_a_conversation_ended_says_whether_it_is_whole(outcome, declared, complete, agent_error):
    trace = trace_of(transcript(AssistantTurn([Text("bye")]), outcome=outcome), declared=declared)

    assert (trace.complete, trace.agent_error) == (complete, agent_error)


def test_texts_are_told_by_role():
    turns = [
        AssistantTurn([Text("one "), Text("moment"), ToolCall("a", "tap", {})]),
        ToolResultTurn("a", [Text("wet")]),
        AssistantTurn([Text("done")]),
    ]

    trace = trace_of(transcript(*turns))

    assert [trace.texts(role) for role in ("user", "assistant", "toolResult")] == [
        ["go"],
        ["one moment", "done"],
        ["wet"],
    ]
