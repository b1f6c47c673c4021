"""Golden calls tried on themselves: the golden run passes, and every run that leaves a rule fails."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from harness.judge.domain import Domain, domain_from
from harness.judge.engine import Expectation, judge
from harness.judge.finding import Ruling
from harness.judge.golden import golden_holds
from harness.judge.matcher_forms import MatcherError, rule_of
from harness.judge.remark import Flaw, Remark, unknown_tool
from harness.judge.values import MISSING
from harness.judge.witness import NoWitnessError, spoiled_of
from harness.suite import Case, Golden, JudgeConfig, Suite
from harness.trace import Call, Trace
from harness.transcript import Text, UserTurn
from harness.value import JsonObject, encode

_INVENTED = "no-such-id"


class Mutant(NamedTuple):
    """A run that must not pass, and what was done to it."""

    told: str
    calls: list[Call]


def lint_suite(suite: Suite) -> list[Remark]:
    """All remarks on the cases of a suite, in their order."""
    domain = domain_from(suite.tools, suite.tables, suite.system)
    return [remark for case in suite.cases for remark in lint_case(case, suite.config.judge, domain)]


def lint_case(case: Case, config: JudgeConfig, domain: Domain) -> list[Remark]:
    """The remarks on one case; a case without a golden is never judged, which is said."""
    if case.golden is None:
        return [Remark(Flaw.NOTHING_EXPECTED, case.id, "the case has no golden, so its runs are not judged")]
    unknown = [
        unknown_tool(call.tool, domain.tools, where=f"{case.id} calls[{index}]")
        for index, call in enumerate(case.golden.calls)
        if call.tool not in domain.tools
    ]
    if unknown:
        return unknown
    try:
        expectation = golden_holds(case.golden, config, domain)
    except MatcherError as error:
        return [Remark(Flaw.UNREADABLE, case.id, str(error))]
    return list(_tried(case.id, case.golden, config, (expectation, domain)))


def _tried(case: str, golden: Golden, config: JudgeConfig, judging: tuple[Expectation, Domain]) -> Iterator[Remark]:
    expectation, domain = judging
    calls = golden_run(golden, domain)
    verdict = judge(_trace_of(calls, golden), [("golden", expectation)])
    if verdict.verdict is not Ruling.PASS:
        told = "; ".join(finding.message for finding in verdict.failures)
        yield Remark(Flaw.GOLDEN_FAILS_ITSELF, case, f"the golden run does not pass: {told}")
        return
    for mutant in _mutants(golden, config, calls, domain):
        if judge(_trace_of(mutant.calls, golden), [("golden", expectation)]).verdict is Ruling.PASS:
            yield Remark(Flaw.BLIND, case, f"a run passes in which {mutant.told}")


def golden_run(golden: Golden, domain: Domain) -> list[Call]:
    """The calls that the golden asks for, each with success, ids handed on as chains do."""
    issued: dict[str, str] = {}
    calls = []
    for number, call in enumerate(golden.calls):
        facts = domain.tools[call.tool]
        taken = {param: issued[kind] for param, kind in facts.takes.items() if kind in issued}
        result: JsonObject = {}
        if facts.issues is not None:
            issued[facts.issues] = f"issued-{number}"
            result = {facts.issues: issued[facts.issues]}
        calls.append(_call(number, call.tool, {**call.params, **taken}, encode(result).decode()))
    return calls


def _call(number: int, name: str, arguments: JsonObject, result: str = "{}") -> Call:
    return Call(number, 2 * number + 1, 0, f"call_{number + 1}", name, arguments, None, result)


def _trace_of(calls: list[Call], golden: Golden) -> Trace:
    """The calls renumbered, one a turn; the user said every value of the golden, so that none counts as made up."""
    said = encode([call.params for call in golden.calls]).decode()
    placed = [
        msgspec.structs.replace(call, number=number, turn=2 * number + 1, id=f"call_{number + 1}")
        for number, call in enumerate(calls)
    ]
    return Trace(placed, [UserTurn([Text(said)])])


def _mutants(golden: Golden, config: JudgeConfig, calls: list[Call], domain: Domain) -> Iterator[Mutant]:
    if len(calls) > 1:
        yield Mutant("no call is made at all", [])
    for index, call in enumerate(calls):
        rest = calls[:index] + calls[index + 1 :]
        yield Mutant(f"calls[{index}] ({call.name}) is missing", rest)
        for told, arguments in _wrong_arguments(golden, index, call, config):
            changed = msgspec.structs.replace(call, arguments=arguments)
            yield Mutant(told, [*calls[:index], changed, *calls[index + 1 :]])
        facts = domain.tools[call.name]
        if facts.effect != "read":
            yield Mutant(f"calls[{index}] ({call.name}) is made twice", [*calls, call])
        for param in facts.takes:
            broken = msgspec.structs.replace(call, arguments={**(call.arguments or {}), param: _INVENTED})
            told = f"{param} of calls[{index}] ({call.name}) is made up"
            yield Mutant(told, [*calls[:index], broken, *calls[index + 1 :]])
    yield from _swapped(golden, calls)
    for name, facts in domain.tools.items():
        if facts.effect == "write":
            yield Mutant(f"{name} is called besides", [*calls, _call(len(calls), name, {})])


def _swapped(golden: Golden, calls: list[Call]) -> Iterator[Mutant]:
    """Neighbours in the other order, where order counts and they are not alike."""
    for index in range(len(calls) - 1 if golden.order_sensitive else 0):
        one, other = calls[index : index + 2]
        if golden.calls[index] != golden.calls[index + 1]:
            told = f"calls[{index}] and calls[{index + 1}] ({one.name}, {other.name}) change places"
            yield Mutant(told, [*calls[:index], other, one, *calls[index + 2 :]])


def _wrong_arguments(golden: Golden, index: int, call: Call, config: JudgeConfig) -> Iterator[tuple[str, JsonObject]]:
    """The arguments with one of them wrong, left out, or one too many."""
    wanted, arguments = golden.calls[index], dict(call.arguments or {})
    what = f"calls[{index}] ({call.name})"
    for param, value in wanted.params.items():
        try:
            spoiled = spoiled_of(rule_of(wanted.param_rules.get(param, "exact"), value))
        except NoWitnessError:
            continue
        if spoiled is not MISSING:
            yield f"{param} of {what} is another one", {**arguments, param: spoiled}
        if config.missing is None and param not in config.defaults:
            left = {name: one for name, one in arguments.items() if name != param}
            yield f"{param} of {what} is left out", left
    if config.extra == "forbid":
        yield f"{what} has an argument too many", {**arguments, "no_such_argument": 1}
