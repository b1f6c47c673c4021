"""One piece of work judged, wherever that happens: what it adds to the report, and what is told of it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from harness import files
from harness.cli.discretion import Discretion
from harness.cli.judging.judged import Judge, Judged, Sources
from harness.cli.judging.parts import Part, Segment, lines_before, segments_in
from harness.cli.judging.verdicts import lines_of_case
from harness.cli.suites.run_files import load_run, trial_problems
from harness.cli.suites.run_report import RunJudge, Seen
from harness.errors import HarnessError, sayable_of
from harness.judge.engine import not_judged
from harness.judge.finding import Ruling, Verdict
from harness.raw_run import Trial
from harness.report.report import Result
from harness.report.result import Subject, result_of
from harness.report.rows import row_of
from harness.report.tally import Tally
from harness.value import Json


class Problem(NamedTuple):
    """An error as it is told; errors themselves do not go from one process to another."""

    sentence: str
    facts: dict[str, str | int | None]
    exit_code: int


def problem_of(error: HarnessError) -> Problem:
    """What is told of an error."""
    return Problem(str(error), error.facts(), error.exit_code)


@dataclass
class Batch:
    """What some cases came to: what is told of them, rows and sums of the report, verdicts counted, errors.

    The rows stand in `raw` one after the other; `places` has the case, the trial and the size of each.
    """

    told: list[str] = field(default_factory=list)
    raw: bytearray = field(default_factory=bytearray)
    places: list[tuple[str, int, int]] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    counts: Counter[Ruling] = field(default_factory=Counter)
    problems: dict[str, Problem] = field(default_factory=dict)
    seen: Seen = field(default_factory=Seen)

    def add(self, result: Result) -> None:
        """One more result."""
        row = row_of(result)
        self.raw += row.raw
        self.places.append((row.case, row.trial, len(row.raw)))
        self.tally.add(result)

    def complain(self, error: HarnessError) -> None:
        """One more error; the same one is told once."""
        problem = problem_of(error)
        self.problems[problem.sentence] = problem


class FileTask(NamedTuple):
    """How files are judged: what is told of each case, and whether results are wanted."""

    sources: Sources
    secrets: tuple[str, ...]
    tells: bool
    writes: bool
    every: bool = False
    colour: bool = False


def judged_files(task: FileTask, parts: Iterable[Part]) -> Batch:
    """The cases in some files."""
    batch, judge, discretion = Batch(), Judge(task.sources), Discretion(task.secrets)
    for one in (one for part in parts for one in _cases_in(part, judge, batch)):
        if one.verdict is not None:
            batch.counts[one.verdict.verdict] += 1
        if one.verdict is not None and task.tells:
            batch.told += lines_of_case(one, one.verdict, every=task.every, colour=task.colour)
        if task.writes:
            batch.add(_result_of(one, discretion))
    return batch


def _cases_in(part: Part, judge: Judge, batch: Batch) -> Iterable[Judged]:
    try:
        for segment in segments_in(part):
            yield from _counted_over_the_file(_cases_of(segment, part.file, judge), segment, batch)
    except HarnessError as error:
        batch.complain(error)
        yield Judged(Path(part.file).stem, part.file, error=error)


def _counted_over_the_file(cases: Iterable[Judged], segment: Segment, batch: Batch) -> Iterable[Judged]:
    """The cases; the line of an error is counted from where the file starts."""
    for one in cases:
        if one.error is not None:
            if segment.start and one.error.line is not None and one.error.file == one.file:
                one.error.line += lines_before(one.file, segment.start)
            batch.complain(one.error)
        yield one


def _cases_of(segment: Segment, file: str, judge: Judge) -> Iterable[Judged]:
    if segment.error is not None:
        return [Judged(Path(file).stem, file, error=segment.error)]
    return judge.recordings(segment.raw, file) if segment.recording else [judge.fixture(segment.raw, file)]


def _result_of(one: Judged, discretion: Discretion) -> Result:
    """The result of a case; what cannot be read is not judged. Files say nothing of trials: those are counted."""
    verdict = one.verdict or not_judged(str(one.error.facts()["message"]) if one.error else "nothing was read")

    subject = Subject(sayable_of(one.case), 1)

    def made(verdict: Verdict, golden: Json) -> Result:
        return result_of(subject, verdict, trace=one.trace, golden=golden, registered=one.tools)

    return discretion.result(verdict, one.asked, made)


class RunTask(NamedTuple):
    """How a run is judged: where it is, by which suite; with `every`, all findings of its cases are told."""

    directory: Path
    suite: Path
    secrets: tuple[str, ...]
    every: bool = False
    colour: bool = False


def judged_trials(task: RunTask, trials: Iterable[Trial]) -> Batch:
    """Some trials of a run, with everything that makes them no evidence; suite and manifest are read here."""
    suite, run = files.load_suite(task.suite), load_run(task.directory)
    batch, judge = Batch(), RunJudge(task.directory, run, suite, Discretion(task.secrets))
    for trial in trials:
        one = judge.judged(trial)
        batch.add(one.result)
        batch.seen.add(one)
        if task.every:
            batch.told += _lines_of(one.result, str(task.directory), colour=task.colour)
        batch.counts[one.result.verdict] += 1
        for error in [*([one.broken] if one.broken else []), *trial_problems(trial, run, task.directory)]:
            batch.complain(error)
    return batch


def _lines_of(result: Result, file: str, *, colour: bool) -> list[str]:
    """All findings of a trial."""
    verdict = Verdict(result.verdict, result.reason, result.findings, result.rung, result.warnings)
    case = Judged(f"{result.case}.{result.trial}", file, verdict)
    return lines_of_case(case, verdict, every=True, colour=colour)
