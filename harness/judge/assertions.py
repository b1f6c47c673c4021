"""The assertions of a fixture, each one check: what it asks of a trace and what it found."""

from collections.abc import Callable
from typing import assert_never

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
from harness.judge.engine import Expectation, Found
from harness.judge.finding import Code, Finding, Rung, Status, settled, unjudged, was_called
from harness.judge.values import MISSING, Value, at_path, shown
from harness.pattern import pattern_of
from harness.trace import Call, Trace
from harness.transcript import Outcome

Check = Callable[[Trace], Finding]

_PASS = Status.PASS


def assertions_hold(assertions: list[Assertion]) -> Expectation:
    """A fixture's assertions, compiled: one finding each, in their order."""
    checks = [check_of(assertion, f"assertions[{index}]") for index, assertion in enumerate(assertions)]

    def expectation(trace: Trace) -> Found:
        return Found([check(trace) for check in checks])

    return expectation


def declared_outcomes(assertions: list[Assertion]) -> frozenset[Outcome]:
    """The endings that the assertions declare, which makes such a run a judged one."""
    return frozenset(one.is_ for one in assertions if isinstance(one, OutcomeIs))


def check_of(assertion: Assertion, name: str) -> Check:
    """The check of one assertion; `name` says where it stands."""
    match assertion:
        case ToolCalled():
            return _tool_called(assertion, f"{name} tool_called {assertion.name}")
        case NoToolCalled():
            return _no_tool_called(assertion, f"{name} no_tool_called {assertion.name}")
        case MessageContainsSubstring():
            return _message_contains(assertion, f"{name} message_contains_substring")
        case ToolCallArgMatches():
            return _argument_matches(assertion, f"{name} tool_call_arg_matches {assertion.name}.{assertion.arg_path}")
        case TraceMaxTurns():
            return _max_turns(assertion, f"{name} trace_max_turns")
        case OutcomeIs():
            return _outcome_is(assertion, f"{name} outcome")
        case _:
            assert_never(assertion)


def _tool_called(wanted: ToolCalled, name: str) -> Check:
    rung = Rung.SELECTION if wanted.order is None else Rung.ORDER
    tool = wanted.name

    def check(trace: Trace) -> Finding:
        calls = [call for call in trace.calls if call.name == tool]
        miscounted = _miscounted(wanted, calls, name)
        if miscounted is not None:
            return settled(miscounted, complete=trace.complete, final=miscounted.code is Code.CALL_EXTRA)
        if wanted.order is not None and (misplaced := _misplaced(wanted.order, wanted.name, trace, name)):
            return settled(misplaced, complete=trace.complete, final=wanted.order < len(trace.calls))
        call = calls[0].number if calls else None
        passed = Finding(name, rung, _PASS, None, "", None, call, MISSING, MISSING, f"{tool} {was_called(len(calls))}")
        return passed if trace.complete else settled(passed, complete=False)

    return check


def _miscounted(wanted: ToolCalled, calls: list[Call], name: str) -> Finding | None:
    """Too few calls, too many, or none that succeeded; failed ones count, since a retried write is the danger."""
    count = len(calls)
    if wanted.max_count is not None and count > wanted.max_count:
        numbers = ", ".join(str(call.number) for call in calls)
        message = f"{wanted.name} {was_called(count)} (calls {numbers}), at most {wanted.max_count} allowed"
        return _selection(Code.CALL_EXTRA, name, message, (wanted.max_count, count), calls[-1].number)
    if count < wanted.min_count:
        message = f"{wanted.name} {was_called(count)}, at least {wanted.min_count} expected"
        return _selection(Code.CALL_MISSING, name, message, (wanted.min_count, count), None)
    if wanted.min_count and not any(call.succeeded for call in calls):
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
    found = trace.calls[order].name if order < len(trace.calls) else None
    if found == tool:
        return None
    what = f"is {found}" if found is not None else f"does not exist: there are {len(trace.calls)} calls"
    message = f"call {order} should be {tool}, but {what}"
    actual: Value = MISSING if found is None else found
    call = None if found is None else order
    return Finding(name, Rung.ORDER, Status.FAIL, Code.ORDER_WRONG, "", None, call, tool, actual, message)


