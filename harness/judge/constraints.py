"""A constraint spec, compiled: which calls must, must not and must first be made, each promise one check."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from harness.judge.constraint_spec import Before, CallPattern, MustCall, Spec, located, spec_of
from harness.judge.domain import UNKNOWN, Domain
from harness.judge.effects import effects_hold
from harness.judge.engine import Expectation, Found
from harness.judge.finding import Code, Finding, Rung, Status, settled, was_called
from harness.judge.matcher_forms import MatcherError, matcher_of
from harness.judge.matchers import Matcher
from harness.judge.params import Fault, Setting, Wanted, faults_of, fits
from harness.judge.repairs import Names, Repairs, repaired
from harness.judge.values import described, shown
from harness.strict_yaml import Document, Path
from harness.trace import Call, Trace
from harness.value import Json, JsonObject

Check = Callable[[Setting], Finding]


class _Source(NamedTuple):
    """Where the spec stands, so that a matcher that cannot be read is told with its line."""

    document: Document
    file: str

    def matchers(self, args: JsonObject, path: Path) -> dict[str, Matcher]:
        """The matchers of listed arguments; raises `BadExpectation`."""
        try:
            return {name: matcher_of(value, (name,)) for name, value in args.items()}
        except MatcherError as error:
            raise located(error, path, self.document, self.file) from None


def expectation_of(raw: bytes, *, file: str, domain: Domain = UNKNOWN) -> Expectation:
    """The expectation in the bytes of an `expect.yaml`; raises `BadExpectation`."""
    spec, document = spec_of(raw, file=file)
    return constraints_hold(spec, document, file=file, domain=domain)


def constraints_hold(spec: Spec, document: Document, *, file: str, domain: Domain) -> Expectation:
    """A spec, compiled: one finding for each promise, and for each table and row of `final_state`."""
    source = _Source(document, file)
    checks = _checks_of(spec, source)
    effects = None if spec.final_state is None else effects_hold(spec.final_state, domain, source.matchers)
    names = None if spec.names is None else Names(spec.names.strip, spec.names.drop_prefix)
    repairs = Repairs(names, coerce=spec.coerce is not None)

    def expectation(seen: Trace) -> Found:
        trace, notes = repaired(seen, repairs, domain)
        setting = Setting(trace, domain)
        findings = [check(setting) for check in checks]
        return Found([*findings, *(effects(trace) if effects else [])], notes)

    return expectation


def _checks_of(spec: Spec, source: _Source) -> list[Check]:
    checks: list[Check] = [] if spec.input is None else [partial(_input_is, spec.input)]
    for index, must in enumerate(spec.must_call):
        wanted = _wanted_of(must, spec, source.matchers(must.args, ("must_call", index, "args")))
        checks.append(partial(_must_call, f"must_call[{index}] {must.tool}", must, wanted))
    for index, before in enumerate(spec.must_call_before):
        path = ("must_call_before", index)
        first, then = (
            _pattern_of(one, spec, source.matchers(one.args, (*path, name, "args")))
            for name, one in (("first", before.first), ("then", before.then))
        )
        name = f"must_call_before[{index}] {first.tool} → {then.tool}"
        checks.append(partial(_must_call_before, name, _Order(first, then, _strict(before, spec))))
    for index, unwanted in enumerate(spec.must_not_call):
        pattern = _pattern_of(unwanted, spec, source.matchers(unwanted.args, ("must_not_call", index, "args")))
        checks.append(partial(_must_not_call, f"must_not_call[{index}] {unwanted.tool}", pattern))
    return checks


def _wanted_of(must: MustCall, spec: Spec, args: dict[str, Matcher]) -> Wanted:
    """Options of the call go before those of the spec."""
    return Wanted(
        must.tool,
        args,
        extra=(must.extra or spec.extra) == "allow",
        missing=(must.missing or spec.missing) == "allow",
        defaults=spec.defaults if must.defaults is None else must.defaults,
    )


def _pattern_of(pattern: CallPattern, spec: Spec, args: dict[str, Matcher]) -> Wanted:
    return Wanted(pattern.tool, args, extra=True, defaults=spec.defaults)


def _strict(before: Before, spec: Spec) -> bool:
    return spec.strict_turns if before.strict_turns is None else before.strict_turns


def _input_is(expected: str, setting: Setting) -> Finding:
    """Whether the run was asked what the case asks."""
    users = setting.trace.texts("user")
    actual = users[0] if users else ""
    if actual == expected:
        passed = Finding("input", None, Status.PASS, message="the input is the case's")
        return settled(passed, complete=setting.trace.complete)
    message = f"the user said {shown(actual)}, not {shown(expected)}"
    return Finding("input", None, Status.FAIL, Code.TEXT_MISSING, "", None, None, expected, actual, message)


def _must_call(name: str, must: MustCall, wanted: Wanted, setting: Setting) -> Finding:
    trace = setting.trace
    if must.coerce is not None:
        trace, notes = repaired(trace, Repairs(coerce=True), setting.domain)
        setting = Setting(trace, setting.domain)
        suffix = "".join(f"; {note}" for note in notes)
    else:
        suffix = ""
    calls = [call for call in trace.calls if fits(wanted, call, setting)]
    finding = _counted(name, must, wanted, calls, setting)
    if suffix:
        finding = _with(finding, suffix)
    return settled(finding, complete=trace.complete, final=finding.code in {Code.CALL_EXTRA, Code.CALL_DUPLICATE})


def _with(finding: Finding, suffix: str) -> Finding:
    from msgspec.structs import replace

    return replace(finding, message=finding.message + suffix)


def _counted(name: str, must: MustCall, wanted: Wanted, calls: list[Call], setting: Setting) -> Finding:
    """Whether the calls that fit are neither too many nor too few, and one of them succeeded."""
    count, what = len(calls), _pattern_text(wanted)
    if must.count.max is not None and count > must.count.max:
        code = Code.CALL_DUPLICATE if _is_repeated_write(calls, setting.domain) else Code.CALL_EXTRA
        numbers = ", ".join(str(call.number) for call in calls)
        message = f"{what} {was_called(count)} (calls {numbers}), at most {must.count.max} allowed"
        return _selection(name, code, calls[-1].number, (must.count.max, count), message)
    if count < must.count.min:
        return _too_few(name, must, wanted, calls, setting)
    if must.count.min and must.outcome != "any" and not any(call.succeeded for call in calls):
        last = calls[-1]
        message = f"{what} {was_called(count)}, but no call succeeded; the last result is {shown(last.result)}"
        return _selection(name, Code.CALL_MISSING, last.number, (must.count.min, 0), message)
    rung = Rung.ARGUMENTS if wanted.args else Rung.SELECTION
    message = f"{what} {was_called(count)}"
    return Finding(name, rung, Status.PASS, call=calls[0].number if calls else None, message=message)


def _is_repeated_write(calls: list[Call], domain: Domain) -> bool:
    """Whether a write succeeded twice."""
    facts = domain.tools.get(calls[0].name)
    return facts is not None and facts.effect != "read" and sum(call.succeeded for call in calls) > 1


def _selection(name: str, code: Code, call: int | None, counts: tuple[int, int], message: str) -> Finding:
    expected, actual = counts
    return Finding(name, Rung.SELECTION, Status.FAIL, code, "", None, call, expected, actual, message)


def _too_few(name: str, must: MustCall, wanted: Wanted, calls: list[Call], setting: Setting) -> Finding:
    """Told of the call that comes nearest, where one of the name was made with other arguments."""
    what = _pattern_text(wanted)
    message = f"{what} {was_called(len(calls))}, at least {must.count.min} expected"
    others = [call for call in setting.trace.calls if call.name == wanted.tool and call not in calls]
    if not others:
        return _selection(name, Code.CALL_MISSING, None, (must.count.min, len(calls)), message)
    faults = {call.number: faults_of(wanted, call, setting) for call in others}
    nearest = min(others, key=lambda call: (len(faults[call.number]), not call.succeeded, call.number))
    return _near_miss(name, message, nearest, faults[nearest.number])


def _near_miss(name: str, message: str, call: Call, faults: list[Fault]) -> Finding:
    fault = faults[0]
    told = "; ".join(f"{one.difference.path or 'arguments'}: {described(one.difference)}" for one in faults)
    difference = fault.difference
    return Finding(
        name,
        Rung.ARGUMENTS,
        Status.FAIL,
        fault.code,
        difference.path,
        None,
        call.number,
        difference.expected,
        difference.actual,
        f"{message}; call {call.number} comes nearest: {told}",
    )


class _Order(NamedTuple):
    """What comes before what; `strict` wants an earlier turn."""

    first: Wanted
    then: Wanted
    strict: bool


def _must_call_before(name: str, order: _Order, setting: Setting) -> Finding:
    """The first success of `first` stands before the first attempt at `then`."""
    trace = setting.trace
    then = next((call for call in trace.calls if fits(order.then, call, setting)), None)
    first = next((call for call in trace.calls if call.succeeded and fits(order.first, call, setting)), None)
    second, what = _pattern_text(order.then), _pattern_text(order.first)
    if then is None:
        message = f"{second} was never called, so nothing had to come before it"
        return settled(Finding(name, Rung.ORDER, Status.NOT_APPLICABLE, message=message), complete=trace.complete)
    if first is not None and (first.turn < then.turn or (not order.strict and first.number < then.number)):
        message = f"{what} (call {first.number}) came before {second} (call {then.number})"
        return settled(
            Finding(name, Rung.ORDER, Status.PASS, call=then.number, message=message), complete=trace.complete
        )
    when = "has not succeeded at all" if first is None else f"succeeded only at call {first.number}"
    message = f"{second} was called (call {then.number}) before {what}, which {when}"
    return Finding(name, Rung.ORDER, Status.FAIL, Code.ORDER_WRONG, call=then.number, message=message)


def _must_not_call(name: str, unwanted: Wanted, setting: Setting) -> Finding:
    rung = Rung.ARGUMENTS if unwanted.args else Rung.SELECTION
    what = _pattern_text(unwanted)
    call = next((call for call in setting.trace.calls if fits(unwanted, call, setting)), None)
    if call is None:
        passed = Finding(name, rung, Status.PASS, message=f"{what} was not called")
        return settled(passed, complete=setting.trace.complete)
    seen = {path: (call.arguments or {}).get(path) for path in unwanted.args}
    told = f" with {_arguments_text(seen)}" if seen else ""
    message = f"called {unwanted.tool}{told}, which must not be called (call {call.number})"
    return Finding(name, rung, Status.FAIL, Code.CALL_UNWANTED, call=call.number, message=message)


def _pattern_text(wanted: Wanted) -> str:
    """`create_refund with order_id 4021, amount 89.99`."""
    if not wanted.args:
        return wanted.tool
    return f"{wanted.tool} with {_arguments_text({name: matcher.written for name, matcher in wanted.args.items()})}"


def _arguments_text(arguments: dict[str, Json]) -> str:
    return ", ".join(f"{name} {shown(value)}" for name, value in arguments.items())
