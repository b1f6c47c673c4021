"""The assertions of a fixture, each one check: what it asks of a trace and what it found."""

from collections.abc import Collection, Iterator
from typing import assert_never

from harness import errors
from harness.excerpt import counted
from harness.fixture import (
    Assertion,
    MessageContainsSubstring,
    NoToolCalled,
    OutcomeIs,
    ToolCallArgMatches,
    ToolCalled,
    TraceMaxTurns,
)
from harness.judge.domain import not_offered
from harness.judge.engine import Expectation, Found
from harness.judge.extras import look_alike
from harness.judge.finding import Code, Finding, Rung, Status, settled, unjudged, was_called
from harness.judge.values import MISSING, Value, at_path, shown
from harness.pattern import finds_all, pattern_of
from harness.trace import Call, Trace
from harness.transcript import Outcome

_A = {"user": "a user", "assistant": "an assistant", "toolResult": "a toolResult"}
_PASS, _EMPTY, _SELECTION, _ORDER = Status.PASS, Status.NOT_APPLICABLE, Rung.SELECTION, Rung.ORDER


def assertions_hold(assertions: list[Assertion], offered: Collection[str] | None = None) -> Expectation:
    """A fixture's assertions as an expectation: one finding each, in their order.

    Those of a tool that is not among those `offered` (None: not known) hold or fail whatever the model does: a note.
    """
    notes = [] if offered is None else list(_unoffered(assertions, offered))

    def expectation(trace: Trace) -> Found:
        findings = [finding_of(one, f"assertions[{index}]", trace) for index, one in enumerate(assertions)]
        return Found(findings, notes)

    return expectation


def _unoffered(assertions: list[Assertion], offered: Collection[str]) -> Iterator[str]:
    for index, one in enumerate(assertions):
        if isinstance(one, ToolCalled | NoToolCalled | ToolCallArgMatches) and one.name not in offered:
            yield f"assertions[{index}]: {not_offered(one.name, offered)}"


def declared_outcomes(assertions: list[Assertion]) -> frozenset[Outcome]:
    """The endings that the assertions declare, which makes such a run a judged one."""
    return frozenset([one.is_ for one in assertions if type(one) is OutcomeIs])


def finding_of(assertion: Assertion, where: str, trace: Trace) -> Finding:
    """What one assertion finds on a trace; `where` says where it stands."""
    match assertion:
        case ToolCalled():
            return _tool_called(assertion, f"{where} tool_called {assertion.name}", trace)
        case NoToolCalled():
            return _no_tool_called(assertion, f"{where} no_tool_called {assertion.name}", trace)
        case MessageContainsSubstring():
            return _message_contains(assertion, f"{where} message_contains_substring", trace)
        case ToolCallArgMatches():
            path = f"{assertion.name}.{assertion.arg_path}"
            return _argument_matches(assertion, f"{where} tool_call_arg_matches {path}", trace)
        case TraceMaxTurns():
            return _max_turns(assertion, f"{where} trace_max_turns", trace)
        case OutcomeIs():
            return _outcome_is(assertion, f"{where} outcome", trace)
        case _:
            assert_never(assertion)


def _kept(name: str, rung: Rung | None, message: str, trace: Trace, call: int | None = None) -> Finding:
    """An assertion that holds; on an incomplete trace it may still come to fail."""
    passed = Finding(name, rung, _PASS, None, "", None, call, MISSING, MISSING, message)
    return passed if trace.complete else settled(passed, complete=False)


def _tool_called(wanted: ToolCalled, name: str, trace: Trace) -> Finding:
    tool = wanted.name
    if wanted.min_count == 0 and wanted.max_count is None and wanted.order is None:
        return Finding(name, _SELECTION, _EMPTY, message=f"any number of calls of {tool} is allowed")
    calls = [call for call in trace.calls if call.name == tool]
    miscounted = _miscounted(wanted, calls, name, trace)
    if miscounted is not None:
        return settled(miscounted, complete=trace.complete, final=miscounted.code is Code.CALL_EXTRA)
    if wanted.order is not None and (misplaced := _misplaced(wanted.order, tool, trace, name)):
        return settled(misplaced, complete=trace.complete, final=wanted.order < len(trace.calls))
    rung = _SELECTION if wanted.order is None else _ORDER
    return _kept(name, rung, f"{tool} {was_called(len(calls))}", trace, calls[0].number if calls else None)


def _miscounted(wanted: ToolCalled, calls: list[Call], name: str, trace: Trace) -> Finding | None:
    """Too few calls, too many, or none that succeeded; failed ones count, since a retried write is the danger."""
    count = len(calls)
    if wanted.max_count is not None and count > wanted.max_count:
        numbers = ", ".join(call.id for call in calls)
        message = f"{wanted.name} {was_called(count)} ({numbers}), at most {wanted.max_count} allowed"
        return _selection(Code.CALL_EXTRA, name, message, (wanted.max_count, count), calls[-1].number)
    if count < wanted.min_count:
        message = f"{wanted.name} {was_called(count)}, at least {wanted.min_count} expected"
        message += "" if calls else look_alike(wanted.name, trace.calls)
        return _selection(Code.CALL_MISSING, name, message, (wanted.min_count, count), None)
    if wanted.min_count and not calls[0].succeeded and not any(call.succeeded for call in calls):
        message = f"{wanted.name} {was_called(count)}, but no call succeeded"
        return _selection(Code.CALL_MISSING, name, message, (wanted.min_count, 0), calls[-1].number)
    return None


def _selection(code: Code, name: str, message: str, counts: tuple[int, int], call: int | None) -> Finding:
    expected, actual = counts
    return Finding(
        name, Rung.SELECTION, Status.FAIL, code, call=call, expected=expected, actual=actual, message=message
    )


