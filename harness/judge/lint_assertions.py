"""A fixture's assertions tried: whether they suit the tools, whether they can fail, and what they do not see."""

from collections.abc import Iterator
from itertools import combinations

import msgspec

from harness import errors
from harness.fixture import (
    Assertion,
    MessageContainsSubstring,
    NoToolCalled,
    OutcomeIs,
    ToolCallArgMatches,
    ToolCalled,
    TraceMaxTurns,
)
from harness.judge.assertions import assertions_hold
from harness.judge.engine import Expectation, judge
from harness.judge.finding import Ruling
from harness.judge.remark import Flaw, Remark, unknown_tool
from harness.pattern import finds_all, pattern_of
from harness.trace import Call, Trace

_SHOWN = 5
_TRIED = 100


def lint_assertions(assertions: list[Assertion], tools: dict[str, str]) -> list[Remark]:
    """What is wrong with the assertions by themselves; `tools` maps each tool offered to its effect, empty: unknown."""
    remarks = [remark for index, one in enumerate(assertions) for remark in _alone(one, f"assertions[{index}]", tools)]
    for (index, one), (other_index, other) in combinations(enumerate(assertions), 2):
        reason = _clash(one, other) or _clash(other, one)
        if reason:
            where = f"assertions[{index}] and assertions[{other_index}]"
            remarks.append(Remark(Flaw.CONTRADICTION, where, reason))
    return remarks


def _alone(one: Assertion, where: str, tools: dict[str, str]) -> Iterator[Remark]:
    match one:
        case ToolCalled() | ToolCallArgMatches() if tools and one.name not in tools:
            yield unknown_tool(one.name, tools, where=where)
        case NoToolCalled() if tools and one.name not in tools:
            message = f"{one.name} is not offered, so it can never be called"
            yield Remark(Flaw.CANNOT_FAIL, where, message)
        case _:
            pass
    match one:
        case ToolCalled(min_count=0, max_count=None, order=None):
            yield Remark(Flaw.CANNOT_FAIL, where, "any number of calls is allowed")
        case ToolCalled(max_count=int(most)) if most < one.min_count:
            message = f"no number is at least {one.min_count} and at most {most}"
            yield Remark(Flaw.CONTRADICTION, where, message)
        case MessageContainsSubstring(substring=""):
            yield Remark(Flaw.CANNOT_FAIL, where, "every message contains the empty text")
        case TraceMaxTurns(max=0):
            yield Remark(Flaw.CONTRADICTION, where, "a conversation has at least one turn")
        case ToolCallArgMatches():
            yield from _pattern_remarks(one, where)
        case _:
            pass


def _pattern_remarks(one: ToolCallArgMatches, where: str) -> Iterator[Remark]:
    try:
        pattern_of(one.matches_regex)
    except errors.BadPattern as error:
        yield Remark(Flaw.UNREADABLE, where, f"the pattern cannot be used: {error.found}")
        return
    if finds_all(one.matches_regex):
        message = f"the pattern finds every text: it says only that {one.arg_path} of {one.name} is one"
        yield Remark(Flaw.CANNOT_FAIL, where, message)


def _clash(one: Assertion, other: Assertion) -> str | None:
    """Why both can never hold, in this direction."""
    match one, other:
        case ToolCalled(), NoToolCalled() if one.name == other.name and (one.min_count or one.order is not None):
            return f"{one.name} must and must not be called"
        case ToolCalled(), ToolCalled() if one.name == other.name:
            too_few = other.max_count is not None and one.min_count > other.max_count
            return (
                f"{one.name} must be called {one.min_count} times, and no more than {other.max_count}"
                if too_few
                else None
            )
        case ToolCalled(order=int(place)), ToolCalled() if place == other.order:
            return f"call {place} cannot be both {one.name} and {other.name}"
        case ToolCallArgMatches(), NoToolCalled() if one.name == other.name:
            return f"{one.name} must and must not be called"
        case OutcomeIs(), OutcomeIs() if one.is_ != other.is_:
            return f"a conversation cannot end both as {one.is_} and as {other.is_}"
        case _:
            return None


def blind_spots(trace: Trace, expectations: list[tuple[str, Expectation]], tools: dict[str, str]) -> list[Remark]:
    """What the expectations of a run do not see: changed runs that pass as well. None where the run itself does not."""
    if judge(trace, expectations).verdict is not Ruling.PASS:
        return []
    unseen = [told for told, mutant in _mutants(trace, tools) if judge(mutant, expectations).verdict is Ruling.PASS]
    if not unseen:
        return []
    more = f" and {len(unseen) - _SHOWN} more" if len(unseen) > _SHOWN else ""
    more += f" (each of the first {_TRIED} calls was tried)" if len(trace.calls) > _TRIED else ""
    return [Remark(Flaw.BLIND, "all expectations", f"a run passes also {'; '.join(unseen[:_SHOWN])}{more}")]


def _mutants(trace: Trace, tools: dict[str, str]) -> Iterator[tuple[str, Trace]]:
    """The run without any call, without each of them, and with one more of each tool that writes.

    Each is judged whole, so of very many calls only the first are left out: all would take the square of their number.
    """
    if len(trace.calls) > 1:
        yield "without any call", _with(trace, [])
    for call in trace.calls[:_TRIED]:
        rest = [one for one in trace.calls if one is not call]
        yield f"without {call.id} ({call.name})", _with(trace, rest)
    for name, effect in tools.items():
        if effect == "write":
            added = Call(len(trace.calls), len(trace.turns), 0, "added", name, {}, None, "ok")
            yield f"with one more {name}", _with(trace, [*trace.calls, added])


def _with(trace: Trace, calls: list[Call]) -> Trace:
    numbered = [msgspec.structs.replace(call, number=number) for number, call in enumerate(calls)]
    return msgspec.structs.replace(trace, calls=numbered)


def expectations_of(assertions: list[Assertion], expectation: Expectation | None) -> list[tuple[str, Expectation]]:
    """A fixture's assertions and its scenario's expectation, as they are judged together."""
    own = [("assertions", assertions_hold(assertions))] if assertions else []
    return own if expectation is None else [*own, ("expect", expectation)]
