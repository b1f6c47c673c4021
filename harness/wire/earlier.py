"""An earlier recording in front of a live model: it answers as long as every request is the recorded one."""

from collections.abc import Callable

import httpx2

from harness.providers.dialect import Dialect, Reading, Request
from harness.providers.failure import FIRST_ERROR_STATUS
from harness.recording import Context, Exchange, Recording
from harness.value import Json, encode
from harness.wire.answers import pieces_of
from harness.wire.capture import Attempt
from harness.wire.matching import Asked, Found, Matching

# A secret's placeholder in an answer is no longer what the model said: nothing can go on from it.
_PLACEHOLDER = b"[secret:"
_STREAM = {"content-type": "text/event-stream"}


class EarlierFirst:
    """Gives the recorded answer to each request that is wholly equal to a recorded one.

    From the first that is not, or that has no whole answer, everything is asked live. `record` gets what was given as
    it once crossed the wire, with its own times. `served` counts it; `answered` is what the model said it was.
    """

    def __init__(
        self,
        earlier: Recording,
        dialect: Dialect,
        live: Callable[[Request], Reading],
        record: Callable[[list[Attempt]], None],
        scrub: Callable[[Json], Json],
    ) -> None:
        self._contexts = earlier.contexts
        self._matching = Matching(earlier, scrub=scrub)
        self._dialect = dialect
        self._live = live
        self._record = record
        self._is_live = False
        self.served = 0
        self.answered: str | None = None

    def reply(self, request: Request) -> Reading:
        """The answer, recorded or live."""
        exchange = None if self._is_live else self._recorded(request)
        if exchange is None:
            self._is_live = True
            return self._live(request)
        raw = b"".join(piece.raw for piece in pieces_of(exchange))
        if exchange.chunks is not None:
            reading = self._dialect.reading_of_stream(exchange.status, raw, complete=True)
        else:
            reading = self._dialect.reading_of_body(exchange.status, raw)
        sent = encode(self._dialect.body_of(request))
        self._record(attempts_of(exchange, self._contexts[exchange.context], sent))
        self.served += 1
        self.answered = reading.model or self.answered
        return reading

    def _recorded(self, request: Request) -> Exchange | None:
        body = self._dialect.body_of(request)
        found = self._matching.find(Asked(self._dialect.api, body, self._dialect.parts_of(body)))
        if not isinstance(found, Found) or found.differing:
            return None
        exchange = found.exchange
        is_whole = exchange.complete and exchange.status < FIRST_ERROR_STATUS
        has_secret = any(_PLACEHOLDER in piece.raw for piece in pieces_of(exchange))
        return exchange if is_whole and not has_secret else None


def attempts_of(exchange: Exchange, context: Context, sent: bytes) -> list[Attempt]:
    """An exchange as what passed when it was recorded, the tries before it with nothing but their status."""
    url = httpx2.URL(f"http://{context.host}{context.path}")
    headers = {**exchange.headers, **(_STREAM if exchange.chunks is not None else {})}
    chunks = [(piece.ms, piece.raw) for piece in pieces_of(exchange)]
    before = [Attempt(url, sent, status, {}, [], complete=True, at=exchange.at, ms=0) for status in exchange.retried]
    facts = (exchange.status, headers, chunks, exchange.complete, exchange.at, exchange.ms)
    last = Attempt(url, sent, *facts, broke=exchange.broke)
    return [*before, last]
