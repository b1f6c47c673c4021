"""Requests of a recording as whole bodies again, as an SDK would send them."""

from harness.recording import Context, Exchange, Recording, conversation_of
from harness.value import Json, JsonObject
from harness.wire.facets import continued_answer, held_conversation

_INSTRUCTIONS = str  # the Responses API has its instructions as text beside the system messages


def body_of(recording: Recording, exchange: Exchange) -> JsonObject:
    """The body of an exchange's request. What the server kept (`previous_response_id`) is not said again."""
    context = recording.contexts[exchange.context]
    kept = continued_answer(context.params) or held_conversation(context.params)
    said = exchange.messages if kept else conversation_of(recording, exchange)
    return {"model": context.model, **_said(context, said), **_tools(context), **context.params}


def _said(context: Context, messages: list[Json]) -> JsonObject:
    match context.api:
        case "chat":
            return {"messages": [*context.system, *messages]}
        case "messages":
            return {**_system(context.system), "messages": messages}
        case "responses":
            instructions = [part for part in context.system if isinstance(part, _INSTRUCTIONS)]
            leading = [part for part in context.system if not isinstance(part, _INSTRUCTIONS)]
            return {**({"instructions": instructions[0]} if instructions else {}), "input": [*leading, *messages]}


def _system(system: list[Json]) -> JsonObject:
    if not system:
        return {}
    return {"system": system[0] if len(system) == 1 and isinstance(system[0], str) else system}


def _tools(context: Context) -> JsonObject:
    return {"tools": context.tools} if context.tools else {}


def url_of(recording: Recording, exchange: Exchange) -> str:
    """The address of a request; where the host is not known, one that no name server knows."""
    context = recording.contexts[exchange.context]
    host = context.host if context.host != "unknown" else "unknown.invalid"
    local = host.partition(":")[0] in {"localhost", "127.0.0.1", "0.0.0.0"}  # noqa: S104  a name to compare
    return f"{'http' if local else 'https'}://{host}{context.path}"
