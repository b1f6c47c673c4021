"""OpenTelemetry spans of calls to models, as OTLP JSON: an exchange each span, under old and new attribute names.

Known: messages in `gen_ai.input.messages` and its kin; numbered attributes (`gen_ai.prompt.0.content`); events that
stand on the span, in an attribute, or beside it as log records. What they say is written as Chat Completions.
"""

from harness import errors
from harness.importers import times
from harness.importers.found import Captured, Found, Ran, Source, Span, objects_in
from harness.importers.otlp_messages import Call, call_of
from harness.importers.otlp_unread import Unread
from harness.importers.otlp_values import attributes_of, value_of
from harness.providers.fields import count_at, list_at, object_at, objects_of, text_at
from harness.value import Json, JsonObject, encode

_OPERATIONS = {"chat", "text_completion", "generate_content", "completion"}
_AROUND = {"invoke_agent", "invoke_workflow"}  # whose spans repeat what those of the calls within them say
_ERRORS = {"2", "STATUS_CODE_ERROR"}
_FAILED = 500
_ASKED = "gen_ai.input.messages"
_LONGEST_TIME = 20  # digits of a count of nanoseconds


class Otlp:
    """The format `otlp`."""

    name = "otlp"

    def recognises(self, source: Source) -> bool:
        """Whether the file, or its first line, holds spans or logs of resources."""
        return isinstance(source.first, dict) and bool({"resourceSpans", "resourceLogs"} & source.first.keys())

    def read(self, source: Source) -> Found:
        """Each span of a call to a model, in order of time; other spans are counted."""
        exports = [source.json()] if source.is_json else source.json_lines()
        found = Found()
        events = _events_of(exports)
        spans = objects_in([span for export in exports for span in _spans_of(export)], "a span", found.left_out)
        here = {key for span in spans for key in _keys_of(span)}
        found.left_out["a log record of a span that is not here"] += sum(
            len(told) for key, told in events.items() if key not in here
        )
        if not spans and not events:
            raise errors.BadImport("an OTLP file holds resourceSpans", file=source.name)
        told: set[tuple[str, bytes]] = set()
        asking = {text_at(span, "traceId") for span in spans if _operation_of(span) in _OPERATIONS}
        for span in sorted(spans, key=_started):
            if _operation_of(span) in _AROUND and text_at(span, "traceId") in asking:
                found.left_out[_kind_of(span, attributes_of(span))] += 1
                continue
            beside = [event for key in _keys_of(span) for event in events.get(key, [])]
            _take(span, _events_on(span) + beside, found, told)
        return found


def _take(span: JsonObject, events: list[JsonObject], found: Found, told: set[tuple[str, bytes]]) -> None:
    """What a span tells; `told` are the parts without a place that were counted before."""
    attributes, unread = attributes_of(span), Unread()
    if text_at(attributes, "gen_ai.operation.name") == "execute_tool":
        _take_run(span, attributes, found)
        return
    call = call_of(attributes, events, unread)
    if call is None:
        found.left_out[_kind_of(span, attributes)] += 1
        return
    place = _place_of(span, attributes)
    unread.count(told, place.trace, found.left_out)
    found.left_out["an attribute or event that was dropped before the export"] += sum(
        count_at(span, key) or 0 for key in ("droppedAttributesCount", "droppedEventsCount")
    )
    found.notes["a span, written as Chat Completions"] += 1
    within = place._replace(parent=place.id)
    found.ran += [
        Ran(text_at(one, "tool_call_id"), text_at(one, "content"), failed=False, span=within) for one in unread.results
    ]
    found.captured.append(_captured(span, attributes, call, unread)._replace(span=place))


def _take_run(span: JsonObject, attributes: JsonObject, found: Found) -> None:
    """What a tool gave; a span that does not say for which call, or nothing, is counted."""
    call, result = text_at(attributes, "gen_ai.tool.call.id"), attributes.get("gen_ai.tool.call.result")
    if not call or result is None:
        found.left_out[f"a span of execute_tool without {'a result' if call else 'the id of its call'}"] += 1
        return
    text = result if isinstance(result, str) else encode(result).decode()
    failed = str(object_at(span, "status").get("code")) in _ERRORS
    found.ran.append(Ran(call, text, failed, text_at(attributes, "gen_ai.tool.name"), _place_of(span, attributes)))


def _place_of(span: JsonObject, attributes: JsonObject) -> Span:
    return Span(
        text_at(span, "traceId"),
        text_at(span, "spanId"),
        text_at(span, "parentSpanId"),
        text_at(attributes, "gen_ai.conversation.id"),
        _started(span),
    )


def _keys_of(span: JsonObject) -> list[tuple[str, str]]:
    """Under which its log records stand: ids of spans recur in other traces, and a record may not name its trace."""
    trace, id_ = text_at(span, "traceId"), text_at(span, "spanId")
    return [(trace, id_), ("", id_)] if trace else [("", id_)]


