"""Server-sent events out of bytes, however the bytes are cut.

Lines end at LF, CR or CRLF and nowhere else: U+2028 and its kind are text. Data stays bytes until it is read as JSON,
so that nothing is replaced on the way.
"""

from typing import NamedTuple

from harness import errors
from harness.value import MAX_LINE_BYTES

_BOM = b"\xef\xbb\xbf"
_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
_LONGEST = max(map(len, _FIELDS))
_HEAD = 64
MAX_EVENT_BYTES = MAX_LINE_BYTES


class Event(NamedTuple):
    """One event. `ended` is false for the last one of a stream that stopped before the blank line."""

    name: str
    data: bytes
    id: str = ""
    ended: bool = True


class Parser:
    """Bytes in, events out; holds one event at most.

    Raises `UnreadableAnswer` where one event is larger than `MAX_EVENT_BYTES`.
    """

    def __init__(self) -> None:
        self._head: bytes | None = b""
        self._line: list[bytes] = []
        self._after_cr = False
        self._waiting = 0
        self._size = 0
        self._name = ""
        self._id = ""
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> list[Event]:
        """The events that this piece completes."""
        if self._head is not None:
            piece = self._head + piece
            if len(piece) < len(_BOM) and _BOM.startswith(piece):
                self._head = piece
                return []
            self._head = None
            piece = piece.removeprefix(_BOM)
        if not piece:
            return []
        if self._after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
        self._after_cr = piece.endswith(b"\r")
        return self._take(piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"))

    def close(self) -> list[Event]:
        """The event that the stream's end cut off, where there is one; the parser is used up."""
        rest = b"".join(self._line) + (self._head or b"")
        if rest:
            self._field(rest)
        if not self._data:
            return []
        return [Event(self._name, b"\n".join(self._data), self._id, ended=False)]

    def _take(self, lines: list[bytes]) -> list[Event]:
        events: list[Event] = []
        rest = lines.pop()
        if lines and self._line:
            lines[0] = b"".join([*self._line, lines[0]])
            self._line, self._waiting = [], 0
        for line in lines:
            if line:
                self._field(line)
            else:
                self._dispatch(events)
        self._line.append(rest)
        self._waiting += len(rest)
        self._check(self._size + self._waiting)
        return events

    def _check(self, size: int) -> None:
        if size > MAX_EVENT_BYTES:
            raise errors.UnreadableAnswer(f"an event of the stream is larger than {MAX_EVENT_BYTES} bytes")

    def _field(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
            self._size += len(value)
            self._check(self._size)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
        elif field == b"id":
            self._id = value.decode("utf-8", "replace")

    def _dispatch(self, events: list[Event]) -> None:
        if self._data:
            events.append(Event(self._name, b"\n".join(self._data), self._id))
            self._data = []
        self._name = ""
        self._size = 0


def events_of(stream: bytes) -> list[Event]:
    """All events of a stream, the one that its end cut off included."""
    parser = Parser()
    return parser.feed(stream) + parser.close()


def is_stream(answer: bytes) -> bool:
    """Whether an answer looks like events, however short it was cut; an empty one is a stream that never began.

    Some hosts stream unasked, others send the plain body when they are asked to stream.
    """
    if not answer.startswith(b"{") and _starts_as_stream(answer[:_HEAD].removeprefix(_BOM).lstrip()):
        return True
    return b"\n" in answer and b"\ndata:" in answer  # most plain answers are one line, which is seen at once


def _starts_as_stream(head: bytes) -> bool:
    return head.startswith(_FIELDS) or (len(head) < _LONGEST and any(field.startswith(head) for field in _FIELDS))
