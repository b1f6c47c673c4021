"""Recorded answers in the provider's place, each request answered from the recording or not at all.

No socket is ever opened. A request that nothing answers gets status 599 with the reason in its body, and the reason
stays: the run has failed even where the agent swallows it.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from harness import errors
from harness.providers.dialect import api_of_path, dialect_of
from harness.recording import Aside, Exchange, Recording
from harness.value import Json, JsonObject, NotJsonError, decode, encode
from harness.wire.answers import Piece, pieces_of
from harness.wire.asides import Asides, Beside, raw_of
from harness.wire.drift import Category, Drift, drift_of_miss, drift_of_unplayed, drifts_of_context
from harness.wire.drift_report import causes_of, report_of
from harness.wire.facets import Facets
from harness.wire.matching import Asked, Matching, Missed, is_retried, retries_of
from harness.wire.meaning import Rules

MISS_STATUS = 599  # no provider sends it, and with x-should-retry no SDK asks again
# What belongs to the connection it came over, and how long to wait for a provider that is no longer asked.
_DROPPED = {"content-encoding", "content-length", "retry-after", "transfer-encoding"}


class Sent(NamedTuple):
    """One HTTP request: its path without the query, its headers by lower-case name, its body, its query."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    query: str = ""


class Served(NamedTuple):
    """One HTTP response; `pieces` are a stream's chunks or a body whole. Where it is not `whole`, the line breaks.

    Where it `broke` when it was recorded too, a reader that reads on does as it did.

    `missed`: it is no recorded answer, but the reason why there is none.
    """

    status: int
    headers: dict[str, str]
    pieces: list[Piece]
    is_stream: bool = False
    exchange: Exchange | None = None
    whole: bool = True
    missed: bool = False
    broke: bool = False


class Script(NamedTuple):
    """What a replay plays from: `name` is how people call the recording, `command` what records it again.

    Where it was put together from several, `places` are the name and number of each exchange in its own recording.
    """

    recording: Recording
    name: str
    command: str
    places: Sequence[tuple[str, int]] = ()

    def placed(self, drift: Drift) -> tuple[str, Drift]:
        """The name of the recording that a drift concerns, and the drift with its exchange's number there."""
        if drift.exchange is None or not self.places:
            return self.name, drift
        name, number = self.places[drift.exchange]
        return name, drift._replace(exchange=number)


class Replay:
    """One run against one recording; threads and tasks may ask at once.

    `scrub` takes the secrets out of what is sent, as it was done with what was recorded; `served` is told of each
    exchange that answers, in the context of whoever asked. `allowed` may still grow while the run goes on.
    """

    def __init__(
        self,
        script: Script,
        *,
        allowed: AbstractSet[Category] = frozenset(),
        scrub: Callable[[Json], Json] = lambda value: value,
        served: Callable[[Exchange], None] = lambda _: None,
    ) -> None:
        self.script = script
        self.requests = 0
        self._allowed = allowed
        self._scrub = scrub
        self._tell = served
        self._rules = Rules()
        self._begun: Matching | None = None
        self._drifts: list[Drift] = []
        self._asides = Asides(script.recording.asides)
        self._lock = threading.Lock()

    def declare(self, rules: Rules) -> None:
        """Add what may vary; raises `WrongOption` after the first request, since rules hold for all of them."""
        with self._lock:
            if self._begun is not None:
                raise errors.WrongOption("what may vary is declared before the first request")
            ignore, normalise = self._rules
            self._rules = Rules((*ignore, *rules.ignore), (*normalise, *rules.normalise))

    @property
    def _matching(self) -> Matching:
        with self._lock:
            if self._begun is None:
                self._begun = Matching(self.script.recording, rules=self._rules, scrub=self._scrub)
            return self._begun

    def answer(self, sent: Sent) -> Served:
        """What the client gets."""
        self.requests += 1
        asked = _asked(sent)
        if asked is None:
            return self._answer_beside(sent)
        match = self._matching.find(asked, repeats="EXHAUSTED" in self._allowed)
        if isinstance(match, Missed):
            pair = None if match.nearest is None else self._pair(match.nearest, asked)
            return self._miss(drift_of_miss(match, pair, asked))
        if match.differing:
            for drift in drifts_of_context(match.exchange, self._pair(match.exchange, asked), asked):
                self._latch(drift)
        self._tell(match.exchange)
        return _served(match.exchange)

    def given(self) -> set[int]:
        """The numbers of the exchanges that answered."""
        return self._matching.given()

    def read_on(self, exchange: Exchange) -> str:
        """Note that a reader wants more of an answer than was recorded; why there is no more, in a sentence."""
        if exchange.broke:
            return "the stream breaks here, as it did when it was recorded"
        note = "the agent reads on where the recorded stream was left or broke"
        self._latch(Drift("EXHAUSTED", note, exchange=exchange.number))
        return note

    def drifts(self) -> list[Drift]:
        """What drifted so far, allowed or not; each kind of difference once for each exchange."""
        return list(dict.fromkeys(self._drifts))

    def failures(self) -> list[Drift]:
        """At the end of the run: what drifted and is not allowed, else what was never asked for.

        After a request that got no answer, what follows it in the recording is not asked for either: that says nothing.
        """
        drifts = [drift for drift in self.drifts() if drift.category not in self._allowed]
        if "UNPLAYED" in self._allowed or any(not drift.served for drift in drifts):
            return drifts
        return drifts + [drift_of_unplayed(exchange) for exchange in self._matching.unplayed()]

    def _pair(self, exchange: Exchange, asked: Asked) -> tuple[Facets, Facets]:
        return self._matching.facets(exchange), self._matching.facets_of_parts(asked.parts)

    def _miss(self, drift: Drift) -> Served:
        self._latch(drift)
        message = report_of(causes_of([self.script.placed(drift)]), self.script.command)
        error: JsonObject = {"type": "fc_replay_miss", "code": drift.category, "message": message}
        body = encode({"type": "error", "error": error})
        headers = {"content-type": "application/json", "x-should-retry": "false"}
        return Served(MISS_STATUS, headers, [Piece(0, body)], missed=True)

    def _answer_beside(self, sent: Sent) -> Served:
        """The answer to a request that asks no model."""
        with self._lock:
            found = self._asides.find(Beside(sent.method, sent.path, sent.query, sent.body), self._scrub)
        if isinstance(found, Drift):
            return self._miss(found)
        return Served(found.status, _headers_of(found, "application/json"), [Piece(0, raw_of(found))])

    def _latch(self, drift: Drift) -> None:
        with self._lock:
            self._drifts.append(drift)


def _asked(sent: Sent) -> Asked | None:
    """The request taken apart; None where it is no model call that a dialect can read."""
    api = api_of_path(sent.path)
    if api is None or sent.method != "POST":
        return None
    try:
        body = decode(sent.body)
        if not isinstance(body, dict):
            return None
        return Asked(api, body, dialect_of(api).parts_of(body), retries_of(sent.headers))
    except (NotJsonError, errors.UnreadableAnswer):
        return None


def _served(exchange: Exchange) -> Served:
    is_stream = exchange.chunks is not None
    headers = _headers_of(exchange, "text/event-stream" if is_stream else "application/json")
    whole, broke = exchange.complete, exchange.broke
    return Served(exchange.status, headers, pieces_of(exchange), is_stream, exchange, whole, broke=broke)


def _headers_of(answer: Exchange | Aside, kind: str) -> dict[str, str]:
    headers = {"content-type": kind}
    headers |= {name: value for name, value in answer.headers.items() if name not in _DROPPED}
    if is_retried(answer.status):
        headers["retry-after-ms"] = "1"
    return headers
