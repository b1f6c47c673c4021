"""Verdicts for people and for programs: plain lines, one JSON object, and the exit code of a run."""

from collections.abc import Iterable

import click

from harness.cli.common import say
from harness.cli.judged import Judged
from harness.excerpt import visible_of
from harness.judge.finding import SEMANTICS_VERSION, Finding, Ruling, Status, Verdict
from harness.value import Json, JsonObject, decode, encode

_COLOURS = {
    Ruling.PASS: "green", Ruling.FAIL: "red", Ruling.SKIP: "blue",
    Ruling.AGENT_ERROR: "magenta", Ruling.NOT_JUDGED: "yellow",
}  # fmt: skip
_EXITS = {Ruling.FAIL: 1, Ruling.AGENT_ERROR: 6, Ruling.NOT_JUDGED: 6}
_WIDTH = max(map(len, Ruling))
_PERCENT = 100


def counts_of(judged: Iterable[Judged]) -> dict[Ruling, int]:
    """How many cases came out which way; every ruling stands there."""
    counts = dict.fromkeys(Ruling, 0)
    for one in judged:
        if one.verdict is not None:
            counts[one.verdict.verdict] += 1
    return counts


def exit_codes_of(judged: list[Judged], *, fail_under: float | None, gate: bool) -> list[int]:
    """Every exit code that some case asks for; `fail_under` (percent) replaces 1, no gate drops 1 and 6."""
    counts = counts_of(judged)
    codes = {one.error.exit_code for one in judged if one.error is not None}
    if not gate:
        return sorted(codes)
    codes |= {_EXITS[ruling] for ruling, count in counts.items() if count and ruling in _EXITS}
    scored = counts[Ruling.PASS] + counts[Ruling.FAIL]
    if not scored:
        codes.add(6)
    if fail_under is not None:
        codes.discard(1)
        if scored and counts[Ruling.PASS] * _PERCENT < fail_under * scored:
            codes.add(1)
    return sorted(codes)


def json_of(judged: list[Judged]) -> JsonObject:
    """All verdicts and errors as one JSON value."""
    counts = counts_of(judged)
    scored = counts[Ruling.PASS] + counts[Ruling.FAIL]
    return {
        "semanticsVersion": SEMANTICS_VERSION,
        "summary": {
            "verdict_counts": {str(ruling): count for ruling, count in counts.items()},
            "scored_count": scored,
            "accuracy": counts[Ruling.PASS] / scored if scored else None,
        },
        "results": [_result_of(one, one.verdict) for one in judged if one.verdict is not None],
        "errors": [dict(one.error.facts()) for one in judged if one.error is not None],
    }


def _result_of(one: Judged, verdict: Verdict) -> Json:
    fields = decode(encode(verdict))
    return {"case": one.case, "file": one.file, **(fields if isinstance(fields, dict) else {})}


def print_cases(judged: list[Judged], *, every: bool, colour: bool) -> None:
    """All cases and the summary on stdout, what could not be read on stderr."""
    lines = [
        line
        for one in judged
        if one.verdict is not None
        for line in lines_of_case(one, one.verdict, every=every, colour=colour)
    ]
    click.echo("\n".join([*lines, summary_line(judged)]))
    for one in judged:
        if one.error is not None:
            say(one.error)


def lines_of_case(one: Judged, verdict: Verdict, *, every: bool, colour: bool) -> list[str]:
    """A case in one line; below it its findings, where something is to be said or `every` asks for them."""
    word = verdict.verdict.ljust(_WIDTH)
    head = click.style(word, fg=_COLOURS[verdict.verdict], bold=True) if colour else word
    rung = f"; holds up to {verdict.rung}" if verdict.rung else ""
    lines = [f"{head}  {one.case}  ({visible_of(verdict.reason)}{rung})"]
    if every or verdict.verdict is not Ruling.PASS:
        lines += [f"  {_finding_line(finding)}" for finding in verdict.findings]
    lines += [f"  note: {visible_of(note)}" for note in verdict.warnings]
    if not verdict.findings and verdict.verdict is Ruling.NOT_JUDGED:
        lines.append(f"  next: fc-judge suggest {one.file}")
    return lines


def _finding_line(finding: Finding) -> str:
    code = f"{finding.code}: " if finding.code else ""
    mark = {Status.PASS: "ok", Status.FAIL: "FAIL", Status.NOT_JUDGED: "?", Status.NOT_APPLICABLE: "-"}
    return f"{mark[finding.outcome]:4} {visible_of(finding.check)}: {code}{visible_of(finding.message)}"


def summary_line(judged: list[Judged]) -> str:
    """The counts of all rulings that occur, errors beside them, and the accuracy with both its numbers."""
    counts = counts_of(judged)
    parts = [f"{count} {ruling}" for ruling, count in counts.items() if count]
    unread = sum(one.error is not None for one in judged)
    if unread:
        parts.append(f"{unread} unreadable")
    scored = counts[Ruling.PASS] + counts[Ruling.FAIL]
    rate = f"{counts[Ruling.PASS]}/{scored}" + (f" ({counts[Ruling.PASS] / scored:.1%})" if scored else "")
    return f"{len(judged)} judged: {', '.join(parts) or 'nothing'}; accuracy {rate}"
