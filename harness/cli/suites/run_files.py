"""A run's directory: its manifest, its recordings one by one, and everything that does not fit."""

import shlex
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from harness import errors, files, raw_run
from harness.cli.suites.run_trials import recording_in, trial_in
from harness.excerpt import counted
from harness.nearest import nearest_of
from harness.raw_run import (
    RawRun,
    Trial,
    changed_inputs,
    counts_of,
    file_of,
    params_for,
    run_of,
    trials_in,
)
from harness.recording import Recording
from harness.suite import Suite
from harness.value import Json, canonical, digest_of, encode

TORN = ".*.tmp"  # half a file that a killed process was writing


class RunCase(NamedTuple):
    """One trial of a run: its recording, or why there is none; a skipped one has neither."""

    case: str
    trial: int
    recording: Recording | None
    error: errors.HarnessError | None


def is_run(directory: Path) -> bool:
    """Whether a directory holds a run."""
    return (directory / raw_run.FILE).is_file()


def is_taken(directory: Path) -> bool:
    """Whether something lies where a run would begin, beside what a killed one was about to write."""
    if not directory.is_dir():
        return directory.exists() or directory.is_symlink()
    return any(path not in {*directory.glob(TORN)} for path in directory.iterdir())


def load_run(directory: Path) -> RawRun:
    """The manifest of a run's directory; raises `BadRun` or `PathNotFound`."""
    path = directory / raw_run.FILE
    return run_of(files.read_bytes(path), file=str(path))


def cases_of_run(directory: Path) -> Iterator[RunCase]:
    """Each trial in the manifest's order; a recording is read when it is asked for, and none is held here.

    Raises as `load_run` does; what is wrong with a trial stands in its `error`.
    """
    run = load_run(directory)
    return (case_of_trial(trial, run, directory) for trial in run.trials)


def case_of_trial(trial: Trial, run: RawRun, directory: Path) -> RunCase:
    """One trial of a run, read from its file."""
    if trial.status == "pending":
        return RunCase(trial.case, trial.trial, None, _not_run(trial, run, directory))
    if trial.file is None:
        return RunCase(trial.case, trial.trial, None, None)
    path = directory / file_of(trial.case, trial.trial)
    if not files.is_there(path):
        return RunCase(trial.case, trial.trial, None, _missing(trial, path))
    try:
        raw = files.read_bytes(path)
        if digest_of(raw) != trial.digest:
            raise _changed(path, trial.digest, digest_of(raw))
        return RunCase(trial.case, trial.trial, recording_in(raw, trial.case, trial.trial, file=str(path)), None)
    except errors.HarnessError as error:
        return RunCase(trial.case, trial.trial, None, error)


def _not_run(trial: Trial, run: RawRun, directory: Path) -> errors.NotRun:
    return errors.NotRun(trial.case, file=str(directory / raw_run.FILE), expected=run.id, found=str(trial.trial))


def _missing(trial: Trial, path: Path) -> errors.BadRun:
    missing = errors.BadRun(f"the recording of {trial.case}, trial {trial.trial}, is missing", file=str(path))
    missing.mend = f"restore it from git, or ask it again: fc-record --resume {shlex.quote(str(path.parent))}"
    return missing


def _changed(path: Path, expected: str | None, found: str) -> errors.BadRun:
    changed = errors.BadRun("not the file that the run made", file=str(path), expected=expected, found=found)
    again = f"fc-record --resume {shlex.quote(str(path.parent))}"
    changed.mend = f"restore it from git; if the run was stopped while it was written, {again} puts that right"
    return changed


def run_problems(directory: Path, suite: Suite | None = None) -> list[errors.InputError]:
    """Everything wrong with a run: its manifest, its files, their digests, and the suite where one is at hand."""
    try:
        run = load_run(directory)
    except errors.InputError as error:
        return [error]
    found = manifest_problems(run, directory, suite)
    found += [problem for trial in run.trials for problem in trial_problems(trial, run, directory)]
    return list({str(problem): problem for problem in found}.values())  # every trial may say the same of the manifest


def manifest_problems(
    run: RawRun, directory: Path, suite: Suite | None = None, *, told: Collection[str] = ()
) -> list[errors.InputError]:
    """What is wrong with a run's manifest, without a look into the files that it lists.

    `told` are files of the suite of which it is told already that they changed.
    """
    path = str(directory / raw_run.FILE)
    said = [*_broken_counts(run), *_broken_list(run), *(_broken_suite(run, suite, told) if suite else [])]
    listed = {trial.file for trial in run.trials}
    unlisted = [one for one in sorted(directory.glob("*.jsonl")) if one.name not in listed]
    sentence = "the manifest does not list this file; if the run was stopped, --resume puts that right"
    return [
        *(errors.BadRun(one, file=path) for one in said),
        *(errors.BadRun(sentence, file=str(one)) for one in unlisted),
    ]


