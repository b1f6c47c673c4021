"""Verdicts for people: a line a case, its findings below it, the counts at the end, and the exit code of it all."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import click

from harness.cli.judging.judged import Judged
from harness.errors import ScenarioMissing
from harness.excerpt import visible_of
from harness.judge.finding import Finding, Ruling, Status, Verdict

_COLOURS = {
    Ruling.PASS: "green", Ruling.FAIL: "red", Ruling.SKIP: "blue",
    Ruling.AGENT_ERROR: "magenta", Ruling.NOT_JUDGED: "yellow",
}  # fmt: skip
_MARKS = {Status.PASS: "ok", Status.FAIL: "FAIL", Status.NOT_JUDGED: "?", Status.NOT_APPLICABLE: "-"}
_EXITS = {Ruling.FAIL: 1, Ruling.AGENT_ERROR: 6, Ruling.NOT_JUDGED: 6}
_WIDTH = max(map(len, Ruling))
_PERCENT = 100
_PARTICULAR = re.compile(r'"[^"]*"|[0-9]+')


@dataclass
class Counts:
    """How many cases came out which way, and the exit codes of errors: what is unreadable, or without its scenario."""

    rulings: Counter[Ruling] = field(default_factory=Counter)
    errors: list[int] = field(default_factory=list)

    @property
    def scored(self) -> int:
        """PASS and FAIL: what the accuracy is a share of."""
        return self.rulings[Ruling.PASS] + self.rulings[Ruling.FAIL]

    def exit_codes(self, *, fail_under: float | None, gate: bool) -> list[int]:
        """Every exit code that some case asks for; `fail_under` (percent) replaces 1, no gate drops 1 and 6."""
        codes = set(self.errors)
        if not gate:
            return sorted(codes)
        codes |= {_EXITS[ruling] for ruling, count in self.rulings.items() if count and ruling in _EXITS}
        if not self.scored:
            codes.add(6)
        if fail_under is not None:
            codes.discard(1)
            if self.scored and self.rulings[Ruling.PASS] * _PERCENT < fail_under * self.scored:
                codes.add(1)
        return sorted(codes)

    @property
    def line(self) -> str:
        """The counts of all rulings that occur, errors beside them, and the accuracy with both its numbers."""
        parts = [f"{self.rulings[ruling]} {ruling}" for ruling in Ruling if self.rulings[ruling]]
        lost = self.errors.count(ScenarioMissing.exit_code)
        unreadable = len(self.errors) - lost
        parts += [f"{unreadable} unreadable"] if unreadable else []
        parts += [f"{lost} without their scenario"] if lost else []
        total = sum(self.rulings.values()) + unreadable
        passed = self.rulings[Ruling.PASS]
        rate = f"accuracy {passed}/{self.scored} ({passed / self.scored:.1%})" if self.scored else "nothing scored"
        return f"{total} judged: {', '.join(parts) or 'nothing'}; {rate}"


def lines_of_case(one: Judged, verdict: Verdict, *, every: bool, colour: bool) -> list[str]:
    """A case in one line; below it its findings, where something is to be said or `every` asks for them."""
    word = verdict.verdict.ljust(_WIDTH)
    head = click.style(word, fg=_COLOURS[verdict.verdict], bold=True) if colour else word
    rung = f"; holds up to {verdict.rung}" if verdict.rung else ""
    lines = [f"{head}  {visible_of(one.case)}  ({visible_of(verdict.reason)}{rung})"]
    if every or verdict.verdict is not Ruling.PASS:
        lines += [f"  {visible_of(line)}" for line in _finding_lines(verdict.findings, every=every)]
    lines += [f"  note: {visible_of(note)}" for note in verdict.warnings]
    if not verdict.findings and verdict.verdict is Ruling.NOT_JUDGED:
        lines.append(f"  next: fc-judge suggest {visible_of(one.file)}")
    return lines


def _finding_lines(findings: Iterable[Finding], *, every: bool) -> Iterator[str]:
    """A line a finding; one line where several say the same of different rows or calls, unless `every` asks for all."""
    alike: dict[object, list[Finding]] = {}
    for number, finding in enumerate(findings):
        same = (finding.check, finding.outcome, finding.code, _PARTICULAR.sub("…", finding.message))
        alike.setdefault(number if every else same, []).append(finding)
    for first, *rest in alike.values():
        code = f"{first.code}: " if first.code else ""
        more = f" (and {len(rest)} more alike)" if rest else ""
        yield f"{_MARKS[first.outcome]:4} {first.check}: {code}{first.message}{more}"
