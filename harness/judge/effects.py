"""`final_state`: what the world holds after a run, whatever calls led there; every undeclared change is named."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from harness.judge.constraint_spec import FinalState, TableState
from harness.judge.domain import Domain
from harness.judge.finding import Code, Finding, Rung, Status, settled, unjudged
from harness.judge.matchers import Matcher, Plain
from harness.judge.matching import mismatch_of
from harness.judge.pairing import paired
from harness.judge.tables import Ident, NetChange, Row, Table, paths_for, tables_of, without
from harness.judge.values import MISSING, Difference, Value, described, difference_of, shown
from harness.nearest import nearest_of
from harness.strict_yaml import Path
from harness.trace import Trace
from harness.value import JsonObject

Matchers: TypeAlias = Callable[[JsonObject, Path], dict[str, Matcher]]

_FORMS = ("exactly", "contains", "added", "changed", "removed")
_LACKS = {
    "exactly": "{table} holds no row {row}",
    "contains": "{table} holds no row {row}",
    "added": "no row {row} was added to {table}",
    "changed": "no row of {table} was changed to {row}",
    "removed": "no row {row} was removed from {table}",
}


class _Listed(NamedTuple):
    """A row that a spec lists: where it stands, and what its fields must fit."""

    name: str
    form: str
    fields: dict[str, Matcher]

    @property
    def written(self) -> JsonObject:
        return {field: matcher.written for field, matcher in self.fields.items()}


class _Wanted(NamedTuple):
    """What a spec says of one table, and which fields of it do not count."""

    table: str
    rows: list[_Listed]
    state: TableState
    ignored: list[list[str]]


def effects_hold(spec: FinalState, domain: Domain, matchers: Matchers) -> Callable[[Trace], list[Finding]]:
    """A `final_state`, compiled: a finding for each listed row, and one for each change that nothing declares."""
    wanted = [_wanted_of(name, spec, matchers) for name in spec.tables]

    def findings(trace: Trace) -> list[Finding]:
        reason = _unjudgeable(trace, domain)
        if reason is not None:
            return [unjudged(f"final_state {name}", reason, Rung.EFFECTS) for name in [*spec.tables, "other tables"]]
        tables = tables_of(trace, domain, spec.ignore)
        found = [one for want in wanted for one in _wanted_findings(want, tables, trace)]
        if spec.others is None:
            found += _other_tables({name: one for name, one in tables.items() if name not in spec.tables}, trace)
        return [settled(one, complete=trace.complete) for one in found]

    return findings


def _wanted_of(table: str, spec: FinalState, matchers: Matchers) -> _Wanted:
    state = spec.tables[table]
    rows = [
        _Listed(f"final_state {table}.{form}[{index}]", form, matchers(row, ("final_state", table, form, index)))
        for form in _FORMS
        for index, row in enumerate(getattr(state, form) or [])
    ]
    return _Wanted(table, rows, state, paths_for(table, spec.ignore))


def _unjudgeable(trace: Trace, domain: Domain) -> str | None:
    if trace.effects is None:
        return "the run recorded no state: it had no world"
    if trace.effects.initial != domain.initial:
        return "the world that the run started from is not the one at hand: restore world.json, or record again"
    return None


def _wanted_findings(wanted: _Wanted, tables: dict[str, Table], trace: Trace) -> Iterator[Finding]:
    """What is found of one table; of one that neither the world has nor the run made, that nothing is shown.

    Its listed rows are missing; that it is unchanged says nothing.
    """
    if wanted.table in tables:
        yield from _table_findings(wanted, tables[wanted.table], trace)
        return
    if wanted.rows:
        yield from _table_findings(wanted, Table(None, {}, {}), trace)
    near = nearest_of(wanted.table, tables)
    hint = f"; did you mean {near}?" if near else ""
    yield unjudged(f"final_state {wanted.table}", f"the world has no table {wanted.table}{hint}", Rung.EFFECTS)


def _table_findings(wanted: _Wanted, table: Table, trace: Trace) -> Iterator[Finding]:
    used: set[Ident] = set()
    for form in _FORMS:
        rows = [row for row in wanted.rows if row.form == form]
        if rows:
            yield from _row_findings(wanted, rows, _candidates(form, table), (table.key, trace), used)
    if wanted.state.others is None:
        yield from _undeclared(wanted, table, used, trace)


def _candidates(form: str, table: Table) -> dict[Ident, Row]:
    """The rows that a list of a form speaks of: those at the end, or those added, changed or removed."""
    if form in {"exactly", "contains"}:
        return table.rows
    kinds = {"added": (False, True), "changed": (True, True), "removed": (True, False)}
    return {
        ident: Row(one.key, one.after or one.before or {}, one.call)
        for ident, one in table.changes.items()
        if (one.before is not None, one.after is not None) == kinds[form]
    }


def _row_findings(
    wanted: _Wanted,
    listed: list[_Listed],
    candidates: dict[Ident, Row],
    place: tuple[str | None, Trace],
    used: set[Ident],
) -> Iterator[Finding]:
    """Rows pair by key where the spec lists it, else so that as many as possible fit."""
    key, trace = place
    idents, rows = list(candidates), list(candidates.values())
    pairing = paired(len(listed), len(rows), lambda index, other: _cost(listed[index], rows[other], key, wanted))
    for index, one in enumerate(listed):
        other = pairing.fitting.get(index, pairing.nearest.get(index))
        if other is None:
            message = _LACKS[one.form].format(table=wanted.table, row=shown(one.written))
            yield Finding(
                one.name,
                Rung.EFFECTS,
                Status.FAIL,
                Code.STATE_MISSING,
                wanted.table,
                None,
                None,
                one.written,
                MISSING,
                message,
            )
            continue
        used.add(idents[other])
        yield _compared(one, rows[other], wanted, trace)


def _cost(listed: _Listed, row: Row, key: str | None, wanted: _Wanted) -> int | None:
    """How many fields differ; rows of another key, or with nothing in common, are no pair."""
    names = {difference.path for difference in _differences(listed, row, wanted)}
    if not names:
        return 0
    if key in names and isinstance(listed.fields.get(key or ""), Plain):
        return None
    return len(names) if any(name not in names for name in listed.fields) else None


def _differences(listed: _Listed, row: Row, wanted: _Wanted) -> Iterator[Difference]:
    """The first difference of each field; its path starts with the field's name."""
    for name, matcher in listed.fields.items():
        difference = mismatch_of(matcher, row.row.get(name, MISSING))
        if difference:
            yield difference.under(name)
    if wanted.state.strict:
        for name, value in without(row.row, wanted.ignored).items():
            if name not in listed.fields:
                yield Difference(name, "unexpected", MISSING, value)


