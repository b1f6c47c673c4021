"""Plain Chat Completions answers: what they mean, whatever host wrote them."""

import json

import pytest

from harness.providers.dialect import Reading
from harness.providers.openai_chat import DIALECT
from harness.transcript import NO_LEDGER, AssistantTurn, Opaque, Outcome, Text, Thinking, TokenLedger, ToolCall


def read(body, status=200):
    return DIALECT.reading_of_body(status, body if isinstance(body, bytes) else json.dumps(body).encode())


def answer(message, finish="stop", **beside):
    return {
        "id": "cc-7",
        "model": "m-1",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}],
        **beside,
    }


def tool_call(arguments, id_="c1"):
    return {"id": id_, "type": "function", "function": {"name": "lamp", "arguments": arguments}}


def test_text_and_calls():
    body = answer(
        {"content": "Two.", "tool_calls": [tool_call('{"on":true}'), tool_call('{"price": 1.10}', "c2")]}, "tool_calls"
    )

    reading = read(body)

    assert reading.turn.content[:2] == [Text("Two."), ToolCall("c1", "lamp", {"on": True})]
    assert str(reading.turn.content[2].arguments["price"]) == "1.10"
    assert (reading.outcome, reading.turn.stop_reason, reading.model, reading.warnings) == (None, "toolUse", "m-1", [])


@pytest.mark.parametrize(
    ("message", "finish", "calls", "warnings"),
    [
        pytest.param(
            {"content": None, "tool_calls": [tool_call("{}")]},
            "stop",
            1,
            ["finish reason stop with calls"],
            id="stop, but a call is there",
        ),
        pytest.param(
            {"content": "Ringing.", "tool_calls": []},
            "tool_calls",
            0,
            ["finish reason tool_calls without calls"],
            id="tool_calls, but none is there",
        ),
        pytest.param(
            {"content": "", "tool_calls": None},
            "tool_calls",
            0,
            ["finish reason tool_calls without calls"],
            id="tool_calls, but null is there",
        ),
        pytest.param({"content": "Done.", "tool_calls": []}, "stop", 0, [], id="stop with an empty list"),
        pytest.param(
            {"content": "Done."}, "because", 0, ["finish reason 'because' is unknown"], id="an unknown reason"
        ),
        pytest.param({"content": "Done."}, None, 0, ["no finish reason"], id="no reason"),
    ],
)
def test_the_calls_are_trusted_and_not_the_finish_reason(message, finish, calls, warnings):
    reading = read(answer(message, finish))

    assert (reading.outcome, len(reading.turn.calls), reading.warnings) == (None, calls, warnings)


@pytest.mark.parametrize(
    ("finish", "outcome", "stop"),
    [
        pytest.param("length", Outcome.TRUNCATED, "length", id="length"),
        pytest.param("content_filter", Outcome.REFUSED, "contentFilter", id="content filter"),
        pytest.param("malformed_function_call", Outcome.ERROR, None, id="a host that failed"),
    ],
)
def test_an_answer_that_ends_the_conversation_keeps_its_calls(finish, outcome, stop):
    reading = read(answer({"content": None, "tool_calls": [tool_call("{}")]}, finish))

    assert (reading.outcome, reading.turn.stop_reason, len(reading.turn.calls)) == (outcome, stop, 1)
    assert reading.error


def test_a_refusal_is_said_and_ends_the_conversation():
    reading = read(answer({"content": None, "refusal": "I cannot help."}))

    assert (reading.outcome, reading.turn.content, reading.turn.stop_reason) == (
        Outcome.REFUSED,
        [Text("I cannot help.")],
        "refusal",
    )


def test_arguments_as_an_object_are_noted():
    reading = read(answer({"content": None, "tool_calls": [tool_call({"on": True, "level": 3})]}, "tool_calls"))

    assert reading.turn.calls == [ToolCall("c1", "lamp", {"on": True, "level": 3})]
    assert reading.warnings == ["lamp: arguments was an object"]


def test_the_native_ollama_form_gets_ids_of_its_own():
    body = {
        "model": "q",
        "message": {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": "lamp", "arguments": {"on": value}}} for value in (True, True)],
        },
        "done": True,
    }

    first, second = read(body).turn.calls

    assert (first.arguments, second.arguments) == ({"on": True}, {"on": True})
    assert first.id != second.id
    assert read(body).turn.calls == [first, second]


def test_the_legacy_form_of_one_call():
    reading = read(
        answer({"content": None, "function_call": {"name": "lamp", "arguments": '{"on":true}'}}, "function_call")
    )

    assert [(call.name, call.arguments) for call in reading.turn.calls] == [("lamp", {"on": True})]
    assert reading.turn.stop_reason == "toolUse"


def test_a_custom_tool_s_input_is_text():
    reading = read(
        answer(
            {
                "content": None,
                "tool_calls": [{"id": "c1", "type": "custom", "custom": {"name": "sum", "input": "1 + 1"}}],
            },
            "tool_calls",
        )
    )

    assert reading.turn.calls == [ToolCall("c1", "sum", None, "1 + 1")]


