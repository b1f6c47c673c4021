"""What kind of value may stand in a field of an answer, and what is said of one that may not.

A field of the wrong kind is never taken for an empty one: an answer that holds it cannot be read.
"""

from collections.abc import Mapping
from decimal import Decimal
from types import GenericAlias, NoneType
from typing import Any, TypeAlias, Union

import msgspec

from harness.value import Json

Kinds: TypeAlias = frozenset[type]
Shape: TypeAlias = Mapping[str, Kinds]
"""The kinds that each field may have; a field that is not there fits, unless its kinds are `NEEDED`."""

Usual: TypeAlias = Any
"""A type that msgspec converts to; it is made while the program runs, so no checker knows it."""


class _Missing:
    """What stands for a field that is not there."""


_MISSING = _Missing()

NEEDED_TEXT: Kinds = frozenset({str})
NEEDED_LIST: Kinds = frozenset({list})
NEEDED_OBJECT: Kinds = frozenset({dict})
_NOTHING: Kinds = frozenset({_Missing, NoneType})
TEXT = _NOTHING | NEEDED_TEXT
NUMBER = _NOTHING | {int, float, Decimal}
LIST = _NOTHING | NEEDED_LIST
OBJECT = _NOTHING | NEEDED_OBJECT
PARTS = TEXT | LIST

_KINDS = {NoneType: "null", bool: "a boolean", str: "a string", list: "an array", dict: "an object"}


def kind_of(value: Json) -> str:
    """A value's kind in JSON's words."""
    return _KINDS.get(type(value), "a number")


def misfits(value: Json, shape: Shape, *, what: str) -> list[str]:
    """What does not fit, a sentence each: `content of the message is a number`; `what` is the value's own name."""
    if not isinstance(value, dict):
        return [f"{what} is {kind_of(value)}"]
    found: list[str] = []
    get = value.get
    for key, kinds in shape.items():
        if type(get(key, _MISSING)) not in kinds:
            found.append(f"{key} of {what} is {kind_of(value[key]) if key in value else 'missing'}")
    return found


def misfits_among(values: Json, shape: Shape, *, what: str) -> list[str]:
    """What does not fit in the elements of a list; a value of another kind has none."""
    found: list[str] = []
    for value in values if isinstance(values, list) else ():
        found += misfits(value, shape, what=what)
    return found


def usual(shape: Shape, **inside: Usual) -> Usual:
    """The type of what usually fits a shape; `inside` are the types of fields that hold further shapes.

    It may be stricter than the shapes and is never laxer: of what does not pass, `misfits` says whether it fits.
    """
    fields: list[Any] = []
    for key, kinds in shape.items():
        # A text of digits would pass for a decimal; and a decimal passes for a float.
        type_ = inside.get(key) or Union[*(kinds - {_Missing, NoneType, Decimal})]
        fields.append((key, type_) if _Missing not in kinds else (key, type_ | None, None))
    return msgspec.defstruct("Usual", sorted(fields, key=len))  # those that are needed stand first


def listed(type_: Usual) -> Usual:
    """The type of a list of these."""
    return GenericAlias(list, type_)


def is_usual(value: Json, type_: Usual) -> bool:
    """Whether a value passes for a type, shapes inside of shapes and all, at the price of a look at one of them."""
    try:
        msgspec.convert(value, type_)
    except msgspec.ValidationError:
        return False
    return True


def unreadable(found: list[str]) -> str:
    """Why an answer cannot be read, by the first thing that does not fit; empty where all does."""
    return f"the answer cannot be read: {found[0]}" if found else ""
