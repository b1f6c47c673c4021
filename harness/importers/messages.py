"""Conversations as messages, in JSON or JSONL: the OpenAI form and the Anthropic form.

A line is `{messages: […]}` with what may stand beside it (`tools`, `model`, `system`, params), a list of messages, or
one message, where the whole file is one conversation.
"""

from harness import errors
from harness.importers.found import Found, Source, Told, ToldApi
from harness.providers.fields import list_at, objects_of, text_at
from harness.value import Json, JsonObject

_ROLES = {"system", "developer", "user", "assistant", "tool", "function"}
_BLOCKS = {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use"}
_NO_PARAMS = {"messages", "tools", "functions", "model", "id", "name", "metadata"}


class MessageLines:
    """The formats `openai-messages` and `anthropic-messages`."""

    def __init__(self, name: str, api: ToldApi) -> None:
        self.name = name
        self._api = api

    def recognises(self, source: Source) -> bool:
        """Whether the first value of the file is a conversation of this form."""
        first = _one_of(source.first)
        messages = _messages_in(first)
        return bool(messages) and _api_of(first, messages) == self._api

    def read(self, source: Source) -> Found:
        """Each conversation of the file."""
        found = Found()
        for number, value in enumerate(_values_of(source), 1):
            messages = _messages_in(value)
            if not messages:
                raise errors.BadImport(f"value {number} is no conversation: it holds no messages", file=source.name)
            found.told.append(self._told(value, messages))
            if isinstance(value, dict) and value.get("metadata"):
                found.left_out["metadata of a conversation"] += 1
        return found

    def _told(self, value: Json, messages: list[Json]) -> Told:
        beside = value if isinstance(value, dict) and "messages" in value else {}
        return Told(
            name=text_at(beside, "id") or text_at(beside, "name"),
            messages=messages,
            api=self._api,
            model=text_at(beside, "model"),
            tools=list_at(beside, "tools") or list_at(beside, "functions"),
            params={key: item for key, item in beside.items() if key not in _NO_PARAMS},
        )


def _values_of(source: Source) -> list[Json]:
    """The conversations of a file: a JSON value, a list of them, or one a line; lines of messages are one."""
    values = [source.json()] if b"\n{" not in source.raw.rstrip() or source.is_json else source.json_lines()
    if len(values) == 1 and isinstance(values[0], list) and values[0] and not _is_message(values[0][0]):
        return values[0]
    return [values] if all(map(_is_message, values)) else values


def _one_of(value: Json) -> Json:
    """The value, or the first of a list of conversations."""
    return value[0] if isinstance(value, list) and value and not _is_message(value[0]) else value


def _messages_in(value: Json) -> list[Json]:
    """The messages of a conversation, empty where the value is none."""
    match value:
        case {"messages": list(messages)} | list(messages):
            return messages if messages and all(map(_is_message, messages)) else []
        case dict() if _is_message(value):
            return [value]
        case _:
            return []


def _is_message(value: Json) -> bool:
    return (
        isinstance(value, dict) and text_at(value, "role") in _ROLES and ("content" in value or "tool_calls" in value)
    )


def _api_of(value: Json, messages: list[Json]) -> ToldApi:
    beside: JsonObject = value if isinstance(value, dict) else {}
    schemas = any("input_schema" in tool for tool in objects_of(list_at(beside, "tools")))
    blocks = [block for message in messages for block in objects_of(list_at(message, "content"))]
    anthropic = "system" in beside or schemas or any(text_at(block, "type") in _BLOCKS for block in blocks)
    return "messages" if anthropic and not any(_is_chat(message) for message in messages) else "chat"


def _is_chat(message: Json) -> bool:
    return text_at(message, "role") in {"system", "developer", "tool", "function"} or bool(
        list_at(message, "tool_calls")
    )


OPENAI = MessageLines("openai-messages", "chat")
ANTHROPIC = MessageLines("anthropic-messages", "messages")
