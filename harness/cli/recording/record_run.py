"""One recording made: the agent loop on a live model, everything that passes kept at once, the result written whole."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from platform import python_version
from urllib.parse import urlsplit

import msgspec

from harness import errors
from harness.agent import Task, run
from harness.cli.environment import command_line, now
from harness.cli.recording.advice import advice_of
from harness.cli.recording.record_plan import Plan
from harness.cli.recording.record_talk import Done, Talk
from harness.excerpt import counted
from harness.files import check_target, installed_version
from harness.fixture import Fixture
from harness.fixture_derivation import fixture_of_recording
from harness.fixture_lines import lines_of_fixture
from harness.journal import Journal, write_together
from harness.providers.dialect import dialect_of
from harness.providers.failure import FIRST_ERROR_STATUS
from harness.recording import Header, Recording
from harness.recording_lines import line_of, lines_of_recording
from harness.scenario import Scenario
from harness.transcript import Effects, ToolCall
from harness.wire.capture import Attempt, Attempts
from harness.wire.clients import LiveModel, client_of
from harness.wire.earlier import EarlierFirst
from harness.wire.record import Recorder
from harness.wire.redact import POLICY, Redactor
from harness.world import Answer, Sandbox, Stubs, World


def recorded(plan: Plan) -> Done:
    """Record a plan and write what came of it; raises `UnfinishedRun` where the run did not come to its end."""
    talk, journal = Talk(plan), _journal_of(plan)
    talk.begin(plan)
    if journal.aside:
        talk.note(f"  an unfinished journal of an earlier run is kept as {journal.aside}; it may be deleted")
    redactor = _redactor_of(plan)
    recorder = _recorder_of(plan, redactor, journal)
    try:
        with clean_logs(_redactor_of(plan)):
            recording, fixture, served = _run(plan, recorder, talk)
            files = {plan.recording: lines_of_recording(recording), plan.fixture: lines_of_fixture(fixture)}
            write_together(plan.files | files)
    except BaseException as error:  # noqa: BLE001  it goes on below, with what was kept
        talk.left()
        journal.close(keep=_worth_keeping(recorder))
        raise _told(error, plan, recorder, redactor) from None
    journal.close(keep=False)
    return Done(plan, recording, fixture.transcript, str(journal.aside) if journal.aside else None, served)


def _redactor_of(plan: Plan) -> Redactor:
    """A memory of secrets of its own: what is shown or logged must not count in what is written."""
    return Redactor([*plan.secrets, plan.endpoint.key])


def _journal_of(plan: Plan) -> Journal:
    """The journal, where all that is to be written has a place: the answers cost money."""
    for path in (plan.fixture, *plan.files):
        check_target(path)
    return Journal(plan.recording)


def _recorder_of(plan: Plan, redactor: Redactor, journal: Journal) -> Recorder:
    try:
        return Recorder(_header_of(plan, redactor), redactor, lambda line: journal.add(line_of(line)))
    except errors.HarnessError:
        journal.close(keep=False)
        raise


def _run(plan: Plan, recorder: Recorder, talk: Talk) -> tuple[Recording, Fixture, int]:
    """The recording, its fixture, and how many of its exchanges an earlier recording gave."""
    scenario, dialect = plan.scenario, dialect_of(plan.endpoint.api)
    attempts = Attempts(time.monotonic, now, limit=plan.endpoint.timeout_s)
    client = client_of(plan.endpoint, attempts)

    def record(tries: list[Attempt]) -> None:
        recorder.exchanged(tries, dialect)

    live = LiveModel(client, dialect, attempts, record, talk.heard)
    earlier = plan.earlier and EarlierFirst(plan.earlier, dialect, live.reply, record, _redactor_of(plan).value)
    model = earlier or live
    task = Task(plan.model, scenario.system, scenario.users, scenario.tools, plan.params, plan.max_steps)
    transcript = run(task, model, RecordedWorld(scenario, plan.world, recorder), seen=talk.seen)
    title = _redactor_of(plan).text(plan.title)
    answered = live.answered or (earlier.answered if earlier else None)
    recording = recorder.finished(transcript.outcome, transcript.error, transcript.effects, model=answered)
    fixture = fixture_of_recording(recording, title=title, assertions_line=plan.assertions_line)
    return recording, fixture, earlier.served if earlier else 0


class RecordedWorld:
    """A scenario's world, each execution recorded. Calls are counted over the run: a provider may repeat an id."""

    def __init__(self, scenario: Scenario, world: World | None, recorder: Recorder) -> None:
        tables, directory = scenario.tables or {}, scenario.directory
        self._sandbox = Sandbox(scenario.tools, world or Stubs({}), tables, directory=directory)
        self._has_state = world is not None and not isinstance(world, Stubs)
        self._recorder = recorder
        self._count = 0

    def effects(self) -> Effects | None:
        """What the calls did; stubs do nothing."""
        return self._sandbox.effects() if self._has_state else None

    def execute(self, call: ToolCall) -> Answer:
        """The world's answer."""
        self._count += 1
        at, start = now(), time.monotonic()
        answer = self._sandbox.execute(msgspec.structs.replace(call, id=f"call_{self._count}"))
        self._recorder.ran(call, answer, at=at, ms=round((time.monotonic() - start) * 1000, 3))
        return answer


