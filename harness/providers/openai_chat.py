"""OpenAI's Chat Completions API, and the many hosts that speak it."""

from harness import errors
from harness.providers.chat_answer import content_of
from harness.providers.chat_draft import Call, Choice, calls_in
from harness.providers.chat_stream import reading_of_stream
from harness.providers.dialect import Parts, Reading, Request
from harness.providers.failure import FIRST_ERROR_STATUS, failure_of_status
from harness.providers.fields import list_at, object_at, text_at, text_of_parts, without
from harness.providers.history import in_call_order
from harness.recording import Api
from harness.transcript import (
    AssistantTurn,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResultTurn,
    Turn,
    UserTurn,
    text_of,
)
from harness.value import Json, JsonObject, encode

_LEADING = {"system", "developer"}


class Chat:
    """The dialect `chat`."""

    api: Api = "chat"

    def body_of(self, request: Request) -> JsonObject:
        messages: list[Json] = [{"role": "system", "content": request.system}] if request.system else []
        messages += map(_message_of, in_call_order(request.turns))
        body: JsonObject = {"model": request.model, "messages": messages}
        if request.tools:
            body["tools"] = [{"type": "function", "function": tool.sent} for tool in request.tools]
        return body | request.params

    def parts_of(self, body: JsonObject) -> Parts:
        messages = body.get("messages")
        if not isinstance(messages, list):
            raise errors.UnreadableAnswer("the request holds no list of messages")
        leading = next((at for at, one in enumerate(messages) if text_at(one, "role") not in _LEADING), len(messages))
        return Parts(
            model=text_at(body, "model"),
            system=messages[:leading],
            tools=list_at(body, "tools") + list_at(body, "functions"),
            params={key: value for key, value in body.items() if key not in _NO_PARAMS},
            messages=messages[leading:],
        )

    def turns_of(self, messages: list[Json]) -> list[Turn]:
        turns: list[Turn] = []
        for message in messages:
            if not isinstance(message, dict) or not text_at(message, "role"):
                raise errors.UnreadableAnswer("a message without a role")
            turns.append(_turn_of(message, turns))
        return turns

    def reading_of_body(self, status: int, body: bytes) -> Reading:
        if status >= FIRST_ERROR_STATUS:
            return failure_of_status(status, body)
        return reading_of_stream(body)

    def reading_of_stream(self, status: int, stream: bytes, *, complete: bool) -> Reading:
        del complete  # the stream says itself whether it was whole: a reader may leave after the last word
        return self.reading_of_body(status, stream)


_NO_PARAMS = {"model", "messages", "tools", "functions"}


def _turn_of(message: JsonObject, before: list[Turn]) -> Turn:
    """A message as a turn; a system message in mid-conversation is something said to the model, so a user turn."""
    text = Text(text_of_parts(message.get("content")))
    match message["role"]:
        case "assistant":
            return _assistant_of(message, str(len(before)))
        case "tool" | "function":
            return ToolResultTurn(text_at(message, "tool_call_id") or _last_call(before), [text])
        case _:
            return UserTurn([text])


def _message_of(turn: Turn) -> Json:
    match turn:
        case UserTurn():
            return {"role": "user", "content": text_of(turn)}
        case ToolResultTurn():
            return {"role": "tool", "tool_call_id": turn.tool_use_id, "content": text_of(turn)}
        case AssistantTurn():
            return _assistant_message(turn)


def _assistant_message(turn: AssistantTurn) -> JsonObject:
    text = text_of(turn)
    message: JsonObject = {"role": "assistant", "content": text or (None if turn.calls else "")}
    calls: list[JsonObject] = []
    for block in turn.content:
        match block:
            case ToolCall():
                calls.append(_call_of(block))
            case Thinking(opaque=dict(form)) if "field" in form:
                message |= _thinking_fields(block.thinking, form)
            case Opaque(api="chat"):
                _add_extra(calls[-1] if calls else message, object_at(block.block, "extra"))
            case _:
                pass
    if calls:
        message["tool_calls"] = list(calls)
    return message


def _call_of(call: ToolCall) -> JsonObject:
    written = encode(call.arguments).decode() if call.arguments is not None else call.raw_arguments
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": written or ""}}


def _thinking_fields(thinking: str, form: JsonObject) -> JsonObject:
    """Reasoning under the name that the host gave it."""
    name = text_at(form, "field")
    return ({name: thinking} if name else {}) | without(form, "field")


def _add_extra(owner: JsonObject, extra: JsonObject) -> None:
    """Put back the fields that the host wrote beside those that we read."""
    if extra.get("type") == "custom":
        function = object_at(owner, "function")
        del owner["function"]
        owner |= {"type": "custom", "custom": {"name": function["name"], "input": function["arguments"]}}
    owner |= without(extra, "type")


def _assistant_of(message: JsonObject, seed: str) -> AssistantTurn:
    choice = Choice()
    choice.say(message)
    for written in calls_in(message):
        call = Call()
        call.take(written)
        choice.calls.append(call)
    content, _ = content_of(choice, made_up_from=seed)
    return AssistantTurn(content)


def _last_call(turns: list[Turn]) -> str:
    """The id of the call that a result without an id answers: legacy functions are called one at a time."""
    calls = next((turn.calls for turn in reversed(turns) if isinstance(turn, AssistantTurn)), [])
    return calls[-1].id if calls else ""


DIALECT = Chat()
