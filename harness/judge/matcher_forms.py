"""How matchers are written: constraint specs' `{not: 4021}` and golden rules' names, each into its matcher."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from harness import errors
from harness.judge.matchers import (
    Absent,
    AllOf,
    AnyOf,
    Approx,
    At,
    Bound,
    Contains,
    ContainsNumber,
    Fields,
    Filled,
    Items,
    Matcher,
    Members,
    Normalized,
    Not,
    Number,
    Plain,
    Present,
    Regex,
)
from harness.judge.moments import moment_of
from harness.judge.slips import meant_matchers
from harness.nearest import nearest_of
from harness.pattern import pattern_of
from harness.value import Json


class MatcherError(ValueError):
    """A matcher that cannot be read; `path` leads to it from the value that was given, `nearest` is what was meant."""

    def __init__(self, message: str, path: tuple[str | int, ...] = (), nearest: str | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.nearest = nearest


def matcher_of(written: Json, path: tuple[str | int, ...] = ()) -> Matcher:
    """The matcher that a spec's value means: an object whose keys are all matchers' names, else the value itself."""
    match written:
        case dict() if written and all(key in _FORMS for key in written):
            parts = [_FORMS[key](value, (*path, key)) for key, value in written.items()]
            return parts[0] if len(parts) == 1 else AllOf(written, parts)
        case dict():
            _refuse_mixture(written, path)
            fields = {key: matcher_of(value, (*path, key)) for key, value in written.items()}
            plain = {key: one.written for key, one in fields.items()}
            return Plain(plain) if _all_plain(fields.values()) else Fields(written, fields)
        case list():
            items = [matcher_of(value, (*path, index)) for index, value in enumerate(written)]
            return Plain([one.written for one in items]) if _all_plain(items) else Items(written, items)
        case _:
            return Plain(written)


def _refuse_mixture(written: dict[str, Json], path: tuple[str | int, ...]) -> None:
    """An object that is half matcher, half value is a slip, and so is a matcher's name of another tool."""
    known = [key for key in written if key in _FORMS]
    for key in written:
        if known and key not in _FORMS:
            near = nearest_of(key, _FORMS)
            hint = f"; did you mean {near}?" if near else ""
            raise MatcherError(f"{key} stands beside the matcher {known[0]}, but is no matcher{hint}", (*path, key))
    for key, meant in meant_matchers(written, _FORMS).items():
        message = f"{key} is no matcher; an object that is meant as it stands is written {{equals: {{{key}: …}}}}"
        raise MatcherError(message, (*path, key), meant)


def _all_plain(matchers: Any) -> bool:  # noqa: ANN401  any iterable of matchers
    return all(isinstance(one, Plain) for one in matchers)


def _equals(value: Json, path: tuple[str | int, ...]) -> Matcher:
    """The value as it stands, whatever its keys are called."""
    del path
    return Plain(value)


def _not(value: Json, path: tuple[str | int, ...]) -> Matcher:
    return Not({"not": value}, matcher_of(value, path))


def _any_of(value: Json, path: tuple[str | int, ...]) -> Matcher:
    matchers = [matcher_of(one, (*path, index)) for index, one in enumerate(_list(value, "any_of", path))]
    if not matchers:
        raise MatcherError("any_of lists at least one value", path)
    return AnyOf({"any_of": value}, matchers)


def _contains(value: Json, path: tuple[str | int, ...]) -> Matcher:
    return Contains({"contains": value}, _text(value, "contains", path))


def _contains_number(value: Json, path: tuple[str | int, ...]) -> Matcher:
    return ContainsNumber({"contains_number": value}, _number(value, "contains_number", path))


def _regex(value: Json, path: tuple[str | int, ...]) -> Matcher:
    try:
        finds = pattern_of(_text(value, "regex", path))
    except errors.BadPattern as error:
        raise MatcherError(f"the pattern cannot be used: {error.found}", path) from None
    return Regex({"regex": value}, finds)


