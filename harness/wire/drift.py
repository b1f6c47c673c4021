"""What drifted since the recording: the category, the first difference and where, told in few lines."""

from typing import Literal, NamedTuple, TypeAlias, get_args

from harness.recording import Exchange
from harness.value import Json
from harness.wire.divergence import (
    Divergence,
    Path,
    divergence_of,
    is_reordered,
    only_recorded,
    only_sent,
    path_text,
)
from harness.wire.facets import Facet, Facets
from harness.wire.matching import Asked, Missed
from harness.wire.meaning import Step

Category: TypeAlias = Literal[
    "PROMPT", "TOOLS", "PARAMS", "MODEL", "CONVERSATION", "TOOL_RESULT", "UNPLAYED", "EXHAUSTED", "NOT_INTERCEPTED"
]
CATEGORIES: tuple[Category, ...] = get_args(Category)

_CATEGORY_OF: dict[Facet, Category] = {"system": "PROMPT", "tools": "TOOLS", "params": "PARAMS", "model": "MODEL"}


class Drift(NamedTuple):
    """One difference between the recording and the run. `served`: the recorded answer was given all the same.

    `exchange` is the recorded one that answered or comes nearest; `path` is a path of the request body as sent.
    """

    category: Category
    note: str
    path: str = ""
    recorded: str = ""
    sent: str = ""
    exchange: int | None = None
    served: bool = False


def drifts_of_context(exchange: Exchange, pair: tuple[Facets, Facets], asked: Asked) -> list[Drift]:
    """One drift for each facet in which a request, answered all the same, is not what was recorded.

    `pair` are the facets of the recorded context and of the request.
    """
    return [
        _facet_drift(facet, pair, asked)._replace(exchange=exchange.number, served=True)
        for facet in pair[0].differing(pair[1])
    ]


def _facet_drift(facet: Facet, pair: tuple[Facets, Facets], asked: Asked) -> Drift:
    recorded, sent = (one.values[facet] for one in pair)
    divergence = divergence_of(recorded, sent)
    note = f"the {_NOUN[facet]} is not what was recorded"
    if facet == "tools" and is_reordered(recorded, sent):
        note = "the tools stand in another order than recorded"
    path = _facet_path(facet, divergence.path, asked)
    return Drift(_CATEGORY_OF[facet], note, path_text(path), divergence.recorded, divergence.sent)


def _facet_path(facet: Facet, path: Path, asked: Asked) -> Path:
    match facet:
        case "system":
            return _system_path(path or (0,), asked)
        case "tools":
            return ("tools", *path)
        case "params":
            return path
        case "model":
            return ("model",)


def _system_path(path: Path, asked: Asked) -> Path:
    """Where a system part stands in the body: a message of its own, a block, or a field."""
    index, *inner = path
    assert isinstance(index, int)  # noqa: S101  system parts are a list
    match asked.api:
        case "chat":
            return _as_sent(("messages", index, *inner), asked.body)
        case "messages":
            return ("system", *path) if isinstance(asked.body.get("system"), list) else ("system",)
        case "responses":
            has_field = bool(asked.body.get("instructions"))
            if has_field and index == 0:
                return ("instructions",)
            return _as_sent(("input", index - has_field, *inner), asked.body)


_NOUN: dict[Facet, str] = {"system": "system prompt", "tools": "tool set", "params": "set of params", "model": "model"}


def drift_of_miss(missed: Missed, pair: tuple[Facets, Facets] | None, asked: Asked) -> Drift:
    """Why a request got no answer; `pair` are the facets of the nearest exchange and of the request."""
    nearest = None if missed.nearest is None else missed.nearest.number
    return _miss(missed, pair, asked)._replace(exchange=nearest)


def _miss(missed: Missed, pair: tuple[Facets, Facets] | None, asked: Asked) -> Drift:
    match missed.reason:
        case "ambiguous" if pair is not None:
            note = "several contexts are recorded for this conversation and none is this one: there is no guess"
            return _facet_drift(pair[0].differing(pair[1])[0], pair, asked)._replace(note=note)
        case "form":
            note = "the answer was recorded as a stream and is asked for whole, or the other way round"
            return Drift("PARAMS", note, "stream", *_flags(asked))
        case "unknown_answer":
            note = "the request goes on from an answer that is not in the recording"
            return Drift("CONVERSATION", note, "previous_response_id" if asked.api == "responses" else "thread")
        case "exhausted":
            return Drift("EXHAUSTED", _exhausted_note(missed))
        case _:
            return _conversation_drift(missed, asked)


def _flags(asked: Asked) -> tuple[str, str]:
    streams = asked.parts.params.get("stream") is True
    return str(not streams).lower(), str(streams).lower()


def _exhausted_note(missed: Missed) -> str:
    if missed.nearest is not None and not missed.nearest.complete:
        return "the recorded answer is not whole: it broke, or its reader left it"
    if missed.step is not None:
        return "the agent goes on where the recorded conversation ends"
    return "the agent asks for an answer once more than was recorded"


def _conversation_drift(missed: Missed, asked: Asked) -> Drift:
    step, expected = missed.step, missed.expected
    base = "input" if asked.api == "responses" else "messages"
    messages = asked.body.get(base)
    leading = len(messages) - len(asked.parts.messages) if isinstance(messages, list) else 0
    if step is None:
        value = None if expected is None else expected.shape.value
        divergence = only_recorded(value, (base, leading + len(asked.parts.messages)))
        return _drift("CONVERSATION", "the request stops where a recorded message follows", divergence)
    path: Path = (base, step.message - missed.skipped + leading)
    if expected is None:
        known = "the request says more than was recorded"
        note = known if missed.nearest is not None else f"nothing is recorded of the API `{asked.api}`"
        return _drift("CONVERSATION", note, only_sent(step.shape.value, path))
    divergence = _between(expected, step, path)
    divergence = divergence._replace(path=_as_sent(divergence.path, asked.body))
    if step.shape.is_result and expected.shape.is_result:
        return _drift("TOOL_RESULT", "a tool's result is not the recorded one", divergence)
    return _drift("CONVERSATION", "the conversation is not the recorded one", divergence)


def _between(expected: Step, step: Step, path: Path) -> Divergence:
    if expected.shape.key == step.shape.key:
        mine, other = (", ".join(map(str, one.calls)) for one in (expected, step))
        return Divergence(path, f"belongs to call {mine}", f"belongs to call {other}")
    divergence = divergence_of(expected.shape.value, step.shape.value)
    inner = divergence.path
    if step.shape.block is not None and inner[:2] == ("content", 0):
        inner = ("content", step.shape.block, *inner[2:])
    return divergence._replace(path=(*path, *inner))


def _drift(category: Category, note: str, divergence: Divergence) -> Drift:
    return Drift(category, note, path_text(divergence.path), divergence.recorded, divergence.sent)


def _as_sent(path: Path, body: Json) -> Path:
    """The path as the body has it: a text that was sent as such has no blocks inside."""
    value = body
    for at, part in enumerate(path):
        if isinstance(value, str) and path[at:] == (0, "text"):
            return path[:at]
        match value, part:
            case dict(), str():
                value = value.get(part)
            case list(), int() if part < len(value):
                value = value[part]
            case _:
                value = None
    return path


def drift_of_unplayed(exchange: Exchange) -> Drift:
    """A recorded exchange that the agent never asked for."""
    last = exchange.messages[-1] if exchange.messages else None
    said = only_recorded(last, ()).recorded
    return Drift("UNPLAYED", "a recorded request was never sent", recorded=said, exchange=exchange.number)
