"""What a log of inspect_ai keeps of the model's answers: their parts, their calls, why they stopped, what they cost."""

import re
from collections import Counter

from harness.providers.fields import count_at, list_at, object_at, objects_of, text_at
from harness.value import Json, JsonObject, encode

_STOPS = {"max_tokens": "length", "model_length": "length", "length": "length", "content_filter": "content_filter"}
_USUAL = {"", "stop", "tool_calls", "unknown"}
# How inspect_ai tells what it could not parse: the model's own text stands in the middle.
_UNPARSED = re.compile(r"Error parsing the following tool call arguments:\n\n(.*)\n\nError details: ", re.DOTALL)


def outputs_of(
    sample: JsonObject, calls: list[JsonObject], answers: list[Json], notes: Counter[str]
) -> list[JsonObject]:
    """What the log keeps of the model's output for each message of the model: by their ids, in old logs by order.

    The sample's own output belongs to the last one.
    """
    outputs = [object_at(call, "output") for call in calls]
    by_id = {id_: output for output in outputs if (id_ := _id_of(output))}
    own = [by_id.get(text_at(answer, "id"), {}) for answer in answers]
    if not by_id and len(outputs) == len(answers):
        own = outputs
    last = object_at(sample, "output")
    if own and not own[-1] and _id_of(last) in {"", text_at(answers[-1], "id")}:
        own[-1] = last
    placed = set(map(id, own))
    unplaced = sum(bool(one.get("usage")) for one in outputs if id(one) not in placed)
    if unplaced:
        notes["usage of an answer that is no message of the conversation"] += unplaced
    return own


def _choice_of(output: JsonObject) -> JsonObject:
    return next(iter(objects_of(list_at(output, "choices"))), {})


def _id_of(output: JsonObject) -> str:
    return text_at(object_at(_choice_of(output), "message"), "id")


def beside_of(output: JsonObject, notes: Counter[str]) -> JsonObject:
    """What the API says beside a message."""
    stop = text_at(_choice_of(output), "stop_reason")
    if stop not in _USUAL and stop not in _STOPS:
        notes[f"an answer that stopped for {stop[:40]}, which Chat Completions cannot say"] += 1
    usage = object_at(output, "usage")
    return {
        "finish_reason": _STOPS.get(stop),
        "model": text_at(output, "model"),
        "usage": _usage_of(usage) if usage else None,
    }


def _usage_of(usage: JsonObject) -> JsonObject:
    """Usage as Chat Completions counts it: with what the cache gave and took among what was asked."""
    asked, said = count_at(usage, "input_tokens"), count_at(usage, "output_tokens")
    read, kept = count_at(usage, "input_tokens_cache_read"), count_at(usage, "input_tokens_cache_write")
    cached = (read or 0) + (kept or 0)
    if asked is not None and count_at(usage, "total_tokens") == asked + cached + (said or 0):
        asked += cached
    return {
        "prompt_tokens": asked,
        "completion_tokens": said,
        "prompt_tokens_details": {"cached_tokens": read, "cache_write_tokens": kept},
        "completion_tokens_details": {"reasoning_tokens": count_at(usage, "reasoning_tokens")},
    }


def assistant_of(message: Json, notes: Counter[str]) -> JsonObject:
    """A message of the model as Chat Completions writes it."""
    content = message.get("content") if isinstance(message, dict) else None
    parts = objects_of(content) if isinstance(content, list) else []
    reasoning = [part for part in parts if part.get("type") == "reasoning"]
    rest: list[Json] = [_refused(part) for part in parts if part.get("type") != "reasoning"]
    written: JsonObject = {"role": "assistant", "content": rest if isinstance(content, list) else content}
    if reasoning:
        written["reasoning_content"] = "\n\n".join(text_at(one, "reasoning") for one in reasoning)
        written["reasoning_details"] = [one for one in reasoning if one.get("signature") or one.get("redacted")]
    calls = [_call_of(call, notes) for call in objects_of(list_at(message, "tool_calls"))]
    return written | ({"tool_calls": [*calls]} if calls else {})


def _refused(part: JsonObject) -> JsonObject:
    """A part whose text may be a refusal; inspect_ai says so with a boolean."""
    if part.get("refusal") is True:
        return {"type": "refusal", "refusal": text_at(part, "text")}
    return unmarked(part)


def unmarked(part: JsonObject) -> JsonObject:
    """A part without that boolean."""
    return {key: value for key, value in part.items() if key != "refusal" or isinstance(value, str)}


def _call_of(call: JsonObject, notes: Counter[str]) -> JsonObject:
    function: JsonObject = {"name": text_at(call, "function"), "arguments": _arguments_of(call, notes)}
    return {"id": text_at(call, "id"), "type": "function", "function": function}


def _arguments_of(call: JsonObject, notes: Counter[str]) -> str:
    """What the model wrote: of arguments that could not be parsed, the text that the error tells."""
    error = text_at(call, "parse_error")
    if error:
        notes["arguments that inspect_ai could not parse, as the text that its error tells"] += 1
        told = _UNPARSED.match(error)
        if told or not call.get("arguments"):
            return told[1] if told else error
    return encode(call.get("arguments")).decode()
