"""What the judge knows of the tools and tables behind a trace: effects, schemas, references, chains."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from harness.judge.values import key_of
from harness.nearest import nearest_of
from harness.scenario import Effect, Scenario, Tool
from harness.schema import refusals_of
from harness.trace import Call, Trace
from harness.value import Json, JsonObject, canonical, digest_of

_ROOT_KEYWORDS = {"required", "additionalProperties", "unevaluatedProperties"}


class ToolFacts(msgspec.Struct, frozen=True):
    """One tool as the judge sees it. `properties` are its parameters' schemas.

    `references` are the parameters that hold ids (`x-ref`), at any depth; `takes` maps a parameter to the kind of id
    that a chain hands on (`x-takes`), `issues` is the field of the result that holds such an id (`x-issues`).
    """

    name: str
    effect: Effect
    schema: JsonObject
    properties: dict[str, JsonObject]
    references: frozenset[str]
    integers: frozenset[str]
    takes: dict[str, str]
    issues: str | None

    def refused(self, arguments: JsonObject) -> dict[str, str]:
        """Why the schema refuses arguments, by parameter; what is missing or unknown is not told here."""
        reasons: dict[str, str] = {}
        for refusal in refusals_of(self.schema, arguments, tool=self.name):
            if refusal.path or refusal.keyword not in _ROOT_KEYWORDS:
                reasons.setdefault(_first_step(refusal.path, arguments), refusal.message)
        return reasons

    def allows(self, arguments: JsonObject) -> bool:
        """Whether the schema accepts the arguments."""
        return not refusals_of(self.schema, arguments, tool=self.name)


def not_offered(tool: str, offered: Iterable[str]) -> str:
    """What is to be known of a promise about a tool that cannot be called, with the one that was probably meant."""
    near = nearest_of(tool, offered)
    hint = f"; did you mean {near}?" if near else ""
    return f"{tool} is not among the tools offered, so nothing can call it{hint}"


class Domain(msgspec.Struct, frozen=True):
    """The tools offered, the tables at the start (None: there are none), and the system prompt.

    `initial` is the hash of the tables, by which a run says what it started from.
    """

    tools: dict[str, ToolFacts] = {}
    tables: JsonObject | None = None
    system: str = ""
    ids: dict[str, frozenset[Any]] = {}
    initial: str | None = None

    def knows(self, table: str, value: Json, call: Call, trace: Trace) -> bool:
        """Whether an id exists: in its table or among the rows that the run added; without a table, seen before."""
        if table in self.ids:
            return key_of(value) in self.ids[table] or any(
                change.table == table and key_of(change.key) == key_of(value)
                for change in (trace.effects.changes if trace.effects else [])
            )
        return seen_before(value, call, trace, self.system)


UNKNOWN = Domain()
"""Nothing is known: no tools, no tables."""


def domain_of(scenario: Scenario) -> Domain:
    """What a scenario says of its tools and tables."""
    return domain_from(scenario.tools, scenario.tables, scenario.system)


def domain_from(tools: list[Tool], tables: JsonObject | None, system: str = "") -> Domain:
    """The same from its parts."""
    ids = {name: frozenset(_ids_in(table)) for name, table in (tables or {}).items()}
    initial = digest_of(canonical(tables or {}))
    return Domain({tool.name: facts_of(tool) for tool in tools}, tables, system, ids, initial)


def _ids_in(table: Any) -> Iterator[Any]:  # noqa: ANN401  a table of a world file
    if isinstance(table, dict) and isinstance(table.get("key"), str):
        yield from (key_of(row.get(table["key"])) for row in table.get("rows", []) if isinstance(row, dict))


def facts_of(tool: Tool) -> ToolFacts:
    """A tool's schema taken apart once."""
    properties = {
        name: schema for name, schema in tool.parameters.get("properties", {}).items() if isinstance(schema, dict)
    }
    return ToolFacts(
        name=tool.name,
        effect=tool.effect,
        schema=tool.parameters,
        properties=properties,
        references=frozenset(name for name, schema in properties.items() if _refers(schema)),
        integers=frozenset(name for name, schema in properties.items() if schema.get("type") == "integer"),
        takes={
            name: schema["x-takes"] for name, schema in properties.items() if isinstance(schema.get("x-takes"), str)
        },
        issues=tool.issues,
    )


def _refers(schema: Json) -> bool:
    match schema:
        case dict():
            return "x-ref" in schema or any(map(_refers, schema.values()))
        case list():
            return any(map(_refers, schema))
        case _:
            return False


def references_in(schema: Json, value: Json) -> Iterator[tuple[str, Json]]:
    """Each id in a value with the table that its schema names; null refers to nothing."""
    if not isinstance(schema, dict) or value is None:
        return
    table, fields = schema.get("x-ref"), schema.get("properties")
    if isinstance(table, str):
        yield from ((table, one) for one in (value if isinstance(value, list) else [value]))
    if isinstance(value, dict) and isinstance(fields, dict):
        for name, inner in fields.items():
            yield from references_in(inner, value.get(name))
    if isinstance(value, list):
        for one in value:
            yield from references_in(schema.get("items"), one)


def seen_before(value: Json, call: Call, trace: Trace, system: str) -> bool:
    """Whether an id stands in the system prompt, or in a user's text or a tool's result before the call.

    What the model itself said and wrote into earlier calls is no evidence.
    """
    word = value if isinstance(value, str) else str(value)
    results = [one.result or "" for one in trace.calls if one.turn < call.turn]
    return any(_mentions(text, word) for text in (system, *trace.texts_before(call.turn, "user"), *results))


def _mentions(text: str, word: str) -> bool:
    """Whether the word stands in the text by itself: W441 is not in W4412."""
    start = text.find(word) if word else -1
    while start >= 0:
        before, after = text[start - 1 : start] if start else "", text[start + len(word) : start + len(word) + 1]
        if not _joins(before) and not _joins(after):
            return True
        start = text.find(word, start + 1)
    return False


def _joins(character: str) -> bool:
    return bool(character) and character.isascii() and (character.isalnum() or character == "_")


def _first_step(path: str, arguments: JsonObject) -> str:
    """The parameter that a path into the arguments starts with; names may hold dots and brackets themselves."""
    fits = [name for name in arguments if path == name or path.startswith((f"{name}.", f"{name}["))]
    return max(fits, key=len, default="")
