"""A Responses answer: from its output items, plain or put together from a stream, to a reading."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from harness.providers.arguments import Arguments, arguments_of_text, arguments_of_value
from harness.providers.dialect import Reading
from harness.providers.failure import object_in
from harness.providers.fields import count_at, list_at, object_at, objects_of, text_at, text_of_parts, without
from harness.providers.kinds import LIST, NEEDED_LIST, NEEDED_TEXT, OBJECT, TEXT, Shape, misfits, unreadable
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

API = "responses"
_AROUND: Shape = {"id": TEXT, "model": TEXT, "usage": OBJECT, "incomplete_details": OBJECT}
_ANSWER: Shape = {"status": TEXT, "error": OBJECT | TEXT, "output": LIST}
_ITEM: Shape = {"type": TEXT}
_ITEMS: dict[str, Shape] = {
    "": {"content": NEEDED_TEXT | NEEDED_LIST},
    "message": {"content": NEEDED_TEXT | NEEDED_LIST},
    "reasoning": {"summary": LIST, "content": LIST},
    "function_call": {"name": NEEDED_TEXT, "call_id": TEXT},
    "custom_tool_call": {"name": NEEDED_TEXT, "call_id": TEXT, "input": NEEDED_TEXT},
}
_PARTS = {"output_text": "text", "text": "text", "refusal": "refusal"}
_STATUSES = {"", "completed", "incomplete", "failed", "cancelled", "in_progress", "queued"}
CUSTOM_CALL = "custom_tool_call"

_CLIENT_RUN = {"apply_patch_call", "computer_call", "local_shell_call", "shell_call"}
_UNFINISHED = {"in_progress", "queued"}


@dataclass(slots=True)
class Answer:
    """An answer as it is put together: `items` in their order, and what stands beside them.

    `whole` is false where the stream did not say that it was done; `cut` are the positions of calls that it cut off.
    """

    id: str = ""
    model: str = ""
    items: list[JsonObject] = field(default_factory=list)
    status: str = ""
    reason: str = ""
    usage: JsonObject = field(default_factory=dict)
    error: str = ""
    warnings: list[str] = field(default_factory=list)
    whole: bool = True
    cut: set[int] = field(default_factory=set)

    def describe(self, response: JsonObject) -> None:
        """Take what stands beside the output."""
        self.warnings += misfits(response, _AROUND, what="the answer")
        self.error = self.error or unreadable(misfits_in(response))
        self.id = self.id or text_at(response, "id")
        self.model = text_at(response, "model") or self.model
        self.status = text_at(response, "status") or self.status
        self.reason = text_at(object_at(response, "incomplete_details"), "reason") or self.reason
        self.usage = object_at(response, "usage") or self.usage


def reading_of_body(body: bytes) -> Reading:
    """The reading of a plain answer."""
    value = object_in(body)
    return reading_of(answer_of(value)) if isinstance(value, dict) else value


def answer_of(body: JsonObject) -> Answer:
    """A plain answer put together."""
    answer = Answer()
    answer.describe(body)
    if isinstance(body.get("output"), list):
        answer.items = objects_of(list_at(body, "output"))
    elif answer.status not in _UNFINISHED:
        answer.error = answer.error or "the answer holds no output"
    return answer


def misfits_in(response: JsonObject) -> list[str]:
    """What does not fit in an answer and its items."""
    found = misfits(response, _ANSWER, what="the answer")
    return found + [one for item in list_at(response, "output") for one in misfits_in_item(item)]


def misfits_in_item(item: Json) -> list[str]:
    """What does not fit in an item of the output, a whole one."""
    found = misfits(item, {**_ITEM, **_ITEMS.get(text_at(item, "type"), {})}, what="an item of the output")
    if text_at(item, "type") not in {"", "message"}:
        return found
    for part in list_at(item, "content"):
        key = _PARTS.get(text_at(part, "type"))
        found += misfits(part, {"type": NEEDED_TEXT, **({key: NEEDED_TEXT} if key else {})}, what="a part of a message")
    return found


def reading_of(answer: Answer) -> Reading:
    """What the answer means."""
    content, notes = content_of(answer.items, seed=answer.id, cut=answer.cut)
    turn = AssistantTurn(content, _ledger(answer.usage), _stop(answer, content))
    outcome, error = _outcome(answer)
    if outcome is Outcome.REFUSED and turn.stop_reason != "contentFilter":
        turn = AssistantTurn(content, turn.token_ledger, "refusal")
    ids = [call.id for call in turn.calls]
    repeated = [f"{ids.count(one)} calls have the id {one}" for one in dict.fromkeys(ids) if ids.count(one) > 1]
    servers = [name for item in answer.items if (name := _server_tool(item))]
    doubts = [] if answer.status in _STATUSES else [f"status {answer.status!r} is unknown"]
    warnings = [*dict.fromkeys(answer.warnings), *notes, *doubts, *repeated]
    return Reading(turn, outcome, error, answer.model or None, warnings, servers)


def content_of(
    items: list[JsonObject],
    *,
    seed: str,
    cut: AbstractSet[int] = frozenset(),
) -> tuple[list[Block], list[str]]:
    """The blocks of an answer's items in their order, and what was noted on the way."""
    content: list[Block] = []
    notes: list[str] = []
    for position, item in enumerate(items):
        content += _blocks_of(item, f"{seed}/{position}", notes, cut=position in cut)
    return content, notes


