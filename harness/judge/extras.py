"""Calls that no golden call asks for: forgiven, doubled, unwanted, unknown or just too many."""

from functools import lru_cache
from typing import NamedTuple

from harness.judge.domain import references_in
from harness.judge.finding import Code, Finding, Rung, Status
from harness.judge.params import Setting, Wanted, fits
from harness.judge.values import likeness, shown
from harness.nearest import nearest_of
from harness.trace import Call


class Leniency(NamedTuple):
    """What is forgiven: these reads, and failed calls where the suite ignores them."""

    reads: frozenset[str]
    failed: bool = False


def is_forgiven(call: Call, leniency: Leniency, setting: Setting) -> bool:
    """Whether an unmatched call counts for nothing.

    Only a successful read of a listed tool, with arguments that the schema accepts and ids that exist; or any failed
    call where the suite says so.
    """
    if not call.succeeded:
        return leniency.failed
    facts = setting.domain.tools.get(call.name)
    if facts is None or call.name not in leniency.reads or facts.effect != "read":
        return False
    arguments = call.arguments
    return (
        arguments is not None
        and facts.allows(arguments)
        and all(
            setting.domain.knows(table, value, call, setting.trace)
            for table, value in references_in(facts.schema, arguments)
        )
    )


class Extra(NamedTuple):
    """A call too many, with its code."""

    call: Call
    code: Code


def extras_of(numbers: list[int], wanted: list[Wanted], leniency: Leniency, setting: Setting) -> list[Extra]:
    """The calls of these numbers that are not forgiven."""
    calls = [setting.trace.calls[number] for number in numbers]
    return [Extra(call, _code_of(call, wanted, setting)) for call in calls if not is_forgiven(call, leniency, setting)]


def _code_of(call: Call, wanted: list[Wanted], setting: Setting) -> Code:
    tools = setting.domain.tools
    if tools and call.name not in tools:
        return Code.TOOL_UNKNOWN
    facts = tools.get(call.name)
    writes = facts is not None and facts.effect != "read"
    if writes and call.succeeded and any(fits(one, call, setting) for one in wanted):
        return Code.CALL_DUPLICATE
    return Code.CALL_EXTRA if wanted else Code.CALL_UNWANTED


def finding_of_extra(extra: Extra, setting: Setting) -> Finding:
    """What is said of a call too many."""
    call = extra.call
    where = f"({call.id})"
    match extra.code:
        case Code.TOOL_UNKNOWN:
            message = unknown_message(call, setting)
        case Code.CALL_DUPLICATE:
            message = f"{call.name} {where} repeats a write that was made already"
        case Code.CALL_UNWANTED:
            message = f"called {call.name} {where}, where no call is wanted"
        case _:
            failed = "" if call.succeeded else ", and failed"
            message = f"called {call.name} {where}, which is not expected{failed}"
    return Finding("extra calls", Rung.SELECTION, Status.FAIL, extra.code, call=call.number, message=message)


def unknown_message(call: Call, setting: Setting) -> str:
    """`"Multiply" (call 0) is no tool; did you mean multiply?`."""
    near = hint_for(call.name, setting)
    hint = f"; did you mean {near}?" if near else ""
    return f"{shown(call.name)} ({call.id}) is not among the tools offered{hint}"


def hint_for(name: str, setting: Setting) -> str | None:
    """The tool that an unknown name was probably meant to be: one of like spelling, else one that stands inside it."""
    return _hint(name, tuple(setting.domain.tools))


@lru_cache(maxsize=4096)
def _hint(name: str, tools: tuple[str, ...]) -> str | None:
    inside = [tool for tool in tools if tool.casefold() in name.casefold()]
    return nearest_of(name, tools) or max(inside, key=len, default=None)


def look_alike(tool: str, calls: list[Call]) -> str:
    """`; "Book_Table" (call_1) was called (only upper and lower case differ)`, where such a call was made."""
    for call in calls:
        alike = likeness(tool, call.name) if call.name != tool else ""
        if alike:
            return f"; {shown(call.name)} ({call.id}) was called ({alike})"
    return ""
