"""Values short enough for a report: what is cut says how long it was. Evidence itself is never cut."""

from collections.abc import Sequence
from typing import TypeVar

from harness.judge.values import MISSING, Value
from harness.value import Json, JsonObject, encode

LONGEST_TEXT = 2_000
LARGEST_VALUE = 8_000
_MOST_ITEMS = 100

_Item = TypeVar("_Item")


def cut_text(text: str, limit: int = LONGEST_TEXT) -> str:
    """At most `limit` characters and, where there are more, the size of the whole.

    A lone surrogate, which only a value from user code can hold and no file can, is written as an escape.
    """
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text.encode())} bytes)"


def cut_value(value: Value) -> Value:
    """The value with long texts and long lists cut, or a text that says its size where that is not enough."""
    if value is MISSING:
        return value
    return cut_json(value)


def cut_json(value: Json) -> Json:
    """As `cut_value`, for a value that is there."""
    try:
        size = len(encode(value))
    except UnicodeEncodeError:
        value = _cut(value)
        size = len(encode(value))
    if size <= LONGEST_TEXT:
        return value
    shorter = _cut(value)
    return shorter if len(encode(shorter)) <= LARGEST_VALUE else f"… ({size} bytes)"


def cut_object(value: JsonObject) -> JsonObject:
    """As `cut_value`, an object staying one."""
    shorter = cut_json(value)
    return shorter if isinstance(shorter, dict) else {"…": shorter}


def _cut(value: Json) -> Json:
    match value:
        case str():
            return cut_text(value)
        case list() if len(value) > _MOST_ITEMS:
            return [*map(_cut, value[:_MOST_ITEMS]), f"… ({len(value)} items)"]
        case list():
            return [*map(_cut, value)]
        case dict():
            kept = {cut_text(key): _cut(value[key]) for key in list(value)[:_MOST_ITEMS]}
            return {**kept, "…": f"({len(value)} keys)"} if len(value) > _MOST_ITEMS else kept
        case _:
            return value


def cut_list(items: Sequence[_Item], limit: int) -> tuple[list[_Item], int]:
    """The first `limit` items, and how many are left out."""
    return list(items[:limit]), max(len(items) - limit, 0)
