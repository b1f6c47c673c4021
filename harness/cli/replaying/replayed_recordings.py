"""Recordings and runs played again: each conversation is derived, replayed by the loop, and judged."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from harness import contract, errors, files
from harness.cli.judging.judged import Sources
from harness.cli.replaying.outcomes import Outcome
from harness.cli.replaying.played import Settings, played_again
from harness.cli.suites.run_files import RunCase, case_of_trial, load_run, manifest_problems, trial_problems
from harness.derivation import conversations_of, transcript_of
from harness.errors import HarnessError
from harness.fixture import Fixture, Named
from harness.fixture_derivation import fixture_of_recording
from harness.judge.evidence import judge_transcript, suite_judge
from harness.judge.finding import Verdict
from harness.recording import Exchange, Recording
from harness.recording_lines import journal_of
from harness.run_derivation import run_of
from harness.scenario import Scenario
from harness.suite import Case, Suite
from harness.transcript import Transcript
from harness.user_code import built_prompt

_NO_KEBAB = re.compile(r"[^a-z0-9]+")


class Conversation(NamedTuple):
    """One conversation of a recording, the scenario that it is held against (`lost`: was), and what judges it."""

    id: str
    recording: Recording
    leaf: Exchange | None
    scenario: Scenario | None
    judge: Callable[[Transcript], Verdict]
    lost: errors.ScenarioMissing | None = None


def replayed_recordings(raw: bytes, file: str, settings: Settings) -> Iterator[Outcome]:
    """Every conversation in a file of recordings."""
    journal = journal_of(raw, file=file)
    for recording in journal.recordings:
        try:
            for conversation in _conversations(recording, settings):
                yield _played(conversation, file, settings)
        except HarnessError as error:
            yield Outcome(recording.header.id, file, [error])
    if journal.torn is not None:
        yield Outcome(Path(file).stem, file, [journal.torn])


def _conversations(recording: Recording, settings: Settings) -> Iterator[Conversation]:
    name = recording.header.scenario or recording.header.id
    directory, sources = settings.places.scenarios / name, Sources(settings.places.scenarios)
    of_suite = sources.suite(recording.header)
    if of_suite is not None:
        suite = files.load_suite(of_suite)
        yield _of_case(recording, suite.case(recording.header.id), suite, suite_judge(suite))
        return
    scenario = files.load_scenario(directory) if directory.is_dir() else None
    origin = recording.header.origin
    expectation, lost = sources.expectation(name, origin), sources.lost(name, origin)

    leaves = conversations_of(recording)
    run = run_of(recording).transcript if len(leaves) > 1 else None

    def judged(transcript: Transcript) -> Verdict:
        return judge_transcript(run or transcript, expectation)

    for number, leaf in enumerate(leaves, 1):
        id_ = recording.header.id if len(leaves) == 1 else f"{recording.header.id} ({number} of {len(leaves)})"
        yield Conversation(id_, recording, leaf, scenario, judged, lost)
    if not leaves:
        yield Conversation(recording.header.id, recording, None, scenario, judged, lost)


def replayed_run(directory: Path, settings: Settings) -> Iterator[Outcome]:
    """Every trial of a run, in the manifest's order, judged by its suite; then what makes the run no evidence."""
    try:
        run = load_run(directory)
        suite = files.load_suite(settings.places.scenarios / run.suite)
    except HarnessError as error:
        yield Outcome(directory.name, str(directory), [error])
        return
    judge, drifted = suite_judge(suite), set[str]()
    for trial in run.trials:
        case = case_of_trial(trial, run, directory)
        outcome = _trial(case, suite, judge, str(directory), settings)
        said = {str(error) for error in outcome.errors}
        outcome.errors.extend(one for one in trial_problems(trial, run, directory) if str(one) not in said)
        drifted |= {_DRIFT[type(error)] for error in outcome.errors if type(error) in _DRIFT}
        yield outcome
    problems = manifest_problems(run, directory, suite, told=drifted)
    if problems:
        yield Outcome(run.id, str(directory), [*problems])


# Of these changes the contract says more than that a file is another one.
_DRIFT: dict[type[HarnessError], str] = {errors.PromptChanged: "system.txt", errors.ToolChanged: "tools.json"}


def _trial(
    trial: RunCase, suite: Suite, judge: Callable[[Case, Transcript], Verdict], file: str, settings: Settings
) -> Outcome:
    id_ = f"{trial.case}.{trial.trial}"
    if trial.error is not None:
        return Outcome(id_, file, [trial.error])
    try:
        case = suite.case(trial.case)
    except HarnessError as error:
        return Outcome(id_, file, [error])
    if trial.recording is None:
        return Outcome(id_, file, [], [], judge(case, Transcript([])))
    outcome = _played(_of_case(trial.recording, case, suite, judge), file, settings)
    for found in outcome.errors:
        if isinstance(found, errors.UserChanged):
            found.file, found.line = suite.cases_file, suite.lines[case.id]
    return outcome.mended_by(f"fc-record {suite.directory} --case {case.id}")


def _of_case(
    recording: Recording, case: Case, suite: Suite, judge: Callable[[Case, Transcript], Verdict]
) -> Conversation:
    """The conversation of a suite's case, held against its suite wherever the file lies."""
    leaves = conversations_of(recording)
    leaf, id_ = (leaves[-1] if leaves else None), f"{case.id}.{recording.header.trial}"
    return Conversation(id_, recording, leaf, suite.scenario_of(case), lambda transcript: judge(case, transcript))


def _played(conversation: Conversation, file: str, settings: Settings) -> Outcome:
    """One conversation; a run in which no answer came has nothing to play, and is judged as it ended."""
    recording, scenario = conversation.recording, conversation.scenario
    lost: list[HarnessError] = []
    if conversation.lost is not None:
        conversation.lost.file = file
        lost.append(conversation.lost)
    if conversation.leaf is None:
        return Outcome(conversation.id, file, lost, [], conversation.judge(transcript_of(recording)))
    try:
        named = Named(_kebab(recording.header.id), recording.header.id)
        fixture = fixture_of_recording(recording, title=conversation.id, leaf=conversation.leaf, named=named)
        drift = _drift_of(fixture, scenario, file)
    except HarnessError as error:
        return Outcome(conversation.id, file, [_without_line(error, file)])
    played = played_again(fixture, scenario, file, settings)
    found = [_without_line(error, file) for error in [*lost, *drift, *played.errors]]
    verdict = conversation.judge(played.transcript) if played.transcript else None
    return Outcome(conversation.id, file, found, [], verdict)


def _kebab(id_: str) -> str:
    """A fixture's name for a recording's, which may be a test's."""
    return _NO_KEBAB.sub("-", id_.lower()).strip("-") or "recording"


def _drift_of(fixture: Fixture, scenario: Scenario | None, file: str) -> list[HarnessError]:
    if scenario is None:
        return []
    today = contract.Today(scenario, built_prompt(scenario))
    return list(contract.drift_of(fixture, today, file=file))


def _without_line(error: HarnessError, file: str) -> HarnessError:
    """What is derived has no lines of its own on the disk."""
    if error.file in {file, f"{Path(file).stem}.jsonl"}:
        error.file, error.line = file, None
    return error
