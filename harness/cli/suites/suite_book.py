"""What a run of a suite has so far, on the disk: a file a trial, and the manifest that lists them."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from harness import errors, raw_run
from harness.cli.suites.run_files import TORN, is_run
from harness.cli.suites.run_trials import trials_on_disk
from harness.cli.suites.suite_plan import SuitePlan
from harness.files import read_bytes, write_whole
from harness.raw_run import UNANSWERED, Again, RawRun, Trial, bytes_of_run, earlier_than, run_of, run_with
from harness.transcript import Outcome

# So many first trials, all refused alike, say that the rest would be.
_ENOUGH = 3
# With one of these the provider speaks of the key, the account or the model, and not of the conversation.
_REFUSALS = {401, 403, 404}
_SECONDS = 1.0


class Finished(NamedTuple):
    """A trial that came to its end, with the bytes of its recording."""

    trial: Trial
    raw: bytes

    @property
    def refusal(self) -> int | None:
        """How the provider would not speak at all: an HTTP status, 0 where nothing listens; None where it answered."""
        trial, failure = self.trial, self.trial.error
        if trial.outcome is not Outcome.ERROR or failure is None or trial.requests > 1:
            return None
        status = failure.status or (0 if trial.requests == 0 else None)
        return status if status in {0, *_REFUSALS} else None


class Book:
    """The run's files; all is written by one thread, each file whole.

    The manifest may be a second behind the recordings, and after a kill it stays so: the files count.
    """

    def __init__(self, plan: SuitePlan) -> None:
        self._plan = plan
        self._home = plan.directory.absolute()  # a world in another thread may go elsewhere
        self._head = msgspec.structs.replace(plan.head, ended_at=None)
        self._trials: dict[tuple[str, int], Trial] = {}
        self._earlier: list[Again] = []
        self._found: tuple[RawRun, bytes] | None = None
        self._manifest = b""
        self._unasked: set[tuple[str, int]] = set()
        self._fresh = not is_run(plan.directory)
        self._waiting: list[Finished] = []
        self._answered = False
        self._enough = _ENOUGH
        self._written = 0.0

    @property
    def pending(self) -> list[Trial]:
        """The trials to be asked: all cases once, then all again."""
        unasked = (one for key, one in self._trials.items() if key in self._unasked)
        return sorted(unasked, key=lambda one: one.trial)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """The run as the disk has it, its manifest saying what is to come; no second process writes into it."""
        directory = self._plan.directory
        directory.mkdir(parents=True, exist_ok=True)
        handle = os.open(directory, os.O_RDONLY)
        try:
            _lock(handle, directory)
            for torn in directory.glob(TORN):
                torn.unlink()
            trials = trials_on_disk(self._plan.head, self._plan.suite, directory)
            self._trials = {(one.case, one.trial): one for one in trials}
            self._read_manifest(trials)
            self._unasked = {key for key, one in self._trials.items() if self._is_to_ask(one)}
            self._enough = min(_ENOUGH, len(self.pending))
            self._write_manifest(self._head if self._unasked else self._plan.head)
            yield
        finally:
            os.close(handle)

    def _read_manifest(self, trials: list[Trial]) -> None:
        if self._fresh:
            return
        path = self._home / raw_run.FILE
        self._manifest = read_bytes(path)
        run = run_of(self._manifest, file=str(path))
        self._found = run, self._manifest
        self._earlier = earlier_than(trials, run)

    def _is_to_ask(self, trial: Trial) -> bool:
        return trial.status == "pending" or (self._plan.retry_errors and trial.outcome in UNANSWERED)

    def take(self, finished: Finished) -> list[Trial]:
        """Keep a trial, and say which were written; raises `RunRefused` where nobody was answered from the first on.

        Trials that were refused are held back until another one was answered: a wrong key makes no evidence.
        """
        self._waiting.append(finished)
        refusals = {one.refusal for one in self._waiting}
        if not self._answered and None not in refusals and len(refusals) == 1:
            if len(self._waiting) < self._enough:
                return []
            raise errors.RunRefused(finished.trial.error.message if finished.trial.error else "")
        self._answered = True
        return self._flush()

    def _flush(self) -> list[Trial]:
        written: list[Trial] = []
        while self._waiting:
            trial, raw = self._waiting[0]
            key = trial.case, trial.trial
            before = self._trials[key]
            write_whole(self._home / raw_run.file_of(*key), raw)
            self._trials[key] = trial
            self._unasked.discard(key)
            written.append(trial)
            del self._waiting[0]
            if before.outcome and before.digest:  # the manifest tells of another file, which no longer is there
                self._earlier.append(Again(*key, before.outcome, before.digest))
                self._write_manifest(self._head)
        if time.monotonic() - self._written >= _SECONDS:
            self._write_manifest(self._head)
        return written

    def ended(self, at: str) -> RawRun:
        """The run with all its trials, and the time of its end; one that had ended before stays as it was."""
        had_ended = self._plan.head.ended_at if not self._answered else None
        return self._write_manifest(msgspec.structs.replace(self._head, ended_at=had_ended or at))

    def left(self, finished: list[Finished]) -> RawRun:
        """The run as it is, with what was finished since."""
        self._waiting += finished
        if self._answered:
            self._flush()
        return self._write_manifest(self._head if self._answered else self._head_found())

    def refused(self) -> RawRun:
        """The run as it is; one that was begun now and never answered leaves nothing behind."""
        run = self._write_manifest(self._head_found())
        if self._fresh:
            (self._home / raw_run.FILE).unlink()
            self._home.rmdir()
        return run

    def _head_found(self) -> raw_run.Head:
        """The head as it was found: its end is none where a file was lost since."""
        is_whole = all(one.status != "pending" for one in self._trials.values())
        return self._plan.head if is_whole else self._head

    def _write_manifest(self, head: raw_run.Head) -> RawRun:
        """Write what the manifest says now; where that is what was found there, its own bytes stay."""
        run = run_with(head, list(self._trials.values()), self._earlier)
        raw = self._found[1] if self._found and self._found[0] == run else bytes_of_run(run)
        if raw != self._manifest:
            write_whole(self._home / raw_run.FILE, raw)
            self._manifest = raw
        self._written = time.monotonic()
        return run


def _lock(handle: int, directory: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sentence = "another process is recording this run; wait for it or stop it"
        raise errors.WrongOption(sentence, file=str(directory)) from None
