"""What a span says of a call to a model, in each of the ways in which instrumentations wrote it, as chat messages."""

import re
from typing import NamedTuple

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


class Call(NamedTuple):
    """A call: what was asked, and each choice of the answer with its finish reason."""

    system: list[Json]
    messages: list[Json]
    choices: list[tuple[JsonObject, str]]
    tools: list[Json]
    params: JsonObject


def call_of(attributes: JsonObject, events: list[JsonObject]) -> Call | None:
    """The call that attributes and events tell of; None where they tell of none."""
    told = {key: value for event in events for key, value in event.items() if key.startswith("gen_ai.")}
    attributes = {**told, **attributes}
    kept = [*events, *objects_of(_list(loaded(attributes.get("events"))))]
    call = _of_parts(attributes) or _of_numbers(attributes) or _of_events(kept) or _of_texts(attributes)
    if call is None:
        return None
    params = {name: attributes[key] for name in _PARAMS if (key := f"gen_ai.request.{name}") in attributes}
    tools = call.tools or _list(loaded(attributes.get("gen_ai.tool.definitions")))
    return call._replace(tools=[_tool_of(tool) for tool in objects_of(tools)], params=params)


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _tool_of(tool: JsonObject) -> Json:
    """A definition in the form of Chat Completions."""
    if "function" in tool or tool.get("type", "function") != "function":
        return tool
    function = {key: loaded(tool[key]) if key == "parameters" else tool[key] for key in tool if key != "type"}
    return {"type": "function", "function": function}


def _of_parts(attributes: JsonObject) -> Call | None:
    """`gen_ai.input.messages` and `gen_ai.output.messages`: messages made of parts."""
    said = objects_of(_list(loaded(attributes.get("gen_ai.input.messages"))))
    answers = objects_of(_list(loaded(attributes.get("gen_ai.output.messages"))))
    if not said and not answers:
        return None
    system = _list(loaded(attributes.get("gen_ai.system_instructions")))
    choices = [(_message_of_parts(one)[0], text_at(one, "finish_reason")) for one in answers]
    return Call(
        [{"role": "system", "content": text}]
        if (text := "".join(_text_of(part) for part in objects_of(system)))
        else [],
        [message for one in said for message in _message_of_parts(one)],
        choices,
        [],
        {},
    )


def _text_of(part: JsonObject) -> str:
    return text_at(part, "content") or text_at(part, "text")


def _message_of_parts(message: JsonObject) -> list[JsonObject]:
    """A message; each result that it holds is one of its own."""
    parts = objects_of(list_at(message, "parts"))
    role = text_at(message, "role") or "assistant"
    results = [_result_of(part) for part in parts if part.get("type") == "tool_call_response"]
    rest = [part for part in parts if part.get("type") != "tool_call_response"]
    if results and not rest:
        return results
    texts = [part for part in rest if part.get("type") == "text"]
    others = [
        part for part in rest if text_at(part, "type") not in {"text", "tool_call", "reasoning"} and role == "user"
    ]
    content: Json = "".join(map(_text_of, texts)) if parts else message.get("content")
    if others:
        content = [{"type": "text", "text": _text_of(part)} if part in texts else part for part in [*texts, *others]]
    written: JsonObject = {"role": role, "content": content or None}
    thoughts = "\n\n".join(_text_of(part) for part in rest if part.get("type") == "reasoning")
    calls = [_call_of(part) for part in rest if part.get("type") == "tool_call"]
    written |= ({"reasoning_content": thoughts} if thoughts else {}) | ({"tool_calls": calls} if calls else {})
    return [*results, written]


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


def _of_events(events: list[JsonObject]) -> Call | None:
    """`gen_ai.user.message` and its kin, and a `gen_ai.choice` each choice."""
    said: list[Json] = []
    choices: list[tuple[JsonObject, str]] = []
    for event in events:
        name = text_at(event, "event.name")
        if name in _EVENT_ROLES:
            said.append(_message_of_event(event, _EVENT_ROLES[name]))
        elif name == "gen_ai.choice":
            message = loaded(event.get("message"))
            inner = message if isinstance(message, dict) else event
            choices.append((_message_of_event(inner, "assistant"), text_at(event, "finish_reason")))
    return Call([], said, choices, [], {}) if said or choices else None


def _message_of_event(event: JsonObject, role: str) -> JsonObject:
    content = event.get("content")
    text = content if isinstance(content, str | list | None) else encode(content).decode()
    message: JsonObject = {"role": text_at(event, "role") or role, "content": text}
    if role == "tool":
        message |= {"role": "tool", "tool_call_id": text_at(event, "id")}
    calls = objects_of(_list(loaded(event.get("tool_calls"))))
    return message | ({"tool_calls": [_call_of(one) for one in calls]} if calls else {})


def _of_texts(attributes: JsonObject) -> Call | None:
    """`gen_ai.prompt` and `gen_ai.completion`, whole: messages as JSON, or a text."""
    said, answer = loaded(attributes.get("gen_ai.prompt")), loaded(attributes.get("gen_ai.completion"))
    if said is None and answer is None:
        return None
    messages, answers = _messages_in(said), _messages_in(answer)
    choices = [(_message_of_event(one, "assistant"), text_at(one, "finish_reason")) for one in answers]
    return Call([], [_message_of_event(one, "user") for one in messages], choices, [], {})


def _messages_in(value: Json) -> list[JsonObject]:
    if value is None:
        return []
    return objects_of(value) if isinstance(value, list) else [{"content": value}]
