"""Replayed answers carried into an HTTP client: httpx2, or httpx where a client still uses that."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple, Self

from harness.wire.replay import Replay, Sent, Served

# How long a reader may take to leave a stream that was left when it was recorded.
LEAVING_S = 2.0


class Pace(NamedTuple):
    """How a stream's recorded waits are spent: `sleep` in threads, `asleep` in tasks, both in seconds."""

    sleep: Callable[[float], None]
    asleep: Callable[[float], Awaitable[None]]


class ReplayTransport:
    """`library.Client(transport=ReplayTransport(library, replay))`, and for its `AsyncClient` alike.

    Streams come chunk for chunk as they were read, at once or, with a `pace`, with the recorded waits. Each hand-out
    starts at the first chunk.
    """

    def __init__(self, library: ModuleType, replay: Replay, pace: Pace | None = None) -> None:
        self._library: Any = library
        self._replay = replay
        self._pace = pace

    def handle_request(self, request: Any) -> Any:  # noqa: ANN401  either library's own type
        """The recorded response."""
        request.read()
        served = self._replay.answer(_sent_of(request))
        return self._response(request, served, self._chunks(served))

    async def handle_async_request(self, request: Any) -> Any:  # noqa: ANN401  either library's own type
        """The recorded response."""
        await request.aread()
        served = self._replay.answer(_sent_of(request))
        return self._response(request, served, self._achunks(served))

    def _response(self, request: Any, served: Served, stream: object) -> Any:  # noqa: ANN401  either library's own type
        content = stream if served.is_stream else b"".join(piece.raw for piece in served.pieces)
        return self._library.Response(served.status, headers=served.headers, content=content, request=request)

    def _chunks(self, served: Served) -> Iterator[bytes]:
        for wait, raw in waits_of(served):
            if self._pace is not None and wait > 0:
                self._pace.sleep(wait)
            yield raw
        if self._pace is not None and not served.whole:
            self._pace.sleep(leaving_wait_of(served, LEAVING_S))
        self._end(served)

    async def _achunks(self, served: Served) -> AsyncIterator[bytes]:
        for wait, raw in waits_of(served):
            if self._pace is not None and wait > 0:
                await self._pace.asleep(wait)
            yield raw
        if self._pace is not None and not served.whole:
            await self._pace.asleep(leaving_wait_of(served, LEAVING_S))
        self._end(served)

    def _end(self, served: Served) -> None:
        """What follows the last recorded chunk: the end, or a broken line where no end was recorded."""
        if served.exchange is not None and not served.whole:
            raise self._library.ReadError(self._replay.read_on(served.exchange))

    def close(self) -> None:
        """Nothing is open."""

    async def aclose(self) -> None:
        """Nothing is open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _sent_of(request: Any) -> Sent:  # noqa: ANN401  either library's own type
    headers = {name.lower(): value for name, value in request.headers.items()}
    query = request.url.query.decode("latin-1")
    return Sent(request.method, request.url.path, headers, request.content, query)


def waits_of(served: Served) -> Iterator[tuple[float, bytes]]:
    """Each chunk with the seconds that passed since the one before it."""
    before = 0.0
    for piece in served.pieces:
        yield (piece.ms - before) / 1000, piece.raw
        before = piece.ms


def leaving_wait_of(served: Served, leaving: float) -> float:
    """The seconds from the last chunk to where the stream broke, or was left, which a reader may take `leaving` for."""
    if served.exchange is None:
        return 0
    last = served.pieces[-1].ms if served.pieces else 0.0
    return max(0.0, served.exchange.ms - last) / 1000 + (0 if served.broke else leaving)