def _blocks_of(item: JsonObject, seed: str, notes: list[str], *, cut: bool) -> list[Block]:
    match text_at(item, "type"):
        case "message" | "":
            return _said(item)
        case "reasoning":
            return [_thought(item)]
        case "function_call" | "custom_tool_call":
            return _call_of(item, seed, notes, cut=cut)
        case kind:
            if kind in _CLIENT_RUN:
                notes.append(f"{kind} is for the client to run: it is kept and not executed")
            return [Opaque(API, item)]


def _said(item: JsonObject) -> list[Block]:
    """The texts of a message; what its item and its parts hold beside them goes back with them."""
    content = item.get("content")
    parts = objects_of(content if isinstance(content, list) else [{"type": "output_text", "text": content or ""}])
    texts = [Text(text_of_parts([part])) for part in parts]
    extra = without(item, "type", "role", "content")
    rests = [_rest_of(part) for part in parts]
    if any(rests):
        extra["parts"] = [*rests]
    texts = [text for text in texts if text.text] if not any(rests) else texts
    return [*texts, Opaque(API, {"extra": extra})] if texts and extra else [*texts]


def _rest_of(part: JsonObject) -> JsonObject:
    rest = without(part, "type", "text", "refusal")
    return rest if text_at(part, "type") in {"output_text", "text"} else {"type": part.get("type"), **rest}


def _thought(item: JsonObject) -> Thinking:
    """The summary, or the reasoning itself where a host tells it; the item goes back as it came."""
    summary, content = list_at(item, "summary"), list_at(item, "content")
    said = "\n\n".join(text_of_parts([part]) for part in content or summary)
    if not content and summary == [{"type": "summary_text", "text": said}]:
        return Thinking(said, {key: value for key, value in item.items() if key != "summary"})
    return Thinking(said, item)


def _call_of(item: JsonObject, seed: str, notes: list[str], *, cut: bool) -> list[Block]:
    name = text_at(item, "name")
    extra = without(item, "type", "call_id", "name", "arguments", "input")
    if item["type"] == CUSTOM_CALL:
        extra = {"type": CUSTOM_CALL, **extra}
        read = Arguments(None, text_at(item, "input"), ("the input of a custom tool is text",))
    else:
        read = _arguments_of(item, cut=cut)
    notes += [f"{name}: {note}" for note in read.notes]
    id_ = text_at(item, "call_id")
    if not id_:
        id_ = text_at(item, "id") or f"made_up_{digest_of(canonical([seed, name]))[7:19]}"
        notes.append(f"{name}: the call had no id")
    call = ToolCall(id_, name, read.value, read.raw)
    return [call, Opaque(API, {"extra": extra})] if extra else [call]


def _arguments_of(item: JsonObject, *, cut: bool) -> Arguments:
    written = item.get("arguments", "")
    if cut and (written is None or written == ""):
        return Arguments(None, "", ("malformed: the stream ended before the arguments",))
    if "arguments" not in item:
        return Arguments(None, "", ("malformed: the call had no arguments",))
    if isinstance(written, str):
        return arguments_of_text(written)
    read = arguments_of_value(written)
    return read._replace(notes=("arguments was an object", *read.notes)) if read.value is not None else read


def _server_tool(item: JsonObject) -> str:
    """The name of the tool that the provider ran for this item; empty where it ran none."""
    kind = text_at(item, "type")
    if not kind.endswith("_call") or kind in {"function_call", CUSTOM_CALL} | _CLIENT_RUN:
        return ""
    return "" if item.get("execution") == "client" else text_at(item, "name") or kind.removesuffix("_call")


def _stop(answer: Answer, content: list[Block]) -> StopReason | None:
    if answer.error or not answer.whole:
        return None
    match answer.status, answer.reason:
        case "incomplete", "max_output_tokens":
            return "length"
        case "incomplete", "content_filter":
            return "contentFilter"
        case "completed" | "", _:
            return "toolUse" if any(isinstance(block, ToolCall) for block in content) else "stop"
        case _:
            return None


def _outcome(answer: Answer) -> tuple[Outcome | None, str | None]:
    if answer.error or answer.status in {"failed", "cancelled"}:
        return Outcome.ERROR, answer.error or f"the response is {answer.status}"
    if not answer.whole:
        return Outcome.INCOMPLETE, "the stream ended without response.completed"
    if answer.status in _UNFINISHED:
        return Outcome.INCOMPLETE, f"the response is still {answer.status}"
    if answer.status == "incomplete" and answer.reason == "content_filter":
        return Outcome.REFUSED, "the provider's content filter ended the answer"
    if answer.status == "incomplete":
        return Outcome.TRUNCATED, f"the answer was cut off: {answer.reason or 'no reason given'}"
    if any(part.get("type") == "refusal" for item in answer.items for part in objects_of(list_at(item, "content"))):
        return Outcome.REFUSED, "the model refused"
    return None, None


def _ledger(usage: JsonObject) -> TokenLedger:
    if not usage:
        return NO_LEDGER
    details = object_at(usage, "input_tokens_details")
    read, written = count_at(details, "cached_tokens"), count_at(details, "cache_write_tokens")
    taken = count_at(usage, "input_tokens")
    plain = None if taken is None else max(taken - (read or 0) - (written or 0), 0)
    return TokenLedger(input=plain, cache_read=read, cache_creation=written, output=count_at(usage, "output_tokens"))
