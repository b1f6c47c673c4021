"""Values made to try a matcher: one that fits it, and ones that do not."""

from collections.abc import Iterator
from decimal import Decimal

from harness.judge.matchers import (
    Absent,
    AllOf,
    AnyOf,
    Approx,
    Bound,
    Contains,
    ContainsNumber,
    Fields,
    Items,
    Matcher,
    Members,
    Normalized,
    Not,
    Regex,
)
from harness.judge.matching import mismatch_of
from harness.judge.values import MISSING, Value
from harness.value import Json, exact

_STRANGE: tuple[Json, ...] = ("~", 987654321, True, None, "", [], {})
_ANCHORS = "^$"


class NoWitnessError(Exception):
    """No value was found that fits the matcher; that does not mean that there is none."""


def witness_of(matcher: Matcher) -> Value:
    """A value that fits; raises `NoWitnessError`."""
    for candidate in _candidates(matcher):
        if mismatch_of(matcher, candidate) is None:
            return candidate
    raise NoWitnessError


def spoiled_of(matcher: Matcher) -> Value:
    """A value that does not fit, of the kind of one that does where there is such; raises `NoWitnessError`."""
    try:
        fitting = witness_of(matcher)
    except NoWitnessError:
        fitting = "~"
    for candidate in [*_changed(fitting), *_STRANGE]:
        if mismatch_of(matcher, candidate) is not None:
            return candidate
    raise NoWitnessError


def _candidates(matcher: Matcher) -> Iterator[Value]:
    match matcher:
        case Absent():
            yield MISSING
        case Fields():
            yield {name: value for name, inner in matcher.fields.items() if (value := witness_of(inner)) is not MISSING}
        case Items():
            yield [value for inner in matcher.items if (value := witness_of(inner)) is not MISSING]
        case Members():
            yield list(matcher.items)
        case Not():
            yield from _STRANGE
            yield from _changed(witness_of(matcher.matcher))
        case AnyOf() | AllOf():
            yield from (value for inner in matcher.matchers for value in _candidates(inner))
            yield from _between(matcher.matchers)
        case _:
            yield from _simple_candidates(matcher)


def _simple_candidates(matcher: Matcher) -> Iterator[Value]:
    match matcher:
        case Contains():
            yield matcher.text
        case ContainsNumber():
            yield str(matcher.number)
        case Regex():
            pattern = str(matcher.written.get("regex")) if isinstance(matcher.written, dict) else ""
            yield from (pattern.strip(_ANCHORS), pattern.strip(_ANCHORS).replace("\\", ""), "", "a", "A", "1", "a1")
        case Bound():
            yield from (matcher.limit, exact(matcher.limit) + 1, exact(matcher.limit) - 1)
        case Approx() | Normalized():
            yield matcher.value
        case _:
            written = matcher.written
            yield next(iter(written.values())) if isinstance(written, dict) and len(written) == 1 else written
            yield written


def _between(matchers: list[Matcher]) -> Iterator[Value]:
    """A number in the middle of two bounds."""
    limits = [Decimal(exact(one.limit)) for one in matchers if isinstance(one, Bound)]
    if len(limits) > 1:
        yield sum(limits) / len(limits)


def _changed(value: Value) -> Iterator[Json]:
    """Values of the same kind that differ."""
    match value:
        case str():
            yield from (f"{value}~", "~", "")
        case bool():
            yield not value
        case int() | float() | Decimal():
            yield from (exact(value) + 1, exact(value) - 1)
        case list():
            yield from ([*value, "~"], [])
        case dict():
            yield from ({**value, name: changed} for name, inner in value.items() for changed in _changed(inner))
            yield {}
            yield {"~": "~"}
        case _:
            pass
