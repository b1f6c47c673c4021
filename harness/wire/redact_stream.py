"""Secrets out of a stream: also those that the model wrote piece by piece, a few letters an event.

The pieces of one text stand at one place of many events. They are joined, scrubbed as one text, and handed back to
their events; the chunks keep their number, and their borders as far as a replaced text allows.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from harness.value import Json, NotJsonError, decode, encode
from harness.wire.redact import Edit, Redactor, edited

_DATA = re.compile(rb"(?:^|(?<=[\r\n]))data:[ ]?([^\r\n]+)")
# What tells the texts of one place apart: which choice, which call, which block.
_NUMBERS = ("index", "output_index", "content_index", "item_id")


class _Event(NamedTuple):
    start: int
    end: int
    value: Any


class _Leaf(NamedTuple):
    """A text in an event: the object or list that holds it, and its key or position there."""

    holder: Any
    key: str | int
    text: str


def scrubbed_chunks(chunks: list[bytes], redactor: Redactor) -> list[bytes]:
    """The chunks of a stream without the secrets in them."""
    before = b"".join(chunks)
    plain = edited(chunks, redactor.edits_of(before))
    raw = b"".join(plain)
    if raw != before and sum(1 for _ in _events_in(raw)) != sum(1 for _ in _events_in(before)):
        plain, raw = chunks, before  # an edit would leave an event that is no JSON: those are written anew first
    clean = edited(plain, _edits_of_events(raw, redactor))
    return edited(clean, redactor.edits_of(b"".join(clean))) if plain is chunks else clean


def _edits_of_events(raw: bytes, redactor: Redactor) -> list[Edit]:
    events = list(_events_in(raw))
    before = [encode(event.value) for event in events]
    texts: dict[tuple[object, ...], list[_Leaf]] = {}
    for event in events:
        numbers = tuple(event.value.get(name) for name in _NUMBERS) if isinstance(event.value, dict) else ()
        for path, leaf in _leaves_of(event.value, numbers):
            texts.setdefault(path, []).append(leaf)
    for leaves in texts.values():
        _scrub(leaves, redactor)
    after = [encode(redactor.value(event.value)) for event in events]
    return [
        Edit(event.start, event.end, now) for event, was, now in zip(events, before, after, strict=True) if was != now
    ]


def _events_in(raw: bytes) -> Iterator[_Event]:
    for found in _DATA.finditer(raw):
        try:
            yield _Event(*found.span(1), decode(found[1]))
        except NotJsonError:
            continue


def _leaves_of(value: Json, path: tuple[object, ...]) -> Iterator[tuple[tuple[object, ...], _Leaf]]:
    items: list[tuple[str | int, Json]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, item in items:
        number = item.get("index", key) if isinstance(item, dict) and isinstance(key, int) else key
        inner = (*path, str(number))
        if isinstance(item, str):
            yield inner, _Leaf(value, key, item)
        else:
            yield from _leaves_of(item, inner)


def _scrub(leaves: list[_Leaf], redactor: Redactor) -> None:
    pieces = [leaf.text.encode() for leaf in leaves]
    edits = redactor.edits_of(b"".join(pieces))
    if not edits:
        return
    for leaf, piece in zip(leaves, edited(pieces, edits), strict=True):
        leaf.holder[leaf.key] = piece.decode()
