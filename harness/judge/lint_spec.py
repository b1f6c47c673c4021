"""A constraint spec tried: whether its names exist, its promises can be kept and broken, and what it does not see."""

from collections.abc import Iterator
from typing import NamedTuple

from harness.judge.constraint_spec import CallPattern, MustCall, Spec
from harness.judge.constraints import constraints_hold
from harness.judge.domain import Domain, ToolFacts
from harness.judge.engine import judge
from harness.judge.finding import Ruling
from harness.judge.lint_state import call_of, run_of, state_remarks
from harness.judge.matcher_forms import matcher_of
from harness.judge.matchers import Plain
from harness.judge.matching import mismatch_of
from harness.judge.remark import Flaw, Remark, unknown_tool
from harness.judge.values import MISSING, shown
from harness.judge.witness import NoWitnessError, spoiled_of, witness_of
from harness.nearest import nearest_of
from harness.schema import refusals_of
from harness.strict_yaml import Document, Path
from harness.trace import Trace
from harness.value import Json, JsonObject


class _Placed(NamedTuple):
    """A pattern of calls and where it stands in the spec."""

    pattern: CallPattern
    path: Path

    @property
    def where(self) -> str:
        return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path).removeprefix(".")


def lint_spec(spec: Spec, document: Document, *, file: str, domain: Domain) -> list[Remark]:
    """All remarks on a spec; raises `BadExpectation` where it cannot be compiled."""
    constraints_hold(spec, document, file=file, domain=domain)
    if not (spec.must_call or spec.must_call_before or spec.must_not_call or spec.final_state):
        return [Remark(Flaw.NOTHING_EXPECTED, "spec", "the spec promises nothing about calls or state")]
    named = [remark for placed in _patterns(spec) for remark in _name_remarks(placed, domain)]
    remarks = [*named, *_contradictions(spec), *state_remarks(spec, domain)]
    if named:
        return remarks
    return [*remarks, *_blind_promises(spec, domain), *_blind_to_writes(spec, document, domain)]


def _patterns(spec: Spec) -> Iterator[_Placed]:
    yield from (_Placed(one, ("must_call", index)) for index, one in enumerate(spec.must_call))
    for index, before in enumerate(spec.must_call_before):
        yield _Placed(before.first, ("must_call_before", index, "first"))
        yield _Placed(before.then, ("must_call_before", index, "then"))
    yield from (_Placed(one, ("must_not_call", index)) for index, one in enumerate(spec.must_not_call))


def _name_remarks(placed: _Placed, domain: Domain) -> Iterator[Remark]:
    """Tools and parameters that do not exist, and values that no call can carry."""
    pattern, where = placed.pattern, placed.where
    facts = domain.tools.get(pattern.tool)
    if not domain.tools:
        return
    if facts is None:
        yield unknown_tool(pattern.tool, domain.tools, where=where, path=placed.path)
        return
    for name, written in pattern.args.items():
        path = (*placed.path, "args", name)
        if name not in facts.properties and facts.schema.get("additionalProperties") is False:
            near = nearest_of(name, facts.properties)
            hint = f"; did you mean {near}?" if near else ""
            yield Remark(Flaw.UNKNOWN_PARAMETER, where, f"{pattern.tool} has no parameter {name}{hint}", path)
        elif (reason := _refusal(facts, name, written)) is not None:
            message = f"{name} of {pattern.tool} can never be {shown(written)}: {reason}"
            yield Remark(Flaw.UNREACHABLE, where, message, path)


def _refusal(facts: ToolFacts, name: str, written: Json) -> str | None:
    """Why the tool's schema refuses a plain value; looser matchers are not tried."""
    if not isinstance(matcher_of(written), Plain) or name not in facts.properties:
        return None
    schema: JsonObject = {"type": "object", "properties": {name: facts.properties[name]}}
    refusals = refusals_of(schema, {name: written}, tool=facts.name)
    return refusals[0].message if refusals else None


