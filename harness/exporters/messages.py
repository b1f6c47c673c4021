"""Recordings as conversations in JSONL, a line each: the OpenAI form and the Anthropic form."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from harness.derivation import chain_of, conversations_of, transcript_of
from harness.exporters.turns import chat_messages_of
from harness.exporters.unsaid import count_beside_words, count_failed_results, count_ledgers, count_signatures
from harness.providers.dialect import Request, dialect_of
from harness.providers.fields import list_at, object_at, objects_of, text_at, text_of_parts
from harness.recording import Context, Recording
from harness.transcript import AssistantTurn, Opaque, Thinking, ToolResultTurn, Turn
from harness.value import Json, JsonObject, encode


class _Conversation(NamedTuple):
    """A conversation with its id: the recording's, and a number where it holds several."""

    id: str
    context: Context
    turns: list[Turn]


def openai_of(recordings: Iterable[Recording], left_out: Counter[str]) -> bytes:
    """`{id, model, messages, tools}` a line; system messages stand among the messages."""
    return b"".join(_line(_openai(one, left_out)) for one in _conversations(recordings, left_out))


def anthropic_of(recordings: Iterable[Recording], left_out: Counter[str]) -> bytes:
    """`{id, model, system, messages, tools}` a line, content as blocks."""
    return b"".join(_line(_anthropic(one, left_out)) for one in _conversations(recordings, left_out))


def _line(value: JsonObject) -> bytes:
    """A line without what says nothing; an Anthropic one is known by its `system`, empty or not."""
    kept = {key: item for key, item in value.items() if key == "system" or item not in ("", [])}
    return encode(kept) + b"\n"


def _conversations(recordings: Iterable[Recording], left_out: Counter[str]) -> Iterator[_Conversation]:
    for recording in recordings:
        count_beside_words(recording, left_out)
        leaves = conversations_of(recording)
        for number, leaf in enumerate(leaves, 1):
            id_ = recording.header.id if len(leaves) == 1 else f"{recording.header.id}-{number}"
            context = recording.contexts[chain_of(recording, leaf)[0].context]
            turns = transcript_of(recording, leaf).turns
            if any(isinstance(turn, AssistantTurn) for turn in turns):
                count_ledgers(turns, left_out)
                yield _Conversation(id_, context, turns)
            else:
                left_out["a conversation without an answer"] += 1


def _openai(one: _Conversation, left_out: Counter[str]) -> JsonObject:
    _count_foreign(one.turns, "chat", left_out)
    count_signatures(one.turns, left_out)
    count_failed_results(one.turns, left_out)
    system = system_text_of(one.context)
    leading: list[Json] = [{"role": "system", "content": system}] if system else []
    return {
        "id": one.id,
        "model": one.context.model,
        "messages": leading + chat_messages_of(one.turns),
        "tools": [{"type": "function", "function": tool} for tool in function_tools_of(one.context, left_out)],
    }


def _anthropic(one: _Conversation, left_out: Counter[str]) -> JsonObject:
    _count_foreign(one.turns, "messages", left_out)
    body = dialect_of("messages").body_of(Request("", "", [], {}, one.turns))
    tools = function_tools_of(one.context, left_out)
    results = sum(isinstance(turn, ToolResultTurn) for turn in one.turns)
    messages = list_at(body, "messages")
    joined = sum(list_at(message, "content") != [] for message in messages)
    left_out["a thought of another API"] += _thoughts_in(one.turns) - _kinds_in(messages)["thinking"]
    left_out["a turn without words"] += max(len(one.turns) - results - joined + _result_messages(messages), 0)
    return {
        "id": one.id,
        "model": one.context.model,
        "system": system_text_of(one.context),
        "messages": messages,
        "tools": [
            {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
            for tool in tools
        ],
    }


def _thoughts_in(turns: list[Turn]) -> int:
    blocks = [block for turn in turns if isinstance(turn, AssistantTurn) for block in turn.content]
    return sum(isinstance(block, Thinking) for block in blocks)


def _kinds_in(messages: list[Json]) -> Counter[str]:
    return Counter(text_at(block, "type") for message in messages for block in list_at(message, "content"))


def _result_messages(messages: list[Json]) -> int:
    """How many messages hold results; each may hold several."""
    kinds = [[text_at(block, "type") for block in list_at(message, "content")] for message in messages]
    return sum("tool_result" in one for one in kinds)


def _count_foreign(turns: list[Turn], api: str, left_out: Counter[str]) -> None:
    """Blocks that only their own API understands."""
    blocks = [block for turn in turns if isinstance(turn, AssistantTurn) for block in turn.content]
    left_out["a block of another API"] += sum(
        isinstance(block, Opaque) and block.api != api and "type" in block.block for block in blocks
    )


def system_text_of(context: Context) -> str:
    """The system prompt of a context as one text."""
    parts = [part.get("content") if isinstance(part, dict) and "content" in part else part for part in context.system]
    return "\n\n".join(map(text_of_parts, parts))


def function_tools_of(context: Context, left_out: Counter[str]) -> list[dict[str, Json]]:
    """The functions among the tools, as `{name, description, parameters}`."""
    tools: list[dict[str, Json]] = []
    for tool in objects_of(context.tools):
        function = object_at(tool, "function") or tool
        schema = function.get("parameters") or function.get("input_schema")
        if not isinstance(schema, dict):
            left_out["a tool without a schema"] += 1
            continue
        description = text_at(function, "description")
        tools.append({"name": text_at(function, "name"), "description": description, "parameters": schema})
    return tools
