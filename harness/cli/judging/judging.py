"""fc-judge at work: what paths hold is judged piece by piece, told, and written down as reports; nothing piles up."""

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from harness import errors, files
from harness.cli.common import colours
from harness.cli.discretion import environments_discretion
from harness.cli.evidence.evidence_named import evidence_named
from harness.cli.judging.batch import FileTask, RunTask, judged_files, judged_trials
from harness.cli.judging.book import Book
from harness.cli.judging.desk import Desk, Wishes
from harness.cli.judging.gated import codes_with, gate_on, taken, tell_gate
from harness.cli.judging.judged import SUFFIX, apart
from harness.cli.judging.parts import Part, parts_of, pieces_of, share_of, whole_of
from harness.cli.judging.pool import in_order
from harness.cli.outputs import refuse_overwriting
from harness.cli.suites.run_files import load_run, manifest_problems
from harness.cli.suites.run_report import about_run
from harness.directories import walk
from harness.raw_run import FILE as RUN
from harness.raw_run import RawRun, Trial, file_of
from harness.report.notice import Notice, notice_of_problems
from harness.report.report import Shard
from harness.report.writing import About, head_of
from harness.value import encode

if TYPE_CHECKING:
    from harness.evidence.gate import Gate


class Found(NamedTuple):
    """What paths hold: runs of suites, and whether there are files of evidence beside them."""

    runs: list[Path]
    files: bool


def judge_all(paths: list[Path], wishes: Wishes) -> list[int]:
    """Judge all that the paths hold, in one order whatever theirs is; the exit codes that this asks for."""
    paths = sorted({evidence_named(path, "fc-judge") for path in paths})
    read = [*paths, wishes.sources.expect, wishes.held and wishes.held.baseline]
    refuse_overwriting(wishes.forms.outputs, [str(path) for path in read if path])
    found = found_in(paths)
    _check_wishes(wishes, found)
    codes = [code for run in found.runs for code in judge_run(run, wishes)]
    if found.files or not found.runs:
        codes += judge_files(paths, wishes)
    return codes


def _check_wishes(wishes: Wishes, found: Found) -> None:
    """Refuse what has no meaning for what is there: an option that is left out of account says green for nothing."""
    told = ", ".join(map(str, found.runs)) + (" and files beside" if found.files and found.runs else "")
    if (wishes.forms.any or wishes.shard) and len(found.runs) + found.files > 1:
        sentence = "a report holds one run, or files without a run"
        raise errors.WrongOption(sentence, expected="one of them, with --report and its like", found=told)
    if wishes.held and (found.files or len(found.runs) != 1):
        raise errors.WrongOption("a baseline holds one run of a suite", found=told or "files")
    if wishes.suite and (found.files or not found.runs):
        raise errors.WrongOption("--suite says by which suite a run is judged", expected="runs", found=told or "files")
    if wishes.sources.expect and found.runs:
        sentence = "a run is judged by the golden calls of its suite; --expect is for files"
        raise errors.WrongOption(sentence, expected="fixtures or recordings", found=told)
    if wishes.fail_under is not None and not wishes.gate:
        raise errors.WrongOption("--fail-under says when to exit 1, and --no-gate never to; leave one of them out")


def found_in(paths: Iterable[Path]) -> Found:
    """The runs below these paths, and whether there are other files."""
    runs: list[Path] = []
    others = False
    for place in places_in(paths):
        if isinstance(place, Path):
            runs.append(place)
        else:
            others = True
    return Found(runs, others)


def places_in(paths: Iterable[Path]) -> Iterator[Path | str]:
    """What is there to be judged: runs, as `Path`s, and single files, as texts: of those a million may come by.

    What lies below a run belongs to it.
    """
    named = apart(paths)
    yield from map(str, named.files)
    for directory in walk(named.directories, SUFFIX, RUN):
        if RUN in directory.names:
            directory.inner.clear()
            yield Path(directory.path)
        else:
            yield from _evidence_among(directory.names, directory.path)