def _spans_of(export: Json) -> list[Json]:
    scopes = [
        scope
        for resource in objects_of(list_at(export, "resourceSpans"))
        for scope in objects_of(list_at(resource, "scopeSpans") or list_at(resource, "instrumentationLibrarySpans"))
    ]
    return [span for scope in scopes for span in list_at(scope, "spans")]


def _events_of(exports: list[Json]) -> dict[tuple[str, str], list[JsonObject]]:
    """The log records that tell what a span said, by the ids of its trace and its own."""
    resources = [resource for export in exports for resource in objects_of(list_at(export, "resourceLogs"))]
    scopes = [scope for resource in resources for scope in objects_of(list_at(resource, "scopeLogs"))]
    events: dict[tuple[str, str], list[JsonObject]] = {}
    for record in (record for scope in scopes for record in objects_of(list_at(scope, "logRecords"))):
        attributes = attributes_of(record)
        name = text_at(record, "eventName") or text_at(attributes, "event.name")
        event = _event(name, attributes, value_of(record.get("body")))
        events.setdefault((text_at(record, "traceId"), text_at(record, "spanId")), []).append(event)
    return events


def _events_on(span: JsonObject) -> list[JsonObject]:
    return [_event(text_at(one, "name"), attributes_of(one), None) for one in objects_of(list_at(span, "events"))]


def _event(name: str, attributes: JsonObject, body: Json) -> JsonObject:
    return {**attributes, **(body if isinstance(body, dict) else {}), "event.name": name}


def _started(span: JsonObject) -> int:
    return _nanoseconds(span, "startTimeUnixNano")


def _nanoseconds(span: JsonObject, key: str) -> int:
    written = str(span.get(key) or 0)
    return int(written) if written.isdecimal() and len(written) <= _LONGEST_TIME else 0


def _operation_of(span: JsonObject) -> str:
    return text_at(attributes_of(span), "gen_ai.operation.name")


def _kind_of(span: JsonObject, attributes: JsonObject) -> str:
    operation = text_at(attributes, "gen_ai.operation.name")
    if operation in _OPERATIONS:
        return "a call to a model whose messages were not kept"
    return f"a span of {operation}" if operation else f"a span {text_at(span, 'name')[:60]}"


def _captured(span: JsonObject, attributes: JsonObject, call: Call, unread: Unread) -> Captured:
    """The span as an exchange of Chat Completions. One without question or answer is no whole conversation."""
    status = object_at(span, "status")
    failed = str(status.get("code")) in _ERRORS and not call.choices
    told = call.system or call.messages or _ASKED in attributes
    missing = unread.sentence() or ("" if told else "the span does not say what was asked")
    body = _failure_of(status, attributes) if failed else _completion_of(attributes, call)
    if not failed and not call.choices:
        body = _error_of(unread.why_no_answer())
    code = count_at(attributes, "http.response.status_code") or _FAILED
    request: JsonObject = {
        "model": text_at(attributes, "gen_ai.request.model") or text_at(attributes, "gen_ai.response.model"),
        "messages": [*call.system, *call.messages],
        **({"tools": call.tools} if call.tools else {}),
        **call.params,
    }
    ms = max(_nanoseconds(span, "endTimeUnixNano") - _started(span), 0) / 1e6
    host = text_at(attributes, "server.address")
    return Captured(
        "POST",
        f"https://{host}/v1/chat/completions" if host else "",
        encode(request),
        code if failed else 200,
        {"content-type": "application/json"},
        [(ms, encode(body))],
        at=times.of_nanoseconds(span.get("startTimeUnixNano") or ""),
        ms=ms,
        unread=missing,
    )


def _failure_of(status: JsonObject, attributes: JsonObject) -> JsonObject:
    message = text_at(status, "message") or "the call failed"
    return {"error": {"message": message, "type": text_at(attributes, "error.type") or "error"}}


def _error_of(sentence: str) -> JsonObject:
    """An answer that is not known: nothing failed on the wire, so its error stands where choices would."""
    return {"object": "chat.completion", "choices": [{"index": 0, "message": {}, "error": {"message": sentence}}]}


def _completion_of(attributes: JsonObject, call: Call) -> JsonObject:
    reasons = list_at(attributes, "gen_ai.response.finish_reasons")
    choices: list[Json] = []
    for index, (message, stop) in enumerate(call.choices):
        said = stop or (str(reasons[index]) if index < len(reasons) else "")
        finish = "tool_calls" if message.get("tool_calls") and said in {"", "tool_call", "tool_use"} else said or "stop"
        choices.append({"index": index, "message": message, "finish_reason": finish})
    return {
        "id": text_at(attributes, "gen_ai.response.id"),
        "object": "chat.completion",
        "model": text_at(attributes, "gen_ai.response.model"),
        "choices": choices,
        "usage": {
            "prompt_tokens": _tokens(attributes, "input", "prompt"),
            "completion_tokens": _tokens(attributes, "output", "completion"),
        },
    }


def _tokens(attributes: JsonObject, *names: str) -> int | None:
    return next((n for name in names if (n := count_at(attributes, f"gen_ai.usage.{name}_tokens")) is not None), None)


IMPORTER = Otlp()
