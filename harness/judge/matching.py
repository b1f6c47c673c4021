"""Whether a value fits a matcher, and how it fails to."""

from typing import assert_never

from harness.judge.matchers import (
    Absent,
    AllOf,
    AnyOf,
    Approx,
    At,
    Bound,
    Combined,
    Contains,
    ContainsNumber,
    Fields,
    Filled,
    Items,
    Loose,
    Matcher,
    Members,
    Normalized,
    Not,
    OfNumber,
    OfParts,
    OfText,
    Plain,
    Present,
    Regex,
    Ruled,
)
from harness.judge.moments import moment_of
from harness.judge.numbers import mentions_number, within
from harness.judge.values import MISSING, Difference, Value, Why, difference_of, equal, members_differ
from harness.value import Json, exact

_EMPTY: tuple[Json, ...] = (None, "", [], {})
_KINDS_OF_MOMENT = {"date": "a date", "naive": "a time without a zone", "aware": "a time with a zone"}


def mismatch_of(matcher: Matcher, actual: Value) -> Difference | None:
    """How a value fails the matcher, or None where it fits. A missing value fits `absent` only."""
    if isinstance(matcher, Plain):
        if actual is not MISSING and equal(matcher.written, actual):
            return None
        return difference_of(matcher.written, actual, matcher.lists)
    if isinstance(matcher, Absent):
        return None if actual is MISSING else Difference("", "unexpected", MISSING, actual)
    if actual is MISSING:
        may_be = isinstance(matcher, Ruled) and matcher.optional
        return None if may_be else Difference("", "missing", matcher.written, MISSING)
    return _mismatch(matcher, actual)


def _mismatch(matcher: Loose, actual: Json) -> Difference | None:
    match matcher:
        case Present():
            return None
        case Filled():
            return None if actual not in _EMPTY else _differs(matcher, actual)
        case Ruled():
            why = matcher.why(actual)
            return None if why is None else _differs(matcher, actual, why)
        case Contains() | ContainsNumber() | Regex() | At():
            return _mismatch_of_text(matcher, actual)
        case Bound() | Approx():
            return _mismatch_of_number(matcher, actual)
        case Fields() | Items() | Members() | Normalized():
            return _mismatch_of_parts(matcher, actual)
        case Not() | AnyOf() | AllOf():
            return _mismatch_of_combined(matcher, actual)
        case _:
            assert_never(matcher)


def _mismatch_of_combined(matcher: Combined, actual: Json) -> Difference | None:
    match matcher:
        case Not():
            return _differs(matcher, actual) if mismatch_of(matcher.matcher, actual) is None else None
        case AllOf():
            return next((found for one in matcher.matchers if (found := mismatch_of(one, actual))), None)
        case AnyOf():
            whys = [found and found.why for one in matcher.matchers for found in [mismatch_of(one, actual)]]
            if None in whys:
                return None
            return _differs(matcher, actual, "kind" if set(whys) == {"kind"} else "value")


def _mismatch_of_parts(matcher: OfParts, actual: Json) -> Difference | None:
    match matcher, actual:
        case Fields(), dict():
            return _fields_differ(matcher, actual)
        case Items(), list():
            return _items_differ(matcher, actual)
        case Members(), list():
            return members_differ(matcher.items, actual, lists="ordered", counted=matcher.counted)
        case Normalized(), _:
            difference = difference_of(folded(matcher.value), folded(actual), matcher.lists)
            if difference is None or difference.path:
                return difference
            return difference._replace(expected=matcher.written, actual=actual)
        case _:
            return _differs(matcher, actual, "kind")


def _fields_differ(matcher: Fields, actual: dict[str, Json]) -> Difference | None:
    for name, inner in matcher.fields.items():
        difference = mismatch_of(inner, actual.get(name, MISSING))
        if difference:
            return difference.under(f".{name}")
    surplus = next((name for name in actual if name not in matcher.fields), None)
    return None if surplus is None else Difference(f".{surplus}", "unexpected", MISSING, actual[surplus])


def _items_differ(matcher: Items, actual: list[Json]) -> Difference | None:
    if len(actual) != len(matcher.items):
        return _differs(matcher, actual, "length", f"{len(matcher.items)} expected, {len(actual)} there")
    for index, (inner, item) in enumerate(zip(matcher.items, actual, strict=True)):
        difference = mismatch_of(inner, item)
        if difference:
            return difference.under(f"[{index}]")
    return None


def _mismatch_of_text(matcher: OfText, actual: Json) -> Difference | None:
    if not isinstance(actual, str):
        return _differs(matcher, actual, "kind")
    if isinstance(matcher, At):
        return _moment_differs(matcher, actual)
    match matcher:
        case Contains():
            fits = matcher.text in actual
        case ContainsNumber():
            fits = mentions_number(actual, matcher.number)
        case Regex():
            fits = matcher.finds(actual)
        case _:
            assert_never(matcher)
    return None if fits else _differs(matcher, actual)


def _moment_differs(matcher: At, actual: str) -> Difference | None:
    """Only moments of one kind compare: a date is no instant, and a time without a zone is nowhere in the world."""
    found = moment_of(actual)
    if found is None:
        return _differs(matcher, actual, "format", "not an ISO 8601 date or datetime")
    if found.kind != matcher.moment.kind:
        kinds = f"{_KINDS_OF_MOMENT[found.kind]}, not {_KINDS_OF_MOMENT[matcher.moment.kind]}"
        return _differs(matcher, actual, "format", kinds)
    return None if found == matcher.moment else _differs(matcher, actual)


def _mismatch_of_number(matcher: OfNumber, actual: Json) -> Difference | None:
    if actual is None or isinstance(actual, bool | str | list | dict):
        return _differs(matcher, actual, "kind")
    if isinstance(matcher, Approx):
        fits = within(matcher.value, actual, matcher.absolute, matcher.relative)
    else:
        value, limit = exact(actual), exact(matcher.limit)
        fits = {"gt": value > limit, "ge": value >= limit, "lt": value < limit, "le": value <= limit}[matcher.side]
    return None if fits else _differs(matcher, actual)


def _differs(matcher: Matcher, actual: Json, why: Why = "value", note: str = "") -> Difference:
    return Difference("", why, matcher.written, actual, note)


def folded(value: Json) -> Json:
    """The value with every string in it trimmed and in lower case."""
    match value:
        case str():
            return value.strip().lower()
        case dict():
            return {key: folded(item) for key, item in value.items()}
        case list():
            return [folded(item) for item in value]
        case _:
            return value
