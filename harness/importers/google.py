"""Native calls of Google's API (`generateContent`) as Chat Completions, so that one dialect reads both."""

from collections import Counter, deque

from harness.importers.found import Captured
from harness.importers.traffic import is_google, split
from harness.providers.failure import FIRST_ERROR_STATUS
from harness.providers.fields import count_at, list_at, object_at, objects_of, text_at
from harness.providers.sse import events_of, is_stream
from harness.value import Json, JsonObject, NotJsonError, decode, encode

_STOPS = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "MALFORMED_FUNCTION_CALL": "malformed_function_call",
}
_TAKEN = {"contents", "systemInstruction", "system_instruction", "tools"}


class _Ids:
    """Ids for calls that have none: they count over the conversation, and answers take them by name in order."""

    def __init__(self) -> None:
        self.count = 0
        self._open: dict[str, deque[str]] = {}

    def of_call(self, call: JsonObject) -> str:
        self.count += 1
        id_ = text_at(call, "id") or f"google_{self.count}"
        self._open.setdefault(text_at(call, "name"), deque()).append(id_)
        return id_

    def of_result(self, result: JsonObject) -> str:
        waiting = self._open.get(text_at(result, "name"))
        own = waiting.popleft() if waiting else ""
        return text_at(result, "id") or own


def as_chat(one: Captured, notes: Counter[str]) -> Captured:
    """The exchange as Chat Completions where it is a native call of Google's API, else as it is."""
    if not is_google(one.url):
        return one
    request = _decoded(one.request)
    notes["a native Google call, written as Chat Completions"] += 1
    ids = _Ids()
    model = split(one.url).path.rpartition("/models/")[2].partition(":")[0]
    body = _request_of(request if isinstance(request, dict) else {}, model, ids)
    answer = one.answer if one.status >= FIRST_ERROR_STATUS else encode(_answer_of(one.answer, model, ids))
    url = split(one.url)._replace(path="/v1/chat/completions", query="").geturl()
    headers = {**one.headers, "content-type": "application/json"}
    ms = one.chunks[-1][0] if one.chunks else 0.0
    return one._replace(url=url, request=encode(body), headers=headers, chunks=[(ms, answer)])


def _request_of(request: JsonObject, model: str, ids: _Ids) -> JsonObject:
    system = object_at(request, "systemInstruction") or object_at(request, "system_instruction")
    messages: list[Json] = [{"role": "system", "content": _text_of(list_at(system, "parts"))}] if system else []
    for content in objects_of(list_at(request, "contents")):
        messages += _messages_of(content, ids)
    tools = [tool for group in objects_of(list_at(request, "tools")) for tool in _tools_of(group)]
    rest = {key: value for key, value in request.items() if key not in _TAKEN}
    return {"model": model, "messages": messages, **({"tools": tools} if tools else {}), **rest}


def _tools_of(group: JsonObject) -> list[Json]:
    declared = list_at(group, "functionDeclarations") or list_at(group, "function_declarations")
    if not declared:
        return [{"type": next(iter(group), "tool"), **group}]
    return [{"type": "function", "function": one} for one in declared]


def _messages_of(content: JsonObject, ids: _Ids) -> list[Json]:
    parts = objects_of(list_at(content, "parts"))
    if content.get("role") == "model":
        return [_assistant_of(parts, ids)]
    messages: list[Json] = []
    said = [part for part in parts if not _inner(part, "functionResponse")]
    for part in parts:
        if result := _inner(part, "functionResponse"):
            written = encode(result.get("response")).decode()
            messages.append({"role": "tool", "tool_call_id": ids.of_result(result), "content": written})
    if said:
        messages.append({"role": "user", "content": _said_of(said)})
    return messages


def _said_of(parts: list[JsonObject]) -> Json:
    """Text as it is; what is no text stays as the part that it was."""
    if all(isinstance(part.get("text"), str) for part in parts):
        return _text_of([*parts])
    return [
        {"type": "text", "text": part["text"]} if "text" in part else {"type": next(iter(part), "part"), **part}
        for part in parts
    ]


def _assistant_of(parts: list[JsonObject], ids: _Ids) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": _text_of([one for one in parts if not one.get("thought")])}
    thoughts = _text_of([one for one in parts if one.get("thought")])
    if thoughts:
        message["reasoning_content"] = thoughts
    calls: list[Json] = []
    for part in parts:
        if call := _inner(part, "functionCall"):
            function: JsonObject = {"name": text_at(call, "name"), "arguments": encode(call.get("args") or {}).decode()}
            written: JsonObject = {"id": ids.of_call(call), "type": "function", "function": function}
            if signature := text_at(part, "thoughtSignature"):
                written["extra_content"] = {"google": {"thought_signature": signature}}
            calls.append(written)
    return message | ({"tool_calls": calls} if calls else {})


def _inner(part: JsonObject, name: str) -> JsonObject:
    """A field in either of the spellings that the API takes."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return object_at(part, name) or object_at(part, snake)


def _text_of(parts: list[Json]) -> str:
    return "".join(text_at(part, "text") for part in parts)


def _answer_of(answer: bytes, model: str, ids: _Ids) -> JsonObject:
    """The answer, plain, as a list, or streamed, as one completion."""
    chunks = _chunks_of(answer)
    candidates = [one for chunk in chunks for one in objects_of(list_at(chunk, "candidates"))]
    parts = [part for one in candidates for part in objects_of(list_at(object_at(one, "content"), "parts"))]
    message = _assistant_of(parts, ids)
    stop = next((text_at(one, "finishReason") for one in reversed(candidates) if text_at(one, "finishReason")), "")
    blocked = next((text_at(object_at(one, "promptFeedback"), "blockReason") for one in chunks), "")
    finish = "tool_calls" if "tool_calls" in message and stop == "STOP" else _STOPS.get(stop, stop.lower() or None)
    body: JsonObject = {
        "id": next((text_at(one, "responseId") for one in chunks), ""),
        "object": "chat.completion",
        "created": 0,
        "model": next((text_at(one, "modelVersion") for one in chunks if text_at(one, "modelVersion")), model),
        "choices": [{"index": 0, "message": message, "finish_reason": "content_filter" if blocked else finish}],
    }
    usage = next((object_at(one, "usageMetadata") for one in reversed(chunks) if "usageMetadata" in one), {})
    return body | ({"usage": _usage_of(usage)} if usage else {}) if chunks else {"error": {"message": "no answer"}}


def _usage_of(usage: JsonObject) -> JsonObject:
    said, thought = count_at(usage, "candidatesTokenCount"), count_at(usage, "thoughtsTokenCount")
    return {
        "prompt_tokens": count_at(usage, "promptTokenCount"),
        "completion_tokens": None if said is None and thought is None else (said or 0) + (thought or 0),
        "prompt_tokens_details": {"cached_tokens": count_at(usage, "cachedContentTokenCount")},
    }


def _chunks_of(answer: bytes) -> list[JsonObject]:
    if is_stream(answer):
        return [value for event in events_of(answer) if isinstance(value := _decoded(event.data), dict)]
    value = _decoded(answer)
    return objects_of(value if isinstance(value, list) else [value])


def _decoded(raw: bytes) -> Json:
    try:
        return decode(raw)
    except NotJsonError:
        return None
