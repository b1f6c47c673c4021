"""A Messages answer: from its JSON, plain or put together from a stream, to a reading."""

from dataclasses import dataclass, field

from harness.providers.arguments import NO_CALLS, Arguments, arguments_of_text, arguments_of_value
from harness.providers.dialect import Reading
from harness.providers.failure import object_in
from harness.providers.fields import count_at, list_at, object_at, objects_of, text_at, without
from harness.providers.halves import joined
from harness.providers.history import repeated_ids
from harness.providers.kinds import NEEDED_TEXT, OBJECT, TEXT, Shape, misfits, unreadable
from harness.transcript import (
    NO_LEDGER,
    AssistantTurn,
    Block,
    Opaque,
    Outcome,
    StopReason,
    Text,
    Thinking,
    TokenLedger,
    ToolCall,
)
from harness.value import Json, JsonObject, canonical, digest_of

INVALID_JSON = "INVALID_JSON"  # the key under which the API's own guide sends text that is no JSON back

_STOPS: dict[str, StopReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "toolUse",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "pause",
    "refusal": "refusal",
}
_AROUND: Shape = {"id": TEXT, "model": TEXT, "stop_reason": TEXT, "usage": OBJECT}
_BLOCK: Shape = {"type": NEEDED_TEXT}
_BLOCKS: dict[Json, Shape] = {
    "text": {"text": TEXT},
    "thinking": {"signature": TEXT},
    "tool_use": {"id": TEXT, "name": NEEDED_TEXT},
}
_SERVER_CALLS = {"server_tool_use", "mcp_tool_use"}


@dataclass(slots=True)
class Part:
    """A content block as it is put together: as it started, and what came in pieces."""

    block: JsonObject
    text: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)
    citations: list[Json] = field(default_factory=list)
    stopped: bool = False

    @property
    def fields(self) -> JsonObject:
        """The block with the fields that came in pieces, all but text and input."""
        whole = dict(self.block)
        if self.signature:
            whole["signature"] = text_at(whole, "signature") + "".join(self.signature)
        if self.citations:
            whole["citations"] = list_at(whole, "citations") + self.citations
        return whole


@dataclass(slots=True)
class Answer:
    """An answer as it is put together. `whole` is false where the stream did not say that it was done."""

    id: str = ""
    model: str = ""
    parts: list[Part] = field(default_factory=list)
    stop: str = ""
    usage: JsonObject = field(default_factory=dict)
    error: str = ""
    warnings: list[str] = field(default_factory=list)
    whole: bool = True

    def describe(self, message: JsonObject) -> None:
        """Take what stands beside the content."""
        self.warnings += misfits(message, _AROUND, what="the answer")
        self.id = self.id or text_at(message, "id")
        self.model = self.model or text_at(message, "model")
        self.stop = text_at(message, "stop_reason") or self.stop
        self.usage |= {key: value for key, value in object_at(message, "usage").items() if value is not None}


def reading_of_body(body: bytes) -> Reading:
    """The reading of a plain answer."""
    value = object_in(body)
    return reading_of(answer_of(value)) if isinstance(value, dict) else value


def answer_of(body: JsonObject) -> Answer:
    """A plain answer put together."""
    answer = Answer()
    answer.describe(body)
    content = body.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        answer.error = "the answer holds no content"
        return answer
    answer.error = unreadable(misfits_in_blocks(content))
    answer.parts = [Part(block, stopped=True) for block in objects_of(content)]
    return answer


def misfits_in_blocks(blocks: list[Json]) -> list[str]:
    """What does not fit in content blocks, whole ones or just opened."""
    found: list[str] = []
    for block in blocks:
        shape = _BLOCKS.get(block["type"], {}) if isinstance(block, dict) and text_at(block, "type") else {}
        found += misfits(block, {**_BLOCK, **shape}, what="a content block")
    return found


def reading_of(answer: Answer) -> Reading:
    """What the answer means."""
    content, notes = content_of(answer.parts, seed=answer.id, whole=answer.whole)
    stop = _STOPS.get(answer.stop)
    turn = AssistantTurn(content, _ledger(answer.usage), stop)
    outcome, error = _outcome(answer, stop)
    warnings = [*dict.fromkeys(answer.warnings), *notes, *_doubts(answer, turn)]
    servers = [text_at(part.block, "name") for part in answer.parts if part.block.get("type") in _SERVER_CALLS]
    return Reading(turn, outcome, error, answer.model or None, warnings, servers)


