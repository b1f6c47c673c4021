"""JSON values side by side: equal or not, and where and how they differ first."""

from collections.abc import Hashable
from decimal import Decimal
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from harness.value import Json, JsonObject, encode, exact

MISSING = msgspec.UNSET
"""No value at all, which is another thing than null."""

Value: TypeAlias = Json | msgspec.UnsetType
Kind: TypeAlias = Literal["null", "boolean", "number", "string", "array", "object", "missing"]
Lists: TypeAlias = Literal["ordered", "set"]
Why: TypeAlias = Literal["kind", "value", "missing", "unexpected", "length", "order", "format"]

_KINDS: dict[type, Kind] = {
    type(None): "null", bool: "boolean", int: "number", float: "number", Decimal: "number",
    str: "string", list: "array", dict: "object", msgspec.UnsetType: "missing",
}  # fmt: skip
_SHOWN = 80
_NUMBERS = (int, float, Decimal)


class Difference(NamedTuple):
    """The first place at which two values differ; `path` is empty for the whole (`address.street`, `items[0].sku`)."""

    path: str
    why: Why
    expected: Value
    actual: Value
    note: str = ""

    def under(self, step: str) -> "Difference":
        """The same difference seen from the value that holds this one at `step` (`.name` or `[0]`)."""
        return self._replace(path=step + self.path)


def kind_of(value: Value) -> Kind:
    """The JSON kind; a boolean is no number."""
    return _KINDS[type(value)]


def equal(one: Json, other: Json) -> bool:
    """Whether two values are the same value: kinds first, numbers exact, key order of no account, list order of all."""
    kind = type(one)
    if kind is dict:
        return type(other) is dict and len(one) == len(other) and _same_fields(one, other)  # type: ignore[arg-type]
    if kind is list:
        return type(other) is list and len(one) == len(other) and all(map(equal, one, other))  # type: ignore[arg-type]
    if kind is type(other):
        return one == other
    if kind in _NUMBERS and type(other) in _NUMBERS:
        return exact(one) == exact(other)  # type: ignore[arg-type]
    return False


def _same_fields(one: JsonObject, other: JsonObject) -> bool:
    """The hottest place of the judge: values of one flat Python type compare without a call."""
    for key, value in one.items():
        if key not in other:
            return False
        mine = other[key]
        kind = type(value)
        if kind is type(mine) and kind is not dict and kind is not list:
            if value != mine:
                return False
        elif not equal(value, mine):
            return False
    return True


def key_of(value: Value, lists: Lists = "ordered") -> Hashable:
    """A hashable that is equal for equal values only; with `set`, lists at any depth are sets."""
    match value:
        case dict():
            return "object", frozenset((key, key_of(item, lists)) for key, item in value.items())
        case list():
            items = [key_of(item, lists) for item in value]
            return "array", frozenset(items) if lists == "set" else tuple(items)
        case int() | float() | Decimal() if not isinstance(value, bool):
            return "number", exact(value)
        case _:
            return kind_of(value), value


def difference_of(expected: Json, actual: Value, lists: Lists = "ordered") -> Difference | None:
    """The first difference, or None where the values are equal."""
    kinds = kind_of(expected), kind_of(actual)
    if kinds[0] != kinds[1]:
        return Difference("", "missing" if actual is MISSING else "kind", expected, actual)
    match expected, actual:
        case dict(), dict():
            return _difference_in_object(expected, actual, lists)
        case list(), list():
            return members_differ(expected, actual) if lists == "set" else _difference_in_list(expected, actual)
        case str(), str():
            return None if expected == actual else Difference("", "value", expected, actual, likeness(expected, actual))
        case _:
            return None if key_of(expected) == key_of(actual) else Difference("", "value", expected, actual)


def _difference_in_object(expected: dict[str, Json], actual: dict[str, Json], lists: Lists) -> Difference | None:
    for key, value in expected.items():
        if key not in actual:
            return Difference(f".{key}", "missing", value, MISSING)
        difference = difference_of(value, actual[key], lists)
        if difference:
            return difference.under(f".{key}")
    for key, value in actual.items():
        if key not in expected:
            return Difference(f".{key}", "unexpected", MISSING, value)
    return None


def _difference_in_list(expected: list[Json], actual: list[Json]) -> Difference | None:
    if equal(expected, actual):
        return None
    if len(expected) == len(actual) and _counts(expected) == _counts(actual):
        return Difference("", "order", expected, actual, "the same items in another order")
    for index, (one, other) in enumerate(zip(expected, actual, strict=False)):
        difference = difference_of(one, other)
        if difference:
            return difference.under(f"[{index}]")
    counts = f"{len(expected)} expected, {len(actual)} there"
    return Difference("", "length", expected, actual, counts)


def members_differ(
    expected: list[Json], actual: list[Json], *, lists: Lists = "set", counted: bool = False
) -> Difference | None:
    """The first member that only one of two lists holds, whatever their order; `counted`: as often as the other."""
    wanted, found = (_counts(one, lists) for one in (expected, actual))
    if wanted == found if counted else wanted.keys() == found.keys():
        return None
    lacking = next((item for item in expected if key_of(item, lists) not in found), MISSING)
    surplus = next((item for item in actual if key_of(item, lists) not in wanted), MISSING)
    if lacking is not MISSING and surplus is not MISSING and kind_of(lacking) != kind_of(surplus):
        return Difference("[]", "kind", lacking, surplus)
    if lacking is not MISSING:
        return Difference("[]", "value", lacking, surplus, "" if surplus is not MISSING else "no such item")
    if surplus is not MISSING:
        return Difference("[]", "value", MISSING, surplus, "not among the expected items")
    return Difference("", "length", expected, actual, "the same items, but not as often")


def _counts(items: list[Json], lists: Lists = "ordered") -> dict[Hashable, int]:
    counts: dict[Hashable, int] = {}
    for item in items:
        key = key_of(item, lists)
        counts[key] = counts.get(key, 0) + 1
    return counts


def likeness(expected: str, actual: str) -> str:
    """How close two unequal strings are, where a reader would hardly see the difference; else empty."""
    import unicodedata

    if unicodedata.normalize("NFC", expected) == unicodedata.normalize("NFC", actual):
        return "the same text in another Unicode normal form"
    if expected.strip() == actual.strip():
        return "only the space around it differs"
    if expected.casefold() == actual.casefold():
        return "only upper and lower case differ"
    return ""


def at_path(value: Json, path: str) -> Value:
    """What stands at a dotted path; digits index lists."""
    for step in path.split("."):
        match value:
            case dict() if step in value:
                value = value[step]
            case list() if step.isascii() and step.isdigit() and int(step) < len(value):
                value = value[int(step)]
            case _:
                return MISSING
    return value


def shown(value: Value) -> str:
    """A value as a message shows it: JSON, cut where it is long, so that null, "null" and nothing look different."""
    if value is MISSING:
        return "nothing"
    try:
        text = encode(value).decode()
    except (UnicodeEncodeError, ValueError, TypeError):
        text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def described(difference: Difference) -> str:
    """A difference in words: `expected 4021, got "4021" (a string, not a number)`."""
    expected, actual = shown(difference.expected), shown(difference.actual)
    match difference.why:
        case "missing":
            return f"expected {expected}, but it is missing"
        case "unexpected":
            return f"{actual} is not expected there"
        case "kind":
            kinds = f"{kind_of(difference.actual)}, not {kind_of(difference.expected)}"
            return f"expected {expected}, got {actual} ({kinds})"
        case "value" | "length" | "order" | "format":
            note = f" ({difference.note})" if difference.note else ""
            return f"expected {expected}, got {actual}{note}"
