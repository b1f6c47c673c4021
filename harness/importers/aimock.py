"""Fixtures of aimock (once llmock): what a mock server answers to which user message.

A fixture becomes an exchange of Chat Completions: its conditions are the request, so far as they say what was asked.
One that waits for the result of a call goes on from the fixture that made the call.
"""

from collections import Counter

from harness import errors
from harness.importers.found import Captured, Found, Source, objects_in
from harness.providers.fields import list_at, object_at, objects_of, text_at
from harness.value import Json, JsonObject, encode

_OTHER = {"embedding", "image", "images", "audio", "video", "transcription", "speech", "json"}
_PARTS = {"match", "response"}
_CONDITIONS = {"endpoint", "model", "userMessage", "systemMessage", "toolCallId", "hasToolResult", "toolResultContains"}
_ANSWERED = {
    "blocks", "content", "error", "finishReason", "id", "model", "reasoning", "status", "toolCalls", "usage",
}  # fmt: skip
_URL = "http://aimock/v1/chat/completions"
_FAILED = 500


class Aimock:
    """The format `aimock`."""

    name = "aimock"

    def recognises(self, source: Source) -> bool:
        """Whether the file holds fixtures of a condition and a response each."""
        if source.head[:1] != b"{" or b'"fixtures"' not in source.head or not source.is_json:
            return False
        fixtures = objects_of(list_at(source.json(), "fixtures"))
        return bool(fixtures) and all("match" in one and "response" in one for one in fixtures)

    def read(self, source: Source) -> Found:
        """Each fixture that answers for a chat model."""
        value = source.json()
        if not isinstance(value, dict) or not isinstance(value.get("fixtures"), list):
            raise errors.BadImport("a file of aimock holds fixtures", file=source.name)
        found = Found()
        story = _Story(found.notes)
        for fixture in objects_in(list_at(value, "fixtures"), "a fixture", found.left_out):
            match, response = object_at(fixture, "match"), object_at(fixture, "response")
            kind = text_at(match, "endpoint") or next((key for key in _OTHER if key in response), "chat")
            if kind != "chat" or not response:
                found.left_out[f"a fixture for {kind}"] += 1
                continue
            found.captured.append(story.captured(match, response))
            for name in [*(match.keys() - _CONDITIONS), *(response.keys() - _ANSWERED), *(fixture.keys() - _PARTS)]:
                found.left_out[f"what a fixture says in {name}"] += 1
        return found


class _Story:
    """The conversations so far, by the ids of the calls that they end with and by their user message.

    Ids of calls recur in other conversations: where several end with one, the user message says which is meant.
    """

    def __init__(self, notes: Counter[str]) -> None:
        self._notes = notes
        self._by_call: dict[str, dict[str, list[Json]]] = {}
        self._by_user: dict[str, tuple[str, list[Json]]] = {}
        self._calls = 0

    def captured(self, match: JsonObject, response: JsonObject) -> Captured:
        begun, messages = self._asked(match)
        answer = self._answered(response)
        calls = objects_of(list_at(answer, "tool_calls"))
        for call in calls:
            self._by_call.setdefault(text_at(call, "id"), {})[begun] = [*messages, answer]
        user = _text_of(match.get("userMessage"))
        if user and calls:
            self._by_user[user] = (text_at(calls[-1], "id"), [*messages, answer])
        status = response.get("status")
        failed = "error" in response
        body: JsonObject = {"error": response["error"]} if failed else _completion_of(response, answer)
        return Captured(
            "POST",
            _URL,
            encode({"model": text_at(match, "model"), "messages": messages}),
            (status if isinstance(status, int) else _FAILED) if failed else 200,
            {"content-type": "application/json"},
            [(0.0, encode(body))],
        )

    def _asked(self, match: JsonObject) -> tuple[str, list[Json]]:
        """The user message with which the conversation began, and the messages that a request holds."""
        user, call = _text_of(match.get("userMessage")), text_at(match, "toolCallId")
        if match.get("userMessage") and not isinstance(match["userMessage"], str):
            self._notes["a user message that is a pattern: the pattern stands in its place"] += 1
        ended = self._by_call.get(call, {})
        if user in ended or len(ended) == 1:
            begun = user if user in ended else next(iter(ended))
            return begun, [*ended[begun], self._result_of(match, call)]
        if match.get("hasToolResult") is True and user in self._by_user:
            call, before = self._by_user[user]
            return user, [*before, self._result_of(match, call)]
        if ended:
            self._notes["a fixture that waits for the result of a call that several conversations made"] += 1
        elif call or match.get("hasToolResult") is True:
            self._notes["a fixture that waits for the result of a call that is not in the file"] += 1
        system = _text_of(match.get("systemMessage"))
        messages: list[Json] = [{"role": "system", "content": system}] if system else []
        return user, [*messages, {"role": "user", "content": user}] if user else messages

    def _result_of(self, match: JsonObject, call: str) -> Json:
        """The result of a call: as much of it as the condition asks for."""
        text = text_at(match, "toolResultContains")
        if not text:
            self._notes["a result that a fixture waits for without saying what it is, left empty"] += 1
        return {"role": "tool", "tool_call_id": call, "content": text}

    def _answered(self, response: JsonObject) -> JsonObject:
        """The message of the model; calls without an id get one."""
        blocks = objects_of(list_at(response, "blocks"))
        texts = [text_at(block, "text") for block in blocks if block.get("type") == "text"]
        written = objects_of(list_at(response, "toolCalls"))
        written = written or [block for block in blocks if block.get("type") == "toolCall"]
        content = response.get("content")
        said = content if isinstance(content, str) else encode(content).decode() if content else "".join(texts)
        message: JsonObject = {"role": "assistant", "content": said or None}
        if reasoning := text_at(response, "reasoning"):
            message["reasoning_content"] = reasoning
        return message | ({"tool_calls": [self._call_of(one) for one in written]} if written else {})

    def _call_of(self, call: JsonObject) -> Json:
        self._calls += 1
        arguments = call.get("arguments")
        text = arguments if isinstance(arguments, str) else encode(arguments).decode()
        id_ = text_at(call, "id") or f"aimock_{self._calls}"
        return {"id": id_, "type": "function", "function": {"name": text_at(call, "name"), "arguments": text}}


def _text_of(condition: Json) -> str:
    """What a condition says of a text: the text, several on a line each, a pattern as the JSON that it is."""
    if isinstance(condition, list) and all(isinstance(one, str) for one in condition):
        return "\n".join(map(str, condition))
    if condition is None or isinstance(condition, str):
        return condition or ""
    return encode(condition).decode()


def _completion_of(response: JsonObject, message: JsonObject) -> JsonObject:
    stop = text_at(response, "finishReason") or ("tool_calls" if "tool_calls" in message else "stop")
    return {
        "id": text_at(response, "id"),
        "object": "chat.completion",
        "model": text_at(response, "model"),
        "choices": [{"index": 0, "message": message, "finish_reason": stop}],
        "usage": response.get("usage") or None,
    }


IMPORTER = Aimock()