def content_of(parts: list[Part], *, seed: str, whole: bool = True) -> tuple[list[Block], list[str]]:
    """The blocks in the order they came, and what was noted on the way."""
    content: list[Block] = []
    notes: list[str] = []
    for position, part in enumerate(parts):
        content += _blocks_of(part, f"{seed}/{position}", notes, whole=whole)
    return content, notes


def _blocks_of(part: Part, seed: str, notes: list[str], *, whole: bool) -> list[Block]:
    block = part.fields
    match block.get("type"):
        case "text":
            text = text_at(block, "text") + joined(part.text)
            return [Text(text), *_extra(without(block, "type", "text"))] if text else []
        case "thinking" if isinstance(block.get("thinking", ""), str):
            thought = text_at(block, "thinking") + joined(part.text)
            return [Thinking(thought, {key: value for key, value in block.items() if key != "thinking"})]
        case "tool_use":
            return _call_of(part, seed, notes, whole=whole)
        case _:
            return [Opaque("messages", _with_input(part, notes))]


def _call_of(part: Part, seed: str, notes: list[str], *, whole: bool) -> list[Block]:
    block = part.block
    name = text_at(block, "name")
    read = _arguments_of(part, whole=whole)
    notes += [f"{name}: {note}" for note in read.notes]
    id_ = text_at(block, "id")
    if not id_:
        id_ = f"made_up_{digest_of(canonical([seed, name, ''.join(part.pieces)]))[7:19]}"
        notes.append(f"{name}: the call had no id")
    extra = without(block, "type", "id", "name", "input")
    if extra.get("caller") == {"type": "direct"}:
        del extra["caller"]  # the default: the model itself called
    return [ToolCall(id_, name, read.value, read.raw), *_extra(extra)]


def _arguments_of(part: Part, *, whole: bool) -> Arguments:
    """The input that a block started with counts only where no pieces came."""
    written = joined(part.pieces)
    if written.strip():
        return arguments_of_text(written)
    if not (whole or part.stopped or part.block.get("input")):
        return Arguments(None, written, ("malformed: the stream ended before the arguments",))
    if "input" not in part.block:
        return Arguments(None, written, ("malformed: the call had no input",))
    match part.block["input"]:
        case {"INVALID_JSON": str(text), **rest} if not rest:  # sent back, or kept so in a file of messages
            return arguments_of_text(text)
        case value:
            return arguments_of_value(value)


def _with_input(part: Part, notes: list[str]) -> JsonObject:
    """A server tool's block whole, with the input that came in pieces."""
    written = joined(part.pieces)
    if not written.strip():
        return part.block
    read = arguments_of_text(written)
    notes += [f"{text_at(part.block, 'name')}: {note}" for note in read.notes]
    return part.block | {"input": {INVALID_JSON: written} if read.value is None else read.value}


def _extra(fields: JsonObject) -> list[Block]:
    """Fields of the block before that go back with it."""
    return [Opaque("messages", {"extra": fields})] if fields else []


def _doubts(answer: Answer, turn: AssistantTurn) -> list[str]:
    doubts = []
    if not answer.stop and answer.whole and not answer.error:
        doubts.append("no stop reason")
    if answer.stop and answer.stop not in _STOPS:
        doubts.append(f"stop reason {answer.stop!r} is unknown")
    if turn.stop_reason == "toolUse" and not turn.calls:
        doubts.append(f"stop reason tool_use {NO_CALLS}")
    if turn.stop_reason == "stop" and turn.calls:
        doubts.append(f"stop reason {answer.stop} with calls")
    return doubts + repeated_ids([call.id for call in turn.calls])


def _outcome(answer: Answer, stop: StopReason | None) -> tuple[Outcome | None, str | None]:
    if answer.error:
        return Outcome.ERROR, answer.error
    if not answer.whole:
        return Outcome.INCOMPLETE, "the stream ended without message_stop"
    match stop:
        case "refusal":
            return Outcome.REFUSED, "the model refused"
        case "length":
            return Outcome.TRUNCATED, f"the answer was cut off: {answer.stop}"
        case _:
            return None, None


def _ledger(usage: JsonObject) -> TokenLedger:
    if not usage:
        return NO_LEDGER
    return TokenLedger(
        input=count_at(usage, "input_tokens"),
        cache_read=count_at(usage, "cache_read_input_tokens"),
        cache_creation=count_at(usage, "cache_creation_input_tokens"),
        output=count_at(usage, "output_tokens"),
    )


def raw_input(call: ToolCall) -> JsonObject:
    """The `input` of a call on its way back: text that is no object travels as the API's guide says."""
    return call.arguments if call.arguments is not None else {INVALID_JSON: call.raw_arguments}
