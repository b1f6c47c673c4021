"""A constraint spec, compiled: each promise one check, each with the options that hold for it."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from harness.judge.constraint_checks import Check, Must, Order, input_is, must_call, must_call_before, must_not_call
from harness.judge.constraint_spec import Before, CallPattern, MustCall, Spec, check_case, located, spec_of
from harness.judge.domain import UNKNOWN, Domain, not_offered
from harness.judge.effects import effects_hold
from harness.judge.engine import Expectation, Found
from harness.judge.matcher_forms import MatcherError, matcher_of
from harness.judge.matchers import Matcher
from harness.judge.params import Setting, Wanted
from harness.judge.repairs import Names, Repairs, loose_integers, repaired
from harness.judge.values import shown
from harness.strict_yaml import Document, Path
from harness.trace import Trace
from harness.value import JsonObject


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


def expectation_of(raw: bytes, *, file: str, domain: Domain = UNKNOWN, scenario: str | None = None) -> Expectation:
    """The expectation in the bytes of an `expect.yaml`, which is that of `scenario`; raises `BadExpectation`."""
    spec, document = spec_of(raw, file=file)
    if scenario is not None:
        check_case(spec, document, file=file, scenario=scenario)
    return constraints_hold(spec, document, file=file, domain=domain)


def constraints_hold(spec: Spec, document: Document, *, file: str, domain: Domain) -> Expectation:
    """A spec, compiled: one finding for each promise, and for each table and row of `final_state`."""
    source = _Source(document, file)
    checks = _checks_of(spec, source)
    effects = None if spec.final_state is None else effects_hold(spec.final_state, domain, source.matchers)
    names = None if spec.names is None else Names(spec.names.strip, spec.names.drop_prefix)
    repairs = Repairs(names, coerce=spec.coerce is not None)
    unoffered = list(_unoffered(spec, domain)) if domain.tools else []

    def expectation(seen: Trace) -> Found:
        trace, notes = repaired(seen, repairs, domain)
        setting = Setting(trace, domain)
        findings = [check(setting) for check in checks]
        return Found(
            [*findings, *(effects(trace) if effects else [])], [*notes, *loose_integers(trace, domain), *unoffered]
        )

    return expectation


def _unoffered(spec: Spec, domain: Domain) -> Iterator[str]:
    """A note for each promise about a tool that cannot be called."""
    promised = [(f"must_call[{index}]", one.tool) for index, one in enumerate(spec.must_call)]
    promised += [(f"must_not_call[{index}]", one.tool) for index, one in enumerate(spec.must_not_call)]
    for index, one in enumerate(spec.must_call_before):
        promised += [(f"must_call_before[{index}]", tool) for tool in (one.first.tool, one.then.tool)]
    for where, tool in promised:
        if tool not in domain.tools:
            yield f"{where}: {not_offered(tool, domain.tools)}"


def _checks_of(spec: Spec, source: _Source) -> list[Check]:
    checks: list[Check] = [] if spec.input is None else [partial(input_is, spec.input)]
    for index, must in enumerate(spec.must_call):
        wanted = _wanted_of(must, spec, source.matchers(must.args, ("must_call", index, "args")))
        name = f"must_call[{index}] {must.tool}"
        most, any_outcome = must.count.max, must.outcome == "any"
        checks.append(
            partial(must_call, Must(name, wanted, must.count.min, most, any_outcome, must.coerce is not None))
        )
    for index, before in enumerate(spec.must_call_before):
        path = ("must_call_before", index)
        first = _pattern_of(before.first, spec, source.matchers(before.first.args, (*path, "first", "args")))
        then = _pattern_of(before.then, spec, source.matchers(before.then.args, (*path, "then", "args")))
        name = f"must_call_before[{index}] {first.tool} → {then.tool}"
        checks.append(partial(must_call_before, Order(name, first, then, _strict(before, spec))))
    for index, unwanted in enumerate(spec.must_not_call):
        pattern = _pattern_of(unwanted, spec, source.matchers(unwanted.args, ("must_not_call", index, "args")))
        checks.append(partial(must_not_call, f"must_not_call[{index}] {unwanted.tool}", pattern))
    return checks


def _wanted_of(must: MustCall, spec: Spec, args: dict[str, Matcher]) -> Wanted:
    """Options of the call go before those of the spec."""
    return Wanted(
        must.tool,
        args,
        extra=(must.extra or spec.extra) == "allow",
        missing=(must.missing or spec.missing) == "allow",
        defaults=spec.defaults if must.defaults is None else must.defaults,
        text=_text_of(must.tool, args),
    )


def _pattern_of(pattern: CallPattern, spec: Spec, args: dict[str, Matcher]) -> Wanted:
    return Wanted(pattern.tool, args, extra=True, defaults=spec.defaults, text=_text_of(pattern.tool, args))


def _text_of(tool: str, args: dict[str, Matcher]) -> str:
    """`create_refund with order_id 4021, amount 89.99`."""
    listed = ", ".join(f"{name} {shown(matcher.written)}" for name, matcher in args.items())
    return f"{tool} with {listed}" if listed else tool


def _strict(before: Before, spec: Spec) -> bool:
    return spec.strict_turns if before.strict_turns is None else before.strict_turns
