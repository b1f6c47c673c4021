"""A Messages stream, event by event, into an answer."""

from harness import errors
from harness.providers.dialect import Reading
from harness.providers.failure import failure_in
from harness.providers.fields import list_at, object_at, objects_of, text_at
from harness.providers.halves import decoded_event
from harness.providers.messages_answer import Answer, Part, reading_of, reading_of_body
from harness.providers.sse import Event, Parser, is_stream
from harness.value import Json, JsonObject, NotJsonError


class Assembler:
    """Events in, a reading out."""

    def __init__(self) -> None:
        self._answer = Answer(whole=False)
        self._open: dict[Json, Part] = {}
        self._events = 0

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
        elif isinstance(value, dict):
            self._take(value)

    def fail(self, reason: str) -> None:
        """Note why the answer is none; the first reason stands."""
        self._answer.error = self._answer.error or reason

    def reading(self) -> Reading:
        """What the events so far mean, as the whole stream."""
        return reading_of(self._answer)

    def _take(self, event: JsonObject) -> None:
        match event.get("type"):
            case "message_start":
                message = object_at(event, "message")
                self._answer.describe(message)
                self._answer.parts += [Part(dict(one), stopped=True) for one in objects_of(list_at(message, "content"))]
            case "content_block_start":
                self._start(event)
            case "content_block_delta":
                self._add(event, object_at(event, "delta"))
            case "content_block_stop":
                if part := self._open.pop(_label(event), None):
                    part.stopped = True
            case "message_delta":
                self._answer.describe(object_at(event, "delta") | {"usage": object_at(event, "usage")})
            case "message_stop":
                self._answer.whole = True
            case _:
                pass  # pings, and what later versions may add

    def _start(self, event: JsonObject) -> None:
        part = Part(dict(object_at(event, "content_block")))
        self._answer.parts.append(part)
        self._open[_label(event)] = part

    def _add(self, event: JsonObject, delta: JsonObject) -> None:
        part = self._open.get(_label(event)) or self._unopened(event, delta)
        if part is None:
            self.fail(f"cannot place fragment: no block is open at index {event.get('index')}")
            return
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
