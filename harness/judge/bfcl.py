"""The rules of the Berkeley Function-Calling Leaderboard, single turn and Python: accepted values instead of one.

A function's answer lists, for each parameter, the values that are accepted; an empty text among them lets the
parameter be left out. Texts are folded before they are compared: without spaces and `,./-_*^`, in lower case, single
quotes as double ones. An accepted value of another type than the declared one stands for a variable's name and is
compared as it is. Calls pair in any order. All as in `ast_checker` of the package bfcl-eval, but for this: values are
JSON (true is not 1), and pairing never depends on the order in which calls or answers are listed.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from harness.judge.domain import Domain, ToolFacts
from harness.judge.engine import Expectation, Found
from harness.judge.extras import Leniency
from harness.judge.golden import compiled_of, findings_of
from harness.judge.golden_match import Demand
from harness.judge.matcher_forms import MatcherError
from harness.judge.matchers import Matcher, Ruled
from harness.judge.params import Setting, Wanted
from harness.judge.values import Why, equal
from harness.trace import Trace
from harness.value import Json, JsonObject

_Type: TypeAlias = Literal["string", "integer", "float", "boolean", "array", "object", "null"]

_DECLARED: dict[Json, _Type] = {
    "string": "string", "any": "string", "integer": "integer", "float": "float", "boolean": "boolean",
    "array": "array", "tuple": "array", "dict": "object",
}  # fmt: skip
_TYPES: dict[type, _Type] = {
    str: "string", int: "integer", float: "float", Decimal: "float", bool: "boolean", list: "array", dict: "object",
    type(None): "null",
}  # fmt: skip
_IGNORED = re.compile(r"[ ,./\-_*^]")


class _Rule(NamedTuple):
    """What a parameter takes: its type, that of its items where they have one, the accepted values."""

    type: _Type
    items: _Type | None
    accepted: list[Json]


def bfcl_holds(functions: list[JsonObject], answers: list[JsonObject]) -> Expectation:
    """The expectation of a case: its functions as the data set describes them, and the `ground_truth` of its answer.

    What counts is which calls were proposed: they need not have been executed. Without answers no call is wanted.
    Raises `MatcherError` where an answer names no function, or a parameter has a type that these rules do not know.
    """
    described = {str(function["name"]): function for function in functions}
    wanted = [_wanted(name, params, described) for answer in answers for name, params in answer.items()]
    domain = Domain({name: _facts_of(name) for name in described})
    compiled = compiled_of(Demand(wanted), Leniency(frozenset()), domain)

    def expectation(seen: Trace) -> Found:
        calls = [msgspec.structs.replace(call, result=call.result or "", is_error=False) for call in seen.calls]
        return Found(findings_of(compiled, Setting(msgspec.structs.replace(seen, calls=calls), domain)))

    return expectation


def _facts_of(name: str) -> ToolFacts:
    """A function by its name only: its schema is in a language of its own."""
    return ToolFacts(name, "read", {}, {}, frozenset(), frozenset(), {}, None)


def _wanted(name: str, answer: Json, described: dict[str, JsonObject]) -> Wanted:
    function = described.get(name)
    if function is None or not isinstance(answer, dict):
        raise MatcherError(f"the answer names {name}, which is no function of the case")
    schema = _object(function.get("parameters"))
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    properties = _object(schema.get("properties"))
    args: dict[str, Matcher] = {
        param: _matcher_of(properties.get(param), accepted, needed=param in needed)
        for param, accepted in answer.items()
        if isinstance(accepted, list)
    }
    return Wanted(name, args | {param: _REQUIRED for param in needed if isinstance(param, str) and param not in args})


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _matcher_of(schema: Json, accepted: list[Json], *, needed: bool) -> Ruled:
    optional = "" in accepted and not needed
    if not isinstance(schema, dict):
        return Ruled(accepted, lambda _: "unexpected", optional)
    declared = schema.get("type")
    if declared not in _DECLARED:
        raise MatcherError(f"{declared} is no type of these rules")
    nested = _object(schema.get("items")).get("type") if _DECLARED[declared] == "array" else None
    rule = _Rule(_DECLARED[declared], _DECLARED.get(nested), accepted)
    return Ruled(accepted, partial(_fault, rule), optional)


# A parameter that must be there and that no answer lists: there is no value that it could have.
_REQUIRED = Ruled([], lambda _: "unexpected", optional=False)


def _fault(rule: _Rule, value: Json) -> Why | None:
    kind = _TYPES[type(value)]
    if rule.type == "float" and kind == "integer":
        kind = "float"
    if not _is_typed(kind, value, rule):
        return "kind"
    named = _named_type(rule.accepted)
    if named is not None and named != rule.type:
        return None if _among(value, rule.accepted) else "value"
    return None if _comparison(rule)(value, rule.accepted) else "value"


def _is_typed(kind: _Type, value: Json, rule: _Rule) -> bool:
    """Whether a value has the declared type, items included; or that of the first accepted value."""
    if kind != rule.type:
        return kind == _named_type(rule.accepted)
    if rule.items is None or not isinstance(value, list):
        return True
    within = [_Rule(rule.items, None, one) if isinstance(one, list) else None for one in rule.accepted]
    return any(inner is None or all(_is_typed(_TYPES[type(item)], item, inner) for item in value) for inner in within)


def _named_type(accepted: list[Json]) -> _Type | None:
    return next((_TYPES[type(one)] for one in accepted if one != ""), None)


def _comparison(rule: _Rule) -> Callable[[Json, list[Json]], bool]:
    match rule.type, rule.items:
        case "object", _:
            return _is_object_among
        case "array", "object":
            return _is_list_of_objects_among
        case "array" | "string", _:
            return _is_folded_among
        case _:
            return _among


def _among(value: Json, accepted: list[Json]) -> bool:
    return any(equal(one, value) for one in accepted)


def _is_folded_among(value: Json, accepted: list[Json]) -> bool:
    """Texts, and those that stand directly in a list, compare folded; an empty text stands for an empty list, too."""
    if isinstance(value, list):
        lists = [[] if one == "" else one for one in accepted]
        return _among([*map(_folded, value)], [[*map(_folded, one)] for one in lists if isinstance(one, list)])
    return _among(_folded(value), [_folded(one) for one in accepted if isinstance(one, str)])


def _folded(value: Json) -> Json:
    return _IGNORED.sub("", value).lower().replace("'", '"') if isinstance(value, str) else value


def _is_object_among(value: Json, accepted: list[Json]) -> bool:
    return isinstance(value, dict) and any(_fits_object(value, one) for one in accepted if isinstance(one, dict))


def _fits_object(value: JsonObject, accepted: JsonObject) -> bool:
    """Whether each field is accepted, and each that is missing may be."""
    for key, one in value.items():
        choices = accepted.get(key)
        if not isinstance(choices, list) or not _among(_folded(one), [*map(_folded, choices)]):
            return False
    return all(key in value or (isinstance(one, list) and "" in one) for key, one in accepted.items())


def _is_list_of_objects_among(value: Json, accepted: list[Json]) -> bool:
    """One after the other, as many as accepted; an empty text stands for an empty list."""
    lists = [[] if one == "" else one for one in accepted]
    return isinstance(value, list) and any(
        len(one) == len(value)
        and all(_is_object_among(item, [wanted]) for item, wanted in zip(value, one, strict=True))
        for one in lists
        if isinstance(one, list)
    )
