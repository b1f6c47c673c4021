"""A Messages stream, event by event, into an answer."""

from harness import errors
from harness.providers.dialect import Reading
from harness.providers.failure import failure_in
from harness.providers.fields import list_at, object_at, objects_of, text_at
from harness.providers.halves import decoded_event
from harness.providers.kinds import NEEDED_OBJECT, NEEDED_TEXT, OBJECT, Shape, misfits, unreadable
from harness.providers.messages_answer import Answer, Part, misfits_in_blocks, reading_of, reading_of_body
from harness.providers.sse import Event, Parser, is_stream
from harness.value import Json, JsonObject, NotJsonError

_EVENT: Shape = {"type": NEEDED_TEXT, "delta": OBJECT}
_BEGIN: Shape = {"message": NEEDED_OBJECT}
_PIECES: dict[str, Shape] = {
    "text_delta": {"text": NEEDED_TEXT},
    "thinking_delta": {"thinking": NEEDED_TEXT},
    "input_json_delta": {"partial_json": NEEDED_TEXT},
    "signature_delta": {"signature": NEEDED_TEXT},
}
_ONLY_BLOCK = {"text_delta": "text", "thinking_delta": "thinking"}
_OTHER_BLOCKS = {"input_json_delta": {"text", "thinking"}}


class Assembler:
    """Events in, a reading out."""

    def __init__(self) -> None:
        self._answer = Answer(whole=False)
        self._open: dict[Json, Part] = {}
        self._events = 0
        self._started = False

    def feed(self, event: Event) -> None:
        """Take one event; what cannot be understood ends the answer as an error, once."""
        self._events += 1
        data = event.data.strip()
        if not data or data == b"[DONE]" or self._answer.whole or self._answer.error:
            return
        try:
            value = decoded_event(data)
        except NotJsonError as error:
            if event.ended:
                self.fail(f"event {self._events} of the stream is no JSON: {error}")
            return
        failure = failure_in(value) or ("an error without a message" if event.name == "error" else None)
        if failure is not None:
            self.fail(failure)
        else:
            self.fail(unreadable(misfits(value, _EVENT, what="an event")))
            self._take(value if isinstance(value, dict) else {})

    def fail(self, reason: str) -> None:
        """Note why the answer is none; the first reason stands."""
        self._answer.error = self._answer.error or reason

    def reading(self) -> Reading:
        """What the events so far mean, as the whole stream."""
        if self._answer.whole and not (self._started or self._answer.parts):
            self.fail("the stream held no answer")
        return reading_of(self._answer)

    def _take(self, event: JsonObject) -> None:
        match event.get("type"):
            case "message_start":
                self._begin(event)
            case "content_block_start":
                self._start(event)
            case "content_block_delta":
                self._add(event, object_at(event, "delta"))
            case "content_block_stop":
                if part := self._open.pop(_label(event), None):
                    part.stopped = True
            case "message_delta":
                self._answer.describe(object_at(event, "delta") | {"usage": event.get("usage")})
            case "message_stop":
                self._answer.whole = True
            case _:
                pass  # pings, and what later versions may add

    def _begin(self, event: JsonObject) -> None:
        message = object_at(event, "message")
        content = list_at(message, "content")
        self.fail(unreadable(misfits(event, _BEGIN, what="an event") + misfits_in_blocks(content)))
        self._started = True
        self._answer.describe(message)
        self._answer.parts += [Part(dict(one), stopped=True) for one in objects_of(content)]

    def _start(self, event: JsonObject) -> None:
        self.fail(unreadable(misfits_in_blocks([event.get("content_block")])))
        part = Part(dict(object_at(event, "content_block")))
        self._answer.parts.append(part)
        self._open[_label(event)] = part

    def _add(self, event: JsonObject, delta: JsonObject) -> None:
        part = self._open.get(_label(event)) or self._unopened(event, delta)
        if part is None:
            self.fail(f"cannot place fragment: no block is open at index {event.get('index')}")
            return
        self.fail(unreadable(_misfits_in(delta, part)))
        match delta:
            case {"type": "text_delta", "text": str(text)} | {"type": "thinking_delta", "thinking": str(text)}:
                part.text.append(text)
            case {"type": "input_json_delta", "partial_json": str(piece)}:
                part.pieces.append(piece)
            case {"type": "signature_delta", "signature": str(signature)}:
                part.signature.append(signature)
            case {"type": "citations_delta", "citation": citation}:
                part.citations.append(citation)
            case _:
                self._answer.warnings.append(f"delta {text_at(delta, 'type')!r} is unknown")

    def _unopened(self, event: JsonObject, delta: JsonObject) -> Part | None:
        """Hosts that never open a text block: its text is plain to read. A call without a start is not."""
        if delta.get("type") != "text_delta":
            return None
        self._start({"index": event.get("index"), "content_block": {"type": "text", "text": ""}})
        self._answer.warnings.append("a text block was never opened")
        return self._answer.parts[-1]


def _misfits_in(delta: JsonObject, part: Part) -> list[str]:
    """What does not fit in a piece: a field of the wrong kind, or a piece that its block has no place for."""
    kind, block = text_at(delta, "type"), text_at(part.block, "type")
    found = misfits(delta, {"type": NEEDED_TEXT, **_PIECES.get(kind, {})}, what="a delta")
    if block in _OTHER_BLOCKS.get(kind, ()) or (kind in _ONLY_BLOCK and block != _ONLY_BLOCK[kind]):
        found.append(f"a block of type {block} goes on with {kind}")
    return found


def _label(event: JsonObject) -> str:
    """The block's index, a label of any kind."""
    return str(event.get("index"))


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
