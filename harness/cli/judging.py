"""fc-judge at work: what paths hold is judged one by one, told, and written down as reports; nothing piles up."""

import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import click

from harness import errors, files
from harness.cli.common import colours
from harness.cli.judged import Judged, Sources, judged_files
from harness.cli.run_files import is_run, load_run, run_problems
from harness.cli.run_report import JudgedRun
from harness.cli.verdicts import Counts, lines_of_case
from harness.errors import HarnessError
from harness.judge.engine import not_judged
from harness.judge.finding import Verdict
from harness.nearest import nearest_of
from harness.report.html import html_chunks
from harness.report.junit import junit_chunks
from harness.report.markdown import markdown_text
from harness.report.report import Head, Result
from harness.report.result import Subject, result_of
from harness.report.rows import Rows, result_in, row_of
from harness.report.tally import Tally
from harness.report.terminal import terminal_text
from harness.report.writing import About, chunks_of, head_of
from harness.value import encode

_STDOUT = "-"


class Wishes(NamedTuple):
    """What was asked for on the command line."""

    sources: Sources
    suite: Path | None = None
    every: bool = False
    as_json: bool = False
    report: str | None = None
    html: str | None = None
    junit: str | None = None
    markdown: str | None = None
    fail_under: float | None = None
    gate: bool = True

    @property
    def writes(self) -> bool:
        """Whether a report is wanted besides what is told."""
        return self.as_json or any((self.report, self.html, self.junit, self.markdown))


class Found(NamedTuple):
    """What paths hold: runs of suites, and single files of evidence."""

    runs: list[Path]
    files: list[Path]


def judge_all(paths: list[Path], wishes: Wishes) -> list[int]:
    """Judge all that the paths hold; the exit codes that this asks for."""
    found = found_in(paths)
    if wishes.writes and len(found.runs) + bool(found.files) > 1:
        sentence = "a report holds one run, or files without a run"
        told = f"{len(found.runs)} runs and {len(found.files)} files"
        raise errors.WrongOption(sentence, expected="one of them, with --report and its like", found=told)
    codes = [code for run in found.runs for code in judge_run(run, wishes)]
    if found.files or not found.runs:
        codes += judge_files(found.files, wishes)
    return codes


def found_in(paths: Iterable[Path]) -> Found:
    """Runs and files, in the order given; below a directory by name. Raises `PathNotFound`."""
    found = Found([], [])
    for path in paths:
        if path.is_dir():
            runs = sorted(one.parent for one in path.rglob("run.json") if is_run(one.parent))
            inside = set(runs)
            found.runs.extend(runs)
            found.files.extend(one for one in sorted(path.rglob("*.jsonl")) if not inside.intersection(one.parents))
        elif path.exists():
            found.files.append(path)
        else:
            near = nearest_of(path.name, [one.name for one in path.parent.iterdir()]) if path.parent.is_dir() else None
            raise errors.PathNotFound(file=str(path), nearest=near and str(path.parent / near))
    return found


class Book:
    """The results of one report as they come: their sums in memory, their rows in a file that the caller opens."""

    def __init__(self, spool: BinaryIO) -> None:
        self.tally = Tally()
        self._rows = Rows(spool)

    def add(self, result: Result) -> None:
        """One more result."""
        self.tally.add(result)
        self._rows.add(row_of(result))

    def results(self) -> Iterator[Result]:
        """All results by case and trial, one in memory at a time."""
        return map(result_in, self._rows)

    def write(self, head: Head, wishes: Wishes) -> None:
        """Every file that is wished for, and the report itself on stdout where that is."""
        if wishes.as_json:
            for chunk in chunks_of(head, self._rows):
                click.echo(chunk, nl=False)
        _write(wishes.report, chunks_of(head, self._rows))
        _write(wishes.html, html_chunks(head, self.results()))
        _write(wishes.junit, junit_chunks(head, self.results()))
        if wishes.markdown:
            _write(wishes.markdown, [markdown_text(head, self.results()).encode()])


def _write(path: str | None, parts: Iterable[bytes]) -> None:
    if path == _STDOUT:
        for part in parts:
            click.echo(part, nl=False)
    elif path:
        files.write_parts(Path(path), parts)


def judge_run(directory: Path, wishes: Wishes) -> list[int]:
    """One run by its suite: its report told and written; what makes it no evidence goes to stderr."""
    run = load_run(directory)
    suite = files.load_suite(wishes.suite or wishes.sources.scenarios / run.suite)
    problems: list[HarnessError] = [*run_problems(directory, suite)]
    counts = Counts()
    with tempfile.TemporaryFile() as spool:
        book, judged = Book(spool), JudgedRun(directory, suite)
        for result in judged:
            book.add(result)
            counts.rulings[result.verdict] += 1
        head = head_of(book.tally, judged.about)
        if not wishes.as_json:
            width = shutil.get_terminal_size().columns
            click.echo(terminal_text(head, book.results(), colour=colours(sys.stdout), width=width), nl=False)
        book.write(head, wishes)
    known = [one.facts() for one in problems]
    problems += [one for one in judged.broken if one.facts() not in known]
    counts.errors += [one.exit_code for one in problems]
    _complain(problems, wishes)
    return counts.exit_codes(fail_under=wishes.fail_under, gate=wishes.gate)


def judge_files(paths: list[Path], wishes: Wishes) -> list[int]:
    """Fixtures and recordings: each told when it is judged, the counts at the end."""
    counts, unread = Counts(), list[HarnessError]()
    with tempfile.TemporaryFile() as spool:
        book, trials = Book(spool), dict[str, int]()
        for one in judged_files(paths, wishes.sources):
            counts.add(one)
            if one.error is not None:
                unread.append(one.error)
            if wishes.writes:
                book.add(_result_of(one, trials))
            if not wishes.as_json and one.verdict is not None:
                _tell(one, one.verdict, wishes)
        if not wishes.as_json:
            click.echo(counts.line)
        if wishes.writes:
            book.write(head_of(book.tally, About()), wishes)
    _complain(unread, wishes)
    return counts.exit_codes(fail_under=wishes.fail_under, gate=wishes.gate)


def _tell(one: Judged, verdict: Verdict, wishes: Wishes) -> None:
    click.echo("\n".join(lines_of_case(one, verdict, every=wishes.every, colour=colours(sys.stdout))))


def _result_of(one: Judged, trials: dict[str, int]) -> Result:
    """The result of a file; one more of a case's name is one more trial. What cannot be read is not judged."""
    trial = trials[one.case] = trials.get(one.case, 0) + 1
    verdict = one.verdict or not_judged(str(one.error.facts()["message"]) if one.error else "nothing was read")
    return result_of(Subject(one.case, trial), verdict, trace=one.trace, golden=one.asked, registered=one.tools)


def _complain(problems: Iterable[HarnessError], wishes: Wishes) -> None:
    """Errors on stderr, so that stdout holds the report alone."""
    for problem in problems:
        click.echo(encode(problem.facts()).decode() if wishes.as_json else str(problem), err=True)
