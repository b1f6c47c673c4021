"""OpenAI's Responses API, and the hosts that speak it."""

from collections.abc import Iterator

from harness import errors
from harness.providers.dialect import Parts, Reading, Request
from harness.providers.failure import FIRST_ERROR_STATUS, failure_of_status
from harness.providers.fields import list_at, object_at, objects_of, text_at, text_of_parts, without
from harness.providers.history import in_call_order
from harness.providers.responses_answer import CUSTOM_CALL, content_of, reading_of_body
from harness.providers.responses_stream import reading_of_stream
from harness.providers.sse import is_stream
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
_NO_PARAMS = {"model", "input", "instructions", "tools"}
_RESULTS = {"function_call_output", "custom_tool_call_output"}


class Responses:
    """The dialect `responses`."""

    api: Api = "responses"

    def body_of(self, request: Request) -> JsonObject:
        body: JsonObject = {"model": request.model}
        if request.system:
            body["instructions"] = request.system
        body["input"] = list(_items_of(in_call_order(request.turns)))
        if request.tools:
            # Not saying `strict` would let the API rewrite the schemas.
            body["tools"] = [{"type": "function", **tool.sent, "strict": False} for tool in request.tools]
        return body | request.params

    def parts_of(self, body: JsonObject) -> Parts:
        said = body.get("input")
        if isinstance(said, str):
            said = [{"role": "user", "content": said}]
        if not isinstance(said, list):
            raise errors.UnreadableAnswer("the request holds no input")
        instructions = body.get("instructions")
        leading = next((at for at, one in enumerate(said) if text_at(one, "role") not in _LEADING), len(said))
        return Parts(
            model=text_at(body, "model"),
            system=[*([instructions] if instructions else []), *said[:leading]],
            tools=list_at(body, "tools"),
            params={key: value for key, value in body.items() if key not in _NO_PARAMS},
            messages=said[leading:],
        )

    def turns_of(self, messages: list[Json]) -> list[Turn]:
        turns: list[Turn] = []
        answer: list[JsonObject] = []
        for item in messages:
            if not isinstance(item, dict) or not (text_at(item, "role") or text_at(item, "type")):
                raise errors.UnreadableAnswer("an input item without role and type")
            turn = _turn_of(item)
            if turn is None:
                answer.append(item)
                continue
            turns += [*_answered(answer, str(len(turns))), turn]
            answer = []
        return [*turns, *_answered(answer, str(len(turns)))]

    def reading_of_body(self, status: int, body: bytes) -> Reading:
        if status >= FIRST_ERROR_STATUS:
            return failure_of_status(status, body)
        return reading_of_stream(body) if is_stream(body) else reading_of_body(body)

    def reading_of_stream(self, status: int, stream: bytes, *, complete: bool) -> Reading:
        del complete  # the stream itself says whether it was whole
        if status >= FIRST_ERROR_STATUS:
            return failure_of_status(status, stream)
        return reading_of_stream(stream)


def _turn_of(item: JsonObject) -> Turn | None:
    """What the client said; None for an item of the model's answer."""
    if text_at(item, "type") in _RESULTS:
        return ToolResultTurn(text_at(item, "call_id"), [Text(text_of_parts(item.get("output")))])
    if text_at(item, "role") in {"", "assistant"}:
        return None
    return UserTurn([Text(text_of_parts(item.get("content")))])


def _answered(items: list[JsonObject], seed: str) -> list[Turn]:
    """The items that follow one another as one answer; a reference to a kept item is opaque like the item."""
    return [AssistantTurn(content_of(items, seed=seed)[0])] if items else []


def _items_of(turns: list[Turn]) -> Iterator[Json]:
    customs: set[str] = set()
    for turn in turns:
        match turn:
            case UserTurn():
                yield {"role": "user", "content": text_of(turn)}
            case ToolResultTurn():
                kind = f"{CUSTOM_CALL}_output" if turn.tool_use_id in customs else "function_call_output"
                yield {"type": kind, "call_id": turn.tool_use_id, "output": text_of(turn)}
            case AssistantTurn():
                items = _answer_items(turn)
                customs |= {text_at(item, "call_id") for item in items if item["type"] == CUSTOM_CALL}
                yield from items


def _answer_items(turn: AssistantTurn) -> list[JsonObject]:
    items: list[JsonObject] = []
    closed = True
    for block in turn.content:
        match block:
            case Text():
                closed = _say(block, items, closed=closed)
                continue
            case ToolCall():
                items.append(_call_of(block))
            case Thinking(opaque=dict(item)) if item.get("type") == "reasoning":
                summary: JsonObject = {"summary": [{"type": "summary_text", "text": block.thinking}]}
                items.append(summary | item)
            case Opaque(api="responses", block=own) if "type" in own:
                items.append({**own})
            case Opaque(api="responses", block=own) if items:
                _add_extra(items[-1], object_at(own, "extra"))
            case _:
                continue
        closed = True
    return items


def _say(block: Text, items: list[JsonObject], *, closed: bool) -> bool:
    """Texts that follow one another are parts of one message, until its extra ends it."""
    part: JsonObject = {"type": "output_text", "text": block.text}
    if closed:
        items.append({"type": "message", "role": "assistant", "content": [part]})
    else:
        list_at(items[-1], "content").append(part)
    return False


def _call_of(call: ToolCall) -> JsonObject:
    written = encode(call.arguments).decode() if call.arguments is not None else call.raw_arguments
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": written or ""}


def _add_extra(item: JsonObject, extra: JsonObject) -> None:
    """Put back what the provider wrote beside what we read."""
    if extra.get("type") == CUSTOM_CALL and item["type"] == "function_call":
        item["input"] = item.pop("arguments")
        item["type"] = CUSTOM_CALL
    parts = objects_of(list_at(item, "content"))
    for part, rest in zip(parts, objects_of(list_at(extra, "parts")), strict=False):
        part.update(rest)
        if rest.get("type") == "refusal":
            part["refusal"] = part.pop("text")
    item |= without(extra, "type", "parts")


DIALECT = Responses()
