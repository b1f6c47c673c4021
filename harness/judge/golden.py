"""Golden calls of a suite's case, compiled: each call, each parameter, the order, the chains, and nothing else."""

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
from harness.judge.repairs import Names, Repairs, loose_integers, repaired
from harness.judge.values import MISSING, described, likeness, shown
from harness.suite import Golden, GoldenCall, JudgeConfig
from harness.trace import Call, Trace

_PASS, _NOT_APPLICABLE = Status.PASS, Status.NOT_APPLICABLE
_IN_ORDER = Finding("order", Rung.ORDER, _PASS, message="the golden calls that were made stand in order")
_NONE_TO_ORDER = Finding("order", Rung.ORDER, _NOT_APPLICABLE, message="no golden call was made")
_NO_EXTRA = Finding("extra calls", Rung.SELECTION, _PASS, message="no call too many")
# What later calls can still put right.
_MENDABLE = (Code.CALL_MISSING, Code.ORDER_WRONG, Code.CHAIN_INCOMPLETE)


class _Labels(NamedTuple):
    """How a golden call's checks are named, once for all traces, and what is said of a parameter that fits."""

    call: str
    params: dict[str, str]
    fitting: dict[str, str]


class Compiled(NamedTuple):
    """The calls that are expected, and what is forgiven beside them.

    `kept` remembers the findings of a golden call with a call of this number and id that fits: they never differ.
    """

    demand: Demand
    leniency: Leniency
    labels: list[_Labels]
    chained: bool
    kept: dict[tuple[int, int, str], list[Finding]]


def golden_holds(golden: Golden, config: JudgeConfig, domain: Domain) -> Expectation:
    """The expectation of a case's golden calls; raises `MatcherError` where a rule does not suit its value."""
    compiled = _compiled(golden, config, domain)
    names = None if config.names is None else Names(config.names.strip, config.names.drop_prefix)
    repairs = Repairs(names, coerce=config.coerce is not None)

    def expectation(seen: Trace) -> Found:
        trace, notes = repaired(seen, repairs, domain)
        setting = Setting(trace, domain)
        return Found(findings_of(compiled, setting), notes + loose_integers(trace, domain))

    return expectation


def _compiled(golden: Golden, config: JudgeConfig, domain: Domain) -> Compiled:
    calls = [_wanted(call, config, domain) for call in golden.calls]
    reads = config.allowed_extra if golden.allowed_extra is None else golden.allowed_extra
    demand = Demand(calls, golden.order_sensitive, config.strict_turns)
    return compiled_of(demand, Leniency(frozenset(reads), failed=config.failed_calls == "ignore"), domain)


def compiled_of(demand: Demand, leniency: Leniency, domain: Domain) -> Compiled:
    """What `findings_of` finds on any trace, as far as it can be said once for all of them."""
    labels = [_labels_of(index, call) for index, call in enumerate(demand.calls)]
    chained = any(facts.issues or facts.takes for call in demand.calls if (facts := domain.tools.get(call.tool)))
    return Compiled(demand, leniency, labels, chained, kept={})


def _labels_of(index: int, call: Wanted) -> _Labels:
    return _Labels(
        f"calls[{index}] {call.tool}",
        {name: f"calls[{index}].{name}" for name in call.args},
        {name: f"{call.tool}.{name} {_fits(matcher)}" for name, matcher in call.args.items()},
    )


def _wanted(call: GoldenCall, config: JudgeConfig, domain: Domain) -> Wanted:
    args = {name: rule_of(call.param_rules.get(name, "exact"), value) for name, value in call.params.items()}
    facts = domain.tools.get(call.tool)
    plain = all(isinstance(one, Plain) for one in args.values())
    return Wanted(
        call.tool,
        args,
        extra=config.extra == "allow",
        missing=config.missing == "allow",
        schema=True,
        defaults=config.defaults,
        exact=call.params if plain and facts is not None and facts.allows(call.params) else None,
    )


def _fits(matcher: Matcher) -> str:
    if isinstance(matcher, Filled):
        return "is given"
    return f"is {shown(matcher.written)}" if isinstance(matcher, Plain) else f"fits {shown(matcher.written)}"


def findings_of(compiled: Compiled, setting: Setting) -> list[Finding]:
    """Every check of the expected calls: each call, each parameter, what is beside them, order, chains."""
    match = match_of(compiled.demand, setting)
    wanted = compiled.demand.calls
    extras = extras_of(match.surplus, wanted, compiled.leniency, setting)
    swapped, rest = _swapped(match.lacking, extras)
    found: list[Finding] = []
    for index in range(len(wanted)):
        number = match.fitting.get(index, match.nearest.get(index))
        if number is None:
            found += _absent_call(compiled, index, swapped.get(index), setting)
        elif index in match.fitting:
            found += _kept_call(compiled, index, setting.trace.calls[number], match)
        else:
            found += _made_call(compiled, index, setting.trace.calls[number], match)
    found += [finding_of_extra(extra, setting) for extra in rest] or [_NO_EXTRA]
    found += _order_findings(compiled.demand, match, setting.trace.calls)
    if compiled.chained:
        found += chain_findings(wanted, match.fitting | match.nearest, setting)
    if setting.trace.complete:
        return found
    return [settled(one, complete=False, final=_stays(one, compiled, setting)) for one in found]


