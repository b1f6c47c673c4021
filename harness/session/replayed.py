"""A run of a program's own agent against its recording: no key, no socket, and every drift remembered."""

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from harness import errors, files
from harness.derivation import reading_of_exchange
from harness.excerpt import excerpts_of
from harness.nearest import nearest_of
from harness.recording import Exchange, Recording, ToolRun
from harness.recording_lines import journal_of
from harness.session.guard import Reach, is_this_machine, no_way_out
from harness.session.played import played_part
from harness.session.proposed import Place as CallPlace
from harness.session.session import Place, Session
from harness.session.tool_results import Written, arguments_of, raised, result_of, written_of
from harness.session.tools import Execution, Given, Run, Wanted
from harness.session.turn import Gate, Turn
from harness.value import Json, decode
from harness.wire.divergence import divergence_of, path_text
from harness.wire.drift import Drift
from harness.wire.drift_report import causes_of, report_of
from harness.wire.facets import fits
from harness.wire.meaning import Rules
from harness.wire.replay import Replay, Script
from harness.wire.replay_transport import Pace, ReplayTransport

Timing: TypeAlias = Literal["instant", "recorded"]
_FORGOTTEN = "give the agent its tools through fc.tools(…), as when this was recorded; else record again"


class ReplaySession(Session):
    """Replays. What may vary is declared before the first request, since it holds for all of them."""

    def __init__(
        self,
        place: Place,
        secrets: list[str],
        *,
        allow: Iterable[str] = (),
        timing: Timing = "instant",
        reachable: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(place, secrets, allow)
        check_timing(timing)
        self._recording = recording_at(place)
        script = Script(self._recording, place.name, place.command)
        self._replay = Replay(script, allowed=self._allowed, scrub=self._redactor.value, served=self._served)
        self._pace = Pace(time.sleep, asyncio.sleep) if timing == "recorded" else None
        self._drifts: list[Drift] = []
        self._runs = {CallPlace(run.exchange, run.position): run for run in self._recording.tools}
        self._claimed: set[CallPlace] = set()
        self._handed: set[CallPlace] = set()
        self._tools_used = False
        self.given_results = 0
        self._open = ExitStack()
        self._open.enter_context(no_way_out(Reach(reachable, _model_ports(self._recording)), self._reached_out))
        self._turn = Turn(place.name, self._strayed)

    @property
    def recording(self) -> Recording:
        """What is replayed, as far as the agent has come."""
        return played_part(self._recording, self._replay.given(), self._handed)

    def ignore(self, *paths: str, reason: str) -> None:
        """Leave fields of requests out of the comparison."""
        _check_reason(reason)
        self._replay.declare(Rules(ignore=paths))

    def normalise(self, function: Callable[[str], str], *, reason: str) -> None:
        """Compare every text as this function gives it."""
        _check_reason(reason)
        self._replay.declare(Rules(normalise=(function,)))

    def finish(self) -> list[Drift]:
        """End the run: what drifted in it and is not allowed. A run that asked no model at all has drifted."""
        self._turn.end()
        self._open.close()
        found = [*self._drifts]
        if self._replay.requests:
            found += self._replay.failures()
            if all(drift.served for drift in found):
                found += self._unplayed_runs()
        else:
            found.append(Drift("NOT_INTERCEPTED", f"no request passed this session: {self._unused()}"))
        return [drift for drift in dict.fromkeys(found) if drift.category not in self._allowed]

    def report(self, drifts: list[Drift]) -> str:
        """Drifts as people read them."""
        causes = causes_of([(self.place.name, drift) for drift in drifts])
        if self._forgot_tools(drifts):
            return report_of(causes, self.place.command, advice=_FORGOTTEN)
        return report_of(causes, self.place.command)

    def _forgot_tools(self, drifts: list[Drift]) -> bool:
        """Whether tools went through `fc.tools` when this was recorded, were asked for again, and none came there."""
        asked_for = any(run.exchange in self._replay.given() for run in self._recording.tools)
        of_tools = any(drift.category in {"TOOL_RESULT", "UNPLAYED"} for drift in drifts)
        return asked_for and of_tools and not self._tools_used

    def _transport(self, library: Any, *, asynchronous: bool, inner: Any = None) -> Any:  # noqa: ANN401  either library's
        del asynchronous, inner
        return Gate(library, ReplayTransport(library, self._replay, self._pace), self._turn)

    def _served(self, exchange: Exchange) -> None:
        self._proposals.hear(exchange.number, reading_of_exchange(self._recording, exchange).turn.calls)

    def _strayed(self, note: str) -> None:
        self._drifts.append(Drift("NOT_INTERCEPTED", note))

    def _reached_out(self, host: str) -> None:
        self._drifts.append(Drift("NOT_INTERCEPTED", f"a connection to {host} was tried, past this session"))

    def _begin(self, wanted: Wanted) -> Execution:
        self._tools_used = True
        arguments = arguments_of(wanted)
        claimed = self._proposals.claim(wanted.name, arguments)
        if claimed is not None:
            self._claimed.add(claimed[0])
        if claimed is None or wanted.mode == "live":
            return Run(lambda result: result, _reraised)
        run = self._runs.get(claimed[0])
        if run is None or run.name != wanted.name:
            drift = Drift("TOOL_RESULT", f"tool {wanted.name} was not run here when this was recorded")
            return Given(partial(_refused, self._tell(drift)))
        if run.arguments is not None and not fits(run.arguments, arguments):
            divergence = divergence_of(run.arguments, arguments)
            note = f"tool {run.name} is called with other arguments than recorded"
            path = path_text((run.name, *divergence.path))
            self._tell(Drift("TOOL_RESULT", note, path, divergence.recorded, divergence.sent, run.exchange))
        if wanted.mode == "recorded":
            self.given_results += 1
            return Given(partial(self._hand, wanted, run))
        return Run(
            lambda result: self._compared(wanted, run, written_of(wanted.function, result)),
            lambda error: self._compared(wanted, run, raised(error)),
        )

    def _compared(self, wanted: Wanted, run: ToolRun, now: Written) -> object:
        """The recorded result, whatever the tool gives now; a difference is told."""
        if now.form != run.form or not fits(_value(run.form, run.result), _value(now.form, now.text)):
            recorded, sent = excerpts_of(run.result, self._redactor.text(now.text))
            note = f"tool {run.name} no longer gives the recorded result"
            self._tell(Drift("TOOL_RESULT", note, "", recorded, sent, run.exchange))
        return self._hand(wanted, run)

    def _hand(self, wanted: Wanted, run: ToolRun) -> object:
        self._handed.add(CallPlace(run.exchange, run.position))
        return result_of(wanted.function, run)

    def _tell(self, drift: Drift) -> Drift:
        self._drifts.append(drift)
        return drift

    def _unplayed_runs(self) -> list[Drift]:
        """Tools that ran after an answer when this was recorded, and no longer do."""
        given = self._replay.given()
        return [
            Drift("UNPLAYED", f"tool {run.name} ran when this was recorded, and does not now", exchange=run.exchange)
            for place, run in self._runs.items()
            if run.exchange in given and place not in self._claimed
        ]


def check_timing(timing: str) -> None:
    """Raise `UnknownName` where this is no timing."""
    known = get_args(Timing)
    if timing not in known:
        raise errors.UnknownName(timing, expected=", ".join(known), nearest=nearest_of(timing, known))


def _model_ports(recording: Recording) -> frozenset[int]:
    """Where on this machine the models listened: a replay asks them nothing either."""
    found = [urlsplit(f"//{context.host}") for context in recording.contexts.values()]
    return frozenset(one.port for one in found if one.port and one.hostname and is_this_machine(one.hostname))


def _value(form: str, text: str) -> Json:
    return decode(text) if form == "json" else text


def _reraised(error: BaseException) -> object:
    raise error


def _refused(drift: Drift) -> object:
    raise errors.ReplayExhausted(found=drift.note)


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise errors.WrongOption("what may vary is declared with a reason: reason='a new id each run'")


def recording_at(place: Place) -> Recording:
    """The recording of a run; raises `RecordingMissing`, and `InputError` where it is another run's or not whole."""
    path = place.path
    if not path.exists():
        nearest = _nearest_to(path)
        raise errors.RecordingMissing(place.command, file=place.name, expected=str(path), nearest=nearest)
    recording = _whole_in(files.read_bytes(path), place)
    if recording.header.origin != place.origin:
        found = recording.header.origin
        raise errors.RecordingTaken(place.command, file=place.name, expected=place.origin, found=found)
    return recording


def _whole_in(raw: bytes, place: Place) -> Recording:
    try:
        journal = journal_of(raw, file=place.name)
        if len(journal.recordings) != 1 or journal.torn is not None or journal.recordings[0].end is None:
            raise errors.MalformedLine("holds no single whole recording", file=place.name, line=1)
    except errors.InputError as error:
        error.mend = error.mend or f"restore the file from git, or record it again: {place.command}"
        raise
    return journal.recordings[0]


def _nearest_to(path: Path) -> str | None:
    """The recording beside it that has nearly this name, as a renamed test's has."""
    found = nearest_of(path.stem, (one.stem for one in path.parent.glob("*.jsonl")))
    return None if found is None else str(path.with_name(f"{found}.jsonl"))
