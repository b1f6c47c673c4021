"""Plain Messages answers: what they mean, and what the loop makes of them."""

import json

import pytest

from harness.agent import MAX_PAUSES, Task, run
from harness.providers.anthropic_messages import DIALECT
from harness.providers.dialect import Reading
from harness.providers.scripted import Script
from harness.transcript import NO_LEDGER, AssistantTurn, Opaque, Outcome, Text, Thinking, TokenLedger, ToolCall
from harness.world import Answer


def read(body, status=200):
    return DIALECT.reading_of_body(status, body if isinstance(body, bytes) else json.dumps(body).encode())


def answer(*content, stop="end_turn", **beside):
    return {
        "id": "msg-1",
        "type": "message",
        "role": "assistant",
        "model": "m-1",
        "content": list(content),
        "stop_reason": stop,
        **beside,
    }


def tool_use(arguments, **beside):
    return {"type": "tool_use", "id": "t1", "name": "lamp", "input": arguments, **beside}


SEARCH = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "tides"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}


class Lamps:
    def execute(self, call):
        return Answer(call.name, is_error=False)

    def effects(self):
        return None


def test_all_blocks_in_their_order():
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "QUJD"}
    usage = {"input_tokens": 3, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 0, "output_tokens": 8}

    reading = read(
        answer(thinking, {"type": "text", "text": "Yes."}, tool_use({"on": True}), stop="tool_use", usage=usage)
    )

    assert reading == Reading(
        AssistantTurn(
            [
                Thinking("Hm.", {"type": "thinking", "signature": "QUJD"}),
                Text("Yes."),
                ToolCall("t1", "lamp", {"on": True}),
            ],
            TokenLedger(input=3, cache_read=20, cache_creation=0, output=8),
            "toolUse",
        ),
        model="m-1",
    )


@pytest.mark.parametrize(
    ("arguments", "call", "warnings"),
    [
        pytest.param(
            "{}", ToolCall("t1", "lamp", None, '"{}"'), ["lamp: malformed: no object but a string"], id="text"
        ),
        pytest.param(None, ToolCall("t1", "lamp", None, "null"), ["lamp: malformed: no object but null"], id="null"),
        pytest.param([1], ToolCall("t1", "lamp", None, "[1]"), ["lamp: malformed: no object but an array"], id="array"),
    ],
)
def test_an_input_that_is_no_object(arguments, call, warnings):
    reading = read(answer(tool_use(arguments), stop="tool_use"))

    assert (reading.turn.calls, reading.warnings) == ([call], warnings)


def test_a_call_without_an_id_gets_the_same_one_each_time():
    body = answer(
        {"type": "tool_use", "name": "lamp", "input": {}},
        {"type": "tool_use", "name": "lamp", "input": {}},
        stop="tool_use",
    )

    first, second = read(body).turn.calls

    assert first.id != second.id
    assert read(body).turn.calls == [first, second]


def test_fields_of_a_call_go_back_but_not_the_default_caller():
    plain, programmed = {"type": "direct"}, {"type": "code_execution", "tool_id": "s1"}

    content = read(answer(tool_use({}, caller=plain), tool_use({}, caller=programmed), stop="tool_use")).turn.content

    call = ToolCall("t1", "lamp", {})
    assert content == [call, call, Opaque("messages", {"extra": {"caller": programmed}})]


@pytest.mark.parametrize(
    ("blocks", "stop", "calls", "warnings"),
    [
        pytest.param([tool_use({})], "end_turn", 1, ["stop reason end_turn with calls"], id="end, but a call is there"),
        pytest.param([], "tool_use", 0, ["stop reason tool_use without calls"], id="tool_use, but none is there"),
        pytest.param([], "compaction", 0, ["stop reason 'compaction' is unknown"], id="an unknown reason"),
        pytest.param([], None, 0, ["no stop reason"], id="no reason"),
    ],
)
def test_the_calls_are_trusted_and_not_the_stop_reason(blocks, stop, calls, warnings):
    reading = read(answer(*blocks, stop=stop))

    assert (reading.outcome, len(reading.turn.calls), reading.warnings) == (None, calls, warnings)


def test_a_pause_is_gone_on_from_and_server_tools_are_not_ours():
    paused = read(answer({"type": "text", "text": "Searching."}, SEARCH, stop="pause_turn"))
    went_on = read(answer(FOUND, tool_use({"port": 7}), stop="tool_use"))
    script = Script([paused, went_on, read(answer({"type": "text", "text": "Saved."}))])

    transcript = run(Task("m", "", ["Save the tide."], [], {}, 9), script, Lamps())

    assert (transcript.outcome, len(script.requests)) == (Outcome.COMPLETED, 3)
    assert [call.arguments for turn in transcript.turns if isinstance(turn, AssistantTurn) for call in turn.calls] == [
        {"port": 7}
    ]
    assert (paused.server_calls, went_on.server_calls) == (["web_search"], [])
    second = DIALECT.body_of(script.requests[1])["messages"]
    assert second[1] == {"role": "assistant", "content": [{"type": "text", "text": "Searching."}, SEARCH]}


def test_pauses_without_end_are_an_error():
    paused = read(answer(SEARCH, stop="pause_turn"))

    transcript = run(Task("m", "", ["Go."], [], {}, 99), Script([paused] * 99), Lamps())

    assert transcript.outcome is Outcome.ERROR
    assert len(transcript.turns) == MAX_PAUSES + 2


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        pytest.param(
            529,
            b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
            "HTTP 529: overloaded_error: Overloaded",
            id="its own form",
        ),
        pytest.param(
            400,
            b'{"error":{"code":400,"message":"too large","type":"exceed_context_size_error"}}',
            "HTTP 400: exceed_context_size_error: too large",
            id="OpenAI's form",
        ),
        pytest.param(
            200,
            b'{"type":"error","error":{"type":"api_error","message":"Down"}}',
            "api_error: Down",
            id="with status 200",
        ),
        pytest.param(200, b'{"choices":[]}', "the answer holds no content", id="of another API"),
    ],
)
def test_what_is_no_answer_is_an_error_that_says_why(status, body, error):
    reading = read(body, status)

    assert (reading.outcome, reading.error, reading.turn) == (Outcome.ERROR, error, AssistantTurn([], NO_LEDGER))


def test_content_as_a_text():
    assert read({"content": "Hi.", "stop_reason": "end_turn"}).turn.content == [Text("Hi.")]
