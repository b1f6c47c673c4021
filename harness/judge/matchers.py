"""What a value may be: the closed list of matchers, those of golden rules and those of constraint specs.

`matching.py` decides whether a value fits one, `matcher_forms.py` reads them from files. `written` is the matcher as
a person wrote it, for messages.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Literal, TypeAlias

import msgspec

from harness.judge.moments import Moment
from harness.judge.values import Lists, Why
from harness.value import Json

Number: TypeAlias = int | float | Decimal


class Plain(msgspec.Struct, frozen=True):
    """Exactly `written`. Lists are ordered in constraints, sets in golden rules."""

    written: Json
    lists: Lists = "ordered"


class Members(msgspec.Struct, frozen=True):
    """A list with these items in any order; `counted`: each as often."""

    written: Json
    items: list[Json]
    counted: bool


class Fields(msgspec.Struct, frozen=True):
    """An object with exactly these fields, some of them matched loosely."""

    written: Json
    fields: "dict[str, Matcher]"


class Items(msgspec.Struct, frozen=True):
    """A list of exactly these items in this order, some of them matched loosely."""

    written: Json
    items: "list[Matcher]"


class Not(msgspec.Struct, frozen=True):
    """Any value but those that fit `matcher`; a missing one is no value."""

    written: Json
    matcher: "Matcher"


class AnyOf(msgspec.Struct, frozen=True):
    """What fits one of these."""

    written: Json
    matchers: "list[Matcher]"


class AllOf(msgspec.Struct, frozen=True):
    """What fits all of these."""

    written: Json
    matchers: "list[Matcher]"


class Contains(msgspec.Struct, frozen=True):
    """A string that holds this one."""

    written: Json
    text: str


class ContainsNumber(msgspec.Struct, frozen=True):
    """A string in which this number is written."""

    written: Json
    number: Number


class Regex(msgspec.Struct, frozen=True):
    """A string in which a pattern is found."""

    written: Json
    finds: Callable[[str], bool]


class Bound(msgspec.Struct, frozen=True):
    """A number on one side of a limit."""

    written: Json
    side: Literal["gt", "ge", "lt", "le"]
    limit: Number


class Approx(msgspec.Struct, frozen=True):
    """A number at most `absolute`, or `relative` times the value, away; the border is inside."""

    written: Json
    value: Number
    absolute: Number
    relative: Number


class Normalized(msgspec.Struct, frozen=True):
    """The value with all strings in it trimmed and in lower case; nothing else is forgiven."""

    written: Json
    value: Json
    lists: Lists = "ordered"


class At(msgspec.Struct, frozen=True):
    """A string that writes down this date or this instant."""

    written: Json
    moment: Moment


class Present(msgspec.Struct, frozen=True):
    """Any value, null too."""

    written: Json


class Absent(msgspec.Struct, frozen=True):
    """No value."""

    written: Json


class Filled(msgspec.Struct, frozen=True):
    """Any value but null and the empty ones: golden rule `any`."""

    written: Json


class Ruled(msgspec.Struct, frozen=True):
    """What the rules of another judge accept: `why` says how a value breaks them; `optional`: it may be missing."""

    written: Json
    why: Callable[[Json], Why | None]
    optional: bool


OfText: TypeAlias = Contains | ContainsNumber | Regex | At
OfNumber: TypeAlias = Bound | Approx
OfParts: TypeAlias = Fields | Items | Members | Normalized
Combined: TypeAlias = Not | AnyOf | AllOf
Loose: TypeAlias = Present | Filled | Ruled | OfText | OfNumber | OfParts | Combined
Matcher: TypeAlias = Plain | Absent | Loose
