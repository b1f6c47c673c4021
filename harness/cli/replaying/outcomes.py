"""What came of each fixture, for people and for programs: plain lines, one JSON object, the exit code of a run."""

from collections import Counter
from collections.abc import Iterable

import click
import msgspec

from harness.cli.judging.judged import Judged
from harness.cli.judging.verdicts import lines_of_case
from harness.errors import DivergedError, HarnessError, StaleError, exit_code_of, sayable_of
from harness.excerpt import visible_of
from harness.judge.finding import Ruling, Verdict
from harness.value import Json, JsonObject, as_json

_REFUSALS = {2: "USAGE", 3: "STALE", 4: "UNREADABLE", 5: "DIVERGED"}
_VERDICT_EXITS = {Ruling.FAIL: 1, Ruling.AGENT_ERROR: 6, Ruling.NOT_JUDGED: 6}
_GATED = {1, 6}
_WIDTH = max(map(len, Ruling))


class Outcome(msgspec.Struct, frozen=True):
    """One fixture (or an orphan): all that is wrong with it; the verdict, None where nothing was judged."""

    id: str
    file: str
    errors: list[HarnessError]
    warnings: list[str] = []
    verdict: Verdict | None = None

    def mended_by(self, command: str | None) -> "Outcome":
        """The same outcome, each drift with this command to mend it, where there is one."""
        for error in self.errors:
            if isinstance(error, StaleError | DivergedError):
                error.mend = command
        return self

    @property
    def status(self) -> str:
        """The worst refusal, else the ruling, else OK."""
        if self.errors:
            return _REFUSALS.get(exit_code_of([one.exit_code for one in self.errors]), "ERROR")
        return str(self.verdict.verdict) if self.verdict else "OK"


def exit_codes_of(outcomes: list[Outcome], *, gate: bool) -> list[int]:
    """Every exit code that some outcome asks for; nothing but skipped ones asks for 6; no gate drops 1 and 6."""
    codes = {error.exit_code for one in outcomes for error in one.errors}
    codes |= {_VERDICT_EXITS.get(one.verdict.verdict, 0) for one in outcomes if one.verdict}
    if all(one.verdict is not None and one.verdict.verdict is Ruling.SKIP for one in outcomes):
        codes.add(6)
    return sorted(codes if gate else codes - _GATED)


def lines_of(outcome: Outcome, *, every: bool, colour: bool) -> list[str]:
    """A fixture in one line; below it each error with its facts, and the findings where something is to be said."""
    if not outcome.errors:
        return _good_lines(outcome, every=every, colour=colour)
    word = outcome.status.ljust(_WIDTH)
    head = click.style(word, fg="red", bold=True) if colour else word
    judged = f"  (judged {outcome.verdict.verdict})" if outcome.verdict else ""
    blocks = [line for error in outcome.errors for line in _error_lines(error)]
    return [f"{head}  {visible_of(outcome.id)}{judged}", *blocks]


def _error_lines(error: HarnessError) -> list[str]:
    first, *rest = visible_of(str(error), keep="\n").split("\n")
    return [f"  {error.code}: {first}", *(f"  {line}" for line in rest)]


def _good_lines(outcome: Outcome, *, every: bool, colour: bool) -> list[str]:
    if outcome.verdict:
        case = Judged(outcome.id, outcome.file, outcome.verdict)
        return lines_of_case(case, outcome.verdict, every=every, colour=colour)
    word = "OK".ljust(_WIDTH)
    return [f"{click.style(word, fg='green', bold=True) if colour else word}  {outcome.id}"]


def summary_of(outcomes: list[Outcome]) -> str:
    """How many of each status, and what the refusals are."""
    counts = Counter(one.status for one in outcomes)
    codes = Counter(error.code for one in outcomes for error in one.errors)
    parts = [f"{count} {status}" for status, count in sorted(counts.items())]
    named = ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
    return f"{len(outcomes)} checked: {', '.join(parts) or 'nothing to replay'}" + (f" ({named})" if named else "")


def warning_lines(outcomes: Iterable[Outcome]) -> list[str]:
    """Each warning once, with how many fixtures it concerns."""
    counts = Counter(warning for one in outcomes for warning in one.warnings)
    return [f"warning: {visible_of(text)} ({count} of the fixtures)" for text, count in sorted(counts.items())]


def json_of(outcomes: list[Outcome], code: int) -> JsonObject:
    """All outcomes as one JSON value."""
    statuses = Counter(one.status for one in outcomes)
    codes = Counter(error.code for one in outcomes for error in one.errors)
    return {
        "summary": {"count": len(outcomes), "statuses": dict(statuses), "errors": dict(codes), "exit": code},
        "results": [_json_of_one(one) for one in outcomes],
    }


def _json_of_one(outcome: Outcome) -> Json:
    return {
        "id": sayable_of(outcome.id),
        "file": sayable_of(outcome.file),
        "status": outcome.status,
        "errors": [dict(error.facts()) for error in outcome.errors],
        "warnings": list(outcome.warnings),
        "verdict": as_json(outcome.verdict) if outcome.verdict else None,
    }
