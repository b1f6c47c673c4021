"""Recordings as OpenTelemetry spans (OTLP JSON), under the newest names of the GenAI attributes.

A recording is a trace: one span an exchange, one a tool that ran. Ids come from the recording's own, so that the same
recording gives the same spans.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta

from harness.derivation import reading_of_exchange
from harness.exporters.messages import function_tools_of, system_text_of
from harness.exporters.unsaid import count_changes, count_failed_results, count_signatures
from harness.importers.times import UNKNOWN_TIME
from harness.providers.dialect import Reading, dialect_of
from harness.providers.kinds import kind_of
from harness.recording import Context, Exchange, Recording, ToolRun, conversation_of
from harness.transcript import (
    AssistantTurn,
    Opaque,
    StopReason,
    Text,
    Thinking,
    ToolCall,
    ToolResultTurn,
    Turn,
    text_of,
)
from harness.value import Json, JsonObject, encode

_CLIENT, _INTERNAL = 3, 1
_OK, _FAILED = 1, 2
_MS = 1_000_000
_PARAMS = {"temperature", "top_p", "max_tokens", "frequency_penalty", "presence_penalty", "seed"}
_STOPS: dict[StopReason | None, str] = {
    "toolUse": "tool_call", "length": "length", "contentFilter": "content_filter", "refusal": "content_filter",
}  # fmt: skip


def spans_of(recordings: Iterable[Recording], left_out: Counter[str]) -> bytes:
    """One export with every recording's spans."""
    spans: list[Json] = []
    named: Counter[str] = Counter()
    for recording in recordings:
        trace = _trace_of(recording, named)
        spans += [_span_of(recording, exchange, trace, left_out) for exchange in recording.exchanges]
        spans += [_span_of_tool(run, trace) for run in recording.tools]
        _count_times(recording, left_out)
        _count_unsaid(recording, left_out)
    scope: JsonObject = {"scope": {"name": "fc-harness"}, "spans": spans}
    resource: JsonObject = {"attributes": _attributes({"service.name": "fc-harness"})}
    return encode({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}) + b"\n"


def _trace_of(recording: Recording, named: Counter[str]) -> str:
    """What a recording's ids are made of: trials of a case, and other recordings of one name, are traces apart."""
    header = recording.header
    name = header.id if header.trial is None else f"{header.id} trial {header.trial}"
    named[name] += 1
    return name if named[name] == 1 else f"{name} again {named[name]}"


def _id(trace: str, *parts: object, size: int = 16) -> str:
    return hashlib.sha256("/".join(map(str, (trace, *parts))).encode()).hexdigest()[:size]


def _nanoseconds(at: str, ms: float = 0.0) -> str:
    """Nanoseconds since 1970; 0, which is "not known" there, where a recording's time is none."""
    try:
        moment = datetime.fromisoformat(at)
        epoch = datetime(1970, 1, 1, tzinfo=moment.tzinfo)
        return str((moment - epoch) // timedelta(microseconds=1) * 1000 + int(ms * _MS))
    except (ValueError, OverflowError):
        return "0"


def _count_times(recording: Recording, left_out: Counter[str]) -> None:
    times = [*(one.at for one in recording.exchanges), *(one.at for one in recording.tools)]
    if unknown := sum(_nanoseconds(at) == "0" and at != UNKNOWN_TIME for at in times):
        left_out["times that are none"] += unknown


def _count_unsaid(recording: Recording, left_out: Counter[str]) -> None:
    """What no attribute says. The span of a tool that ran says whether it failed."""
    failed = {(run.exchange, run.call) for run in recording.tools if run.error}
    for exchange in recording.exchanges:
        api = recording.contexts[exchange.context].api
        fresh = dialect_of(api).turns_of(exchange.messages)
        told = [one for one in fresh if not _is_one_of(failed, one, exchange.parent)]
        count_failed_results(told, left_out)
        count_signatures([reading_of_exchange(recording, exchange).turn], left_out)
    for context in recording.contexts.values():
        for name in context.params.keys() - _said_of(context).keys():
            left_out[f"the parameter {name}"] += 1
    count_changes(recording, left_out)


def _is_one_of(failed: set[tuple[int, str]], turn: Turn, parent: int | None) -> bool:
    """Whether a turn is the result of a run that failed: ids of calls recur, so the answer with the call counts."""
    return isinstance(turn, ToolResultTurn) and parent is not None and (parent, turn.tool_use_id) in failed


def _said_of(context: Context) -> JsonObject:
    """The parameters that have an attribute."""
    return {name: value for name, value in context.params.items() if name in _PARAMS and kind_of(value) == "a number"}


def _span_of(recording: Recording, exchange: Exchange, trace: str, left_out: Counter[str]) -> JsonObject:
    context = recording.contexts[exchange.context]
    reading = reading_of_exchange(recording, exchange)
    said = dialect_of(context.api).turns_of(conversation_of(recording, exchange))
    instructions = system_text_of(context)
    failed = bool(reading.error) and not reading.turn.content
    answer: JsonObject = {**_message_of(reading.turn), "finish_reason": _STOPS.get(reading.turn.stop_reason, "stop")}
    attributes: JsonObject = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": recording.header.provider,
        "gen_ai.request.model": context.model,
        "gen_ai.response.model": reading.model,
        "server.address": context.host if context.host != "unknown" else None,
        "http.response.status_code": exchange.status,
        "gen_ai.system_instructions": _text([{"type": "text", "content": instructions}]) if instructions else None,
        "gen_ai.input.messages": _text([_message_of(turn) for turn in said]),
        "gen_ai.output.messages": None if failed else _text([answer]),
        "gen_ai.tool.definitions": _text(
            [{"type": "function", **tool} for tool in function_tools_of(context, left_out)]
        ),
        **{f"gen_ai.request.{name}": value for name, value in _said_of(context).items()},
        **_usage_of(reading),
    }
    return {
        "traceId": _id(trace, size=32),
        "spanId": _id(trace, exchange.number),
        "name": f"chat {context.model}",
        "kind": _CLIENT,
        "startTimeUnixNano": _nanoseconds(exchange.at),
        "endTimeUnixNano": _nanoseconds(exchange.at, exchange.ms),
        "attributes": _attributes(attributes),
        "status": {"code": _FAILED, "message": reading.error or ""} if failed else {"code": _OK},
    }


