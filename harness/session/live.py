"""A run of a program's own agent that is recorded: what passes its clients, and what its tools give."""

import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from harness import errors
from harness.cli.environment import now
from harness.providers.dialect import Reading
from harness.recording import Exchange, Recording, ToolRun
from harness.session.clients import proxies
from harness.session.growing import Growing
from harness.session.kept import End, kept_aside, kept_new, kept_part
from harness.session.proposed import Place as CallPlace
from harness.session.session import Place, Session
from harness.session.tool_results import Written, arguments_of, raised, written_of
from harness.session.tools import Execution, Run, Wanted
from harness.session.turn import Gate, Turn
from harness.transcript import ToolCall
from harness.wire.carried import capture_of

_SDKS = ("openai", "anthropic")


class LiveSession(Session):
    """Records what the agent's clients send and get, and what its tools give."""

    def __init__(self, place: Place, secrets: list[str], allow: Iterable[str] = ()) -> None:
        super().__init__(place, secrets, allow)
        self._growing = Growing(place.path, place.origin, self._redactor, self._heard, packages=_SDKS)
        self._kept: list[str] = []
        self.written = False
        self._failure: errors.HarnessError | None = None
        self._turn = Turn(place.name, self._strayed)

    @property
    def recording(self) -> Recording:
        """What is recorded so far."""
        return self._growing.recording

    def ignore(self, *paths: str, reason: str) -> None:
        """Nothing is compared while recording."""

    def normalise(self, function: Callable[[str], str], *, reason: str) -> None:
        """Nothing is compared while recording."""

    def finish(self, end: End) -> None:
        """Write the recording, whole; where the run broke off, only the journal of what crossed the wire stays.

        Where just an assert of the test failed, the agent's run is whole and was paid for: it is the recording where
        there was none, and stands beside an earlier one. Raises, where nothing else failed, `NotIntercepted` where no
        model was asked, `LiveCallFailed` where one did not answer, and what kept an exchange or a tool's result from
        being recorded.
        """
        self._turn.end()
        self._growing.intake.flush()
        failure = self._failure or self._growing.failure()
        if isinstance(failure, errors.NotIntercepted) and not failure.found:
            failure.found = self._unused()
            self._kept += [failure.found] if end != "passed" else []
        aside = self.place.path.with_name(f"{self.place.path.name}.failed")
        if end == "broken" or failure is not None:
            self._leave()
        elif end == "passed" or not self.place.path.exists():
            self._growing.write()
            self.written = True
            self._kept += [] if end == "passed" else [kept_new(self.place)]
            aside.unlink(missing_ok=True)  # nobody is to take it for the newer one
        else:
            self._growing.write(aside)
            self._kept.append(kept_aside(self.place))
        if end == "passed" and failure is not None:
            raise failure

    def _strayed(self, note: str) -> None:
        self._failure = self._failure or errors.LiveCallFailed(note)

    def _leave(self) -> None:
        self._growing.leave()
        if self._growing.exchanges:
            self._kept.append(kept_part(self.place, len(self._growing.exchanges)))

    def notes(self) -> list[str]:
        """What a reader of the run should know: requests that are not in the recording, and what was kept of it."""
        return [*self._growing.notes(), *self._kept]

    def _transport(self, library: Any, *, asynchronous: bool, inner: Any = None) -> Any:  # noqa: ANN401  either library's
        sending = inner or self._sending(library, asynchronous=asynchronous)
        capture = capture_of(library, sending, self._growing.intake, asynchronous=asynchronous)
        return Gate(library, capture, self._turn)

    def _mounts(self, library: Any, *, asynchronous: bool) -> dict[str, Any]:  # noqa: ANN401  either library's
        """The system's proxies, which a client with a transport of its own would not look for."""
        sending = partial(self._sending, library, asynchronous=asynchronous)
        return {
            pattern: self._transport(library, asynchronous=asynchronous, inner=sending(proxy=url or None))
            for pattern, url in proxies().items()
        }

    def _sending(self, library: Any, *, asynchronous: bool, **options: Any) -> Any:  # noqa: ANN401  either library's
        own = library.AsyncHTTPTransport if asynchronous else library.HTTPTransport
        made = own(**options)
        self._beneath.append(made)
        return made

    def _heard(self, exchange: Exchange, reading: Reading) -> None:
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
            try:
                written = written_of(wanted.function, result)
            except errors.WrongOption as error:
                self._failure = self._failure or error  # the agent may take it for a failure of the tool's own
                raise
            keep(written)
            return result

        def failed(error: BaseException) -> object:
            keep(raised(error))
            raise error

        return Run(gave, failed)

    def _keep_run(self, call: ToolCall, place: CallPlace, begun: tuple[str, float], written: Written) -> None:
        at, start = begun
        run = ToolRun(
            exchange=place.exchange,
            position=place.position,
            call=call.id,
            name=call.name,
            arguments=call.arguments,
            result=written.text,
            error=written.form == "raised",
            at=at,
            ms=round((time.monotonic() - start) * 1000, 3),
            form=written.form,
        )
        self._growing.intake.add_run(run)


def _reraised(error: BaseException) -> object:
    raise error
