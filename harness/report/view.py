"""A result as its page shows it: every value as text, golden and actual calls side by side, what was said in order.

The page's script only lays this out. Numbers stay as written, which a script's own numbers would not.
"""

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from harness.excerpt import visible_of
from harness.judge.finding import Finding, Ruling, Rung, Status
from harness.report.report import Made, Place, Result
from harness.report.result import ExpectedCall, golden_calls_of
from harness.transcript import Change
from harness.value import Json, JsonObject, encode

Fit: TypeAlias = Literal["same", "differs", "missing", "extra", "allowed", "unknown"]

_FIRST_STEP = re.compile(r"^[^.\[]*")
_SEARCHED = 400  # characters of what the user said that the search looks at


class Card(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call: its arguments as `[name, value, differs]`; `raw` is what the model wrote in place of arguments.

    `id` is the call's as transcripts name it; an expected call has none.
    """

    name: str
    id: str = ""
    args: list[tuple[str, str, bool]] = []
    raw: str | None = None
    error: bool = False


class Pair(msgspec.Struct, frozen=True, omit_defaults=True):
    """An expected call beside the actual one, and each place that differs as `[path, expected, actual, note]`."""

    fit: Fit
    golden: Card | None = None
    actual: Card | None = None
    lines: list[tuple[str, str, str, str]] = []


class Check(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finding: its promise, how it came out, and where the values part."""

    outcome: Status
    check: str
    message: str
    code: str = ""
    rung: str = ""
    lines: list[tuple[str, str, str, str]] = []


class RowChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A row of the world that a call changed: its fields as `[name, before, after]`, only those that differ."""

    call: str
    table: str
    key: str
    how: Literal["added", "changed", "removed"]
    fields: list[tuple[str, str, str]]


class Words(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that was said or done; `who` is user, assistant, call or result."""

    who: Literal["user", "assistant", "call", "result"]
    text: str
    call: str = ""
    error: bool = False


class View(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the page shows of one result beside its line in the list."""

    pairs: list[Pair]
    checks: list[Check]
    changes: list[RowChange]
    talk: list[Words]
    warnings: list[str]
    facts: list[tuple[str, str]]
    reason: str = ""
    expectation: str = ""


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A result's line in the list, and what the filters and the search look at."""

    case: str
    trial: int
    verdict: str
    reason: str
    said: str
    dimension: str = ""
    group: str = ""
    variant: str = ""
    rung: str = ""
    codes: list[str] = []
    tools: list[str] = []


def entry_of(result: Result) -> Entry:
    """The line of a result in the list."""
    broken = result.verdict is Ruling.FAIL  # else what some check found is not why
    failed = [finding.message for finding in result.findings if broken and finding.outcome is Status.FAIL]
    users = [said.text for said in result.trace.said if said.role == "user"] if result.trace else []
    return Entry(
        case=visible_of(result.case),
        trial=result.trial,
        verdict=result.verdict,
        reason=visible_of("; ".join(failed[:3]) or result.reason),
        said=visible_of(" ".join(users)[:_SEARCHED]),
        dimension=visible_of(result.dimension or ""),
        group=visible_of(result.group or ""),
        variant=visible_of(result.variant or ""),
        rung=result.rung or "",
        codes=[*result.taxonomy],
        tools=[*map(visible_of, result.tools)],
    )


def view_of(result: Result) -> View:
    """What the page shows of a result when it is opened."""
    golden = golden_calls_of(result.golden)
    return View(
        pairs=list(_pairs(result, golden)),
        checks=[*_checks(result)],
        changes=[*_changes(result)],
        talk=[*_talk(result)],
        warnings=[*map(visible_of, result.warnings)],
        facts=[(name, visible_of(text)) for name, text in _facts(result)],
        reason=visible_of(result.reason),
        expectation="" if golden or result.golden is None else pretty(result.golden),
    )


def pretty(value: Json) -> str:
    """A value as JSON in several lines, numbers as written."""
    return visible_of(msgspec.json.format(encode(value), indent=2).decode(), keep="\n")


def _compact(value: Json) -> str:
    return visible_of(encode(value).decode())


def _pairs(result: Result, golden: list[ExpectedCall]) -> Iterator[Pair]:
    calls = {call.number: call for call in result.trace.calls} if result.trace else {}
    partner = _partners(result.findings)
    for index, wanted in enumerate(golden):
        call = calls.pop(partner[index], None) if index in partner else None
        broken = [finding for finding in result.findings if _is_about(finding, index, call)]
        card = Card(visible_of(wanted.name), "", _args(wanted.arguments, _marked(broken), wanted.rules))
        actual = None if call is None else _card(call, _marked(broken))
        fit: tuple[Fit, Fit] = ("missing", "differs") if broken else ("unknown", "same")
        yield Pair(fit[call is not None], card, actual, _lines([one for one in result.diff if one.golden == index]))
    for call in calls.values():
        broken = [finding for finding in result.findings if _is_about(finding, None, call)]
        yield Pair("extra" if broken else "allowed", None, _card(call, _marked(broken)))


def _partners(findings: list[Finding]) -> dict[int, int]:
    """Which call each golden call was compared with, as the findings say; one call has one golden call."""
    partner: dict[int, int] = {}
    for finding in findings:
        if finding.golden is not None and finding.call is not None and finding.call not in partner.values():
            partner.setdefault(finding.golden, finding.call)
    return partner


def _is_about(finding: Finding, golden: int | None, call: Made | None) -> bool:
    if finding.outcome is not Status.FAIL or finding.rung is Rung.EFFECTS:
        return False
    return (golden is not None and finding.golden == golden) or (call is not None and finding.call == call.number)


def _marked(findings: list[Finding]) -> set[str]:
    """The arguments in which something is wrong."""
    return {_FIRST_STEP.findall(finding.path)[0] for finding in findings} - {""}


def _args(arguments: Json, marked: set[str], rules: JsonObject | None = None) -> list[tuple[str, str, bool]]:
    if not isinstance(arguments, dict):
        return []
    return [
        (visible_of(name), _ruled(value, (rules or {}).get(name)), name in marked) for name, value in arguments.items()
    ]


def _ruled(value: Json, rule: Json) -> str:
    """A golden value with the rule by which it is compared; for the rule `any` the value says nothing."""
    if rule == "any":
        return "any value"
    return _compact(value) + (f" ({rule})" if rule not in (None, "exact") else "")


def _card(call: Made, marked: set[str]) -> Card:
    return Card(
        name=visible_of(call.name),
        id=visible_of(call.id),
        args=_args(call.arguments, marked),
        raw=None if call.raw is None else visible_of(call.raw),
        error=call.is_error,
    )


def _lines(places: list[Place]) -> list[tuple[str, str, str, str]]:
    lines = [line for place in places for line in place.lines]
    return [
        (visible_of(one.path), visible_of(one.expected), visible_of(one.actual), visible_of(one.note)) for one in lines
    ]


def _checks(result: Result) -> Iterator[Check]:
    places = {place.finding: place for place in result.diff}
    for number, finding in enumerate(result.findings):
        yield Check(
            outcome=finding.outcome,
            check=visible_of(finding.check),
            message=visible_of(finding.message),
            code=finding.code or "",
            rung=finding.rung or "",
            lines=_lines([places[number]] if number in places else []),
        )


def _changes(result: Result) -> Iterator[RowChange]:
    if result.trace and result.trace.changes:
        callers = {call.id: f"{call.id} {call.name}" for call in reversed(result.trace.calls)}
        for change in result.trace.changes:
            yield _change(change, callers.get(change.call, change.call))


def _change(change: Change, caller: str) -> RowChange:
    before, after = (row if isinstance(row, dict) else {} for row in (change.before, change.after))
    names = [name for name in dict.fromkeys([*before, *after]) if _shown(before, name) != _shown(after, name)]
    how: Literal["added", "changed", "removed"] = "changed"
    if change.before is None or change.after is None:
        how = "added" if change.before is None else "removed"
    fields = [(visible_of(name), _shown(before, name), _shown(after, name)) for name in names]
    return RowChange(visible_of(caller), visible_of(change.table), _compact(change.key), how, fields)


def _shown(row: dict[str, Json], name: str) -> str:
    return _compact(row[name]) if name in row else ""


def _talk(result: Result) -> Iterator[Words]:
    """What was said and done, turn by turn; a result stands below its call."""
    if result.trace is None:
        return
    said: list[tuple[int, int, list[Words]]] = [
        (one.turn, -1, [Words(one.role, visible_of(one.text, keep="\n"))]) for one in result.trace.said
    ]
    made = [(call.turn, call.number, _words_of(call)) for call in result.trace.calls]
    for _, _, words in sorted([*said, *made], key=lambda item: item[:2]):
        yield from words


def _words_of(call: Made) -> list[Words]:
    name = visible_of(call.id)
    return [Words("call", _call_text(call), name), Words("result", _result_text(call), name, call.is_error)]


def _call_text(call: Made) -> str:
    if call.arguments is None:
        return f"{visible_of(call.name)} {visible_of(call.raw or '')}"
    return f"{visible_of(call.name)} {_compact(call.arguments)}"


def _result_text(call: Made) -> str:
    return "no result" if call.result is None else visible_of(call.result, keep="\n")


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    if result.rung:
        yield "highest rung held", result.rung
    if result.trace:
        yield "ended as", result.trace.outcome + (f": {result.trace.error}" if result.trace.error else "")
        yield "turns", str(result.trace.turn_count)
        yield "calls", str(result.trace.call_count)
        if result.trace.left_out:
            yield "not shown here", f"{result.trace.left_out} texts, calls and changes of a long conversation"
    if result.tokens:
        amounts = msgspec.structs.asdict(result.tokens).items()
        yield "tokens", ", ".join(f"{name} {amount}" for name, amount in amounts if amount is not None)
    if result.evidence:
        yield "evidence", result.evidence
