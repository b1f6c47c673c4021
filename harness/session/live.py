"""A run of a program's own agent that is recorded: what passes its clients, and what its tools give."""

import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from typing import Any

from harness import errors, files
from harness.cli.environment import now
from harness.derivation import reading_of_exchange
from harness.importers.traffic import provider_of
from harness.journal import Journal
from harness.providers.fields import text_at
from harness.recording import Exchange, Header, Recording, ToolRun
from harness.recording_lines import lines_of_recording
from harness.session.clients import proxies
from harness.session.proposed import Place as CallPlace
from harness.session.session import Place, Session
from harness.session.tool_results import Written, arguments_of, raised, written_of
from harness.session.tools import Execution, Run, Wanted
from harness.transcript import Outcome, ToolCall
from harness.value import decode
from harness.wire.capture import Attempt
from harness.wire.carried import capture_of
from harness.wire.intake import Intake
from harness.wire.record import Recorder, line_of
from harness.wire.redact import POLICY

_SDKS = ("openai", "anthropic")


class LiveSession(Session):
    """Records. Nothing of an earlier recording is read; it is replaced when this one is whole, not before."""

    def __init__(self, place: Place, secrets: list[str]) -> None:
        super().__init__(place, secrets)
        self._journal: Journal | None = None
        self._intake = Intake(time.monotonic, now, begin=self._recorder_for, heard=self._heard)
        self._models: list[str] = []

    @property
    def recording(self) -> Recording:
        """What is recorded so far."""
        recorder = self._intake.recorder
        if recorder is None:
            raise errors.NotIntercepted
        model = self._models[-1] if self._models else None
        return recorder.finished(Outcome.COMPLETED, None, None, model=model)

    def ignore(self, *paths: str, reason: str) -> None:
        """Nothing is compared while recording."""

    def normalise(self, function: Callable[[str], str], *, reason: str) -> None:
        """Nothing is compared while recording."""

    def finish(self, *, passed: bool) -> None:
        """Write the recording, whole; where the run did not pass, only the journal of what crossed the wire stays.

        Raises `NotIntercepted` where no model was asked, `LiveCallFailed` where one did not answer, and what kept an
        exchange from being recorded.
        """
        self._intake.flush()
        failure = self._failure() if passed else None
        whole = passed and failure is None
        try:
            if whole:
                files.write_whole(self.place.path, lines_of_recording(self.recording))
        except BaseException:
            whole = False
            raise
        finally:
            if self._journal is not None:
                self._journal.close(keep=not whole)
        if failure is not None:
            raise failure

    def _failure(self) -> Exception | None:
        """Why a run that went well has no whole recording."""
        if self._intake.failure is not None:
            return self._intake.failure
        if self._intake.unanswered:
            return errors.LiveCallFailed(f"no answer came from {self._intake.unanswered[0]}, which no replay can give")
        return None if self._intake.recorder else errors.NotIntercepted(found="; ".join(self.notes()) or None)

    def notes(self) -> list[str]:
        """What a reader of the run should know: requests that are not in the recording."""
        counts = Counter(self._intake.passed_by)
        return [f"not recorded, since no model is asked: {path} ({count} times)" for path, count in counts.items()]

    def _transport(self, library: Any, *, asynchronous: bool, inner: Any = None) -> Any:  # noqa: ANN401  either library's
        own = library.AsyncHTTPTransport if asynchronous else library.HTTPTransport
        return capture_of(library, inner or own(), self._intake, asynchronous=asynchronous)

    def _mounts(self, library: Any, *, asynchronous: bool) -> dict[str, Any]:  # noqa: ANN401  either library's
        """The system's proxies, which a client with a transport of its own would not look for."""
        own = library.AsyncHTTPTransport if asynchronous else library.HTTPTransport
        return {
            pattern: self._transport(library, asynchronous=asynchronous, inner=own(proxy=url or None))
            for pattern, url in proxies().items()
        }

    def _recorder_for(self, first: Attempt) -> Recorder:
        self._journal = Journal(self.place.path)
        journal = self._journal
        host = first.url.netloc.decode()
        body = decode(first.request)
        header = Header(
            id=self.place.path.stem,
            recorded_at=first.at,
            agent_version=files.installed_version(),
            versions={"python": python_version(), **_versions()},
            provider=provider_of(host),
            host=self._redactor.text(host),
            model=self._redactor.text(text_at(body, "model")),
            redaction=POLICY,
            origin=self.place.origin,
        )
        return Recorder(header, self._redactor, lambda line: journal.add(line_of(line)))

    def _heard(self, exchange: Exchange) -> None:
        recorder = self._intake.recorder
        assert recorder is not None  # noqa: S101  it recorded this exchange
        reading = reading_of_exchange(recorder.finished(Outcome.COMPLETED, None, None, model=None), exchange)
        if reading.model:
            self._models.append(reading.model)
        self._proposals.hear(exchange.number, reading.turn.calls)

    def _begin(self, wanted: Wanted) -> Execution:
        arguments = arguments_of(wanted)
        claimed = self._proposals.claim(wanted.name, arguments)
        if claimed is None:  # before any answer of a model: it runs on replay too
            return Run(lambda result: result, _reraised)
        place, proposed = claimed
        call = ToolCall(proposed.id if proposed else "", wanted.name, arguments)
        keep = partial(self._keep_run, call, place, (now(), time.monotonic()))

        def gave(result: object) -> object:
            keep(written_of(wanted.function, result))
            return result

        def failed(error: Exception) -> object:
            keep(raised(error))
            raise error

        return Run(gave, failed)

    def _keep_run(self, call: ToolCall, place: CallPlace, begun: tuple[str, float], written: Written) -> None:
        scrub, (at, start) = self._redactor, begun
        ms = round((time.monotonic() - start) * 1000, 3)

        def run_of() -> ToolRun:
            arguments = scrub.value(call.arguments)
            assert isinstance(arguments, dict)  # noqa: S101  scrubbing keeps the kind
            return ToolRun(
                exchange=place.exchange,
                position=place.position,
                call=scrub.text(call.id),
                name=scrub.text(call.name),
                arguments=arguments,
                result=scrub.text(written.text),
                error=written.form == "raised",
                at=at,
                ms=ms,
                form=written.form,
            )

        self._intake.add_run(run_of)


def _reraised(error: Exception) -> object:
    raise error


def _versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _SDKS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
