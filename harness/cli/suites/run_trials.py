"""A trial of a run as its file says it: the entry that the manifest has of it."""

import shlex
from pathlib import Path

import msgspec

from harness import errors, files
from harness.excerpt import counted
from harness.providers.failure import FIRST_ERROR_STATUS
from harness.raw_run import Failure, Head, Trial, file_of, trials_in
from harness.recording import Recording
from harness.recording_lines import journal_of
from harness.run_derivation import run_of
from harness.suite import Suite
from harness.transcript import ENDED_WELL, AssistantTurn, TokenLedger
from harness.value import digest_of


def recording_in(raw: bytes, case: str, trial: int, *, file: str) -> Recording:
    """The one finished recording in a file of a run; raises an `InputError` where it is of another trial."""
    recordings, torn = journal_of(raw, file=file)
    if torn is not None:
        raise torn
    if len(recordings) != 1 or recordings[0].end is None:
        found = counted(len(recordings), "recording") if len(recordings) != 1 else "one that was not finished"
        raise errors.BadRun("a run's file holds one finished recording", file=file, found=found)
    header = recordings[0].header
    if (header.id, header.trial) != (case, trial):
        found = f"{header.id}, trial {header.trial}"
        raise errors.BadRun(
            "the recording is of another trial", file=file, expected=f"{case}, trial {trial}", found=found
        )
    return recordings[0]


def trial_of(raw: bytes, case: str, trial: int, *, file: str) -> Trial:
    """A trial's entry in the manifest, out of its file's bytes alone."""
    return trial_in(recording_in(raw, case, trial, file=file), raw, case, trial)


def trial_in(recording: Recording, raw: bytes, case: str, trial: int) -> Trial:
    """As `trial_of`, of a recording that was read already."""
    assert recording.end is not None  # noqa: S101  `recording_in` gives no other
    outcome = recording.end.outcome
    return Trial(
        case=case,
        trial=trial,
        status="finished",
        outcome=outcome,
        error=None if outcome in ENDED_WELL else _failure_of(recording, recording.end.error),
        file=file_of(case, trial),
        digest=digest_of(raw),
        requests=len(recording.exchanges),
        calls=len(recording.tools),
        tokens=_tokens_of(recording),
    )


def _failure_of(recording: Recording, message: str | None) -> Failure:
    last = recording.exchanges[-1] if recording.exchanges else None
    status = last.status if last and last.status >= FIRST_ERROR_STATUS else None
    return Failure(status, last.attempts if last else 0, message or "")


def _tokens_of(recording: Recording) -> TokenLedger | None:
    """The sum over the answers; an amount that none of them reported stays null, None where none reported any."""
    try:
        turns = run_of(recording).transcript.turns
    except errors.InputError:  # what the provider wrote is kept as it is, readable or not
        return None
    ledgers = [msgspec.structs.astuple(turn.token_ledger) for turn in turns if isinstance(turn, AssistantTurn)]
    known = [[count for count in column if count is not None] for column in zip(*ledgers, strict=True)]
    sums = [sum(column) if column else None for column in known]
    return TokenLedger(*sums) if any(column is not None for column in sums) else None


def trials_on_disk(head: Head, suite: Suite, directory: Path) -> list[Trial]:
    """Every selected trial as its file says; without one it is pending, or skipped as the suite says."""
    skipped = {case.id for case in suite.cases if case.skip}
    return [_on_disk(case, number, directory, skip=case in skipped) for case, number in trials_in(head.selection)]


def _on_disk(case: str, number: int, directory: Path, *, skip: bool) -> Trial:
    path = directory / file_of(case, number)
    if skip:
        return Trial(case=case, trial=number, status="skipped")
    if not path.exists():
        return Trial(case=case, trial=number, status="pending")
    try:
        return trial_of(files.read_bytes(path), case, number, file=str(path))
    except errors.InputError as error:
        there = shlex.quote(str(path))
        error.mend = f"restore it from git, or move it away, and the case is asked again: mv {there} {there}.aside"
        raise