@pytest.mark.parametrize("name", ["lamp\n", " lamp", "functions.lamp", "lamp<|channel|>json", ""])
def test_an_odd_name_stays_as_it_was_written(name):
    call = {"id": "c1", "function": {"name": name, "arguments": "{}"}}

    assert read(answer({"content": None, "tool_calls": [call]}, "tool_calls")).turn.calls[0].name == name


def test_content_in_parts_with_thinking():
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hmm."}]},
        {"type": "text", "text": "Yes"},
        {"type": "image_url"},
    ]

    assert read(answer({"content": content})).turn.content == [
        Thinking("Hmm.", {"field": None}),
        Text("Yes[image_url]"),
    ]


def test_fields_that_a_host_wants_back_are_kept():
    details = [{"type": "reasoning.encrypted", "data": "b3BhcXVl"}]
    signed = {"google": {"thought_signature": "c2lnbmVk"}}
    call = {**tool_call("{}"), "extra_content": signed}

    content = read(
        answer({"content": None, "reasoning": "Hm.", "reasoning_details": details, "tool_calls": [call]}, "tool_calls")
    ).turn.content

    assert content == [
        Thinking("Hm.", {"field": "reasoning", "reasoning_details": details}),
        ToolCall("c1", "lamp", {}),
        Opaque("chat", {"extra": {"extra_content": signed}}),
    ]


@pytest.mark.parametrize(
    ("usage", "ledger"),
    [
        pytest.param(None, NO_LEDGER, id="none"),
        pytest.param(
            {"prompt_tokens": 9, "completion_tokens": 2},
            TokenLedger(input=9, cache_read=None, cache_creation=None, output=2),
            id="no cache",
        ),
        pytest.param(
            {"prompt_tokens": 9, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 9}},
            TokenLedger(input=0, cache_read=9, cache_creation=None, output=0),
            id="all cached",
        ),
        pytest.param(
            {"prompt_tokens": 9, "prompt_cache_hit_tokens": 4},
            TokenLedger(input=5, cache_read=4, cache_creation=None, output=None),
            id="DeepSeek",
        ),
        pytest.param({"prompt_tokens": "9", "completion_tokens": True}, NO_LEDGER, id="no counts"),
    ],
)
def test_tokens_that_came_from_the_cache_are_counted_apart(usage, ledger):
    assert read(answer({"content": "x"}, usage=usage)).turn.token_ledger == ledger


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        pytest.param(
            429,
            b'{"error":{"message":"slow down","type":"rate_limit"}}',
            "HTTP 429: rate_limit: slow down",
            id="OpenAI",
        ),
        pytest.param(
            404,
            b'[{"error":{"code":404,"message":"no model","status":"NOT_FOUND"}}]',
            "HTTP 404: no model",
            id="a list",
        ),
        pytest.param(
            400,
            b'{"object":"error","message":"too long","type":"BadRequestError"}',
            "HTTP 400: BadRequestError: too long",
            id="vLLM",
        ),
        pytest.param(
            422, b'{"detail":[{"loc":["body"],"msg":"field required"}]}', "HTTP 422: field required", id="FastAPI"
        ),
        pytest.param(400, b'{"error":"model required"}', "HTTP 400: model required", id="a text"),
        pytest.param(502, b"<html>Bad gateway</html>", "HTTP 502: <html>Bad gateway</html>", id="a page"),
        pytest.param(503, b"", "HTTP 503", id="nothing"),
        pytest.param(500, b"\xff" * 1000, "HTTP 500: " + "\ufffd" * 300 + "…", id="no text"),
        pytest.param(200, b'{"error":{"message":"upstream failed"}}', "upstream failed", id="an error with status 200"),
        pytest.param(200, b'{"choices":[]}', "the answer holds no choices", id="no choices"),
        pytest.param(200, b"[1]", "the answer is no JSON object", id="no object"),
    ],
)
def test_what_is_no_answer_is_an_error_that_says_why(status, body, error):
    assert read(body, status) == Reading(AssistantTurn([]), Outcome.ERROR, error)


def test_a_page_with_status_200_is_an_error():
    reading = read(b"<html>Log in</html>")

    assert (reading.outcome, reading.error.startswith("the answer is no JSON")) == (Outcome.ERROR, True)


def test_a_host_that_streams_unasked():
    raw = b'data: {"choices":[{"index":0,"delta":{"content":"Hi."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

    assert read(raw).turn.content == [Text("Hi.")]


def test_several_choices_and_the_first_is_read():
    choices = [{"index": at, "message": {"content": text}, "finish_reason": "stop"} for at, text in enumerate("AB")]

    reading = read({"choices": choices})

    assert (reading.turn.content, reading.warnings) == ([Text("A")], ["2 choices: only the first is read"])