def _bound(side: Any) -> Callable[[Json, tuple[str | int, ...]], Matcher]:  # noqa: ANN401  one of the four literals
    return lambda value, path: Bound({side: value}, side, _number(value, side, path))


def _approx(value: Json, path: tuple[str | int, ...]) -> Matcher:
    if not isinstance(value, dict) or "value" not in value or not {"abs", "rel"} & value.keys():
        raise MatcherError("approx is written {value: 89.99, abs: 0.01} or {value: 89.99, rel: 0.001}", path)
    unknown = next((key for key in value if key not in {"value", "abs", "rel"}), None)
    if unknown is not None:
        raise MatcherError(f"approx has no {unknown}; it has value, abs and rel", (*path, unknown))
    number, absolute, relative = (_number(value.get(key, 0), key, (*path, key)) for key in ("value", "abs", "rel"))
    if absolute < 0 or relative < 0:
        raise MatcherError("a tolerance is not negative", path)
    return Approx({"approx": value}, number, absolute, relative)


def _normalized(value: Json, path: tuple[str | int, ...]) -> Matcher:
    return Normalized({"normalized": value}, _text(value, "normalized", path))


def _date(value: Json, path: tuple[str | int, ...]) -> Matcher:
    text = _text(value, "date", path)
    moment = moment_of(text)
    if moment is None:
        raise MatcherError(f"{text} is no ISO 8601 date or datetime that exists", path)
    return At({"date": value}, moment)


def _present(value: Json, path: tuple[str | int, ...]) -> Matcher:
    if value is not True:
        raise MatcherError("write present: true, or absent: true", path)
    return Present({"present": True})


def _absent(value: Json, path: tuple[str | int, ...]) -> Matcher:
    if value is not True:
        raise MatcherError("write absent: true, or present: true", path)
    return Absent({"absent": True})


def _members(name: str, *, counted: bool) -> Callable[[Json, tuple[str | int, ...]], Matcher]:
    return lambda value, path: Members({name: value}, _list(value, name, path), counted=counted)


_FORMS: dict[str, Callable[[Json, tuple[str | int, ...]], Matcher]] = {
    "equals": _equals,
    "not": _not,
    "any_of": _any_of,
    "contains": _contains,
    "contains_number": _contains_number,
    "regex": _regex,
    "gt": _bound("gt"),
    "ge": _bound("ge"),
    "lt": _bound("lt"),
    "le": _bound("le"),
    "approx": _approx,
    "normalized": _normalized,
    "date": _date,
    "present": _present,
    "absent": _absent,
    "set": _members("set", counted=False),
    "multiset": _members("multiset", counted=True),
}

RULES = ("exact", "normalized_str", "normalized_date", "contains", "any")
"""The golden rules, the first being what holds where none is named."""


def rule_of(rule: str, value: Json) -> Matcher:
    """The matcher of a golden rule on a golden value, in which lists are sets; raises `MatcherError`."""
    match rule:
        case "exact":
            return Plain(value, "set")
        case "normalized_str":
            return Normalized(value, value, "set")
        case "normalized_date":
            moment = moment_of(value) if isinstance(value, str) else None
            if moment is None:
                raise MatcherError("normalized_date needs an ISO 8601 date or datetime that exists")
            return At(value, moment)
        case "contains":
            return Contains(value, _text(value, "contains", ()))
        case "any":
            return Filled(value)
        case _:
            raise MatcherError(f"{rule} is no rule; there are {', '.join(RULES)}")


def _text(value: Json, name: str, path: tuple[str | int, ...]) -> str:
    if not isinstance(value, str):
        raise MatcherError(f"{name} needs a string", path)
    return value


def _list(value: Json, name: str, path: tuple[str | int, ...]) -> list[Json]:
    if not isinstance(value, list):
        raise MatcherError(f"{name} needs a list", path)
    return value


def _number(value: Json, name: str, path: tuple[str | int, ...]) -> Number:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise MatcherError(f"{name} needs a number", path)
    return value