def _evidence_among(names: list[str], directory: str) -> Iterator[str]:
    """The files by name; a name that was given is held no longer."""
    names.sort(reverse=True)
    while names:
        if (name := names.pop()).endswith(SUFFIX):
            yield os.path.join(directory, name)  # noqa: PTH118


def judge_files(paths: list[Path], wishes: Wishes) -> list[int]:
    """Fixtures and recordings: the cases of each piece told when it is judged, the counts at the end."""
    forms = wishes.forms
    secrets = environments_discretion().values
    task = FileTask(wishes.sources, secrets, not forms.json, forms.any, wishes.every, colours(sys.stdout))
    shard = wishes.shard and replace(wishes.shard, of=whole_of(_parts_below(paths)))
    parts = share_of(lambda: _parts_below(paths), shard)
    batches = in_order(partial(judged_files, task), pieces_of(parts), wishes.jobs)
    with tempfile.TemporaryFile() as spool:
        desk = Desk(Book(spool, counted=True), wishes)
        complete = desk.take_all(batches)
        desk.tell_counts()
        if forms.any:
            desk.complain(desk.book.write(head_of(desk.book.tally, About(complete, shard)), forms))
    return desk.codes(complete=complete)


def _parts_below(paths: list[Path]) -> Iterator[tuple[Part, int]]:
    return parts_of(one for one in places_in(paths) if isinstance(one, str))


def judge_run(directory: Path, wishes: Wishes) -> list[int]:
    """One run by its suite: its report told and written; what makes it no evidence goes to stderr."""
    run = load_run(directory)
    held = wishes.held
    baseline = taken(held, directory) if held else None
    place = wishes.suite or wishes.sources.scenarios / run.suite
    suite, discretion = files.load_suite(place), environments_discretion()
    every = wishes.every and not wishes.forms.json
    task = RunTask(directory, place, discretion.values, every, colours(sys.stdout))
    trials = share_of(lambda: _weighed(run, directory), wishes.shard)
    with tempfile.TemporaryFile() as spool:
        desk = Desk(Book(spool), wishes)
        desk.complain(manifest_problems(run, directory, suite))
        complete = desk.take_all(in_order(partial(judged_trials, task), pieces_of(trials), wishes.jobs))
        about = about_run(run, suite, desk.seen, discretion)._replace(shard=_shard_of(run, wishes))
        head = head_of(desk.book.tally, about._replace(complete=about.complete and complete))
        told = [*map(discretion.text, desk.sentences)]
        gate = gate_on(head, desk.book.results(), baseline, held, refused=told) if baseline and held else None
        notices = list(_notices(told, gate))
        desk.tell_report(head)
        desk.complain(desk.book.write(head, wishes.forms, notices=notices, gate=encode(gate) if gate else None))
        codes = desk.codes(complete=complete)
    if gate is None:
        return codes
    if not wishes.forms.json:
        tell_gate(gate, codes)
    return [code for code in codes_with(gate, codes) if wishes.gate or code != 1]


def _shard_of(run: RawRun, wishes: Wishes) -> Shard | None:
    """The shard that is asked for, of this run."""
    if wishes.shard is None:
        return None
    from harness.evidence.basis import evidence_of_trials

    return replace(wishes.shard, of=evidence_of_trials(run.trials))


def _notices(problems: list[str], gate: "Gate | None") -> Iterator[Notice]:
    """What is said beside a run's report: what does not fit it, and how it stands to a baseline."""
    broken = notice_of_problems(problems)
    if broken:
        yield broken
    if gate:
        from harness.evidence.gate_notice import notice_of_gate

        yield notice_of_gate(gate)


def _weighed(run: RawRun, directory: Path) -> Iterator[tuple[Trial, int]]:
    for trial in run.trials:
        path = directory / file_of(trial.case, trial.trial)
        yield trial, path.stat().st_size if path.is_file() else 0
