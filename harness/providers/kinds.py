"""What kind of value may stand in a field of an answer, and what is said of one that may not.

A field of the wrong kind is never taken for an empty one: an answer that holds it cannot be read.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from harness.value import Json

Shape: TypeAlias = Mapping[str, frozenset[str]]
"""The kinds that each field may have; a field that is not there fits, unless its kinds are `NEEDED`."""

MISSING = "missing"

TEXT = frozenset({MISSING, "null", "a string"})
NUMBER = frozenset({MISSING, "null", "a number"})
LIST = frozenset({MISSING, "null", "an array"})
OBJECT = frozenset({MISSING, "null", "an object"})
PARTS = TEXT | LIST
NEEDED_TEXT = frozenset({"a string"})
NEEDED_LIST = frozenset({"an array"})
NEEDED_OBJECT = frozenset({"an object"})


_KINDS = {type(None): "null", bool: "a boolean", str: "a string", list: "an array", dict: "an object"}


def kind_of(value: Json) -> str:
    """A value's kind in JSON's words."""
    return _KINDS.get(type(value), "a number")


def misfits(value: Json, shape: Shape, *, what: str) -> list[str]:
    """What does not fit, a sentence each: `content of the message is a number`; `what` is the value's own name."""
    if not isinstance(value, dict):
        return [f"{what} is {kind_of(value)}"]
    found = []
    for key, kinds in shape.items():
        kind = _KINDS.get(type(value[key]), "a number") if key in value else MISSING
        if kind not in kinds:
            found.append(f"{key} of {what} is {kind}")
    return found


def misfits_among(values: Json, shape: Shape, *, what: str) -> list[str]:
    """What does not fit in the elements of a list; a value of another kind has none."""
    each: Iterable[Json] = values if isinstance(values, list) else ()
    return [found for value in each for found in misfits(value, shape, what=what)]


def unreadable(found: list[str]) -> str:
    """Why an answer cannot be read, by the first thing that does not fit; empty where all does."""
    return f"the answer cannot be read: {found[0]}" if found else ""
