"""Golden calls of a suite's case, compiled: each call, each parameter, the order, the chains, and nothing else."""

from collections.abc import Iterator
from typing import NamedTuple

from harness.judge.chains import chain_findings
from harness.judge.domain import Domain
from harness.judge.engine import Expectation, Found
from harness.judge.extras import Extra, Leniency, extras_of, finding_of_extra, is_forgiven, unknown_message
from harness.judge.finding import Code, Finding, Rung, Status, settled
from harness.judge.golden_match import Demand, Match, match_of
from harness.judge.matcher_forms import rule_of
from harness.judge.matchers import Filled, Matcher, Plain
from harness.judge.params import Fault, Setting, Wanted
from harness.judge.repairs import Names, Repairs, repaired
from harness.judge.values import MISSING, described, shown
from harness.suite import Golden, GoldenCall, JudgeConfig
from harness.trace import Call, Trace


class _Compiled(NamedTuple):
    """A case's golden calls and what is forgiven beside them; `labels` name the checks once for all traces."""

    demand: Demand
    leniency: Leniency
    labels: list[dict[str, str]]
    fitting: list[dict[str, str]]


def golden_holds(golden: Golden, config: JudgeConfig, domain: Domain) -> Expectation:
    """The expectation of a case's golden calls; raises `MatcherError` where a rule does not suit its value."""
    compiled = _compiled(golden, config)
    names = None if config.names is None else Names(config.names.strip, config.names.drop_prefix)
    repairs = Repairs(names, coerce=config.coerce is not None)

    def expectation(seen: Trace) -> Found:
        trace, notes = repaired(seen, repairs, domain)
        setting = Setting(trace, domain)
        return Found(_findings(compiled, setting), [*notes, *_loose_integers(setting)])

    return expectation


def _compiled(golden: Golden, config: JudgeConfig) -> _Compiled:
    calls = [_wanted(call, config) for call in golden.calls]
    reads = config.allowed_extra if golden.allowed_extra is None else golden.allowed_extra
    return _Compiled(
        Demand(calls, golden.order_sensitive, config.strict_turns),
        Leniency(frozenset(reads), failed=config.failed_calls == "ignore"),
        [{name: f"calls[{index}].{name}" for name in call.args} for index, call in enumerate(calls)],
        [{name: f"{call.tool}.{name} {_fits(matcher)}" for name, matcher in call.args.items()} for call in calls],
    )


def _wanted(call: GoldenCall, config: JudgeConfig) -> Wanted:
    args = {name: rule_of(call.param_rules.get(name, "exact"), value) for name, value in call.params.items()}
    extra, missing = config.extra == "allow", config.missing == "allow"
    return Wanted(call.tool, args, extra=extra, missing=missing, schema=True, defaults=config.defaults)


def _fits(matcher: Matcher) -> str:
    if isinstance(matcher, Filled):
        return "is given"
    return f"is {shown(matcher.written)}" if isinstance(matcher, Plain) else f"fits {shown(matcher.written)}"


def _findings(compiled: _Compiled, setting: Setting) -> list[Finding]:
    match = match_of(compiled.demand, setting)
    wanted = compiled.demand.calls
    extras = extras_of(match.surplus, wanted, compiled.leniency, setting)
    swapped, rest = _swapped(match.lacking, extras)
    found: list[tuple[Finding, bool]] = []
    for index in range(len(wanted)):
        found += _call_findings(compiled, index, match, swapped.get(index), setting)
    found += [(finding_of_extra(extra, setting), True) for extra in rest]
    if not rest:
        found.append((Finding("extra calls", Rung.SELECTION, Status.PASS, message="no call too many"), False))
    found += [(one, False) for one in _order_findings(compiled.demand, match)]
    pairs = match.fitting | match.nearest
    found += [(one, _stays(one, compiled, setting)) for one in chain_findings(wanted, pairs, setting)]
    complete = setting.trace.complete
    return [one if complete else settled(one, complete=False, final=final) for one, final in found]


def _swapped(lacking: list[int], extras: list[Extra]) -> tuple[dict[int, Call], list[Extra]]:
    """A golden call without a call and a call without a golden call, paired by position: the wrong tool was taken."""
    takers = [extra for extra in extras if extra.code is not Code.CALL_DUPLICATE]
    pairs = dict(zip(lacking, takers, strict=False))
    taken = {extra.call.number for extra in pairs.values()}
    return {index: extra.call for index, extra in pairs.items()}, [
        extra for extra in extras if extra.call.number not in taken
    ]


def _stays(finding: Finding, compiled: _Compiled, setting: Setting) -> bool:
    """Whether the call of a finding will count against the run, whatever comes after it."""
    if finding.call is None or finding.code is Code.CHAIN_INCOMPLETE:
        return False
    return not is_forgiven(setting.trace.calls[finding.call], compiled.leniency, setting)


