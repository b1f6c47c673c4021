"""What a span says of a call to a model, in each of the ways in which instrumentations wrote it, as chat messages."""

import re
from typing import NamedTuple

from harness.importers.otlp_unread import Unread, listed, parsed
from harness.importers.otlp_values import loaded
from harness.providers.fields import list_at, object_at, objects_of, text_at
from harness.value import Json, JsonObject, encode

_NUMBERED = re.compile(r"(?:gen_ai\.(prompt|completion)|llm\.request\.(functions))\.([0-9]{1,6})\.(.+)")
_CALL = re.compile(r"tool_calls\.([0-9]{1,6})\.(id|name|arguments)")
_PARAMS = ("temperature", "top_p", "max_tokens", "frequency_penalty", "presence_penalty", "seed")
_EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_THOUGHTS = {"reasoning", "thinking"}
_READ = {"text", "tool_call", *_THOUGHTS}
_RESULT = "tool_call_response"


class Call(NamedTuple):
    """A call: what was asked, and each choice of the answer with its finish reason."""

    system: list[Json]
    messages: list[Json]
    choices: list[tuple[JsonObject, str]]
    tools: list[Json]
    params: JsonObject


def call_of(attributes: JsonObject, events: list[JsonObject], unread: Unread) -> Call | None:
    """The call that attributes and events tell of; None where they tell of none. `unread` takes what has no place."""
    told = {key: value for event in events for key, value in event.items() if key.startswith("gen_ai.")}
    attributes = {**told, **attributes}
    said = any(key.startswith("gen_ai.") for key in attributes)
    kept = [*events, *(listed(attributes, "events", unread.asked) if said else [])]
    call = (
        _of_parts(attributes, unread)
        or _of_numbers(attributes)
        or _of_events(kept, unread)
        or _of_texts(attributes, unread)
        or (Call([], [], [], [], {}) if unread.asked or unread.answered else None)
    )
    if call is None:
        return None
    params = {name: attributes[key] for name in _PARAMS if (key := f"gen_ai.request.{name}") in attributes}
    tools = call.tools or listed(attributes, "gen_ai.tool.definitions", unread.beside)
    return call._replace(tools=[_tool_of(tool) for tool in objects_of([*tools])], params=params)


def _tool_of(tool: JsonObject) -> Json:
    """A definition in the form of Chat Completions."""
    if "function" in tool or tool.get("type", "function") != "function":
        return tool
    function = {key: loaded(tool[key]) if key == "parameters" else tool[key] for key in tool if key != "type"}
    return {"type": "function", "function": function}


def _of_parts(attributes: JsonObject, unread: Unread) -> Call | None:
    """`gen_ai.input.messages` and `gen_ai.output.messages`: messages made of parts."""
    said = listed(attributes, "gen_ai.input.messages", unread.asked)
    answers = listed(attributes, "gen_ai.output.messages", unread.answered)
    if not said and not answers:
        return None
    messages = [message for one in said for message in _messages_of_parts(one, unread)]
    choices = [
        (written, text_at(one, "finish_reason")) for one in answers if (written := _answer_of_parts(one, unread))
    ]
    return Call(_system_of(attributes, unread), [*messages], choices, [], {})


def _system_of(attributes: JsonObject, unread: Unread) -> list[Json]:
    system = parsed(attributes, "gen_ai.system_instructions", unread.beside)
    text = system if isinstance(system, str) else "".join(map(_text_of, objects_of(_list(system))))
    return [{"role": "system", "content": text}] if text else []


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _text_of(part: JsonObject) -> str:
    return text_at(part, "content") or text_at(part, "text")


def _messages_of_parts(message: JsonObject, unread: Unread) -> list[JsonObject]:
    """A message; each result that it holds is one of its own."""
    role = text_at(message, "role") or "assistant"
    if "parts" not in message:
        return [_message_of_event(message, role, unread.asked)]
    parts = unread.objects_in(list_at(message, "parts"))
    results = [_result_of(part) for part in parts if text_at(part, "type") == _RESULT]
    rest = [part for part in parts if text_at(part, "type") != _RESULT]
    if role in {"assistant", "tool"}:
        unread.parts += [part for part in rest if text_at(part, "type") not in _READ]
        rest = [part for part in rest if text_at(part, "type") in _READ]
    written = [_written(role, rest)] if rest or not parts or role == "assistant" else []
    return [*written, *results] if role == "assistant" else [*results, *written]


def _answer_of_parts(message: JsonObject, unread: Unread) -> JsonObject | None:
    """A choice; None where it says nothing but what cannot be read. Results in it are told apart."""
    before = len(unread.parts)
    [*messages] = _messages_of_parts({**message, "role": "assistant"}, unread)
    unread.answer_parts += unread.parts[before:]
    del unread.parts[before:]
    written, *results = messages
    unread.results += results
    is_empty = not (written.keys() - {"role", "content"} or written["content"])
    return None if is_empty and unread.answer_parts else written


