"""Declared repairs, each one noted: tool names that carry noise, and literals that were sent as strings.

Nothing is repaired unless the suite or the spec asks for it by name.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

import msgspec

from harness.judge.domain import Domain
from harness.judge.values import shown
from harness.trace import Call, Trace
from harness.value import Json, JsonObject, NotJsonError, decode

_NUMBERS = {"integer", "number"}
_WITH_POINT = (float, Decimal)


class Names(msgspec.Struct, frozen=True):
    """How a tool's name may be cleaned: white space around it, and prefixes in front."""

    strip: bool = False
    drop_prefix: list[str] = []


class Repairs(msgspec.Struct, frozen=True):
    """Which repairs are declared; none by default."""

    names: Names | None = None
    coerce: bool = False


class Repaired(NamedTuple):
    """The trace to judge, and what was changed in it."""

    trace: Trace
    notes: list[str]


def repaired(trace: Trace, repairs: Repairs, domain: Domain) -> Repaired:
    """The trace with the declared repairs made."""
    if repairs.names is None and not repairs.coerce:
        return Repaired(trace, [])
    notes: list[str] = []
    calls = []
    for call in trace.calls:
        cleaned = call if repairs.names is None else _renamed(call, repairs.names, domain, notes)
        calls.append(_coerced(cleaned, domain, notes) if repairs.coerce else cleaned)
    return Repaired(msgspec.structs.replace(trace, calls=calls), notes) if notes else Repaired(trace, [])


def _renamed(call: Call, names: Names, domain: Domain, notes: list[str]) -> Call:
    """The call under its cleaned name, where that is a tool and the name as sent is none."""
    if call.name in domain.tools:
        return call
    name = call.name.strip() if names.strip else call.name
    for prefix in names.drop_prefix:
        name = name.removeprefix(prefix)
    if name == call.name or (domain.tools and name not in domain.tools):
        return call
    notes.append(f"{call.id}: the name {shown(call.name)} is read as {name}")
    return msgspec.structs.replace(call, name=name)


def _coerced(call: Call, domain: Domain, notes: list[str]) -> Call:
    facts = domain.tools.get(call.name)
    if facts is None or call.arguments is None:
        return call
    found: list[str] = []
    arguments = _coerce_object(facts.properties, call.arguments, "", found)
    notes += [f"{call.id}: {note}" for note in found]
    return msgspec.structs.replace(call, arguments=arguments) if found else call


def _coerce_object(properties: Mapping[str, Json], values: JsonObject, path: str, notes: list[str]) -> JsonObject:
    return {name: _coerce(properties.get(name), value, f"{path}{name}", notes) for name, value in values.items()}


def _coerce(schema: Json, value: Json, path: str, notes: list[str]) -> Json:
    if not isinstance(schema, dict):
        return value
    if isinstance(value, str):
        literal = _literal_of(value, _types_in(schema))
        if literal != value:
            notes.append(f"{path}: the string {shown(value)} is read as {shown(literal)}")
        return literal
    properties = schema.get("properties")
    if isinstance(value, dict) and isinstance(properties, dict):
        return _coerce_object(properties, value, f"{path}.", notes)
    if isinstance(value, list):
        return [_coerce(schema.get("items"), one, f"{path}[{index}]", notes) for index, one in enumerate(value)]
    return value


def _types_in(schema: JsonObject) -> set[str]:
    declared = schema.get("type")
    names = declared if isinstance(declared, list) else [declared]
    return {name for name in names if isinstance(name, str)}


def _literal_of(text: str, types: set[str]) -> Json:
    """The JSON literal that the string spells out, if the schema wants its kind and no string; else the string."""
    if not types or "string" in types or text != text.strip():
        return text
    try:
        value = decode(text)
    except NotJsonError:
        return text
    return value if _kinds_of(value) & types else text


def _kinds_of(value: Json) -> set[str]:
    """The schema types that a literal is written as: `5.0` is a number and not written as an integer."""
    match value:
        case None:
            return {"null"}
        case bool():
            return {"boolean"}
        case int():
            return _NUMBERS
        case str():
            return set()
        case list():
            return {"array"}
        case dict():
            return {"object"}
        case _:
            return {"number"}


def loose_integers(trace: Trace, domain: Domain) -> list[str]:
    """A note for each whole number written with a point, which the schema takes for an integer; nothing is changed."""
    notes = []
    for call in trace.calls:
        facts = domain.tools.get(call.name)
        for name in facts.integers if facts is not None and call.arguments else ():
            value = call.arguments.get(name) if call.arguments else None
            if isinstance(value, _WITH_POINT):
                notes.append(f"{call.id}: {name}: {shown(value)} was sent for an integer")
    return notes
