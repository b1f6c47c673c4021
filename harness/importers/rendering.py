"""Told conversations as recordings: each message of the model becomes the answer of an exchange.

Formats that hold no bytes of the wire go the same way as those that do: what is said is written as the API's own
request and answer, so that one derivation serves all. `origin` in the header says that it was imported.
"""

from collections import Counter

from harness.importers.found import Told
from harness.importers.times import UNKNOWN_TIME
from harness.importers.traffic import PATHS, UNKNOWN_HOST
from harness.importers.writing import Draft
from harness.providers.dialect import dialect_of
from harness.providers.fields import list_at, object_at, text_at
from harness.recording import Exchange, ToolRun, context_of
from harness.transcript import ToolResultTurn, text_of
from harness.value import Json, JsonObject, encode
from harness.wire.redact import Redactor

_HEADERS = {"content-type": "application/json"}


def draft_of(told: Told, redactor: Redactor, left_out: Counter[str]) -> Draft | None:
    """The draft of a conversation; None where the model says nothing in it. `left_out` counts what has no place."""
    parts = dialect_of(told.api).parts_of({"model": told.model, "messages": told.messages, **_system_of(told)})
    messages = redactor.value(parts.messages)
    assert isinstance(messages, list)  # noqa: S101  scrubbing keeps the kind
    answers = [at for at, one in enumerate(messages) if text_at(one, "role") == "assistant"]
    if not answers:
        left_out["a conversation without an answer"] += 1
        return None
    scrubbed = redactor.value([parts.system, told.tools, told.params, told.model])
    match scrubbed:
        case [list(system), list(tools), dict(params), str(model)]:
            context = context_of(
                api=told.api, host=UNKNOWN_HOST, path=PATHS[told.api], model=model, system=system, tools=tools,
                params=params,
            )  # fmt: skip
        case _:
            raise AssertionError  # scrubbing keeps the kind
    draft = Draft(name=told.name, outcome=told.outcome, error=told.error)
    draft.contexts[context.hash] = context
    offset = len(told.messages) - len(messages)
    start = 0
    for number, at in enumerate(answers):
        beside = redactor.value(told.answers.get(at + offset, {}))
        answer = _answer_of(told, messages[at], beside if isinstance(beside, dict) else {}, number)
        draft.exchanges.append(_exchange_of(told, number, context.hash, messages[start:at], answer))
        start = at
    _add_results(draft, told, messages[answers[-1] + 1 :], left_out)
    return draft


def _system_of(told: Told) -> JsonObject:
    """The Messages API has its system prompt beside the messages."""
    return {"system": told.params["system"]} if told.api == "messages" and "system" in told.params else {}


def _exchange_of(told: Told, number: int, context: str, messages: list[Json], answer: JsonObject) -> Exchange:
    return Exchange(
        number=number,
        parent=number - 1 if number else None,
        context=context,
        messages=messages,
        status=200,
        headers=_HEADERS,
        body=encode(answer).decode(),
        at=told.at or UNKNOWN_TIME,
        ms=0.0,
    )


def _answer_of(told: Told, message: Json, beside: JsonObject, number: int) -> JsonObject:
    if told.api == "messages":
        return _messages_answer(told, message, beside, number)
    stop = "tool_calls" if list_at(message, "tool_calls") or object_at(message, "function_call") else "stop"
    return {
        "id": f"chatcmpl-import-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": beside.get("model") or told.model,
        "choices": [{"index": 0, "message": message, "finish_reason": beside.get("finish_reason") or stop}],
        **({"usage": beside["usage"]} if beside.get("usage") else {}),
    }


def _messages_answer(told: Told, message: Json, beside: JsonObject, number: int) -> JsonObject:
    text = text_at(message, "content")
    content: list[Json] = [{"type": "text", "text": text}] if text else list_at(message, "content")
    stop = "tool_use" if any(text_at(block, "type") == "tool_use" for block in content) else "end_turn"
    return {
        "id": f"msg_import_{number}",
        "type": "message",
        "role": "assistant",
        "model": beside.get("model") or told.model,
        "content": content,
        "stop_reason": beside.get("stop_reason") or stop,
        **({"usage": beside["usage"]} if beside.get("usage") else {}),
    }


def _add_results(draft: Draft, told: Told, rest: list[Json], left_out: Counter[str]) -> None:
    """Results after the last answer were never sent: they stand as the runs of their tools."""
    last = draft.exchanges[-1]
    dialect = dialect_of(told.api)
    calls = list(enumerate(dialect.reading_of_body(200, (last.body or "").encode()).turn.calls))
    for turn in dialect.turns_of(rest):
        match = next((one for one in calls if isinstance(turn, ToolResultTurn) and one[1].id == turn.tool_use_id), None)
        if match is None or not isinstance(turn, ToolResultTurn):
            left_out["words after the last answer"] += 1
            continue
        calls.remove(match)
        position, call = match
        draft.tools.append(
            ToolRun(
                exchange=last.number,
                position=position,
                call=call.id,
                name=call.name,
                arguments=call.arguments,
                result=text_of(turn),
                error=turn.is_error,
                at=last.at,
                ms=0.0,
            )
        )
