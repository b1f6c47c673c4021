"""Where secrets stand that are known by value: as they are, escaped, in base64, in hex, as a number."""

import re
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from harness.pattern import MAX_PATTERN, pattern_of
from harness.value import exact

# Below this length a value is also a word, a port or a year: whoever scrubbed it would scrub half the recording.
MIN_VALUE = 8
# With its escapes undone a value is shorter, and still no word.
_MIN_UNESCAPED = 6

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_PLAIN = re.compile(r"[A-Za-z0-9_.~-]+")
# One escape of JSON, Python, URLs or HTML. However many backslashes stand before a letter: text in text has more.
_ESCAPE = re.compile(
    rb"\\+u[dD][89abAB][0-9a-fA-F]{2}\\+u[dD][c-fC-F][0-9a-fA-F]{2}|\\+u[0-9a-fA-F]{4}|\\+x[0-9a-fA-F]{2}|\\+[\"'/nrtbf]?"
    rb"|%[0-9a-fA-F]{2}|&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|amp|lt|gt|quot|apos);"
)
_HEX = re.compile(rb"u([0-9a-fA-F]{4})")
_LETTERS = bytes.maketrans(b"\n\r\t\b\f", b"nrtbf")
# What may hide a letter or a digit, and what may hide any character.
_HIDES_PLAIN = re.compile(rb"\\(?:u00|x)[2-7]|\\/|%[2-7][0-9a-fA-F]|&#")
_HIDES = re.compile(rb"[\\%&]")

_OF_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]")
_HEAD, _TAIL = (0, 2, 3), (0, 3, 2)  # characters that the bytes before the secret, or after it, have a part in
_URL_SAFE = bytes.maketrans(b"+/", b"-_")

_IN_NUMBER = frozenset(b"0123456789.eE+-")
_AFTER_NAME = re.compile(rb"(\\{0,15})\"(?:\s|\\+[nrt]){0,16}:(?:\s|\\+[nrt]){0,16}\Z")
_IN_LIST = re.compile(rb"[\[,](?:\s|\\+[nrt]){0,16}\Z")
_BETWEEN = re.compile(rb"(?:[\s\[\]{},:0-9.eE+-]|true|false|null|\\+[nrt])*\Z")
_LONGEST_LIST = 4096


class Sighting(NamedTuple):
    """One secret in some bytes. `edge` is what must stand around a placeholder there to keep JSON what it is."""

    start: int
    end: int
    kind: str
    secret: bytes
    edge: bytes = b""


class _Spelling(NamedTuple):
    """What a spelling stands for; in base64 the characters beside it may hold bits of the secret."""

    secret: bytes
    is_base64: bool = False


class Values:
    """Secrets that are known by value, in each spelling that may stand in a file."""

    def __init__(self, values: Iterable[str]) -> None:
        known = sorted({value for value in values if len(value) >= MIN_VALUE})
        self._spellings = {spelt: one for value in known for spelt, one in _spellings_of(value)}
        self._marks = [pattern_of(mark) for mark in _marks_of(self._spellings)]
        self._hides = _HIDES_PLAIN if all(map(_PLAIN.fullmatch, known)) else _HIDES
        self._with_gaps = [value for value in known if len(value.split()) > 1]
        self._numbers = [value for value in known if _NUMBER.fullmatch(value)]
        self._amounts = {Decimal(value): value for value in self._numbers}

    @property
    def has_numbers(self) -> bool:
        """Whether a secret may stand where JSON has a number."""
        return bool(self._numbers)

    def number_in(self, number: float | Decimal, written: str) -> bytes | None:
        """The secret that a number is, or whose digits it holds."""
        same = self._amounts.get(Decimal(exact(number))) if self._numbers else None
        found = same or next((value for value in self._numbers if value in written), None)
        return None if found is None else found.encode()

    def sightings_in(self, raw: bytes) -> Iterator[Sighting]:
        """Each place where a known value stands."""
        if not self._spellings:
            return
        if self._holds(raw):
            yield from (self._whole(raw, start, end, raw[start:end]) for start, end in self._spans(raw))
        if self._hides.search(raw):
            yield from self._hidden_in(raw)

    def open_in(self, text: str) -> int:
        """Where a value with white space in it begins whose end the text does not hold; the text's length for none."""
        starts = [
            start
            for value in self._with_gaps
            for start in range(max(0, len(text) - len(value) + 1), len(text))
            if value.startswith(text[start:])
        ]
        return min(starts, default=len(text))

    def _holds(self, raw: bytes) -> bool:
        text = raw.decode("latin-1")
        return any(finds(text) for finds in self._marks)

    def _spans(self, raw: bytes) -> Iterator[tuple[int, int]]:
        there = sorted((spelt for spelt in self._spellings if spelt in raw), key=lambda spelt: (-len(spelt), spelt))
        found = re.finditer(b"|".join(map(re.escape, there)), raw) if there else ()
        return (one.span() for one in found)

    def _hidden_in(self, raw: bytes) -> Iterator[Sighting]:
        plain = _ESCAPE.sub(lambda found: _unescaped(found[0]), raw)
        if not self._holds(plain):
            return
        places = _Places(raw)
        for start, end in self._spans(plain):
            yield self._whole(raw, places.start(start), places.end(end), plain[start:end])

    def _whole(self, raw: bytes, start: int, end: int, spelt: bytes) -> Sighting:
        spelling = self._spellings[spelt]
        if spelling.is_base64:
            start -= bool(_OF_BASE64.match(raw, start - 1)) if start else 0
            end += bool(_OF_BASE64.match(raw, end))
            while raw[end : end + 1] == b"=":
                end += 1
        elif spelt.decode("latin-1") in self._numbers:
            return _number_around(raw, Sighting(start, end, "value", spelling.secret))
        return Sighting(start, end, "value", spelling.secret)


