"""YAML as a person meant it, or an error with its line: 1.2 core scalars, no aliases, no tags, no duplicate keys.

Built from the parser's events, so nothing in a file can make an object. JSON is read as JSON.
"""

import json
import re
from collections import Counter
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from harness.depth import MAX_DEPTH
from harness.encoding import written_in
from harness.errors import BadExpectation
from harness.value import MAX_DIGITS, Json, JsonObject, NotJsonError, decode

if TYPE_CHECKING:
    from collections.abc import Iterator

Path: TypeAlias = tuple[str | int, ...]

_WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_PREFIXED = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")
_PADDED = re.compile(r"[-+]?0[0-9]")
_BASES = {"0o": 8, "0x": 16}


class Document(NamedTuple):
    """A file's value, and the line (from 1) on which each part of it starts."""

    value: Json
    lines: dict[Path, int]

    def line(self, path: Path) -> int | None:
        """The line of a part, or of the nearest part that holds it."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return None


def document_of(raw: bytes, *, file: str) -> Document:
    """The one document in a YAML or JSON file; raises `BadExpectation` with its line."""
    text = written_in(raw, BadExpectation, file=file).decode()
    if text.lstrip()[:1] in {"{", "["} and (value := _json_of(text, file)) is not None:
        return Document(value, _lines_of_json(text, file))
    return _Reader(text, file).document()


def _json_of(text: str, file: str) -> Json:
    """The value if the text is JSON; YAML's flow form opens alike."""
    try:
        value = decode(text)
    except NotJsonError:
        return None
    json.loads(text, object_pairs_hook=lambda pairs: _unrepeated(pairs, file))
    return value


def _unrepeated(pairs: list[tuple[str, Any]], file: str) -> None:
    for name, count in Counter(name for name, _ in pairs).items():
        if count > 1:
            raise BadExpectation(f"key {name} stands twice in one object", file=file)


def _lines_of_json(text: str, file: str) -> dict[Path, int]:
    """The lines of a JSON text as far as YAML reads it too (it does not where tabs indent)."""
    try:
        return _Reader(text, file).document().lines
    except BadExpectation:
        return {(): 1}


class _Reader:
    """One text's events into a value, noting where each part starts."""

    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self._lines: dict[Path, int] = {}
        self._events: Iterator[Event] = iter(())

    def document(self) -> Document:
        try:
            self._events = iter(yaml.parse(self._text, Loader=yaml.CSafeLoader))
            next(self._events)  # the stream starts
            if isinstance(next(self._events), yaml.StreamEndEvent):
                return Document(None, {(): 1})
            value = self._value(next(self._events), ())
            while not isinstance(event := next(self._events), yaml.StreamEndEvent):
                if not isinstance(event, DocumentEndEvent):
                    raise self._error("one file holds one document", event)
        except yaml.YAMLError as error:
            raise self._syntax(error) from None
        return Document(value, self._lines)

    def _value(self, event: Event, path: Path) -> Json:
        self._refuse(event, path)
        self._lines[path] = _line_of(event)
        match event:
            case ScalarEvent():
                return self._scalar(event)
            case SequenceStartEvent():
                return self._sequence(path)
            case MappingStartEvent():
                return self._mapping(path)
            case _:
                raise self._error("a value is expected here", event)

    def _refuse(self, event: Event, path: Path) -> None:
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None) is not None:
            raise self._error("anchors and aliases are not read: write the value out", event)
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise self._error(f"tags are not read: {tag}", event)
        if len(path) > MAX_DEPTH:
            raise self._error(f"nested deeper than {MAX_DEPTH}", event)

    def _sequence(self, path: Path) -> list[Json]:
        items: list[Json] = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            items.append(self._value(event, (*path, len(items))))
        return items

    def _mapping(self, path: Path) -> JsonObject:
        items: JsonObject = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._key(event, path)
            if key in items:
                first = self._lines[(*path, key)]
                raise self._error(f"key {key} stands twice; first on line {first}", event)
            value = next(self._events)
            items[key] = self._value(value, (*path, key))
            self._lines[(*path, key)] = _line_of(event)
        return items

    def _key(self, event: Event, path: Path) -> str:
        self._refuse(event, path)
        if not isinstance(event, ScalarEvent):
            raise self._error("a key is a plain word", event)
        if event.value == "<<" and event.implicit[0]:
            raise self._error("merge keys are not read: write the value out", event)
        key = self._scalar(event)
        if not isinstance(key, str):
            raise self._error(f"the key {event.value} is no string: put it in quotes", event)
        return key

    def _scalar(self, event: ScalarEvent) -> Json:
        text: str = event.value
        if not event.implicit[0]:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if _PADDED.match(text) and _FLOAT.match(text):
            raise self._error(f'{text} is a number or a string? Write {text.lstrip("+-0") or 0} or "{text}"', event)
        if _NOT_FINITE.match(text):
            raise self._error(f'{text} is no JSON number; as a string, write "{text}"', event)
        return self._number(text, event) if _FLOAT.match(text) or _PREFIXED.match(text) else text

    def _number(self, text: str, event: ScalarEvent) -> int | float | Decimal:
        """The number as JSON would have it, within the same limits."""
        try:
            if _PREFIXED.match(text):
                number = int(text[2:], _BASES[text[:2]])
                return int(str(number))  # refused where it is too long to be written
            if _INTEGER.match(text):
                return int(text)
            written, near = Decimal(text), float(text)
        except (InvalidOperation, ValueError):
            raise self._error(f"{text[:40]} is too large a number", event) from None
        if written and abs(written.adjusted()) >= MAX_DIGITS:
            raise self._error(f"{text[:40]} is too large a number, or too small", event)
        return near if Decimal(repr(near)) == written else written

    def _error(self, sentence: str, event: Event) -> BadExpectation:
        return BadExpectation(sentence, file=self._file, line=_line_of(event))

    def _syntax(self, error: yaml.YAMLError) -> BadExpectation:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        last = self._text.rstrip().count("\n") + 1
        line = min(mark.line + 1, last) if mark else None
        return BadExpectation(f"not YAML: {problem}", file=self._file, line=line)


def _line_of(event: Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1
