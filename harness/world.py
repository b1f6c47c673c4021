"""The systems behind the tools: tables and a call in, tables and a result out.

A world is two functions of the user's own (`world.py` of a scenario): `start(tables) -> state` and
`call(state, name, arguments) -> (state, result, is_error)`. Tables and state have one shape,
`{table: {"key": field, "rows": [row, …]}}`. A `Sandbox` runs one conversation's calls in a fresh state, notes what
each changed, and turns whatever the user's code raises into a result. Code that gives something of another shape is a
broken set-up, not something an agent met: it raises `BadScenario`.
"""

from copy import deepcopy
from typing import NamedTuple, Protocol, cast

from harness import errors
from harness.excerpt import sayable_of, shown_of
from harness.foreign import ForeignError, given_by
from harness.nearest import nearest_of
from harness.scenario import Tool
from harness.schema import refusals_of
from harness.transcript import Change, Effects, ToolCall
from harness.value import Json, JsonObject, NotJsonError, canonical, checked, digest_of, encode, plain

_FIELDS = {"key", "rows"}
_SHOWN = 200


class World(Protocol):
    """What a user's `world.py` (module or class instance) offers."""

    def start(self, tables: JsonObject) -> JsonObject:
        """The state at the beginning of a conversation."""

    def call(self, state: JsonObject, name: str, arguments: JsonObject) -> tuple[JsonObject, object, bool]:
        """The state after the call, the result (any JSON value), and whether the result is an error."""


class Answer(NamedTuple):
    """What a tool answered: its text and whether it is an error."""

    text: str
    is_error: bool


class Stubs(NamedTuple):
    """A world without state: a fixed result a tool."""

    results: JsonObject

    def start(self, tables: JsonObject) -> JsonObject:
        """Nothing to keep."""
        return tables

    def call(self, state: JsonObject, name: str, arguments: JsonObject) -> tuple[JsonObject, object, bool]:
        """The fixed result, whatever the arguments."""
        del arguments
        if name not in self.results:
            return state, f"no result is set for tool {name} in stubs.json", True
        return state, self.results[name], False


class Sandbox:
    """One conversation's world: fresh at the start, calls in, answers out, changes noted."""

    def __init__(self, tools: list[Tool], world: World, tables: JsonObject, *, directory: str = ".") -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._world = world
        self._file = f"{directory}/world.py"
        _check_form(tables, "", f"{directory}/world.json")
        try:
            self._state, self._tables = given_by(self._started, tables)
        except ForeignError as error:
            raise errors.BadScenario(f"the world cannot start: {error}", file=self._file) from None
        self._initial = digest_of(canonical(self._tables))
        self._changes: list[Change] = []

    def effects(self) -> Effects:
        """The start's hash and every changed row so far."""
        return Effects(self._initial, list(self._changes))

    def execute(self, call: ToolCall) -> Answer:
        """The answer to a call; one that names no tool, or that the schema refuses, never reaches the world."""
        refused = self._refusal_of(call)
        if refused is not None:
            return Answer(refused, is_error=True)
        assert call.arguments is not None  # noqa: S101  _refusal_of says so
        try:
            after, tables, answer = given_by(self._called, call, call.arguments)
        except ForeignError as error:  # that is what the agent sees
            return Answer(f"tool {call.name} failed: {error}", is_error=True)
        self._changes += changes_between(call.id, self._tables, tables)
        self._state, self._tables = after, tables
        return answer

    def _started(self, tables: JsonObject) -> tuple[JsonObject, JsonObject]:
        """The state as the world made it, to be handed back to it, and as JSON, which nobody else can change."""
        _check_has(self._world, "start", self._file)
        started: object = self._world.start(deepcopy(tables))
        formed = _check_form(started, "start must return the state; ", self._file)
        _check_has(self._world, "call", self._file)
        return cast("JsonObject", started), formed

    def _called(self, call: ToolCall, arguments: JsonObject) -> tuple[JsonObject, JsonObject, Answer]:
        """As `_started`, and the answer; a result that is no JSON changes nothing."""
        returned: object = self._world.call(deepcopy(self._state), call.name, _plain(arguments))
        match returned:
            case (state, result, bool() as is_error):
                must = f"call must return (state, result, is_error); for tool {call.name} "
                tables = _check_form(state, must, self._file)
            case _:
                sentence = (
                    f"call must return (state, result, is_error), is_error a bool; for tool {call.name} it does not"
                )
                raise errors.BadScenario(sentence, file=self._file, found=shown_of(returned, _SHOWN))
        try:
            return cast("JsonObject", state), tables, Answer(result_text(result), is_error)
        except NotJsonError as error:
            refused = Answer(f"tool {call.name} gave a result that is no JSON: {error}", is_error=True)
            return self._state, self._tables, refused

    def _refusal_of(self, call: ToolCall) -> str | None:
        tool = self._tools.get(call.name)
        if tool is None:
            near = nearest_of(call.name, self._tools)
            return f"there is no tool {call.name!r}" + (f"; did you mean {near}?" if near else "")
        if call.arguments is None:
            return f"the arguments of {call.name} are no JSON object: {call.raw_arguments!r}"
        refusals = refusals_of(tool.parameters, call.arguments, tool=call.name)
        if refusals:
            reasons = "; ".join(f"{one.path}: {one.message}" if one.path else one.message for one in refusals)
            return f"invalid arguments for {call.name}: {reasons}"
        return None


