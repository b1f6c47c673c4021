"""A Chat Completions stream, event by event, into an answer."""

from collections import deque
from dataclasses import dataclass, field

from harness import errors
from harness.providers.chat_answer import reading_of, reading_of_body
from harness.providers.chat_draft import (
    PIECES,
    Answer,
    Call,
    Choice,
    calls_in,
    native_choice,
)
from harness.providers.dialect import Reading
from harness.providers.failure import failure_in
from harness.providers.fields import count_at, list_at, object_at, objects_of, text_at
from harness.providers.halves import decoded_event
from harness.providers.kinds import kind_of
from harness.providers.sse import Event, events_of, is_stream
from harness.value import Json, JsonObject, NotJsonError, decode

DONE = b"[DONE]"


@dataclass(slots=True)
class _Open:
    """A call of the stream with its labels; `_depth` and the rest follow its text to see whether it is whole."""

    call: Call
    index: int | None
    _seen: int = 0
    _depth: int = 0
    _quoted: bool = False
    _escaped: bool = False
    _whole: bool = False

    def is_whole(self) -> bool:
        """Whether its arguments are one closed object so far; each piece is looked at once."""
        if any(one is not None for one in self.call.wholes):
            return True
        for piece in self.call.pieces[self._seen :]:
            for character in piece:
                self._step(character)
        self._seen = len(self.call.pieces)
        return self._whole

    def _step(self, character: str) -> None:
        if self._quoted:
            self._quoted = self._escaped or character != '"'
            self._escaped = not self._escaped and character == "\\"
        elif character == '"':
            self._quoted = True
        elif character in "{[":
            self._depth += 1
        elif character in "}]":
            self._depth -= 1
            self._whole = self._whole or self._depth == 0


@dataclass(slots=True)
class _Calls:
    """The calls of one choice by their labels: an index is a label, not a position."""

    opened: list[_Open] = field(default_factory=list)
    by_index: dict[int, _Open] = field(default_factory=dict)
    by_id: dict[str, _Open] = field(default_factory=dict)
    unfinished: deque[_Open] = field(default_factory=deque)

    def place(self, fragment: JsonObject, choice: Choice) -> bool:
        """Add a fragment to the call it belongs to; False where nothing says which one that is."""
        name = text_at(object_at(fragment, "function") or object_at(fragment, "custom") or fragment, "name")
        index = fragment.get("index")
        label = index if isinstance(index, int) and not isinstance(index, bool) else None
        known, placeable = self._owner(label, text_at(fragment, "id"), name)
        if not placeable:
            return False
        if known is None:
            known = _Open(Call(), label)
            self.opened.append(known)
            self.unfinished.append(known)
            choice.calls.append(known.call)
        known.call.take(fragment)
        if label is not None:
            self.by_index[label] = known
        if known.call.id:
            self.by_id.setdefault(known.call.id, known)
        return True

    def _owner(self, label: int | None, id_: str, name: str) -> tuple[_Open | None, bool]:
        """The call that a fragment continues, or None for a new one; and whether it can be placed at all."""
        if label is not None and label in self.by_index:
            return self._at_used_index(self.by_index[label], id_, name), True
        if id_:
            same = self.by_id.get(id_)
            return (None if name and label is not None else same), True
        if label is not None:
            return None, True
        return self._unlabelled(name)

    @staticmethod
    def _at_used_index(known: _Open, id_: str, name: str) -> _Open | None:
        if id_ and known.call.id and id_ != known.call.id:
            return None
        if not id_ and name and name not in known.call.names[:1] and known.is_whole():
            return None
        return known

    def _unlabelled(self, name: str) -> tuple[_Open | None, bool]:
        if name:
            last = self.opened[-1] if self.opened else None
            again = last is not None and name in last.call.names[:1] and not last.is_whole()
            return (last if again else None), True
        if len(self.opened) == 1:
            return self.opened[0], True
        while self.unfinished and self.unfinished[0].is_whole():
            self.unfinished.popleft()
        while self.unfinished and self.unfinished[-1].is_whole():
            self.unfinished.pop()
        return (self.unfinished[0], True) if len(self.unfinished) == 1 else (None, False)


class Assembler:
    """Events in, a reading out."""

    def __init__(self) -> None:
        self._answer = Answer(PIECES)
        self._calls: dict[int, _Calls] = {}
        self._done = False
        self._events = 0

    def feed(self, event: Event) -> None:
        """Take one event; what cannot be understood ends the answer as an error, once."""
        self._events += 1
        data = event.data.strip()
        if data == DONE:
            self._done = True
        if self._done or self._answer.error or not data:
            return
        try:
            self._take(decoded_event(data), event.name)
        except NotJsonError as error:
            if event.ended:
                self.fail(f"event {self._events} of the stream is no JSON: {error}")

    def fail(self, reason: str) -> None:
        """Note why the answer is none; the first reason stands."""
        self._answer.error = self._answer.error or reason

    def reading(self) -> Reading:
        """What the events so far mean, as the whole stream."""
        answer = self._answer
        finished = answer.choices and answer.choices[min(answer.choices)].finish
        answer.whole = bool(self._done or finished)
        if not answer.choices and self._done:
            self.fail("the stream held no answer")
        return reading_of(answer)

    def _take(self, chunk: Json, name: str) -> None:
        failure = failure_in(chunk) or (f"error: {chunk}" if name == "error" else None)
        if failure is not None:
            self.fail(failure)
            return
        if not isinstance(chunk, dict):
            self.fail(f"event {self._events} of the stream is no object but {kind_of(chunk)}")
            return
        self._answer.describe(chunk)
        choices = objects_of(list_at(chunk, "choices"))
        if not choices and isinstance(chunk.get("message"), dict):
            choices = [native_choice(chunk)]
        for choice in choices:
            self._take_choice(choice)

    def _take_choice(self, one: JsonObject) -> None:
        index = count_at(one, "index") or 0
        choice = self._answer.choices.setdefault(index, Choice())
        delta = object_at(one, "delta") or object_at(one, "message")
        self._answer.add(one, delta)
        choice.say(delta)
        calls = self._calls.setdefault(index, _Calls())
        for fragment in calls_in(delta):
            if not calls.place(fragment, choice):
                self.fail("cannot place fragment: it has neither index nor id, and two calls are open")
        choice.finish = text_at(one, "finish_reason") or choice.finish


def lines_in(answer: bytes) -> list[Event]:
    """The lines of an answer that is one JSON object a line, as the native Ollama API streams; empty for others."""
    first, _, rest = answer.partition(b"\n")
    if not rest.strip():
        return []
    try:
        decode(first)
    except NotJsonError:
        return []
    lines = answer.split(b"\n")
    return [Event("", line, ended=number < len(lines)) for number, line in enumerate(lines, 1)]


def reading_of_stream(stream: bytes) -> Reading:
    """The reading of a whole stream; a host that streams nothing answers with the plain body."""
    lines: list[Event] = []
    if not is_stream(stream):
        lines = lines_in(stream)
        if not lines:
            return reading_of_body(stream)
    assembler = Assembler()
    try:
        for event in lines or events_of(stream):
            assembler.feed(event)
    except errors.UnreadableAnswer as error:
        assembler.fail(error.subject)
    return assembler.reading()
