"""A suite's run made: each trial in a fresh sandbox, several at once where asked, each kept as soon as it is whole."""

import shlex
import threading
import time
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from queue import SimpleQueue
from typing import TYPE_CHECKING, Protocol

from harness import errors, files
from harness.agent import Task, run
from harness.cli.environment import command_line, now
from harness.cli.recording.advice import advice_for_all
from harness.cli.recording.record_run import RecordedWorld, clean_logs
from harness.cli.suites.run_files import is_run
from harness.cli.suites.run_trials import trial_of
from harness.cli.suites.suite_book import Book, Finished
from harness.cli.suites.suite_plan import SuitePlan
from harness.providers.dialect import dialect_of
from harness.raw_run import RawRun, Trial, file_of, params_for
from harness.recording import Header, Recording
from harness.recording_lines import lines_of_recording
from harness.scenario import Scenario
from harness.transcript import Outcome
from harness.user_code import load_world
from harness.wire.capture import Attempt, Attempts
from harness.wire.clients import LiveModel, client_of
from harness.wire.record import Recorder
from harness.world import World

if TYPE_CHECKING:
    from collections.abc import Iterable

_worlds = threading.Lock()


class Progress(Protocol):
    """What is told while a run goes on."""

    def begin(self, plan: SuitePlan, pending: list[Trial]) -> None:
        """The run starts, or goes on, with these trials to ask."""

    def done(self, trials: list[Trial]) -> None:
        """These trials were written."""

    def end(self) -> None:
        """Nothing more comes."""


def recorded_suite(plan: SuitePlan, progress: Progress) -> RawRun:
    """Ask all trials that are not there yet; raises `UnfinishedRun` where the run stopped before its end."""
    book, work = Book(plan), _Work()
    try:
        with clean_logs(plan.redactor()), book.opened():
            try:
                _ask(plan, book, work, progress)
                return book.ended(now())
            except BaseException as error:  # noqa: BLE001  it goes on below, with what was kept
                raise _told(error, plan, book, work) from None
    except OSError as error:
        raise errors.NotWritten(error.strerror or str(error), file=error.filename2 or error.filename) from None


def _ask(plan: SuitePlan, book: Book, work: "_Work", progress: Progress) -> None:
    pending = book.pending
    progress.begin(plan, pending)
    try:
        workers = [_Worker(plan) for _ in range(min(plan.concurrency, len(pending)))]
        work.start(workers, pending)
        for _ in pending:
            progress.done(book.take(work.next()))
        work.join()
    finally:
        work.stop()
        progress.end()


def _told(error: BaseException, plan: SuitePlan, book: Book, work: "_Work") -> BaseException:
    """The error with what was kept and how to go on."""
    kept = book.refused() if isinstance(error, errors.RunRefused) else book.left(work.rest())
    stopped = errors.InterruptedRun() if isinstance(error, KeyboardInterrupt) else error
    if isinstance(stopped, OSError):
        stopped = errors.NotWritten(stopped.strerror or str(stopped), file=stopped.filename2 or stopped.filename)
    if isinstance(stopped, errors.UnfinishedRun):
        counts = kept.counts
        stopped.subject = plan.redactor().text(stopped.subject)
        stopped.kept = (
            f"{counts.finished} of {counts.trials} trials in {plan.directory}" if counts.finished else "nothing"
        )
        again = resuming(command_line(), kept.id) if is_run(plan.directory) else command_line()
        if isinstance(stopped, errors.RunRefused):
            again = f"{advice_for_all(plan.head.asked.provider, plan.endpoint, plan.model)}; then {again}"
        stopped.again = plan.redactor().text(again)
    return stopped


def resuming(command: str, run_id: str) -> str:
    """The command line that goes on with a run, out of the one that began it."""
    words, kept = iter(shlex.split(command)), []
    for word in words:
        name, equals, _ = word.partition("=")
        if name not in {"--run-id", "--resume"}:
            kept.append(word)
        elif not equals:
            next(words, None)
    return shlex.join([*kept, "--resume", run_id])


