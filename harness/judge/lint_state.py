"""`final_state` tried: whether its tables and fields exist, and whether what it wants is there before the run."""

from collections.abc import Iterator
from typing import Any

from harness.judge.constraint_spec import Spec
from harness.judge.constraints import constraints_hold
from harness.judge.domain import Domain
from harness.judge.finding import Status
from harness.judge.remark import Flaw, Remark
from harness.nearest import nearest_of
from harness.strict_yaml import Document, Path
from harness.trace import Call, Trace
from harness.transcript import Change, Effects, Text, UserTurn
from harness.value import JsonObject

_FORMS = ("exactly", "contains", "added", "changed", "removed")
_ADDED: JsonObject = {"no_such_field": "no-such-value"}


def call_of(number: int, name: str, arguments: JsonObject) -> Call:
    """A call that succeeded, in a turn of its own."""
    return Call(number, 2 * number + 1, 0, f"call_{number + 1}", name, arguments, None, "ok")


def run_of(calls: list[Call], spec: Spec, domain: Domain | None = None, *, added: str | None = None) -> Trace:
    """A run of these calls from the world at hand; `added` is a table that gains a row."""
    changes = [] if added is None else [Change("call_1", added, "no-such-key", None, dict(_ADDED))]
    effects = Effects(domain.initial, changes) if domain is not None and domain.initial is not None else None
    return Trace(calls, [UserTurn([Text(spec.input or "")])], effects=effects)


def state_remarks(spec: Spec, domain: Domain) -> Iterator[Remark]:
    """Tables and fields that do not exist, and states that are there before the run."""
    if spec.final_state is None:
        return
    if domain.tables is None:
        if domain.initial is not None:
            message = "the scenario has no world.json, so the state at the end is never judged"
            yield Remark(Flaw.UNREACHABLE, "final_state", message, ("final_state",))
        return
    for table, state in spec.final_state.tables.items():
        path: Path = ("final_state", table)
        if table not in domain.tables:
            near = nearest_of(table, domain.tables)
            hint = f"; did you mean {near}?" if near else ""
            yield Remark(Flaw.UNKNOWN_TABLE, "final_state", f"the world has no table {table}{hint}", path)
            continue
        for form in _FORMS:
            for index, row in enumerate(getattr(state, form) or []):
                yield from _row_remarks(
                    row, domain.tables[table], f"final_state {table}.{form}[{index}]", (*path, form, index)
                )
    yield from _already_true(spec, domain)


def _row_remarks(row: JsonObject, table: Any, where: str, path: Path) -> Iterator[Remark]:  # noqa: ANN401  a table of a world file
    known = {field for one in table.get("rows", []) for field in one} | {str(table.get("key"))}
    for field in row:
        if table.get("rows") and field not in known:
            near = nearest_of(field, known)
            hint = f"; did you mean {near}?" if near else ""
            yield Remark(Flaw.UNKNOWN_FIELD, where, f"no row has a field {field}{hint}", (*path, field))


def _already_true(spec: Spec, domain: Domain) -> Iterator[Remark]:
    """Tables that are to look other than before, and look so already."""
    alone = spec.model_copy(update={"input": None, "must_call": [], "must_call_before": [], "must_not_call": []})
    expectation = constraints_hold(alone, Document(None, {}), file="", domain=domain)
    findings = expectation(run_of([], spec, domain)).findings
    for table, state in (spec.final_state.tables if spec.final_state else {}).items():
        rows = [one for one in findings if one.check.startswith(f"final_state {table}.")]
        whole = [one for one in findings if one.check == f"final_state {table}"]
        if rows and all(one.outcome is Status.PASS for one in [*rows, *whole]):
            message = f"{table} is so before the run already" + ("" if state.contains else ": write unchanged")
            yield Remark(Flaw.ALREADY_TRUE, "final_state", message, ("final_state", table))
