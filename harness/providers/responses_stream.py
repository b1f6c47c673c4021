"""A Responses stream, event by event, into an answer."""

from dataclasses import dataclass, field

from harness import errors
from harness.providers.dialect import Reading
from harness.providers.failure import failure_in
from harness.providers.fields import list_at, object_at, objects_of, text_at
from harness.providers.kinds import NEEDED_OBJECT, NEEDED_TEXT, OBJECT, TEXT, Shape, misfits, unreadable
from harness.providers.responses_answer import Answer, misfits_in_item, reading_of, reading_of_body
from harness.providers.sse import Event, Parser, is_stream
from harness.value import JsonObject, NotJsonError, decode

_LAST = {"response.completed", "response.incomplete", "response.failed", "response.cancelled"}
# Which list of an item a piece of text belongs to, which number tells its place there, and what its part is called.
_PIECES = {
    "response.output_text.delta": ("content", "content_index", "output_text"),
    "response.refusal.delta": ("content", "content_index", "refusal"),
    "response.reasoning_text.delta": ("content", "content_index", "reasoning_text"),
    "response.reasoning_summary_text.delta": ("summary", "summary_index", "summary_text"),
}
_ARGUMENTS = {
    "response.function_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
    "response.mcp_call_arguments.delta": "arguments",
}
_ITEM_EVENTS = {"response.output_item.added", "response.output_item.done"}
_EVENT: Shape = {"type": TEXT, "response": OBJECT}
_TAKES = {
    "message": {"response.output_text.delta", "response.refusal.delta"},
    "reasoning": {"response.reasoning_text.delta", "response.reasoning_summary_text.delta"},
    "function_call": {"response.function_call_arguments.delta"},
    "custom_tool_call": {"response.custom_tool_call_input.delta"},
}


@dataclass(slots=True)
class _Draft:
    """An item as it is put together: as it started, the pieces that came, and how it ended where it did."""

    item: JsonObject
    pieces: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)
    whole: JsonObject | None = None

    def as_far(self) -> JsonObject:
        """The item as the provider ended it; where it did not, with the pieces so far."""
        if self.whole is not None:
            return self.whole
        item = dict(self.item)
        lists: dict[str, list[JsonObject]] = {}
        for (key, _, kind), texts in self.pieces.items():
            text = "".join(texts)
            if kind:
                lists.setdefault(key, []).append({"type": kind, kind if kind == "refusal" else "text": text})
            else:
                item[key] = text
        return item | {key: [*parts] for key, parts in lists.items()}


class Assembler:
    """Events in, a reading out. What ends an item or the answer repeats it whole, and that counts."""

    def __init__(self) -> None:
        self._answer = Answer(whole=False)
        self._drafts: list[_Draft] = []
        self._by_label: dict[str, _Draft] = {}
        self._events = 0

    def feed(self, event: Event) -> None:
        """Take one event; what cannot be understood ends the answer as an error, once."""
        self._events += 1
        data = event.data.strip()
        if not data or data == b"[DONE]" or self._answer.whole or self._answer.error:
            return
        try:
            value = decode(data)
        except NotJsonError as error:
            if event.ended:
                self.fail(f"event {self._events} of the stream is no JSON: {error}")
            return
        failure = failure_in(value) or ("an error without a message" if event.name == "error" else None)
        if failure is not None:
            self.fail(failure)
        else:
            self.fail(unreadable(misfits(value, _EVENT, what="an event")))
            self._take(value if isinstance(value, dict) else {}, text_at(value, "type") or event.name)

    def fail(self, reason: str) -> None:
        """Note why the answer is none; the first reason stands."""
        self._answer.error = self._answer.error or reason

    def reading(self) -> Reading:
        """What the events so far mean, as the whole stream."""
        if not self._answer.items:
            self._answer.items = [draft.as_far() for draft in self._drafts]
            self._answer.cut = {at for at, draft in enumerate(self._drafts) if draft.whole is None}
        if self._answer.whole:
            self.fail(unreadable([one for item in self._answer.items for one in misfits_in_item(item)]))
        return reading_of(self._answer)

    def _take(self, event: JsonObject, kind: str) -> None:
        response = object_at(event, "response")
        self._answer.describe(response)
        if kind in _LAST:
            self._end(response)
        elif kind in _ITEM_EVENTS:
            self._take_item(event, done=kind == "response.output_item.done")
        elif kind in _PIECES or kind in _ARGUMENTS:
            self._add(event, kind)

    def _take_item(self, event: JsonObject, *, done: bool) -> None:
        self.fail(unreadable(misfits(event, {"item": NEEDED_OBJECT}, what="an event")))
        item = object_at(event, "item")
        draft = self._draft_of(event, item)
        draft.whole = item if done else draft.whole

    def _end(self, response: JsonObject) -> None:
        """Some hosts leave the output of the last event empty: then the items count that came before."""
        self._answer.whole = True
        self._answer.items = objects_of(list_at(response, "output"))
        if not self._drafts and not isinstance(response.get("output"), list):
            self.fail("the stream held no answer")
        error = object_at(response, "error")
        if error:
            self.fail(failure_in({"error": error}) or "an error without a message")

    def _draft_of(self, event: JsonObject, item: JsonObject) -> _Draft:
        """The draft that an event speaks of, opened where it is new: by the item's id, else by its place."""
        labels = _labels_of(event, item)
        draft = next((self._by_label[label] for label in labels if label in self._by_label), None)
        if draft is None:
            draft = _Draft(item)
            self._drafts.append(draft)
        for label in labels:
            self._by_label.setdefault(label, draft)
        return draft

    def _add(self, event: JsonObject, kind: str) -> None:
        known = next((self._by_label[one] for one in _labels_of(event, {}) if one in self._by_label), None)
        draft = known or (self._drafts[-1] if self._drafts else None)
        if draft is None:
            self.fail(f"cannot place fragment: no item is open for {kind}")
            return
        self.fail(unreadable(_misfits_in(event, kind, draft)))
        key, number, part = _PIECES.get(kind, ("", "", ""))
        place = (key or _ARGUMENTS[kind], str(event.get(number)), part)
        draft.pieces.setdefault(place, []).append(text_at(event, "delta"))


def _misfits_in(event: JsonObject, kind: str, draft: _Draft) -> list[str]:
    """What does not fit in a piece: no text, or a piece that its item has no place for."""
    found = misfits(event, {"delta": NEEDED_TEXT}, what=f"event {kind}")
    item = text_at(draft.item, "type") or "message"
    if item in _TAKES and kind not in _TAKES[item]:
        found.append(f"an item of type {item} goes on with {kind}")
    return found


def _labels_of(event: JsonObject, item: JsonObject) -> list[str]:
    """What tells items apart: their id; their place only where an event names no id."""
    id_ = text_at(item, "id") or text_at(event, "item_id")
    place = event.get("output_index")
    if id_:
        return [f"id {id_}"]
    return [f"place {place}"] if place is not None else []


def reading_of_stream(stream: bytes) -> Reading:
    """The reading of a whole stream; a host that streams nothing answers with the plain body."""
    if not is_stream(stream):
        return reading_of_body(stream)
    parser, assembler = Parser(), Assembler()
    try:
        for event in parser.feed(stream) + parser.close():
            assembler.feed(event)
    except errors.UnreadableAnswer as error:
        assembler.fail(error.subject)
    return assembler.reading()
