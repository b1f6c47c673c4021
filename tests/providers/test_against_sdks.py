"""Our assemblers against the official SDKs: the same calls out of the same bytes, or a reason why not."""

import json

import pytest
from wire_material import material

from harness.providers.dialect import dialect_of
from harness.transcript import Outcome, text_of

MATERIAL = material()
PLAIN = 400

# Part of the exchange's name: why the SDK gives something else, or nothing.
EXCEPTIONS = {
    "mistral_v1_chat_completions_post_20aaaaf3": "content is a list of parts with the model's thinking, which openai passes on",
    "azure_chat_completion_streamed": "openai's stream helper fails at a choice without a delta",
    "test_ollama_streaming_chat": "lines of the native Ollama API, which openai does not speak",
    "test_openai/test_invalid_response": "an answer without choices, which openai passes on",
    "incomplete_partial_json_response": "anthropic completes arguments that were cut off; we keep them as they came",
}


def ours(one):
    dialect = dialect_of(one.api)
    if one.streamed:
        return dialect.reading_of_stream(one.status, one.answer, complete=True)
    return dialect.reading_of_body(one.status, one.answer)


def client_of(sdk, one):
    import httpx2

    kind = "text/event-stream" if one.streamed else "application/json"

    def handle(request):
        return httpx2.Response(200, headers={"content-type": kind}, content=one.answer, request=request)

    return sdk(
        api_key="none", base_url="http://127.0.0.1:9", http_client=httpx2.Client(transport=httpx2.MockTransport(handle))
    )


def said_by_openai(one):
    import openai

    client = client_of(openai.OpenAI, one)
    asked = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    if one.streamed:
        with client.chat.completions.stream(**asked) as stream:
            answer = stream.get_final_completion()
    else:
        answer = client.chat.completions.create(**asked)
    message = answer.choices[0].message
    calls = [(call.id, *written_in(call)) for call in message.tool_calls or []]
    if message.function_call:
        calls.append((None, message.function_call.name, json.loads(message.function_call.arguments)))
    return (message.content or "") + (message.refusal or ""), calls


def written_in(call):
    if call.type == "custom":
        return call.custom.name, call.custom.input
    return call.function.name, loaded(call.function.arguments)


def loaded(text):
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


def said_by_anthropic(one):
    import anthropic

    client = client_of(anthropic.Anthropic, one)
    asked = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}
    if one.streamed:
        with client.messages.stream(**asked) as stream:
            answer = stream.get_final_message()
    else:
        answer = client.messages.create(**asked)
    text = "".join(block.text for block in answer.content if block.type == "text")
    return text, [(block.id, block.name, block.input) for block in answer.content if block.type == "tool_use"]


def said_by_us(one):
    turn = ours(one).turn
    calls = []
    for call in turn.calls:
        id_ = None if call.id.startswith("made_up_") else call.id
        calls.append((id_, call.name, call.raw_arguments if call.arguments is None else call.arguments))
    return text_of(turn), calls


def differs(one):
    try:
        theirs = said_by_openai(one) if one.api == "chat" else said_by_anthropic(one)
    except Exception as error:  # noqa: BLE001  an SDK that cannot read an answer gives another one than we
        return f"the SDK raises {type(error).__name__}: {error}"
    return None if theirs == said_by_us(one) else f"the SDK gives {theirs}, we give {said_by_us(one)}"


pytestmark = pytest.mark.skipif(not MATERIAL, reason="the real material is not here")


def test_every_answer_is_read():
    unread = [one.name for one in MATERIAL if one.status < PLAIN and ours(one).outcome is Outcome.ERROR]

    assert [name for name in unread if "test_openai/test_invalid_response" not in name] == []


def test_every_failure_says_its_reason():
    silent = [one.name for one in MATERIAL if one.status >= PLAIN and not (ours(one).error or "").startswith("HTTP ")]

    assert silent == []


def test_every_request_is_taken_apart():
    for one in MATERIAL:
        if isinstance(one.request, dict):
            dialect = dialect_of(one.api)
            parts = dialect.parts_of(one.request)

            turns = dialect.turns_of(parts.messages)

            assert len(turns) >= len(parts.messages)


def test_the_calls_are_those_of_the_official_sdk():
    found = {one.name: differs(one) for one in MATERIAL if one.status < PLAIN}

    unexplained = {name: why for name, why in found.items() if why and not any(part in name for part in EXCEPTIONS)}
    assert unexplained == {}
    assert len(found) >= 200


def test_every_exception_is_one():
    found = {one.name: differs(one) for one in MATERIAL if any(part in one.name for part in EXCEPTIONS)}

    assert [name for name, why in found.items() if not why] == []
    assert [part for part in EXCEPTIONS if not any(part in name for name in found)] == []