def trial_problems(trial: Trial, run: RawRun, directory: Path) -> Iterator[errors.InputError]:
    """What is wrong with a trial's file, and where the manifest says something else of it."""
    if trial.file is None:
        return
    path = directory / file_of(trial.case, trial.trial)
    if files.is_there(path) and not path.is_dir():
        yield from _broken_file(trial, run, path)
    else:
        yield _missing(trial, path)


def _broken_counts(run: RawRun) -> Iterator[str]:
    if run.counts != counts_of(run.trials):
        yield "the counts are not those of the trials"
    if run.ended_at is not None and run.counts.pending:
        yield f"the run has ended, but {counted(run.counts.pending, 'trial')} is still to be asked"


def _broken_list(run: RawRun) -> Iterator[str]:
    named = [(trial.case, trial.trial) for trial in run.trials]
    for (case, number), count in Counter(named).items():
        if count > 1:
            yield f"case {case}, trial {number}, stands {count} times"
    asked = len(run.selection.cases) * run.selection.trials
    if len(set(named)) != asked or set(named) != set(trials_in(run.selection)):  # as many may be written as one likes
        yield "the trials are not those that were selected"
    for one in run.earlier:
        if one.case not in run.selection.cases or one.trial > run.selection.trials:
            yield f"case {one.case}, trial {one.trial}, was asked again, and not selected"
    for trial in run.trials:
        finished = trial.status == "finished"
        wanted = file_of(trial.case, trial.trial) if finished else None
        if trial.file != wanted or (trial.outcome is not None) != finished or (trial.digest is not None) != finished:
            yield f"case {trial.case}, trial {trial.trial}: file, digest and outcome do not fit status {trial.status}"


def _broken_suite(run: RawRun, suite: Suite, told: Collection[str]) -> Iterator[str]:
    if run.suite != suite.id:
        yield f"the run is of suite {run.suite}, not of {suite.id}"
    skips = {case.id: case.skip for case in suite.cases}
    for trial in run.trials:
        if (trial.status == "skipped") != skips.get(trial.case, trial.status == "skipped"):
            yield f"case {trial.case}, trial {trial.trial}, is {trial.status}, and the suite says otherwise"
    for name in changed_inputs(run.inputs, suite.hashes._asdict()):
        if name in told:
            continue
        yield f"{suite.directory}/{name} is not what the run was recorded with"
    for case in run.selection.cases:
        if case not in suite.lines:
            near = nearest_of(case, suite.lines)
            yield f"case {case} is not in the suite" + (f"; did you mean {near}?" if near else "")


def _broken_file(trial: Trial, run: RawRun, path: Path) -> Iterator[errors.InputError]:
    try:
        raw = files.read_bytes(path)
        if digest_of(raw) != trial.digest:
            raise _changed(path, trial.digest, digest_of(raw))
        recording = recording_in(raw, trial.case, trial.trial, file=str(path))
    except errors.InputError as error:
        yield error
        return
    derived = trial_in(recording, raw, trial.case, trial.trial)
    if derived != trial:
        names = [name for name in Trial.__struct_fields__ if getattr(derived, name) != getattr(trial, name)]
        yield errors.BadRun(f"the manifest says another {', '.join(names)} than the file", file=str(path))
    yield from _broken_asked(recording, trial.trial, run, str(path.parent / raw_run.FILE))


def _broken_asked(recording: Recording, trial: int, run: RawRun, file: str) -> Iterator[errors.BadRun]:
    """Where the manifest says that something else was asked than the recording holds, each thing once."""
    told = set[str]()
    for name, recorded, said in _asked_in(recording, trial, run):
        if canonical(recorded) != canonical(said) and name not in told:
            told.add(name)
            sentence = f"the manifest says another {name} than the recordings"
            yield errors.BadRun(sentence, file=file, expected=_shown(recorded), found=_shown(said))


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else encode(value).decode()


def _asked_in(recording: Recording, trial: int, run: RawRun) -> Iterator[tuple[str, Json, Json]]:
    """What a recording and its run's manifest both tell of the requests: a name, what was recorded, what is said.

    No param is among them that only one of the two has: an API may name or add params of its own.
    """
    yield "model", recording.header.model, run.model
    yield "asked.provider", recording.header.provider, run.asked.provider
    yield "asked.host", recording.header.host, run.asked.host
    yield "redaction", recording.header.redaction, run.redaction
    for context in recording.contexts.values():
        yield "model", context.model, run.model
        yield "asked.api", context.api, run.asked.api
        recorded = params_for(context.params, 2 - trial)  # as the first trial's, of which the manifest tells
        for name in [name for name in run.asked.params if name in recorded]:
            yield f"asked.params.{name}", recorded[name], run.asked.params[name]