def _compared(listed: _Listed, row: Row, wanted: _Wanted, trace: Trace) -> Finding:
    differences = list(_differences(listed, row, wanted))
    last = "" if row.call is None else f", last changed{_by(row.call, trace)},"
    what = f"{wanted.table} row {shown(row.key)}{last}"
    if not differences:
        message = f"{what} is as expected"
        return Finding(listed.name, Rung.EFFECTS, Status.PASS, None, wanted.table, None, row.call, message=message)
    told = "; ".join(f"{one.path}: {described(one)}" for one in differences)
    first = differences[0]
    return Finding(
        listed.name,
        Rung.EFFECTS,
        Status.FAIL,
        Code.STATE_WRONG,
        f"{wanted.table}.{first.path}",
        None,
        row.call,
        first.expected,
        first.actual,
        f"{what} is not as expected: {told}",
    )


def _undeclared(wanted: _Wanted, table: Table, used: set[Ident], trace: Trace) -> Iterator[Finding]:
    """Changes, and with `exactly` rows, that nothing declares."""
    name = f"final_state {wanted.table}"
    found = False
    for ident, change in table.changes.items():
        implied = wanted.state.exactly is not None and change.after is None
        if ident not in used and not implied:
            found = True
            yield _collateral(name, wanted.table, change, trace)
    for ident, row in table.rows.items() if wanted.state.exactly is not None else ():
        if ident not in used and ident not in table.changes:
            found = True
            message = f"{wanted.table} holds a row that is not expected: {shown(row.row)}"
            yield Finding(
                name, Rung.EFFECTS, Status.FAIL, Code.STATE_WRONG, wanted.table, None, None, MISSING, row.row, message
            )
    if not found:
        message = f"nothing else changed in {wanted.table}" if used else f"{wanted.table} is unchanged"
        yield Finding(name, Rung.EFFECTS, Status.PASS, None, wanted.table, message=message)


def _other_tables(tables: dict[str, Table], trace: Trace) -> list[Finding]:
    name = "final_state other tables"
    found = [
        _collateral(name, table, change, trace) for table, one in tables.items() for change in one.changes.values()
    ]
    return found or [Finding(name, Rung.EFFECTS, Status.PASS, message="no other table changed")]


def _collateral(name: str, table: str, change: NetChange, trace: Trace) -> Finding:
    what = f"{table} row {shown(change.key)}"
    path, before, after = table, change.before, change.after
    expected: Value = MISSING if before is None else before
    actual: Value = MISSING if after is None else after
    if change.before is None:
        told = f"{what} was added"
    elif change.after is None:
        told = f"{what} was removed"
    else:
        told = f"{what} was changed"
    difference = difference_of(before, after) if before is not None and after is not None else None
    if difference is not None:
        path, expected, actual = f"{table}{difference.path}", difference.expected, difference.actual
    message = f"{told}{_by(change.call, trace)}, which nothing declares"
    if difference is not None:
        message += f": {difference.path.removeprefix('.')} {shown(expected)} → {shown(actual)}"
    return Finding(
        name, Rung.EFFECTS, Status.FAIL, Code.STATE_COLLATERAL, path, None, change.call, expected, actual, message
    )


def _by(call: int | None, trace: Trace) -> str:
    return "" if call is None else f" by {trace.calls[call].id} ({trace.calls[call].name})"
