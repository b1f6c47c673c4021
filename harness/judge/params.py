"""One call against what is wanted of it: for each parameter, whether it fits, else its one code."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from harness.judge.domain import Domain, ToolFacts, references_in
from harness.judge.finding import Code
from harness.judge.matchers import Matcher, Plain
from harness.judge.matching import mismatch_of
from harness.judge.values import MISSING, Difference, Value, equal
from harness.trace import Call, Trace
from harness.value import Json, JsonObject


class Wanted(msgspec.Struct, frozen=True):
    """A call that is expected or forbidden: its tool and what its arguments must fit.

    `extra`: arguments that are not listed may be there. `missing`: listed ones may be left out. `defaults`: sending
    such a value and leaving it out are the same. `schema`: what the tool's schema refuses fits nothing. `exact`: the
    arguments that certainly fit, being what is wanted; None where that is not known. `text`: how a
    message calls it.
    """

    tool: str
    args: dict[str, Matcher]
    extra: bool = False
    missing: bool = False
    schema: bool = False
    defaults: JsonObject = {}
    exact: JsonObject | None = None
    text: str = ""


class Fault(NamedTuple):
    """Why one parameter does not fit; `param` is empty where it is about the arguments as a whole."""

    param: str
    code: Code
    difference: Difference


class Setting(NamedTuple):
    """What a call is judged in: the trace it stands in and what is known of its tools."""

    trace: Trace
    domain: Domain


_CODES = {
    "missing": Code.PARAM_MISSING,
    "unexpected": Code.PARAM_UNEXPECTED,
    "kind": Code.PARAM_WRONG_FORMAT,
    "format": Code.PARAM_WRONG_FORMAT,
}


def fits(wanted: Wanted, call: Call, setting: Setting) -> bool:
    """Whether the call is of this tool and every argument fits."""
    return call.name == wanted.tool and next(faults_in(wanted, call, setting), None) is None


def faults_of(wanted: Wanted, call: Call, setting: Setting) -> list[Fault]:
    """Every parameter that does not fit, in the order of the expectation, unexpected ones last."""
    if wanted.exact is not None and equal(wanted.exact, call.arguments):
        return []
    return list(faults_in(wanted, call, setting))


def faults_in(wanted: Wanted, call: Call, setting: Setting) -> Iterator[Fault]:
    """As `faults_of`, one after the other."""
    if call.arguments is None:
        if wanted.extra and not wanted.args:
            return
        yield Fault("", Code.ARGUMENTS_UNREADABLE, Difference("", "format", {}, call.raw or "", "no JSON object"))
        return
    arguments = {**wanted.defaults, **call.arguments} if wanted.defaults else call.arguments
    facts = setting.domain.tools.get(call.name)
    refused = facts.refused(call.arguments) if facts and wanted.schema else {}
    for name, matcher in wanted.args.items():
        fault = _fault(matcher, name, arguments.get(name, MISSING), refused.get(name))
        if fault is None and facts is not None and wanted.schema and name in facts.references:
            fault = _invented(matcher, name, arguments.get(name, MISSING), call, setting)
        if fault is not None and not (fault.code is Code.PARAM_MISSING and wanted.missing and name not in arguments):
            yield _more_exactly(fault, call, setting)
    if len(arguments) > len(wanted.args) or arguments.keys() != wanted.args.keys():
        yield from _surplus(wanted, arguments, facts, refused)
    if "" in refused:
        yield Fault("", Code.PARAM_WRONG_FORMAT, Difference("", "format", MISSING, call.arguments, refused[""]))


def _fault(matcher: Matcher, name: str, actual: Value, refused: str | None) -> Fault | None:
    difference = mismatch_of(matcher, actual)
    if difference is None and refused is None:
        return None
    code = Code.PARAM_WRONG_VALUE if difference is None else _CODES.get(difference.why, Code.PARAM_WRONG_VALUE)
    if difference is None or (refused is not None and code is Code.PARAM_WRONG_VALUE):
        return Fault(name, Code.PARAM_WRONG_FORMAT, Difference(name, "format", matcher.written, actual, refused or ""))
    return Fault(name, code, difference.under(name))


def _more_exactly(fault: Fault, call: Call, setting: Setting) -> Fault:
    """A wrong value that is no id at all was made up."""
    facts = setting.domain.tools.get(call.name)
    if fault.code is not Code.PARAM_WRONG_VALUE or facts is None or fault.param not in facts.references:
        return fault
    value = None if call.arguments is None else call.arguments.get(fault.param)
    unknown = _unknown_in(facts, fault.param, value, call, setting)
    return fault if unknown is MISSING else _hallucinated(fault.param, fault.difference.expected, unknown)


def _invented(matcher: Matcher, name: str, actual: Value, call: Call, setting: Setting) -> Fault | None:
    """An id that fits, as `any` and `contains` let it, and yet does not exist."""
    if actual is MISSING or isinstance(matcher, Plain):
        return None
    unknown = _unknown_in(setting.domain.tools[call.name], name, actual, call, setting)
    return None if unknown is MISSING else _hallucinated(name, matcher.written, unknown)


def _hallucinated(name: str, expected: Value, unknown: Value) -> Fault:
    difference = Difference(name, "value", expected, unknown, "no such id is known")
    return Fault(name, Code.PARAM_HALLUCINATED_ID, difference)


def _unknown_in(facts: ToolFacts, name: str, value: Json, call: Call, setting: Setting) -> Value:
    for table, one in references_in(facts.properties[name], value):
        if not setting.domain.knows(table, one, call, setting.trace):
            return one
    return MISSING


def _surplus(
    wanted: Wanted, arguments: JsonObject, facts: ToolFacts | None, refused: dict[str, str]
) -> Iterator[Fault]:
    """Arguments that nothing lists: forbidden, or allowed where the schema has nothing against them."""
    for name, value in arguments.items():
        if name in wanted.args or (name in wanted.defaults and equal(wanted.defaults[name], value)):
            continue
        undeclared = wanted.schema and facts is not None and _closed(facts) and name not in facts.properties
        if not wanted.extra or undeclared:
            yield Fault(name, Code.PARAM_UNEXPECTED, Difference(name, "unexpected", MISSING, value))
        elif name in refused:
            yield Fault(name, Code.PARAM_WRONG_FORMAT, Difference(name, "format", MISSING, value, refused[name]))


def _closed(facts: ToolFacts) -> bool:
    return facts.schema.get("additionalProperties") is False