def _contradictions(spec: Spec) -> Iterator[Remark]:
    for index, must in enumerate(spec.must_call):
        where, path = f"must_call[{index}]", ("must_call", index)
        if must.count.min == 0 and must.count.max is None:
            yield Remark(Flaw.CANNOT_FAIL, where, "any number of calls is allowed", path)
        forbidden = _forbidden_by(must, spec) if must.count.min else None
        if forbidden is not None:
            message = f"{must.tool} must be called, and must_not_call[{forbidden}] forbids it"
            yield Remark(Flaw.CONTRADICTION, where, message, path)
    pairs = {
        (one.first.tool, one.then.tool) for one in spec.must_call_before if not one.first.args and not one.then.args
    }
    for index, before in enumerate(spec.must_call_before):
        where, path = f"must_call_before[{index}]", ("must_call_before", index)
        first, then = before.first.tool, before.then.tool
        if before.first == before.then or ((first, then) in pairs and (then, first) in pairs):
            message = f"{first} would have to come before {then}, and the other way round"
            yield Remark(Flaw.CONTRADICTION, where, message, path)
        elif (forbidden := _forbidden_by(before.first, spec)) is not None:
            message = f"{first} must come first, and must_not_call[{forbidden}] forbids it"
            yield Remark(Flaw.CONTRADICTION, where, message, path)


def _forbidden_by(pattern: CallPattern, spec: Spec) -> int | None:
    """The first forbidden pattern that a call which fits this one fits too."""
    arguments = _arguments_for(pattern)
    if arguments is None:
        return None
    for index, unwanted in enumerate(spec.must_not_call):
        fits = all(
            mismatch_of(matcher_of(value), arguments.get(name, MISSING)) is None
            for name, value in unwanted.args.items()
        )
        if unwanted.tool == pattern.tool and fits:
            return index
    return None


def _arguments_for(pattern: CallPattern) -> JsonObject | None:
    """Arguments that fit the pattern, None where none were found."""
    try:
        found = {name: witness_of(matcher_of(value)) for name, value in pattern.args.items()}
    except NoWitnessError:
        return None
    return {name: value for name, value in found.items() if value is not MISSING}


def _blind_promises(spec: Spec, domain: Domain) -> Iterator[Remark]:
    """Promises that hold also where their one call is wrong, and writes of which a second is not seen."""
    for index, must in enumerate(spec.must_call):
        where, path = f"must_call[{index}]", ("must_call", index)
        arguments = _arguments_for(must)
        if arguments is None or not must.count.min:
            continue
        for name, value in must.args.items():
            if _holds_without(must, spec, _with_fault(arguments, name, value), domain):
                message = f"{must.tool} with another {name} keeps the promise too"
                yield Remark(Flaw.BLIND, where, message, (*path, "args", name))
        facts = domain.tools.get(must.tool)
        if must.count.max is None and spec.final_state is None and facts is not None and facts.effect == "write":
            message = f"a second {must.tool} would not be seen: give a count, or a final_state"
            yield Remark(Flaw.BLIND, where, message, path)


def _with_fault(arguments: JsonObject, name: str, written: Json) -> JsonObject:
    """The arguments with one that does not fit; left out where every value does."""
    rest = {one: value for one, value in arguments.items() if one != name}
    try:
        value = spoiled_of(matcher_of(written))
    except NoWitnessError:
        return rest
    return rest if value is MISSING else {**rest, name: value}


def _holds_without(must: MustCall, spec: Spec, arguments: JsonObject, domain: Domain) -> bool:
    alone = spec.model_copy(
        update={"input": None, "must_call": [must], "must_call_before": [], "must_not_call": [], "final_state": None}
    )
    expectation = constraints_hold(alone, Document(None, {}), file="", domain=domain)
    calls = [call_of(number, must.tool, arguments) for number in range(max(must.count.min, 1))]
    return judge(run_of(calls, spec), [("expect", expectation)]).verdict is Ruling.PASS


def _blind_to_writes(spec: Spec, document: Document, domain: Domain) -> Iterator[Remark]:
    """Tools that write, and tables, of which one more call or row would not be seen."""
    expectation = constraints_hold(spec, document, file="", domain=domain)
    seen = {one.check: one.outcome for one in expectation(run_of([], spec, domain)).findings}

    def unseen(run: Trace) -> bool:
        return {one.check: one.outcome for one in expectation(run).findings} == seen

    state = spec.final_state
    if state is None:
        writes = [name for name, facts in domain.tools.items() if facts.effect == "write"]
        names = [name for name in writes if unseen(run_of([call_of(0, name, {})], spec, domain))]
        if names:
            message = f"an added {' or '.join(names)} is not seen: nothing forbids it, and there is no final_state"
            yield Remark(Flaw.BLIND, "spec", message)
        return
    for table in domain.tables or {}:
        if unseen(run_of([], spec, domain, added=table)):
            yield Remark(Flaw.BLIND, "final_state", f"a row added to {table} is not seen", ("final_state",))
