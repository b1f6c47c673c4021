"""What a model wrote as a call's arguments: a JSON object, or its text and why it is none.

Habits that change no meaning are unwrapped once and noted. Nothing is repaired.
"""

import json
from collections import Counter
from typing import NamedTuple

from harness.providers.kinds import kind_of
from harness.value import Json, JsonObject, NotJsonError, decode, encode

TWICE = "stands twice: the last one counts"
NO_CALLS = "without calls"


class Arguments(NamedTuple):
    """`value` is the object; where there is none, `raw` is the text as it was written. `notes` say what was met."""

    value: JsonObject | None
    raw: str | None = None
    notes: tuple[str, ...] = ()


def arguments_of_text(text: str) -> Arguments:
    """The arguments in a string, as every API streams them."""
    if not text.strip():
        return Arguments({}, notes=("arguments was empty",))
    try:
        value = decode(text)
    except (NotJsonError, UnicodeEncodeError) as error:
        return _unreadable(text, extra_data_in(text) or f"no JSON ({error})")
    if isinstance(value, str):
        return _unwrapped(value, text)
    if not isinstance(value, dict):
        return _unreadable(text, f"no object but {kind_of(value)}")
    return Arguments(value, notes=_repeats(text, value))


def arguments_of_value(value: Json) -> Arguments:
    """The arguments in a value that should be an object; any other, null and text included, is none."""
    if isinstance(value, dict):
        return Arguments(value)
    return _unreadable(encode(value).decode(), f"no object but {kind_of(value)}")


def _unwrapped(inner: str, text: str) -> Arguments:
    try:
        value = decode(inner)
    except NotJsonError:
        value = None
    if not isinstance(value, dict):
        return _unreadable(text, "no object but a string")
    return Arguments(value, notes=("arguments was encoded twice", *_repeats(inner, value)))


def _unreadable(text: str, reason: str) -> Arguments:
    return Arguments(None, text, (f"malformed: {reason}",))


def reason_of(raw: str) -> str:
    """Why a text is no JSON object; empty where it is one."""
    read = arguments_of_text(raw)
    return read.notes[0].removeprefix("malformed: ") if read.value is None else ""


def extra_data_in(text: str) -> str | None:
    """`extra data after the object at N`, where a whole object stands at the start and more follows it."""
    try:
        value, end = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):  # too large an integer is a ValueError of its own
        return None
    end += len(text) - len(text.lstrip())
    if not isinstance(value, dict) or not text[end:].strip():
        return None
    return f"extra data after the object at {end}"


def _repeats(text: str, value: JsonObject) -> tuple[str, ...]:
    """Keys that stand twice in one object; the last one counts, as in every loader."""
    colons = text.count(":")
    if colons <= len(value) or colons <= _keys_in(value):
        return ()  # each key has a colon of its own, so none was lost
    repeated: list[str] = []

    def pairs(items: list[tuple[str, object]]) -> None:
        repeated.extend(name for name, count in Counter(name for name, _ in items).items() if count > 1)

    try:
        json.loads(text, object_pairs_hook=pairs, parse_int=str, parse_float=str)
    except RecursionError:
        return ()
    return tuple(f"key {encode(name).decode()} {TWICE}" for name in dict.fromkeys(repeated))


def _keys_in(value: Json) -> int:
    match value:
        case dict():
            return len(value) + sum(map(_keys_in, value.values()))
        case list():
            return sum(map(_keys_in, value))
        case _:
            return 0
