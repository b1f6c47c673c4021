"""One case's verdict and evidence to its result in the report."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from harness.fixture import Digest
from harness.judge.finding import Code, Finding, Ruling, Status, Verdict
from harness.judge.values import MISSING
from harness.report.cut import LONGEST_TEXT, cut_json, cut_list, cut_object, cut_text, cut_value
from harness.report.report import Made, Place, Result, Said, Shown
from harness.report.typed_diff import DiffLine, shown_value, typed_diff_of
from harness.trace import Call, Trace
from harness.transcript import AssistantTurn, Change, TokenLedger, Turn, UserTurn, text_of
from harness.value import Json, JsonObject

_MOST = 200  # texts, calls and changes shown of one conversation
_CODES = list(Code)
_ABOUT_A_CHAIN = (Code.CHAIN_UNLINKED, Code.CHAIN_INCOMPLETE)  # what is wrong is no value that another should be
_WORDS = re.compile(r"[\w-]+")
_AMOUNTS = TokenLedger.__struct_fields__


class Subject(NamedTuple):
    """Which trial of which case; `group` is the scenario it is a variant of, `variant` which one."""

    case: str
    trial: int
    dimension: str | None = None
    group: str | None = None
    variant: str | None = None


def result_of(  # noqa: PLR0913  the parts of a result, each by its name
    subject: Subject,
    verdict: Verdict,
    *,
    trace: Trace | None,
    golden: Json = None,
    registered: Collection[str] | None = None,
    evidence: Digest | None = None,
) -> Result:
    """The result of a judged case; `trace` is None where there was nothing to judge.

    `golden` is the expectation as written. `registered` are the tools that the model was offered, None where that is
    not known: only they can be among the tools that failures are about.
    """
    failures = [finding for finding in verdict.findings if finding.outcome is Status.FAIL]
    calls = trace.calls if trace else []
    tools = {name for finding in failures for name in _names_in(finding, golden, calls, registered)}
    return Result(
        **subject._asdict(),
        verdict=verdict.verdict,
        reason=cut_text(verdict.reason),
        taxonomy=taxonomy_of(failures) if verdict.verdict is Ruling.FAIL else [],
        rung=verdict.rung,
        golden=cut_json(golden),
        trace=_shown(trace) if trace else None,
        warnings=[*map(cut_text, verdict.warnings)],
        diff=list(_places(verdict.findings, golden, calls)),
        findings=[*map(_cut_finding, verdict.findings)],
        tools=sorted(name for name in tools if registered is None or name in registered),
        tokens=_tokens_of(trace.turns) if trace else None,
        evidence=evidence,
    )


def taxonomy_of(failures: list[Finding]) -> list[Code]:
    """The codes of these findings, each once, in the order of `Code`."""
    codes = {finding.code for finding in failures}
    return [code for code in _CODES if code in codes]


class ExpectedCall(NamedTuple):
    """A call that is expected: its tool, its arguments, and by which rule each is compared where that is said."""

    name: str
    arguments: Json
    rules: JsonObject


def golden_calls_of(golden: Json) -> list[ExpectedCall]:
    """The calls that an expectation asks for, in the order in which findings number them."""
    match golden:
        case {"calls": list(calls)}:
            return [_golden_call(call) for call in calls]
        case _:
            return []


def _golden_call(call: Json) -> ExpectedCall:
    match call:
        case {"tool": str(name), "params": params, "param_rules": dict(rules)}:
            return ExpectedCall(name, params, rules)
        case {"tool": str(name), "params": params}:
            return ExpectedCall(name, params, {})
        case _:
            return ExpectedCall("", call, {})


def _names_in(finding: Finding, golden: Json, calls: list[Call], registered: Collection[str] | None) -> Iterator[str]:
    """The tools that a finding is about: that of the expected call, of the actual one, and those its check names."""
    expected = golden_calls_of(golden)
    if finding.golden is not None and finding.golden < len(expected):
        yield expected[finding.golden].name
    if finding.call is not None and finding.call < len(calls):
        yield calls[finding.call].name
    yield from (word for word in _WORDS.findall(finding.check) if registered and word in registered)


def _places(findings: list[Finding], golden: Json, calls: list[Call]) -> Iterator[Place]:
    for number, finding in enumerate(findings):
        if finding.outcome is Status.FAIL and finding.code not in _ABOUT_A_CHAIN:
            lines = _lines_of(finding, golden, calls)
            if lines:
                yield Place(number, finding.golden, finding.call, lines)


def _lines_of(finding: Finding, golden: Json, calls: list[Call]) -> list[DiffLine]:
    if finding.expected is not MISSING or finding.actual is not MISSING:
        return typed_diff_of(finding.expected, finding.actual, path=finding.path)
    wanted = golden_calls_of(golden)
    expected = actual = "nothing"
    if finding.golden is not None and finding.golden < len(wanted):
        expected = call_text(wanted[finding.golden].name, wanted[finding.golden].arguments)
    if finding.call is not None and finding.call < len(calls):
        actual = call_text(calls[finding.call].name, calls[finding.call].arguments)
    return [] if expected == actual else [DiffLine(finding.path, expected, actual)]


def call_text(name: str, arguments: Json) -> str:
    """A call in one line: `create_refund(order_id=4021, reason="damaged")`."""
    if not isinstance(arguments, dict):
        return f"{name}({'' if arguments is None else shown_value(arguments)})"
    return f"{name}({', '.join(f'{key}={shown_value(value, limit=60)}' for key, value in arguments.items())})"


def _cut_finding(finding: Finding) -> Finding:
    if finding.expected is MISSING and finding.actual is MISSING and len(finding.message) <= LONGEST_TEXT:
        return finding
    return replace(
        finding,
        expected=cut_value(finding.expected),
        actual=cut_value(finding.actual),
        message=cut_text(finding.message),
    )


def _shown(trace: Trace) -> Shown:
    said, more_said = cut_list([*_said_in(trace.turns)], _MOST)
    calls, more_calls = cut_list(trace.calls, _MOST)
    changes, more_changes = cut_list(trace.effects.changes if trace.effects else [], _MOST)
    return Shown(
        outcome=trace.outcome,
        error=None if trace.error is None else cut_text(trace.error),
        turn_count=len(trace.turns),
        call_count=len(trace.calls),
        said=said,
        calls=[*map(_made, calls)],
        changes=[*map(_cut_change, changes)] if trace.effects else None,
        left_out=more_said + more_calls + more_changes,
    )


def _said_in(turns: list[Turn]) -> Iterator[Said]:
    for index, turn in enumerate(turns):
        match turn:
            case UserTurn():
                yield Said(index, "user", cut_text(text_of(turn)))
            case AssistantTurn() if text := text_of(turn):
                yield Said(index, "assistant", cut_text(text))
            case _:
                pass


def _made(call: Call) -> Made:
    return Made(
        number=call.number,
        turn=call.turn,
        id=cut_text(call.id),
        name=cut_text(call.name),
        arguments=None if call.arguments is None else cut_object(call.arguments),
        raw=None if call.raw is None else cut_text(call.raw),
        result=None if call.result is None else cut_text(call.result),
        is_error=call.is_error,
    )


def _cut_change(change: Change) -> Change:
    return replace(change, before=cut_json(change.before), after=cut_json(change.after))


def _tokens_of(turns: list[Turn]) -> TokenLedger | None:
    """The sum over all answers; an amount that none of them reported stays null, None where none reported any."""
    ledgers = [turn.token_ledger for turn in turns if isinstance(turn, AssistantTurn)]
    sums = [_sum_of([getattr(ledger, name) for ledger in ledgers]) for name in _AMOUNTS]
    return None if all(amount is None for amount in sums) else TokenLedger(*sums)


def _sum_of(amounts: list[int | None]) -> int | None:
    reported = [amount for amount in amounts if amount is not None]
    return sum(reported) if reported else None
