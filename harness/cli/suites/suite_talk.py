"""What a suite's run says while it goes on, on stderr, and what came of it, on stdout."""

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness import raw_run
from harness.cli.said import drawing_on
from harness.cli.suites.suite_plan import SuitePlan
from harness.excerpt import counted, shortened, visible_of
from harness.raw_run import UNANSWERED, RawRun, Trial, asked_again_text, outcomes_before
from harness.transcript import TokenLedger
from harness.value import Json

if TYPE_CHECKING:
    from rich.progress import TaskID

_SHOWN = 300
_AMOUNTS = TokenLedger.__struct_fields__


class Lines:
    """A line a trial: for logs."""

    def __init__(self) -> None:
        self._done = self._all = 0

    def begin(self, plan: SuitePlan, pending: list[Trial]) -> None:
        """Say what is about to happen."""
        self._all = len(pending)
        for line in opening_of(plan, pending):
            self.line(line)

    def done(self, trials: list[Trial]) -> None:
        """Say what became of these trials."""
        for trial in trials:
            self._done += 1
            self.line(f"[{self._done:>{len(str(self._all))}}/{self._all}] {line_of(trial)}")

    def end(self) -> None:
        """Nothing is open."""

    def line(self, line: str) -> None:
        """Write one line."""
        click.echo(line, err=True)


class Bar(Lines):
    """A progress bar: for people. Trials that did not end well stand above it."""

    def __init__(self) -> None:
        super().__init__()
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[broken]}"), TimeRemainingColumn(compact=True, elapsed_when_finished=True),
        )  # fmt: skip
        self._progress = Progress(*columns, console=Console(file=drawing_on(sys.stderr)))
        self._task: TaskID | None = None
        self._broken = 0

    def begin(self, plan: SuitePlan, pending: list[Trial]) -> None:
        """Open the bar."""
        super().begin(plan, pending)
        self._task = self._progress.add_task(plan.suite.id, total=len(pending), broken="")
        self._progress.start()

    def done(self, trials: list[Trial]) -> None:
        """Move the bar."""
        assert self._task is not None  # noqa: S101  a run begins before it does anything
        for trial in trials:
            if trial.error:
                self._broken += 1
                self._progress.console.print(line_of(trial), markup=False, highlight=False, soft_wrap=True)
            broken = f"{self._broken} ended badly" if self._broken else ""
            self._progress.update(self._task, advance=1, broken=broken)

    def end(self) -> None:
        """Close the bar."""
        self._progress.stop()


def progress() -> Lines:
    """A bar on a terminal, lines elsewhere and where CI or TERM=dumb say that nobody watches."""
    watched = sys.stderr.isatty() and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"
    return Bar() if watched else Lines()


def opening_of(plan: SuitePlan, pending: list[Trial]) -> list[str]:
    """What is about to happen, and what a person may have overlooked."""
    head = plan.head
    who = f"{head.model} at {head.asked.host} ({head.asked.provider}, {head.asked.api})"
    cases, trials = counted(len(head.selection.cases), "case"), counted(head.selection.trials, "trial")
    finished = len(head.selection.cases) * head.selection.trials - len(pending)
    lines = [f"{head.id}: {plan.suite.id}, {cases}, {trials} each, from {visible_of(who)}"]
    if finished:
        lines.append(f"  {finished} finished or skipped already, {len(pending)} to ask")
    if head.asked.provider == "openrouter" and not _pinned(head.asked.params.get("provider")):
        lines.append(
            "  OpenRouter may send each request to another host; to pin one: "
            """--extra-body '{"provider": {"order": ["NAME"], "allow_fallbacks": false}}'"""
        )
    return lines


def _pinned(wish: Json) -> bool:
    return (
        isinstance(wish, dict) and wish.get("allow_fallbacks") is False and bool(wish.get("order") or wish.get("only"))
    )


def line_of(trial: Trial) -> str:
    """How a trial ended, in one line."""
    name = trial.case if trial.trial == 1 else f"{trial.case} (trial {trial.trial})"
    outcome = trial.outcome.value if trial.outcome else trial.status
    reason = f" ({shortened(visible_of(trial.error.message), _SHOWN)})" if trial.error else ""
    return f"{name}: {outcome}{reason}, {counted(trial.requests, 'request')}, {counted(trial.calls, 'call')}"


def lines_of(run: RawRun, directory: Path) -> list[str]:
    """What a person reads of a run that has come to its end."""
    counts = run.counts
    outcomes = ", ".join(f"{count} {outcome.value}" for outcome, count in counts.outcomes.items())
    skipped = f", {counts.skipped} skipped" if counts.skipped else ""
    tokens = ", ".join(f"{count} {name}" for name, count in _tokens_of(run).items() if count is not None)
    again = asked_again_text(outcomes_before(run))
    return [
        f"{run.id}: {counted(counts.finished, 'trial')}: {outcomes or 'none'}{skipped}",
        *([f"  {again}"] if again else []),
        f"  tokens:  {tokens or 'none reported'}",
        f"  raw run: {directory / raw_run.FILE}",
    ]


def next_lines(run: RawRun, directory: Path) -> list[str]:
    """What to do with a run that has come to its end."""
    where = shlex.quote(str(directory))
    unanswered = sum(trial.outcome in UNANSWERED for trial in run.trials)
    again = [
        f"{counted(unanswered, 'trial')} without an answer; to ask again: fc-record --resume {where} --retry-errors"
    ]
    return [*(again if unanswered else []), f"next: fc-judge {where}"]


def json_of(run: RawRun, directory: Path) -> dict[str, Json]:
    """What `--json` says of it."""
    counts = run.counts
    return {
        "run": str(directory / raw_run.FILE),
        "id": run.id,
        "trials": counts.trials,
        "finished": counts.finished,
        "skipped": counts.skipped,
        "pending": counts.pending,
        "outcomes": {outcome.value: count for outcome, count in counts.outcomes.items()},
        "asked_again": {outcome.value: count for outcome, count in outcomes_before(run).items()},
        "tokens": dict(_tokens_of(run)),
    }


def _tokens_of(run: RawRun) -> dict[str, int | None]:
    """The sum of what was reported; null where nothing was."""
    ledgers = [trial.tokens for trial in run.trials if trial.tokens]
    amounts = {name: [getattr(one, name) for one in ledgers] for name in _AMOUNTS}
    known = {name: [one for one in column if one is not None] for name, column in amounts.items()}
    return {name: sum(column) if column else None for name, column in known.items()}