def _header_of(plan: Plan, redactor: Redactor) -> Header:
    sdk = "anthropic" if plan.endpoint.api == "messages" else "openai"
    return Header(
        id=plan.scenario.id,
        scenario=plan.scenario.id,
        recorded_at=now(),
        agent_version=installed_version(),
        versions={"python": python_version(), sdk: version(sdk)},
        provider=plan.provider,
        host=redactor.text(urlsplit(plan.endpoint.base_url).netloc.rpartition("@")[2]),
        model=redactor.text(plan.model),
        redaction=POLICY,
        max_steps=plan.max_steps,
    )


def _told(error: BaseException, plan: Plan, recorder: Recorder, redactor: Redactor) -> BaseException:
    """The error with what was kept and how to go on, where the run was stopped from outside."""
    stopped = error
    if isinstance(error, KeyboardInterrupt):
        stopped = errors.InterruptedRun()
    elif isinstance(error, OSError):
        stopped = errors.NotWritten(error.strerror or str(error), file=error.filename2 or error.filename)
    if isinstance(stopped, errors.UnfinishedRun):
        stopped.subject = redactor.text(stopped.subject)
        advice = advice_of(stopped, plan.provider, plan.endpoint, plan.model)
        stopped.again = redactor.text(f"{advice}; then {command_line()}" if advice else command_line())
        stopped.kept = _kept(plan, recorder)
    elif isinstance(stopped, errors.BadScenario):
        stopped.mend = f"mend it, then {redactor.text(command_line())}\n  kept:     {_kept(plan, recorder)}"
    return stopped


def _worth_keeping(recorder: Recorder) -> bool:
    """Whether anything but refusals came: those are told, and a journal of them alone says nothing more."""
    return any(one.status < FIRST_ERROR_STATUS or not one.complete for one in recorder.exchanges)


def _kept(plan: Plan, recorder: Recorder) -> str:
    if not _worth_keeping(recorder):
        nothing = "nothing, none was answered"
        return f"{nothing}; {plan.fixture} is as it was" if plan.fixture.exists() else nothing
    whole = sum(one.complete for one in recorder.exchanges)
    broken = len(recorder.exchanges) - whole
    parts = [counted(whole, "finished exchange")] + ([f"{broken} broken off"] if broken else [])
    journal = f"{', '.join(parts)} in {plan.recording}.partial (to look at; it may be deleted)"
    return f"{journal}; {plan.fixture} is as it was" if plan.fixture.exists() else journal


@contextmanager
def clean_logs(redactor: Redactor) -> Iterator[None]:
    """What the SDKs log of requests and answers is scrubbed before any handler gets it."""
    make = logging.getLogRecordFactory()

    def clean(*given: object, **named: object) -> logging.LogRecord:
        record = make(*given, **named)
        record.msg, record.args = redactor.text(record.getMessage()), ()
        return record

    logging.setLogRecordFactory(clean)
    try:
        yield
    finally:
        logging.setLogRecordFactory(make)