@lru_cache(maxsize=16)
def values_of(known: tuple[str, ...]) -> Values:
    """These values, prepared once: each of many recordings asks for them."""
    return Values(known)


def _spellings_of(value: str) -> Iterator[tuple[bytes, _Spelling]]:
    """The value as it is and as it reads when escapes are undone, in a form's `+` for a space, in hex, in base64."""
    secret = value.encode("utf-8", "surrogateescape")
    spelling = _Spelling(secret)
    yield secret, spelling
    yield secret.replace(b" ", b"+"), spelling
    plain = _ESCAPE.sub(lambda found: _unescaped(found[0]), secret)
    for one in (plain, plain.translate(_LETTERS)):
        if len(one) >= _MIN_UNESCAPED:
            yield one, spelling
    yield secret.hex().encode(), spelling
    yield secret.hex().upper().encode(), spelling
    for shift, head in enumerate(_HEAD):
        written = b64encode(b"\0" * shift + secret)
        written = written[head : len(written) - _TAIL[(shift + len(secret)) % 3]]
        yield written, _Spelling(secret, is_base64=True)
        yield written.translate(_URL_SAFE), _Spelling(secret, is_base64=True)


def _marks_of(spellings: Iterable[bytes]) -> Iterator[str]:
    """Patterns that together find whatever holds one of these; of a long one its beginning."""
    marks = sorted({_escaped_for_search(one[:60].decode("latin-1")) for one in spellings})
    at = 0
    while at < len(marks):
        size, start = 0, at
        while at < len(marks) and size + len(marks[at]) < MAX_PATTERN:
            size += len(marks[at]) + 1
            at += 1
        yield "|".join(marks[start:at])


def _escaped_for_search(text: str) -> str:
    return "".join(one if one.isascii() and one.isalnum() else f"\\u{ord(one):04x}" for one in text)


def _unescaped(escape: bytes) -> bytes:
    """What one escape stands for, without backslashes and with the letter for a line end: on both sides.

    How many of the backslashes before a letter are the text's own, and whether the letter is, no reader of a part can
    tell: where neither counts, a secret is found however deep its escapes are.
    """
    return _decoded(escape).replace(b"\\", b"")


def _decoded(escape: bytes) -> bytes:
    if escape.startswith(b"%"):
        return bytes.fromhex(escape[1:].decode())
    if escape.startswith(b"&"):
        return unescape(escape.decode()).encode("utf-8", "surrogatepass")
    letter = escape.lstrip(b"\\")
    if letter.startswith(b"u"):
        units = b"".join(bytes.fromhex(unit.decode()) for unit in _HEX.findall(letter))
        return units.decode("utf-16-be", "surrogatepass").encode("utf-8", "surrogatepass")
    if letter.startswith(b"x"):
        return bytes.fromhex(letter[1:].decode())
    return letter


class _Places:
    """Where the bytes of an unescaped text stand in the text with its escapes."""

    def __init__(self, raw: bytes) -> None:
        self._plain: list[int] = [0]  # where each stretch begins in the plain text, and in the raw one
        self._raw: list[int] = [0]
        self._escape_ends: list[int] = [0]  # where in the plain text the escape ends with which the stretch begins
        gone = 0
        for found in _ESCAPE.finditer(raw):
            size = len(_unescaped(found[0]))
            self._plain.append(found.start() - gone)
            self._raw.append(found.start())
            self._escape_ends.append(found.start() - gone + size)
            gone += len(found[0]) - size
            self._plain.append(self._escape_ends[-1])
            self._raw.append(found.end())
            self._escape_ends.append(self._plain[-1])

    def start(self, place: int) -> int:
        """Where the byte at a place of the plain text begins."""
        at = bisect_right(self._plain, place) - 1
        inside = place < self._escape_ends[at]
        return self._raw[at] if inside else self._raw[at] + place - self._plain[at]

    def end(self, place: int) -> int:
        """Where the byte before a place of the plain text ends."""
        at = bisect_right(self._plain, place - 1) - 1
        inside = place - 1 < self._escape_ends[at]
        return self._raw[at + 1] if inside else self._raw[at] + place - self._plain[at]


def _number_around(raw: bytes, one: Sighting) -> Sighting:
    """The whole number where digits stand in the place of a number in JSON, with the quotes that its text needs."""
    start, end = one.start, one.end
    while start and raw[start - 1] in _IN_NUMBER:
        start -= 1
    while end < len(raw) and raw[end] in _IN_NUMBER:
        end += 1
    edge = _edge_at(raw, start)
    return one if edge is None else one._replace(start=start, end=end, edge=edge)


def _edge_at(raw: bytes, start: int) -> bytes | None:
    """How a string begins at this place of JSON, or of JSON in JSON; None where no number may begin."""
    named = _AFTER_NAME.search(raw, max(start - 64, 0), start)
    if named:
        return named[1] + b'"'
    if not _IN_LIST.search(raw, max(start - 32, 0), start):
        return None
    quote = raw.rfind(b'"', max(start - _LONGEST_LIST, 0), start)
    between = raw[quote + 1 : start]
    if start - quote > _LONGEST_LIST or not _BETWEEN.match(between):
        return None
    before = raw[max(quote - 15, 0) : max(quote, 0)]
    escapes = len(before) - len(before.rstrip(b"\\"))
    if quote < 0:
        return b'"' if between.lstrip()[:1] in {b"[", b"{"} else None
    # A quote that ends a string stands on the level of this list; one that begins a string has the list inside.
    ends = between.lstrip()[:1] in {b":", b",", b"]", b"}"}
    return b"\\" * (escapes if ends else 2 * escapes + 1) + b'"'
