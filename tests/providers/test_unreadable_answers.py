"""Answers with a field of the wrong kind: each is an error that names it, never an empty answer or empty arguments."""

import json

import pytest

from harness.providers.dialect import dialect_of
from harness.transcript import Outcome, ToolCall

CANNOT = "the answer cannot be read: "


def events(*values):
    return b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)


def chat(message, **beside):
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], **beside}


def chat_call(call):
    return chat({"role": "assistant", "content": None, "tool_calls": [call]})


def delta(value, **beside):
    return {"choices": [{"index": 0, "delta": value, "finish_reason": None, **beside}]}


CHAT_END = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def messages(*content):
    return {"id": "m", "content": list(content), "stop_reason": "end_turn"}


MESSAGES_START = {"type": "message_start", "message": {"id": "m", "content": []}}
MESSAGES_END = [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]


def block(opened, *deltas):
    return [
        {"type": "content_block_start", "index": 0, "content_block": opened},
        *({"type": "content_block_delta", "index": 0, "delta": one} for one in deltas),
        {"type": "content_block_stop", "index": 0},
    ]


def message_stream(*inner):
    return events(MESSAGES_START, *inner, *MESSAGES_END)


def responses(*output, **beside):
    return {"id": "r", "status": "completed", "output": list(output), **beside}


def said(content):
    return {"type": "message", "role": "assistant", "content": content}


def response_stream(*inner, output=()):
    return events(*inner, {"type": "response.completed", "response": responses(*output)})


TEXT = {"type": "text", "text": ""}
USE = {"type": "tool_use", "id": "t1", "name": "lamp", "input": {}}
ARGUMENTS_DELTA = {"type": "response.function_call_arguments.delta", "item_id": "i", "delta": "{}"}
OUTPUT_DELTA = {"type": "response.output_text.delta", "item_id": "i"}
MESSAGE_ITEM = {"type": "response.output_item.added", "item": {"id": "i", "type": "message", "content": []}}

