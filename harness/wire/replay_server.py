"""Recorded answers over a loopback socket, for programs in any language: an adapter around `Replay`."""

import asyncio
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from harness.value import JsonObject, encode
from harness.wire.drift import Drift
from harness.wire.replay import Replay, Sent, Served
from harness.wire.replay_transport import LEAVING_S, leaving_wait_of, waits_of
from harness.wire.server import BrokenLineError, Streamed, TooLargeError, app_of, body_of, here, too_large

# Official SDKs obey x-should-retry; others go by the status. Of five clients measured none asks again after 404, while
# LangChain.js asks seven times after 599, 422 or 424 and the Vercel AI SDK three times after 599.
MISS_STATUS = 404


class ReplayServer:
    """Answers every request from a replay; `recorded_waits` spends a stream's waits as they were.

    `GET /` says how far the replay has come.
    """

    def __init__(self, replay: Replay, *, recorded_waits: bool = False, leaving: float = LEAVING_S) -> None:
        self._replay = replay
        self._recorded_waits = recorded_waits
        self._leaving = leaving

    def app(self, guard: Middleware) -> Starlette:
        """The ASGI app."""
        return app_of(self._answer, guard)

    async def _answer(self, request: Request) -> Response:
        if (request.method, request.url.path) == ("GET", "/"):
            return Response(encode(progress_of(self._replay)), media_type="application/json")
        try:
            body = await body_of(request)
        except TooLargeError:
            return too_large()
        sent = Sent(request.method, request.url.path, dict(request.headers), body, request.url.query)
        served = self._replay.answer(sent)
        status = MISS_STATUS if served.missed else served.status
        if "location" in served.headers:
            served.headers["location"] = here(served.headers["location"])
        if served.is_stream:
            return Streamed(self._pieces(served), status, served.headers)
        return Response(b"".join(piece.raw for piece in served.pieces), status, served.headers)

    async def _pieces(self, served: Served) -> AsyncIterator[bytes]:
        for wait, raw in waits_of(served):
            if self._recorded_waits and wait > 0:
                await asyncio.sleep(wait)
            yield raw
        if served.exchange is not None and not served.whole:
            leaving = 0 if served.broke else self._leaving
            # A reader that leaves cancels this.
            await asyncio.sleep(leaving_wait_of(served, self._leaving) if self._recorded_waits else leaving)
            raise BrokenLineError(self._replay.read_on(served.exchange))


def progress_of(replay: Replay) -> JsonObject:
    """How far a replay has come: requests, exchanges given of those recorded, what drifted."""
    script = replay.script
    return {
        "recording": script.name,
        "requests": replay.requests,
        "given": len(replay.given()),
        "exchanges": len(script.recording.exchanges),
        "drifts": [drift_facts(*script.placed(drift)) for drift in replay.drifts()],
    }


def drift_facts(recording: str, drift: Drift) -> JsonObject:
    """A drift for programs."""
    return {"recording": recording, **drift._asdict()}