def _span_of_tool(run: ToolRun, trace: str) -> JsonObject:
    attributes: JsonObject = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": run.name,
        "gen_ai.tool.call.id": run.call,
        "gen_ai.tool.call.arguments": _text(run.arguments),
        "gen_ai.tool.call.result": run.result,
    }
    return {
        "traceId": _id(trace, size=32),
        "spanId": _id(trace, run.exchange, run.position, "tool"),
        "parentSpanId": _id(trace, run.exchange),
        "name": f"execute_tool {run.name}",
        "kind": _INTERNAL,
        "startTimeUnixNano": _nanoseconds(run.at),
        "endTimeUnixNano": _nanoseconds(run.at, run.ms),
        "attributes": _attributes(attributes),
        "status": {"code": _FAILED if run.error else _OK},
    }


def _usage_of(reading: Reading) -> JsonObject:
    ledger = reading.turn.token_ledger
    taken = [count for count in (ledger.input, ledger.cache_read, ledger.cache_creation) if count is not None]
    return {
        "gen_ai.usage.input_tokens": sum(taken) if taken else None,
        "gen_ai.usage.output_tokens": ledger.output,
        "gen_ai.usage.cache_read.input_tokens": ledger.cache_read,
        "gen_ai.usage.cache_creation.input_tokens": ledger.cache_creation,
    }


def _message_of(turn: Turn) -> JsonObject:
    match turn:
        case AssistantTurn():
            return {"role": "assistant", "parts": [part for block in turn.content if (part := _part_of(block))]}
        case ToolResultTurn():
            result: JsonObject = {"type": "tool_call_response", "id": turn.tool_use_id, "response": text_of(turn)}
            return {"role": "tool", "parts": [result]}
        case _:
            return {"role": "user", "parts": [{"type": "text", "content": block.text} for block in turn.content]}


def _part_of(block: object) -> JsonObject:
    match block:
        case Text():
            return {"type": "text", "content": block.text}
        case Thinking():
            return {"type": "reasoning", "content": block.thinking}
        case ToolCall():
            arguments: Json = block.arguments if block.arguments is not None else block.raw_arguments
            return {"type": "tool_call", "id": block.id, "name": block.name, "arguments": arguments}
        case Opaque() if "type" in block.block:
            return {"type": "generic", "content": block.block}
        case _:
            return {}


def _text(value: Json) -> str:
    """Structured attributes travel as JSON text, which every backend takes."""
    return encode(value).decode()


def _attributes(values: JsonObject) -> list[Json]:
    return [{"key": key, "value": _value_of(value)} for key, value in values.items() if value is not None]


def _value_of(value: Json) -> JsonObject:
    if kind_of(value) != "a number":
        return {"stringValue": str(value)}
    return {"intValue": str(value)} if isinstance(value, int) else {"doubleValue": value}