def result_text(result: object) -> str:
    """A tool's result as the model gets it: text as it is, any other value as compact JSON."""
    value = checked(result)
    return value if isinstance(value, str) else encode(value).decode()


def _check_has(world: World, name: str, file: str) -> None:
    if not callable(getattr(world, name, None)):
        near = nearest_of(name, [one for one in dir(world) if not one.startswith("_") and one != name])
        signature = "start(tables) -> state" if name == "start" else "call(state, name, arguments)"
        raise errors.BadScenario(f"a world has a function {signature}, but there is none", file=file, nearest=near)


def _check_form(value: object, must: str, file: str) -> JsonObject:
    """Tables or a state as JSON; raises `BadScenario` where it is not `{table: {"key": field, "rows": [row, …]}}`."""
    if not isinstance(value, dict):
        sentence = f'{must}tables are an object {{table: {{"key": field, "rows": [row, …]}}}}'
        raise errors.BadScenario(sentence, file=file, found=shown_of(value, _SHOWN))
    for name, table in value.items():
        if not _is_table(table):
            named = sayable_of(name) if isinstance(name, str) else shown_of(name, _SHOWN)
            sentence = f'{must}table {named} must be {{"key": the name of a field, or null, "rows": [row, …]}}'
            fields = {one for one in table if isinstance(one, str)} if isinstance(table, dict) else set()
            near = next(filter(None, (nearest_of(one, _FIELDS - fields) for one in fields - _FIELDS)), None)
            raise errors.BadScenario(sentence, file=file, found=shown_of(table, _SHOWN), nearest=near)
    try:
        formed = checked(value)
    except NotJsonError as error:
        raise errors.BadScenario(f"{must}the state must be JSON: {error}", file=file) from None
    assert isinstance(formed, dict)  # noqa: S101  a dict stays one
    return formed


def _is_table(table: object) -> bool:
    if not isinstance(table, dict) or table.keys() != _FIELDS:
        return False
    return isinstance(table["key"], str | None) and isinstance(table["rows"], list)


def _plain(arguments: JsonObject) -> JsonObject:
    value = plain(arguments)
    assert isinstance(value, dict)  # noqa: S101  a dict stays one
    return value


def changes_between(call: str, before: JsonObject, after: JsonObject) -> list[Change]:
    """Each row that differs, by table and key; added rows have no `before`, removed ones no `after`."""
    changes: list[Change] = []
    for table in sorted({*before, *after}):
        if before.get(table) == after.get(table) and canonical_equal(before.get(table), after.get(table)):
            continue
        old, new = _rows_of(before.get(table)), _rows_of(after.get(table))
        for key in dict.fromkeys([*old, *new]):
            (shown, was), (_, now) = old.get(key, (None, None)), new.get(key, (None, None))
            if key not in old:
                shown = new[key][0]
            if not canonical_equal(was, now):
                changes.append(Change(call, table, shown, was, now))
    return changes


def canonical_equal(one: Json, other: Json) -> bool:
    """Whether two JSON values are the same value: `1` and `true` differ, `1` and `1.0` do not."""
    return canonical(checked(one)) == canonical(checked(other))


def _rows_of(table: Json) -> dict[bytes, tuple[Json, Json]]:
    """Rows by their key's canonical bytes; rows without the key field are told apart by position."""
    if not isinstance(table, dict) or not isinstance(rows := table.get("rows"), list):
        return {}
    field = table.get("key")
    keys = [row.get(field) if isinstance(row, dict) and isinstance(field, str) else None for row in rows]
    return {
        canonical(index if key is None else [key]): (index if key is None else key, row)
        for index, (key, row) in enumerate(zip(keys, rows, strict=True))
    }