def _no_tool_called(unwanted: NoToolCalled, name: str) -> Check:
    passed = Finding(name, Rung.SELECTION, Status.PASS, message=f"{unwanted.name} was not called")

    def check(trace: Trace) -> Finding:
        for call in trace.calls:
            if call.name == unwanted.name:
                message = f"called {unwanted.name}, which must not be called (call {call.number})"
                return Finding(name, Rung.SELECTION, Status.FAIL, Code.CALL_UNWANTED, call=call.number, message=message)
        return passed if trace.complete else settled(passed, complete=False)

    return check


def _message_contains(wanted: MessageContainsSubstring, name: str) -> Check:
    passed = Finding(name, None, Status.PASS, message=f"a {wanted.role} message contains {shown(wanted.substring)}")

    def check(trace: Trace) -> Finding:
        texts = trace.texts(wanted.role)
        if any(wanted.substring in text for text in texts):
            return passed if trace.complete else settled(passed, complete=False)
        message = f"no {wanted.role} message of {len(texts)} contains {shown(wanted.substring)}"
        missing = Finding(name, None, Status.FAIL, Code.TEXT_MISSING, expected=wanted.substring, message=message)
        return settled(missing, complete=trace.complete)

    return check


def _argument_matches(wanted: ToolCallArgMatches, name: str) -> Check:
    try:
        finds = pattern_of(wanted.matches_regex)
    except errors.BadPattern as error:
        refused = unjudged(name, f"the pattern cannot be used: {error.found or error}", Rung.ARGUMENTS)
        return lambda _trace: refused

    def check(trace: Trace) -> Finding:
        calls = [call for call in trace.calls if call.name == wanted.name]
        values = [_argument(call, wanted.arg_path) for call in calls]
        for call, value in zip(calls, values, strict=True):
            if isinstance(value, str) and finds(value):
                message = f"{wanted.arg_path} of {wanted.name} matches {wanted.matches_regex} (call {call.number})"
                passed = Finding(
                    name, Rung.ARGUMENTS, Status.PASS, None, wanted.arg_path, None, call.number, MISSING, value, message
                )
                return passed if trace.complete else settled(passed, complete=False)
        return settled(_unmatched(wanted, calls, values, name), complete=trace.complete)

    return check


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
    where = f"{wanted.arg_path} of {wanted.name} (call {call.number})"
    if call.arguments is None:
        code, message = Code.ARGUMENTS_UNREADABLE, f"the arguments of {wanted.name} (call {call.number}) are no object"
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


def _max_turns(wanted: TraceMaxTurns, name: str) -> Check:
    def check(trace: Trace) -> Finding:
        count = len(trace.turns)
        if count <= wanted.max:
            passed = Finding(name, None, Status.PASS, message=f"{count} turns, at most {wanted.max} allowed")
            return passed if trace.complete else settled(passed, complete=False)
        message = f"the conversation has {count} turns, at most {wanted.max} allowed"
        return Finding(name, None, Status.FAIL, Code.TURNS_EXCEEDED, expected=wanted.max, actual=count, message=message)

    return check


def _outcome_is(wanted: OutcomeIs, name: str) -> Check:
    def check(trace: Trace) -> Finding:
        if trace.outcome is wanted.is_:
            return Finding(name, None, Status.PASS, message=f"the conversation ended as {wanted.is_}")
        message = f"the conversation ended as {trace.outcome}, not as {wanted.is_}"
        wrong = Finding(
            name, None, Status.FAIL, Code.OUTCOME_WRONG, expected=wanted.is_, actual=trace.outcome, message=message
        )
        # A recording that broke off says nothing about how the run would have ended; any other ending is a fact.
        return settled(wrong, complete=trace.complete, final=trace.outcome is not Outcome.INCOMPLETE)

    return check
