"""The checks of a constraint spec: which calls must, must not and must first be made."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from harness.judge.domain import Domain
from harness.judge.extras import look_alike
from harness.judge.finding import Code, Finding, Rung, Status, settled, was_called
from harness.judge.params import Fault, Setting, Wanted, faults_of, fits
from harness.judge.repairs import Repairs, repaired
from harness.judge.values import described, shown
from harness.trace import Call

Check = Callable[[Setting], Finding]


class Must(NamedTuple):
    """A call that must be made: how often at least and at most, and whether one must succeed."""

    name: str
    wanted: Wanted
    least: int
    most: int | None
    any_outcome: bool
    coerce: bool


class Order(NamedTuple):
    """What comes before what; `strict` wants an earlier turn."""

    name: str
    first: Wanted
    then: Wanted
    strict: bool


def input_is(expected: str, setting: Setting) -> Finding:
    """Whether the run was asked what the case asks."""
    users = setting.trace.texts("user")
    actual = users[0] if users else ""
    if actual == expected:
        passed = Finding("input", None, Status.PASS, message="the input is the case's")
        return settled(passed, complete=setting.trace.complete)
    message = f"the user said {shown(actual)}, not {shown(expected)}"
    return Finding("input", None, Status.FAIL, Code.TEXT_MISSING, "", None, None, expected, actual, message)


def must_call(must: Must, setting: Setting) -> Finding:
    """Whether the calls that fit are neither too many nor too few, and one of them succeeded.

    Failed calls count, since a retried write is the danger.
    """
    if not must.coerce:
        return _must_call(must, setting)
    trace, notes = repaired(setting.trace, Repairs(coerce=True), setting.domain)
    finding = _must_call(must, Setting(trace, setting.domain))
    return msgspec.structs.replace(finding, message="; ".join([finding.message, *notes]))


def _must_call(must: Must, setting: Setting) -> Finding:
    calls = [call for call in setting.trace.calls if call.name == must.wanted.tool and fits(must.wanted, call, setting)]
    if must.least == 0 and must.most is None:
        message = f"{must.wanted.text} may be called any number of times"
        return Finding(must.name, Rung.SELECTION, Status.NOT_APPLICABLE, message=message)
    finding = _counted(must, calls, setting)
    if setting.trace.complete:
        return finding
    return settled(finding, complete=False, final=finding.code in {Code.CALL_EXTRA, Code.CALL_DUPLICATE})


def _counted(must: Must, calls: list[Call], setting: Setting) -> Finding:
    count, what = len(calls), must.wanted.text
    if must.most is not None and count > must.most:
        code = Code.CALL_DUPLICATE if _is_repeated_write(calls, setting.domain) else Code.CALL_EXTRA
        numbers = ", ".join(call.id for call in calls)
        message = f"{what} {was_called(count)} ({numbers}), at most {must.most} allowed"
        return _selection(must.name, code, calls[-1].number, (must.most, count), message)
    if count < must.least:
        return _too_few(must, calls, setting)
    if must.least and not must.any_outcome and not any(call.succeeded for call in calls):
        last = calls[-1]
        message = f"{what} {was_called(count)}, but no call succeeded; the last result is {shown(last.result)}"
        return _selection(must.name, Code.CALL_MISSING, last.number, (must.least, 0), message)
    rung = Rung.ARGUMENTS if must.wanted.args else Rung.SELECTION
    number = calls[0].number if calls else None
    return Finding(must.name, rung, Status.PASS, call=number, message=f"{what} {was_called(count)}")


def _is_repeated_write(calls: list[Call], domain: Domain) -> bool:
    """Whether a write succeeded twice."""
    facts = domain.tools.get(calls[0].name)
    return facts is not None and facts.effect != "read" and sum(call.succeeded for call in calls) > 1


def _selection(name: str, code: Code, call: int | None, counts: tuple[int, int], message: str) -> Finding:
    expected, actual = counts
    return Finding(name, Rung.SELECTION, Status.FAIL, code, "", None, call, expected, actual, message)


def _too_few(must: Must, calls: list[Call], setting: Setting) -> Finding:
    """Told of the call that comes nearest, where one of the name was made with other arguments."""
    message = f"{must.wanted.text} {was_called(len(calls))}, at least {must.least} expected"
    numbers = {call.number for call in calls}
    others = [call for call in setting.trace.calls if call.name == must.wanted.tool and call.number not in numbers]
    if not others:
        message += look_alike(must.wanted.tool, setting.trace.calls)
        return _selection(must.name, Code.CALL_MISSING, None, (must.least, len(calls)), message)
    faults = {call.number: faults_of(must.wanted, call, setting) for call in others}
    nearest = min(others, key=lambda call: (len(faults[call.number]), not call.succeeded, call.number))
    return _near_miss(must.name, message, nearest, faults[nearest.number])


def _near_miss(name: str, message: str, call: Call, faults: list[Fault]) -> Finding:
    difference = faults[0].difference
    told = "; ".join(f"{one.difference.path or 'arguments'}: {described(one.difference)}" for one in faults)
    return Finding(
        name,
        Rung.ARGUMENTS,
        Status.FAIL,
        faults[0].code,
        difference.path,
        None,
        call.number,
        difference.expected,
        difference.actual,
        f"{message}; {call.id} comes nearest: {told}",
    )


def must_call_before(order: Order, setting: Setting) -> Finding:
    """The first success of `first` stands before the first attempt at `then`."""
    trace, name = setting.trace, order.name
    then = next((call for call in trace.calls if fits(order.then, call, setting)), None)
    first = next((call for call in trace.calls if call.succeeded and fits(order.first, call, setting)), None)
    second, what = order.then.text, order.first.text
    if then is None:
        message = f"{second} was never called, so nothing had to come before it"
        return settled(Finding(name, Rung.ORDER, Status.NOT_APPLICABLE, message=message), complete=trace.complete)
    if first is not None and (first.turn < then.turn or (not order.strict and first.number < then.number)):
        message = f"{what} ({first.id}) came before {second} ({then.id})"
        passed = Finding(name, Rung.ORDER, Status.PASS, call=then.number, message=message)
        return settled(passed, complete=trace.complete)
    when = "has not succeeded at all" if first is None else f"succeeded only at {first.id}"
    message = f"{second} was called ({then.id}) before {what}, which {when}"
    return Finding(name, Rung.ORDER, Status.FAIL, Code.ORDER_WRONG, call=then.number, message=message)


def must_not_call(name: str, unwanted: Wanted, setting: Setting) -> Finding:
    """Whether no call fits, attempts included."""
    rung = Rung.ARGUMENTS if unwanted.args else Rung.SELECTION
    call = next((call for call in setting.trace.calls if fits(unwanted, call, setting)), None)
    if call is None:
        passed = Finding(name, rung, Status.PASS, message=f"{unwanted.text} was not called")
        return settled(passed, complete=setting.trace.complete)
    arguments = call.arguments or {}
    listed = ", ".join(f"{path} {shown(arguments[path])}" for path in unwanted.args if path in arguments)
    told = f" with {listed}" if listed else ""
    message = f"called {unwanted.tool}{told}, which must not be called ({call.id})"
    return Finding(name, rung, Status.FAIL, Code.CALL_UNWANTED, call=call.number, message=message)