UNREADABLE = [
    ("chat", chat(None), "message of the choice is null"),
    ("chat", {"choices": [{"index": 0, "finish_reason": "stop"}]}, "message of the choice is missing"),
    ("chat", chat("Hello."), "message of the choice is a string"),
    ("chat", {"choices": [1]}, "a choice is a number"),
    ("chat", {"choices": {}}, "choices of the answer is an object"),
    ("chat", chat({"content": 5}), "content of the message is a number"),
    ("chat", chat({"content": False}), "content of the message is a boolean"),
    ("chat", chat({"content": {"text": "x"}}), "content of the message is an object"),
    ("chat", chat({"content": [{"type": "text", "text": "a"}, 5]}), "a part of the content is a number"),
    ("chat", chat({"content": [None]}), "a part of the content is null"),
    ("chat", chat({"content": [{"type": "text", "text": 7}]}), "text of a part of the content is a number"),
    ("chat", chat({"content": None, "refusal": True}), "refusal of the message is a boolean"),
    ("chat", chat({"content": None, "tool_calls": {}}), "tool_calls of the message is an object"),
    ("chat", chat({"content": None, "tool_calls": [5]}), "a call is a number"),
    ("chat", chat({"content": None, "function_call": "lamp"}), "function_call of the message is a string"),
    ("chat", chat_call({"id": 5, "function": {"name": "lamp"}}), "id of a call is a number"),
    ("chat", chat_call({"function": "lamp"}), "function of a call is a string"),
    ("chat", chat_call({"function": {"name": 6, "arguments": "{}"}}), "name of a call is a number"),
    ("chat", chat_call({"type": "custom", "custom": {"name": "sum", "input": 7}}), "input of a call is a number"),
    ("chat", events(delta(5), CHAT_END), "delta of the choice is a number"),
    ("chat", events(delta({"content": 5}), CHAT_END), "content of the message is a number"),
    ("chat", events(delta({"tool_calls": [7]}), CHAT_END), "a call is a number"),
    ("chat", events({"choices": 3}, CHAT_END), "choices of the answer is a number"),
    ("chat", events({"choices": [None]}, CHAT_END), "a choice is null"),
    ("messages", messages({"type": "text", "text": 7}), "text of a content block is a number"),
    ("messages", messages(5), "a content block is a number"),
    ("messages", messages({"text": "x"}), "type of a content block is missing"),
    ("messages", messages({"type": "tool_use", "id": "t", "input": {}}), "name of a content block is missing"),
    ("messages", messages({**USE, "name": 5}), "name of a content block is a number"),
    ("messages", messages({**USE, "id": 5}), "id of a content block is a number"),
    ("messages", events(5), "an event is a number"),
    ("messages", events({"type": 5}), "type of an event is a number"),
    ("messages", events({"type": "message_start", "message": 5}), "message of an event is a number"),
    ("messages", message_stream(*block(None)), "a content block is null"),
    ("messages", message_stream(*block({"type": "text", "text": 5})), "text of a content block is a number"),
    ("messages", message_stream(*block(TEXT, {"type": "text_delta", "text": 5})), "text of a delta is a number"),
    (
        "messages",
        message_stream(*block(TEXT, {"type": "input_json_delta", "partial_json": "{}"})),
        "a block of type text goes on with input_json_delta",
    ),
    (
        "messages",
        message_stream(*block(USE, {"type": "text_delta", "text": "x"})),
        "a block of type tool_use goes on with text_delta",
    ),
    (
        "messages",
        message_stream(*block(USE, {"type": "input_json_delta", "partial_json": None})),
        "partial_json of a delta is null",
    ),
    ("responses", responses(5), "an item of the output is a number"),
    ("responses", {"status": "completed", "output": {}}, "output of the answer is an object"),
    ("responses", {"status": 5, "output": []}, "status of the answer is a number"),
    ("responses", responses(said(None)), "content of an item of the output is null"),
    ("responses", responses(said(5)), "content of an item of the output is a number"),
    ("responses", responses(said([7])), "a part of a message is a number"),
    ("responses", responses(said([{"type": "output_text", "text": 7}])), "text of a part of a message is a number"),
    ("responses", responses(said([{"type": "output_text"}])), "text of a part of a message is missing"),
    ("responses", responses({"type": "function_call", "arguments": "{}"}), "name of an item of the output is missing"),
    (
        "responses",
        responses({"type": "custom_tool_call", "name": "sum", "input": 7}),
        "input of an item of the output is a number",
    ),
    ("responses", response_stream(5), "an event is a number"),
    (
        "responses",
        response_stream({"type": "response.output_item.done", "item": 5}),
        "item of an event is a number",
    ),
    (
        "responses",
        response_stream(MESSAGE_ITEM, {**OUTPUT_DELTA, "delta": 5}),
        "delta of event response.output_text.delta is a number",
    ),
    (
        "responses",
        response_stream(MESSAGE_ITEM, ARGUMENTS_DELTA),
        "an item of type message goes on with response.function_call_arguments.delta",
    ),
    ("responses", response_stream(output=[said(5)]), "content of an item of the output is a number"),
]


def read(api, answer):
    if isinstance(answer, bytes):
        return dialect_of(api).reading_of_stream(200, answer, complete=True)
    return dialect_of(api).reading_of_body(200, json.dumps(answer).encode())


def id_of(row):
    api, answer, reason = row
    return f"{api} {'stream' if isinstance(answer, bytes) else 'body'}: {reason}"


@pytest.mark.parametrize(("api", "answer", "reason"), [pytest.param(*row, id=id_of(row)) for row in UNREADABLE])
def test_a_field_of_the_wrong_kind_makes_an_answer_unreadable(api, answer, reason):
    reading = read(api, answer)

    assert (reading.outcome, reading.error) == (Outcome.ERROR, CANNOT + reason)


@pytest.mark.parametrize(
    ("api", "stream", "reason"),
    [
        pytest.param("chat", events(7, CHAT_END), "event 1 of the stream is no object but a number", id="chat"),
        pytest.param(
            "chat", events({"choices": []}) + b"data: [DONE]\n\n", "the stream held no answer", id="chat, done"
        ),
        pytest.param("messages", events({"type": "message_stop"}), "the stream held no answer", id="messages"),
        pytest.param("responses", events({"type": "response.completed"}), "the stream held no answer", id="responses"),
    ],
)
def test_a_stream_without_an_answer_is_an_error(api, stream, reason):
    reading = read(api, stream)

    assert (reading.outcome, reading.error) == (Outcome.ERROR, reason)


