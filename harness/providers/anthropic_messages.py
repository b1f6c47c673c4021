"""Anthropic's Messages API, and the hosts that speak it."""

from harness import errors
from harness.providers.dialect import Parts, Reading, Request
from harness.providers.failure import FIRST_ERROR_STATUS, failure_of_status
from harness.providers.fields import list_at, object_at, objects_of, text_at, text_of_parts
from harness.providers.history import in_call_order
from harness.providers.messages_answer import Part, content_of, raw_input
from harness.providers.messages_stream import reading_of_stream
from harness.recording import Api
from harness.transcript import AssistantTurn, Opaque, Text, Thinking, ToolCall, ToolResultTurn, Turn, UserTurn, text_of
from harness.value import Json, JsonObject

DEFAULT_MAX_TOKENS = 4096  # the API demands a limit; params may set another

_NO_PARAMS = {"model", "messages", "system", "tools"}


class Messages:
    """The dialect `messages`."""

    api: Api = "messages"

    def body_of(self, request: Request) -> JsonObject:
        body: JsonObject = {"model": request.model, "max_tokens": DEFAULT_MAX_TOKENS}
        if request.system:
            body["system"] = request.system
        body["messages"] = _messages_of(in_call_order(request.turns))
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.sent["parameters"]}
                for tool in request.tools
            ]
        return body | request.params

    def parts_of(self, body: JsonObject) -> Parts:
        messages = body.get("messages")
        if not isinstance(messages, list):
            raise errors.UnreadableAnswer("the request holds no list of messages")
        system = body.get("system")
        return Parts(
            model=text_at(body, "model"),
            system=system if isinstance(system, list) else [system] if system else [],
            tools=list_at(body, "tools"),
            params={key: value for key, value in body.items() if key not in _NO_PARAMS},
            messages=messages,
        )

    def turns_of(self, messages: list[Json]) -> list[Turn]:
        turns: list[Turn] = []
        for message in messages:
            if not isinstance(message, dict) or not text_at(message, "role"):
                raise errors.UnreadableAnswer("a message without a role")
            if message["role"] == "assistant":
                turns.append(_assistant_of(message, str(len(turns))))
            else:
                turns += _said_in(message)
        return turns

    def reading_of_body(self, status: int, body: bytes) -> Reading:
        if status >= FIRST_ERROR_STATUS:
            return failure_of_status(status, body)
        return reading_of_stream(body)

    def reading_of_stream(self, status: int, stream: bytes, *, complete: bool) -> Reading:
        del complete  # the stream says itself whether it was whole: a reader may leave after the last word
        return self.reading_of_body(status, stream)


def _messages_of(turns: list[Turn]) -> list[Json]:
    """A message a turn, but all results of an answer in one: each request only adds to the one before."""
    messages: list[Json] = []
    results: list[Json] | None = None
    for turn in turns:
        blocks = _blocks_of(turn)
        if isinstance(turn, ToolResultTurn) and results is not None:
            results += blocks
        elif blocks:  # the API refuses an empty message
            role = "assistant" if isinstance(turn, AssistantTurn) else "user"
            messages.append({"role": role, "content": blocks})
            results = blocks if isinstance(turn, ToolResultTurn) else None
    return messages


def _blocks_of(turn: Turn) -> list[Json]:
    match turn:
        case UserTurn():
            return [{"type": "text", "text": block.text} for block in turn.content if block.text]
        case ToolResultTurn():
            result: JsonObject = {"type": "tool_result", "tool_use_id": turn.tool_use_id, "content": text_of(turn)}
            if turn.is_error:
                result["is_error"] = True
            return [result]
        case AssistantTurn():
            return _assistant_blocks(turn)


def _assistant_blocks(turn: AssistantTurn) -> list[Json]:
    blocks: list[JsonObject] = []
    for block in turn.content:
        match block:
            case Text():
                blocks += [{"type": "text", "text": block.text}] if block.text else []
            case ToolCall():
                blocks.append({"type": "tool_use", "id": block.id, "name": block.name, "input": raw_input(block)})
            case Thinking(opaque=dict(form)) if form.get("type") == "thinking":
                blocks.append({"type": "thinking", "thinking": block.thinking, **form})
            case Opaque(api="messages", block=own) if "type" in own:
                blocks.append(own)
            case Opaque(api="messages", block=own) if blocks:
                blocks[-1] = blocks[-1] | object_at(own, "extra")
            case _:
                pass
    return [*blocks]


def _assistant_of(message: JsonObject, seed: str) -> AssistantTurn:
    content = message.get("content")
    if isinstance(content, str):
        return AssistantTurn([Text(content)] if content else [])
    parts = [Part(block, stopped=True) for block in objects_of(list_at(message, "content"))]
    return AssistantTurn(content_of(parts, seed=seed)[0])


def _said_in(message: JsonObject) -> list[Turn]:
    """The tool results and the text of a user message, in their order."""
    content = message.get("content")
    if not isinstance(content, list):
        return [UserTurn([Text(text_of_parts(content))])]
    turns: list[Turn] = []
    texts: list[Text] = []
    for block in content:
        if isinstance(block, dict) and block.get("type") == "tool_result":
            result = Text(text_of_parts(block.get("content")))
            turns += [UserTurn(texts)] if texts else []
            texts = []
            turns.append(ToolResultTurn(text_at(block, "tool_use_id"), [result], block.get("is_error") is True))
        else:
            texts.append(Text(text_of_parts([block])))
    return turns + ([UserTurn(texts)] if texts else [])


DIALECT = Messages()