def _misplaced(order: int, tool: str, trace: Trace, name: str) -> Finding | None:
    """The `order`th call of the trace, from 0, is not there or of another name."""
    call_there = trace.calls[order] if order < len(trace.calls) else None
    found = call_there.name if call_there else None
    if found == tool:
        return None
    what = (
        f"is {found} ({call_there.id})"
        if call_there
        else f"does not exist: there {'is' if len(trace.calls) == 1 else 'are'} {counted(len(trace.calls), 'call')}"
    )
    message = f"call number {order}, counted from 0, should be {tool}, but {what}"
    actual: Value = MISSING if found is None else found
    call = None if found is None else order
    return Finding(name, Rung.ORDER, Status.FAIL, Code.ORDER_WRONG, "", None, call, tool, actual, message)


def _no_tool_called(unwanted: NoToolCalled, name: str, trace: Trace) -> Finding:
    for call in trace.calls:
        if call.name == unwanted.name:
            message = f"called {unwanted.name}, which must not be called ({call.id})"
            return Finding(name, Rung.SELECTION, Status.FAIL, Code.CALL_UNWANTED, call=call.number, message=message)
    return _kept(name, Rung.SELECTION, f"{unwanted.name} was not called", trace)


def _message_contains(wanted: MessageContainsSubstring, name: str, trace: Trace) -> Finding:
    texts = trace.texts(wanted.role)
    substring = wanted.substring
    if not substring:
        return Finding(name, None, _EMPTY, message="every text contains the empty one")
    if any(substring in text for text in texts):
        return _kept(name, None, f"{_A[wanted.role]} message contains {shown(substring)}", trace)
    message = f"no {wanted.role} message of {len(texts)} contains {shown(substring)}"
    missing = Finding(name, None, Status.FAIL, Code.TEXT_MISSING, expected=substring, message=message)
    return settled(missing, complete=trace.complete)


def _argument_matches(wanted: ToolCallArgMatches, name: str, trace: Trace) -> Finding:
    try:
        finds = pattern_of(wanted.matches_regex)
    except errors.BadPattern as error:
        return unjudged(name, f"the pattern cannot be used: {error.found or error}", Rung.ARGUMENTS)
    calls = [call for call in trace.calls if call.name == wanted.name]
    values = [_argument(call, wanted.arg_path) for call in calls]
    for call, value in zip(calls, values, strict=True):
        if isinstance(value, str) and finds(value):
            says_nothing = finds_all(wanted.matches_regex)
            message = f"{wanted.arg_path} of {wanted.name} matches {wanted.matches_regex} ({call.id})"
            message += ", as every text does" if says_nothing else ""
            status = _EMPTY if says_nothing else _PASS
            passed = Finding(
                name, Rung.ARGUMENTS, status, None, wanted.arg_path, None, call.number, MISSING, value, message
            )
            return passed if trace.complete else settled(passed, complete=False)
    return settled(_unmatched(wanted, calls, values, name), complete=trace.complete)


def _argument(call: Call, path: str) -> Value:
    return MISSING if call.arguments is None else at_path(call.arguments, path)


def _unmatched(wanted: ToolCallArgMatches, calls: list[Call], values: list[Value], name: str) -> Finding:
    """Why no call matches, told of the call that comes nearest: a string, else any value, else a missing one."""
    if not calls:
        message = f"{wanted.name} was not called"
        return Finding(name, Rung.SELECTION, Status.FAIL, Code.CALL_MISSING, message=message)
    ranks = [2 if isinstance(value, str) else 0 if value is MISSING else 1 for value in values]
    nearest = ranks.index(max(ranks))
    call, value = calls[nearest], values[nearest]
    where = f"{wanted.arg_path} of {wanted.name} ({call.id})"
    if call.arguments is None:
        code, message = Code.ARGUMENTS_UNREADABLE, f"the arguments of {wanted.name} ({call.id}) are no object"
    elif value is MISSING:
        code, message = Code.PARAM_MISSING, f"{where} is missing"
    elif not isinstance(value, str):
        code, message = Code.PARAM_WRONG_FORMAT, f"{where} is {shown(value)}: only a string can match"
    else:
        code, message = Code.PARAM_WRONG_VALUE, f"{where} is {shown(value)}, which {wanted.matches_regex} does not find"
    return Finding(
        name,
        Rung.ARGUMENTS,
        Status.FAIL,
        code,
        wanted.arg_path,
        None,
        call.number,
        wanted.matches_regex,
        value,
        message,
    )


def _max_turns(wanted: TraceMaxTurns, name: str, trace: Trace) -> Finding:
    count = len(trace.turns)
    if count <= wanted.max:
        return _kept(name, None, f"{counted(count, 'turn')}, at most {wanted.max} allowed", trace)
    message = f"the conversation has {counted(count, 'turn')}, at most {wanted.max} allowed"
    return Finding(name, None, Status.FAIL, Code.TURNS_EXCEEDED, expected=wanted.max, actual=count, message=message)


def _outcome_is(wanted: OutcomeIs, name: str, trace: Trace) -> Finding:
    if trace.outcome is wanted.is_:
        return Finding(name, None, _PASS, message=f"the conversation ended as {wanted.is_}")
    message = f"the conversation ended as {trace.outcome}, not as {wanted.is_}"
    wrong = Finding(
        name, None, Status.FAIL, Code.OUTCOME_WRONG, expected=wanted.is_, actual=trace.outcome, message=message
    )
    # A recording that broke off says nothing about how the run would have ended; any other ending is a fact.
    return settled(wrong, complete=trace.complete, final=trace.outcome is not Outcome.INCOMPLETE)