def _call_findings(
    compiled: _Compiled, index: int, match: Match, instead: Call | None, setting: Setting
) -> Iterator[tuple[Finding, bool]]:
    """The selection of one golden call and each of its parameters, with whether a failure is final."""
    wanted = compiled.demand.calls[index]
    name = f"calls[{index}] {wanted.tool}"
    number = match.fitting.get(index, match.nearest.get(index))
    if number is None:
        yield _missing(name, index, wanted, instead, setting), instead is not None
        for label in compiled.labels[index].values():
            message = f"{wanted.tool} was not called"
            yield Finding(label, Rung.ARGUMENTS, Status.NOT_APPLICABLE, None, "", index, message=message), False
        return
    call = setting.trace.calls[number]
    yield _selected(name, index, call, failed=index in match.nearest and not match.faults[index]), False
    faults = {fault.param: fault for fault in match.faults.get(index, ())}
    final = bool(faults) and not is_forgiven(call, compiled.leniency, setting)
    for param, label in compiled.labels[index].items():
        fault = faults.pop(param, None)
        if fault is not None:
            yield _faulty(label, index, call, fault), final
        elif call.arguments is None:
            message = f"{param} cannot be read"
            yield (
                Finding(label, Rung.ARGUMENTS, Status.NOT_APPLICABLE, None, param, index, number, message=message),
                False,
            )
        else:
            message = compiled.fitting[index][param]
            yield Finding(label, Rung.ARGUMENTS, Status.PASS, None, param, index, number, message=message), False
    for param, fault in faults.items():
        yield _faulty(f"calls[{index}].{param}" if param else f"calls[{index}] arguments", index, call, fault), final


def _missing(name: str, index: int, wanted: Wanted, instead: Call | None, setting: Setting) -> Finding:
    if instead is None:
        message = f"{wanted.tool} was not called"
        return Finding(name, Rung.SELECTION, Status.FAIL, Code.CALL_MISSING, "", index, message=message)
    tools = setting.domain.tools
    if tools and instead.name not in tools:
        code, message = Code.TOOL_UNKNOWN, unknown_message(instead, setting)
    else:
        code, message = Code.TOOL_WRONG, f"{instead.name} (call {instead.number}) was called instead of {wanted.tool}"
    return Finding(name, Rung.SELECTION, Status.FAIL, code, "", index, instead.number, message=message)


def _selected(name: str, index: int, call: Call, *, failed: bool) -> Finding:
    if failed:
        message = f"{call.name} was called as wanted (call {call.number}), but the call failed: {shown(call.result)}"
        return Finding(name, Rung.SELECTION, Status.FAIL, Code.CALL_MISSING, "", index, call.number, message=message)
    message = f"{call.name} was called (call {call.number})"
    return Finding(name, Rung.SELECTION, Status.PASS, None, "", index, call.number, message=message)


def _faulty(name: str, index: int, call: Call, fault: Fault) -> Finding:
    difference = fault.difference
    where = difference.path or "arguments"
    return Finding(
        name,
        Rung.ARGUMENTS,
        Status.FAIL,
        fault.code,
        difference.path,
        index,
        call.number,
        difference.expected,
        difference.actual,
        f"{where} of {call.name} (call {call.number}): {described(difference)}",
    )


def _order_findings(demand: Demand, match: Match) -> Iterator[Finding]:
    """Each golden call that was made, but at the wrong place in the sequence; else that all stand in order."""
    if not demand.ordered:
        return
    astray = [index for index in match.fitting if index not in match.kept]
    for index in astray:
        number, tool = match.fitting[index], demand.calls[index].tool
        message = f"{tool} (call {number}) does not stand where the sequence has it"
        name = f"calls[{index}] order"
        yield Finding(name, Rung.ORDER, Status.FAIL, Code.ORDER_WRONG, "", index, number, MISSING, MISSING, message)
    if not astray:
        status = Status.PASS if match.fitting else Status.NOT_APPLICABLE
        yield Finding("order", Rung.ORDER, status, message="the golden calls that were made stand in order")


def _loose_integers(setting: Setting) -> Iterator[str]:
    """A whole number written with a point is an integer to the schema; a reader may want to know."""
    for call in setting.trace.calls:
        facts = setting.domain.tools.get(call.name)
        for name in facts.integers if facts and call.arguments else ():
            value = (call.arguments or {}).get(name)
            if isinstance(value, float) or (value is not None and not isinstance(value, int | str | list | dict)):
                yield f"call {call.number}: {name}: {shown(value)} was sent for an integer"