class _Work:
    """Threads that ask, and what they have finished; they are left behind where the run stops before its end.

    A request may take minutes and cannot be broken off from outside: nobody waits for it, and nothing of it is kept.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Trial | None] = SimpleQueue()
        self._finished: SimpleQueue[Finished | BaseException] = SimpleQueue()
        self._stopped = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self, workers: "list[_Worker]", jobs: "Iterable[Trial]") -> None:
        """Give all jobs out, each to whoever is free."""
        for job in (*jobs, *(None for _ in workers)):
            self._jobs.put(job)
        for worker in workers:
            self._threads.append(threading.Thread(target=self._serve, args=(worker,), daemon=True))
            self._threads[-1].start()

    def next(self) -> Finished:
        """The next finished trial; raises what a worker could not do."""
        finished = self._finished.get()
        if isinstance(finished, BaseException):
            raise finished
        return finished

    def rest(self) -> list[Finished]:
        """What is finished by now and was not asked for."""
        rest: list[Finished] = []
        while not self._finished.empty():
            finished = self._finished.get()
            rest += [finished] if isinstance(finished, Finished) else []
        return rest

    def join(self) -> None:
        """Wait until every connection is closed; only where all jobs are done."""
        for thread in self._threads:
            thread.join()

    def stop(self) -> None:
        """Begin no further trial."""
        self._stopped.set()

    def _serve(self, worker: "_Worker") -> None:
        try:
            while (job := self._jobs.get()) is not None and not self._stopped.is_set():
                self._finished.put(worker.finished(job))
        except BaseException as error:  # noqa: BLE001  it is raised where the run is led
            self._finished.put(error)
        finally:
            worker.close()


class _Worker:
    """One client and its connection; a trial gets everything else anew."""

    def __init__(self, plan: SuitePlan) -> None:
        self._plan = plan
        self._home = str(Path(plan.suite.directory).absolute())  # a world in another thread may go elsewhere
        self._dialect = dialect_of(plan.endpoint.api)
        self._attempts = Attempts(time.monotonic, now, limit=plan.endpoint.timeout_s)
        self._client = client_of(plan.endpoint, self._attempts)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def finished(self, job: Trial) -> Finished:
        """Ask one trial to its end, however it ends."""
        scenario = self._plan.suite.scenario_of(self._plan.suite.case(job.case))
        raw = lines_of_recording(self._recording(scenario, job.trial))
        return Finished(trial_of(raw, job.case, job.trial, file=file_of(job.case, job.trial)), raw)

    def _recording(self, scenario: Scenario, trial: int) -> Recording:
        plan = self._plan
        recorder = Recorder(_header_of(plan, scenario.id, trial), plan.redactor(), lambda _: None)

        def record(tries: list[Attempt]) -> None:
            recorder.exchanged(tries, self._dialect)

        model = LiveModel(self._client, self._dialect, self._attempts, record)
        world = RecordedWorld(scenario, _world_of(scenario.model_copy(update={"directory": self._home})), recorder)
        params, steps = params_for(plan.params, trial), plan.head.agent.max_steps
        task = Task(plan.model, scenario.system, scenario.users, scenario.tools, params, steps)
        try:
            transcript = run(task, model, world)
            outcome, error = transcript.outcome, transcript.error
        except errors.LiveCallTimeout as failure:
            outcome, error = Outcome.TIMEOUT, str(failure)
        except errors.LineTooLong as failure:
            outcome, error = Outcome.ERROR, str(failure)
        except errors.LiveCallFailed as failure:
            outcome, error = Outcome.ERROR, failure.subject
        return recorder.finished(outcome, error, world.effects(), model=model.answered)


def _world_of(scenario: Scenario) -> World | None:
    """The user's world, loaded anew: what one trial leaves in a module must not reach the next."""
    with _worlds:
        return load_world(scenario)


def _header_of(plan: SuitePlan, case: str, trial: int) -> Header:
    sdk = "anthropic" if plan.endpoint.api == "messages" else "openai"
    return Header(
        id=case,
        scenario=plan.suite.id,
        trial=trial,
        recorded_at=now(),
        agent_version=files.installed_version(),
        versions={"python": python_version(), sdk: version(sdk)},
        provider=plan.head.asked.provider,
        host=plan.head.asked.host,
        model=plan.head.model,
        redaction=plan.head.redaction,
    )
