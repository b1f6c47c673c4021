"""Where judged pieces come in: told, counted, put into the book; and how a command ends by what came in."""

import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import click

from harness import errors
from harness.cli.common import colours
from harness.cli.judging.batch import Batch, Problem, problem_of
from harness.cli.judging.book import Book, Forms
from harness.cli.judging.gated import Held
from harness.cli.judging.judged import Sources
from harness.cli.judging.verdicts import Counts
from harness.cli.suites.run_report import Seen
from harness.report.report import Head, Shard
from harness.report.terminal import terminal_text
from harness.value import encode


class Wishes(NamedTuple):
    """What was asked for on the command line."""

    sources: Sources = Sources()
    suite: Path | None = None
    every: bool = False
    forms: Forms = Forms()
    fail_under: float | None = None
    gate: bool = True
    jobs: int = 1
    shard: Shard | None = None
    held: Held | None = None


class Desk:
    """One report in the making."""

    def __init__(self, book: Book, wishes: Wishes) -> None:
        self.book = book
        self.counts = Counts()
        self.seen = Seen()
        self._wishes = wishes
        self._problems: dict[str, Problem] = {}

    def take_all(self, batches: Iterator[Batch]) -> bool:
        """All batches; False where Ctrl-C stopped them: what was judged by then is kept."""
        try:
            for batch in batches:
                self._take(batch)
        except KeyboardInterrupt:
            return False
        return True

    def _take(self, batch: Batch) -> None:
        if batch.told:
            click.echo("\n".join(batch.told))
        self.book.add(batch)
        self.counts.rulings.update(batch.counts)
        self.seen.merge(batch.seen)
        self._problems |= batch.problems

    def complain(self, problems: Iterable[errors.HarnessError]) -> None:
        """Errors that no batch has."""
        self._problems |= {one.sentence: one for one in map(problem_of, problems)}

    @property
    def sentences(self) -> list[str]:
        """All errors so far, as people read them."""
        return [*self._problems]

    def tell_counts(self) -> None:
        """One line of counts, unless stdout is for the report."""
        if not self._wishes.forms.json:
            self.counts.errors = [one.exit_code for one in self._problems.values()]
            click.echo(self.counts.line)

    def tell_report(self, head: Head) -> None:
        """The whole report for people, unless stdout is for its JSON."""
        if not self._wishes.forms.json:
            width = shutil.get_terminal_size().columns
            text = terminal_text(head, self.book.results(), colour=colours(sys.stdout), width=width)
            click.echo(text, nl=False)

    def codes(self, *, complete: bool) -> list[int]:
        """The errors on stderr, so that stdout holds the report alone; then the exit codes that all this asks for.

        Raises `InterruptedRun` where not all came in. A shard that holds nothing has nothing to complain of.
        """
        for one in self._problems.values():
            click.echo(encode(one.facts).decode() if self._wishes.forms.json else one.sentence, err=True)
        if not complete:
            raise errors.InterruptedRun
        self.counts.errors = [one.exit_code for one in self._problems.values()]
        if self._wishes.shard and not self.counts.rulings and not self.counts.errors:
            return []
        return self.counts.exit_codes(fail_under=self._wishes.fail_under, gate=self._wishes.gate)
