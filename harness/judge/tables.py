"""What a run did to its tables: rows at the end, and the changes that are left when all is done."""

from collections.abc import Hashable
from typing import NamedTuple

from harness.judge.domain import Domain
from harness.judge.values import equal, key_of
from harness.trace import Trace
from harness.transcript import Change
from harness.value import Json, JsonObject

Ident = Hashable
_CALL = "call_"


class Row(NamedTuple):
    """A row, and the number of the call that last changed it; None where it stands as it was."""

    key: Json
    row: JsonObject
    call: int | None = None


class NetChange(NamedTuple):
    """A row that differs between start and end; `before` None: added, `after` None: removed."""

    key: Json
    before: JsonObject | None
    after: JsonObject | None
    call: int | None


class Table(NamedTuple):
    """One table: its key field, its rows at the end, and what changed."""

    key: str | None
    rows: dict[Ident, Row]
    changes: dict[Ident, NetChange]


def tables_of(trace: Trace, domain: Domain, ignored: list[str]) -> dict[str, Table]:
    """Every table of the world at hand and every one that the run touched; changes of ignored fields are none."""
    start = domain.tables or {}
    changes = trace.effects.changes if trace.effects else []
    names = dict.fromkeys([*start, *(change.table for change in changes)])
    numbers = {call.id: call.number for call in trace.calls}
    return {
        name: _table_of(
            start.get(name),
            [(one, _number(one.call, numbers)) for one in changes if one.table == name],
            paths_for(name, ignored),
        )
        for name in names
    }


def _table_of(start: Json, changes: list[tuple[Change, int | None]], ignored: list[list[str]]) -> Table:
    key = start.get("key") if isinstance(start, dict) else None
    key = key if isinstance(key, str) else None
    rows = _rows_of(start, key)
    first: dict[Ident, Row | None] = {}
    last: dict[Ident, tuple[Json, int | None]] = {}
    for change, call in changes:
        ident = _ident(change.key, _object(change.before) or _object(change.after) or {}, key)
        first.setdefault(ident, rows.get(ident))
        last[ident] = change.key, call
        after = _object(change.after)
        if after is None:
            rows.pop(ident, None)
        else:
            rows[ident] = Row(change.key, after, call)
    net = {ident: _net(first[ident], rows.get(ident), *last[ident]) for ident in first}
    return Table(key, rows, {ident: one for ident, one in net.items() if _differs(one, ignored)})


def _net(before: Row | None, after: Row | None, key: Json, call: int | None) -> NetChange:
    return NetChange(key, before.row if before else None, after.row if after else None, call)


def _differs(change: NetChange, ignored: list[list[str]]) -> bool:
    if change.before is None or change.after is None:
        return change.before is not change.after
    return not equal(without(change.before, ignored), without(change.after, ignored))


def _rows_of(table: Json, key: str | None) -> dict[Ident, Row]:
    rows = table.get("rows") if isinstance(table, dict) else None
    found: dict[Ident, Row] = {}
    for index, row in enumerate(rows if isinstance(rows, list) else []):
        if isinstance(row, dict):
            value = row.get(key) if key else None
            found[_ident(index, row, key)] = Row(index if value is None else value, row)
    return found


def _ident(shown: Json, row: JsonObject, key: str | None) -> Ident:
    """Rows are told apart by their key field, those without it by their position, as the world tells them."""
    value = row.get(key) if key else None
    return ("row", key_of(shown)) if value is None else ("key", key_of(value))


def _object(value: Json) -> JsonObject | None:
    return value if isinstance(value, dict) else None


def _number(call: str, numbers: dict[str, int]) -> int | None:
    """The call that a change names: by its id, else counted `call_1 …` over the run."""
    if call in numbers:
        return numbers[call]
    digits = call.removeprefix(_CALL)
    number = int(digits) - 1 if digits.isascii() and digits.isdigit() else -1
    return number if 0 <= number < len(numbers) else None


def paths_for(table: str, ignored: list[str]) -> list[list[str]]:
    """The field paths that `ignore` names for a table: `orders.updated_at`, or `*.updated_at` for all."""
    split = [path.split(".") for path in ignored]
    return [steps[1:] for steps in split if steps[0] in {table, "*"} and len(steps) > 1]


def without(row: JsonObject, paths: list[list[str]]) -> JsonObject:
    """The row without the fields at these paths."""
    for path in paths:
        row = _dropped(row, path)
    return row


def _dropped(row: JsonObject, path: list[str]) -> JsonObject:
    step, *rest = path
    if step not in row:
        return row
    inner = row[step]
    if not rest:
        return {name: value for name, value in row.items() if name != step}
    return {**row, step: _dropped(inner, rest)} if isinstance(inner, dict) else row