def _swapped(lacking: list[int], extras: list[Extra]) -> tuple[dict[int, Call], list[Extra]]:
    """A golden call without a call and a call without a golden call, paired by position: the wrong tool was taken."""
    if not lacking or not extras:
        return {}, extras
    takers = [extra for extra in extras if extra.code is not Code.CALL_DUPLICATE]
    pairs = dict(zip(lacking, takers, strict=False))
    taken = {extra.call.number for extra in pairs.values()}
    return {index: extra.call for index, extra in pairs.items()}, [
        extra for extra in extras if extra.call.number not in taken
    ]


def _stays(finding: Finding, compiled: Compiled, setting: Setting) -> bool:
    """Whether the call of a failed finding will count against the run, whatever comes after it."""
    if finding.call is None or finding.code in _MENDABLE:
        return False
    return not is_forgiven(setting.trace.calls[finding.call], compiled.leniency, setting)


def _absent_call(compiled: Compiled, index: int, instead: Call | None, setting: Setting) -> list[Finding]:
    """The findings of a golden call that was not made; another tool's call may stand in its place."""
    wanted = compiled.demand.calls[index]
    message = f"{wanted.tool} was not called"
    return [
        _missing(compiled.labels[index].call, index, wanted, instead, setting),
        *(
            Finding(label, Rung.ARGUMENTS, Status.NOT_APPLICABLE, None, param, index, message=message)
            for param, label in compiled.labels[index].params.items()
        ),
    ]


def _kept_call(compiled: Compiled, index: int, call: Call, match: Match) -> list[Finding]:
    found = compiled.kept.get((index, call.number, call.id))
    if found is None:
        found = compiled.kept[index, call.number, call.id] = _made_call(compiled, index, call, match)
    return found


def _made_call(compiled: Compiled, index: int, call: Call, match: Match) -> list[Finding]:
    """The findings of a golden call with the call that stands for it: its selection, then each parameter."""
    labels, number = compiled.labels[index], call.number
    faults = {fault.param: fault for fault in match.faults.get(index, ())}
    found = [_selected(labels.call, index, call, failed=index in match.nearest and not faults)]
    for param, label in labels.params.items():
        fault = faults.pop(param, None)
        if fault is not None:
            found.append(_faulty(label, index, call, fault))
        elif call.arguments is None:
            message = f"{param} cannot be read"
            found.append(Finding(label, Rung.ARGUMENTS, _NOT_APPLICABLE, None, param, index, number, message=message))
        else:
            message = labels.fitting[param]
            found.append(Finding(label, Rung.ARGUMENTS, _PASS, None, param, index, number, MISSING, MISSING, message))
    for param, fault in faults.items():
        label = f"calls[{index}].{param}" if param else f"calls[{index}] arguments"
        found.append(_faulty(label, index, call, fault))
    return found


def _missing(name: str, index: int, wanted: Wanted, instead: Call | None, setting: Setting) -> Finding:
    if instead is None:
        message = f"{wanted.tool} was not called"
        return Finding(name, Rung.SELECTION, Status.FAIL, Code.CALL_MISSING, "", index, message=message)
    tools = setting.domain.tools
    if tools and instead.name not in tools:
        code, message = Code.TOOL_UNKNOWN, unknown_message(instead, setting)
    else:
        alike = likeness(wanted.tool, instead.name)
        what = f"{shown(instead.name)} ({instead.id}) was called instead of {wanted.tool}"
        code, message = Code.TOOL_WRONG, f"{what} ({alike})" if alike else what
    return Finding(name, Rung.SELECTION, Status.FAIL, code, "", index, instead.number, message=message)


def _selected(name: str, index: int, call: Call, *, failed: bool) -> Finding:
    if failed:
        message = f"{call.name} was called as wanted ({call.id}), but the call failed: {shown(call.result)}"
        return Finding(name, Rung.SELECTION, Status.FAIL, Code.CALL_MISSING, "", index, call.number, message=message)
    message = f"{call.name} was called ({call.id})"
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
        f"{where} of {call.name} ({call.id}): {described(difference)}",
    )


def _order_findings(demand: Demand, match: Match, calls: list[Call]) -> list[Finding]:
    """Each golden call that was made, but at the wrong place in the sequence; else that all stand in order."""
    if not demand.ordered:
        return []
    astray = [index for index in match.fitting if index not in match.kept]
    if not astray:
        return [_IN_ORDER if match.fitting else _NONE_TO_ORDER]
    return [_astray(demand.calls[index].tool, index, calls[match.fitting[index]]) for index in astray]


def _astray(tool: str, index: int, call: Call) -> Finding:
    message = f"{tool} ({call.id}) does not stand where the sequence has it"
    name = f"calls[{index}] order"
    return Finding(name, Rung.ORDER, Status.FAIL, Code.ORDER_WRONG, "", index, call.number, MISSING, MISSING, message)