def called(arguments):
    return chat_call({"id": "c1", "function": {"name": "lamp", "arguments": arguments}})


def piece(**function):
    return delta({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "lamp", **function}}]})


def function_call(**arguments):
    return responses({"type": "function_call", "call_id": "c1", "name": "lamp", **arguments})


def use(**given):
    return {"type": "tool_use", "id": "c1", "name": "lamp", **given}


NULL = ("null", "no object but null")
SEVERAL = "the arguments came in several forms"


@pytest.mark.parametrize(
    ("api", "answer", "raw", "reason"),
    [
        pytest.param("chat", called(None), *NULL, id="chat null"),
        pytest.param("chat", called([]), "[]", "no object but an array", id="chat list"),
        pytest.param("chat", called(0), "0", "no object but a number", id="chat number"),
        pytest.param("chat", events(piece(arguments=None), CHAT_END), *NULL, id="chat stream null"),
        pytest.param(
            "chat", events(piece(arguments="{}"), piece(arguments={"on": True}), CHAT_END),
            '["{}",{"on":true}]', SEVERAL, id="chat stream text, then an object",
        ),
        pytest.param(
            "chat", events(piece(arguments={"on": True}), piece(arguments={"on": False}), CHAT_END),
            '[{"on":true},{"on":false}]', SEVERAL, id="chat stream two objects",
        ),
        pytest.param("messages", messages(use(input=None)), *NULL, id="messages null"),
        pytest.param("messages", messages(use(input="{}")), '"{}"', "no object but a string", id="messages text"),
        pytest.param("messages", messages(use()), "", "the call had no input", id="messages missing"),
        pytest.param("messages", message_stream(*block(use(input=None))), *NULL, id="messages stream null"),
        pytest.param("responses", function_call(arguments=None), *NULL, id="responses null"),
        pytest.param("responses", function_call(), "", "the call had no arguments", id="responses missing"),
        pytest.param("responses", function_call(arguments=[1]), "[1]", "no object but an array", id="responses list"),
    ],
)  # fmt: skip
def test_arguments_of_the_wrong_kind_are_kept_as_text_and_never_empty(api, answer, raw, reason):
    reading = read(api, answer)

    assert reading.turn.calls == [ToolCall("c1", "lamp", None, raw)]
    assert f"lamp: malformed: {reason}" in reading.warnings


@pytest.mark.parametrize(
    ("api", "answer", "note"),
    [
        pytest.param("chat", chat({"content": "x"}, usage=[1]), "usage of the answer is an array", id="chat usage"),
        pytest.param("chat", chat({"content": "x"}, model=5), "model of the answer is a number", id="chat model"),
        pytest.param(
            "chat", events(delta({"content": "x"}, finish_reason=5), CHAT_END), "finish_reason of the choice is a number",
            id="chat finish",
        ),
        pytest.param(
            "chat", chat({"content": "x", "reasoning": 5}), "reasoning of the message is a number", id="chat thinking"
        ),
        pytest.param("messages", messages() | {"usage": 5}, "usage of the answer is a number", id="messages usage"),
        pytest.param(
            "messages", messages() | {"stop_reason": 5}, "stop_reason of the answer is a number", id="messages stop"
        ),
        pytest.param("responses", responses(model=5), "model of the answer is a number", id="responses model"),
        pytest.param("responses", responses(status="odd"), "status 'odd' is unknown", id="responses status"),
    ],
)  # fmt: skip
def test_what_stands_beside_the_answer_in_the_wrong_kind_is_noted(api, answer, note):
    reading = read(api, answer)

    assert reading.outcome is None
    assert note in reading.warnings


@pytest.mark.parametrize(
    ("api", "answer"),
    [
        pytest.param("chat", events(piece(arguments=None), piece(arguments="{}"), CHAT_END), id="chat null, then text"),
        pytest.param("chat", called({}), id="chat object"),
        pytest.param("messages", message_stream(*block(use(input={}))), id="messages"),
        pytest.param("responses", function_call(arguments={}), id="responses object"),
    ],
)
def test_arguments_that_are_an_empty_object_are_one(api, answer):
    assert read(api, answer).turn.calls[0].arguments == {}