def _written(role: str, parts: list[JsonObject]) -> JsonObject:
    """A message of parts; those of other kinds than we know stand in its content as they are."""
    spoken = [part for part in parts if text_at(part, "type") not in _READ - {"text"}]
    content: Json = "".join(map(_text_of, spoken))
    if any(text_at(part, "type") != "text" for part in spoken):
        content = [
            {"type": "text", "text": _text_of(part)} if text_at(part, "type") == "text" else part for part in spoken
        ]
    written: JsonObject = {"role": role, "content": content or None}
    thoughts = "\n\n".join(_text_of(part) for part in parts if text_at(part, "type") in _THOUGHTS)
    calls = [_call_of(part) for part in parts if text_at(part, "type") == "tool_call"]
    return written | ({"reasoning_content": thoughts} if thoughts else {}) | ({"tool_calls": calls} if calls else {})


def _result_of(part: JsonObject) -> JsonObject:
    found = part.get("response", part.get("result"))
    text = found if isinstance(found, str) else encode(found).decode()
    return {"role": "tool", "tool_call_id": text_at(part, "id"), "content": text}


def _call_of(part: JsonObject) -> Json:
    """A call, flat or in the form of Chat Completions."""
    function = object_at(part, "function") or part
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str) else encode(arguments if arguments is not None else {}).decode()
    return {
        "id": text_at(part, "id"),
        "type": "function",
        "function": {"name": text_at(function, "name"), "arguments": text},
    }


def _of_numbers(attributes: JsonObject) -> Call | None:
    """`gen_ai.prompt.0.role`, `gen_ai.completion.0.tool_calls.0.name`, `llm.request.functions.0.name`."""
    groups: dict[str, dict[int, JsonObject]] = {"prompt": {}, "completion": {}, "functions": {}}
    for key, value in attributes.items():
        if found := _NUMBERED.fullmatch(key):
            groups[found[1] or found[2]].setdefault(int(found[3]), {})[found[4]] = value
    if not groups["prompt"] and not groups["completion"]:
        return None
    said = [_message_of_fields(one, "user") for _, one in sorted(groups["prompt"].items())]
    choices = [
        (_message_of_fields(one, "assistant"), text_at(one, "finish_reason"))
        for _, one in sorted(groups["completion"].items())
    ]
    return Call([], [*said], choices, [one for _, one in sorted(groups["functions"].items())], {})


def _message_of_fields(fields: JsonObject, role: str) -> JsonObject:
    message: JsonObject = {"role": text_at(fields, "role") or role, "content": fields.get("content")}
    if "tool_call_id" in fields:
        message["tool_call_id"] = fields["tool_call_id"]
    calls: dict[int, JsonObject] = {}
    for key, value in fields.items():
        if found := _CALL.fullmatch(key):
            calls.setdefault(int(found[1]), {})[found[2]] = value
    return message | ({"tool_calls": [_call_of(one) for _, one in sorted(calls.items())]} if calls else {})


def _of_events(events: list[JsonObject], unread: Unread) -> Call | None:
    """`gen_ai.user.message` and its kin, and a `gen_ai.choice` each choice."""
    said: list[Json] = []
    choices: list[tuple[JsonObject, str]] = []
    for event in events:
        name = text_at(event, "event.name")
        if name in _EVENT_ROLES:
            said.append(_message_of_event(event, _EVENT_ROLES[name], unread.asked))
        elif name == "gen_ai.choice":
            message = parsed(event, "message", unread.answered)
            inner = message if isinstance(message, dict) else event
            choices.append((_message_of_event(inner, "assistant", unread.answered), text_at(event, "finish_reason")))
    return Call([], said, choices, [], {}) if said or choices else None


def _message_of_event(event: JsonObject, role: str, cut: list[str]) -> JsonObject:
    content = event.get("content")
    text = content if isinstance(content, str | list | None) else encode(content).decode()
    message: JsonObject = {"role": text_at(event, "role") or role, "content": text}
    if role == "tool":
        message |= {"role": "tool", "tool_call_id": text_at(event, "id") or text_at(event, "tool_call_id")}
    calls = listed(event, "tool_calls", cut)
    return message | ({"tool_calls": [_call_of(one) for one in calls]} if calls else {})


def _of_texts(attributes: JsonObject, unread: Unread) -> Call | None:
    """`gen_ai.prompt` and `gen_ai.completion`, whole: messages as JSON, or a text."""
    said = parsed(attributes, "gen_ai.prompt", unread.asked)
    answer = parsed(attributes, "gen_ai.completion", unread.answered)
    if said is None and answer is None:
        return None
    messages, answers = _messages_in(said), _messages_in(answer)
    choices = [(_message_of_event(one, "assistant", unread.answered), text_at(one, "finish_reason")) for one in answers]
    return Call([], [_message_of_event(one, "user", unread.asked) for one in messages], choices, [], {})


def _messages_in(value: Json) -> list[JsonObject]:
    if value is None:
        return []
    return objects_of(value) if isinstance(value, list) else [{"content": value}]
