"""The transport beneath an SDK's client: bytes pass at once and unchanged, and a copy of them stays.

`Running` holds all logic; the two transports and the two streams only carry bytes to it, one pair for each world.
"""

import re
from collections.abc import AsyncIterator, Callable, Iterator
from typing import NamedTuple

import httpx2

from harness.value import MAX_LINE_BYTES
from harness.wire.deadline import Deadline, Wires
from harness.wire.decoding import as_it_is, decoder_of
from harness.wire.matching import retries_of

_NO_ANSWER = 0
# How a stream says that nothing follows; a client may leave right there, before the connection's own end.
_LAST_EVENT = re.compile(
    rb"^(?:data:[ ]?\[DONE\]|event:[ ]?(?:message_stop|response\.(?:completed|failed|incomplete)))[ ]?\r?$",
    re.MULTILINE,
)
_TAIL = 8192
MAX_ANSWER_BYTES = MAX_LINE_BYTES  # more of an answer could not be written: it stands in one line


class Attempt(NamedTuple):
    """One request that was sent, `at` what time, and what came back. `status` is 0 where no answer came at all.

    `chunks` are the reads of the body, each with the milliseconds since the request was sent; `complete` is false
    where the body broke off (`broke`) or the client left before its end. `retries` counts the tries before this one,
    None where the client does not say. `endless`: there was more than `MAX_ANSWER_BYTES`, and the rest was not kept.
    """

    url: httpx2.URL
    request: bytes
    status: int
    headers: dict[str, str]
    chunks: list[tuple[float, bytes]]
    complete: bool
    at: str
    ms: float
    retries: int | None = None
    endless: bool = False
    broke: bool = False
    method: str = "POST"

    @property
    def body(self) -> bytes:
        """The answer's bytes."""
        return b"".join(chunk for _, chunk in self.chunks)

    @property
    def is_stream(self) -> bool:
        """Whether the answer is a stream of events."""
        return self.headers.get("content-type", "").partition(";")[0].strip() == "text/event-stream"


class Attempts:
    """The attempts that passed, in order of their ends; `now` is a monotonic clock in seconds, `date` the time as text.

    `limit` bounds one attempt from the first byte sent to the last read, which timeouts of single reads do not. Where
    it is set, one request runs at a time. `bounded`: no more of an answer is read than can be kept; else it is passed
    on all the same, since a program of somebody's waits for it.
    """

    def __init__(
        self, now: Callable[[], float], date: Callable[[], str], *, limit: float | None = None, bounded: bool = True
    ) -> None:
        self.now = now
        self.date = date
        self.limit = limit
        self.bounded = bounded
        self.ended: list[Attempt] = []
        self._open: dict[int, Running] = {}

    def begin(self, running: "Running", request: httpx2.Request) -> None:
        """Note an attempt, before it is sent."""
        del request
        self._open[id(running)] = running

    def end(self, running: "Running") -> bool:
        """Whether an attempt ends now, and not before; its several ends may ask at once."""
        return self._open.pop(id(running), None) is not None

    def leave(self) -> None:
        """Nothing is read any more: what is open ends as left, as a stream that somebody stopped to read and kept."""
        for running in tuple(self._open.values()):
            running.finish(ended=False)

    def add(self, attempt: Attempt) -> None:
        """Note an attempt that ended; threads and tasks may do so at once."""
        self.ended.append(attempt)

    def take(self) -> list[Attempt]:
        """The attempts since the last call."""
        taken, self.ended = self.ended, []
        return taken


class Running:
    """One attempt while it runs; `finish` may be called from several ends and counts once."""

    def __init__(self, attempts: Attempts, request: httpx2.Request) -> None:
        self._attempts = attempts
        self._request = request
        self._at = attempts.date()
        self._start = attempts.now()
        self._response: httpx2.Response | None = None
        self._chunks: list[tuple[float, bytes]] = []
        self._decode: Callable[[bytes], bytes] = as_it_is
        self._size = 0
        attempts.begin(self, request)
        self._deadline: Deadline | None = None

    def limited(self, wires: Wires) -> None:
        """Cut the wires where the whole attempt takes too long."""
        if self._attempts.limit is not None:
            self._request.extensions = {**self._request.extensions, "trace": wires.trace}
            self._deadline = Deadline(self._attempts.limit, wires.cut)

    def check(self) -> None:
        """Raise httpx2's own timeout where the whole attempt took too long: what looks like an end was cut."""
        late = self._attempts.limit is not None and self._attempts.now() - self._start > self._attempts.limit
        if late or (self._deadline is not None and self._deadline.passed):
            raise httpx2.ReadTimeout("the answer took too long as a whole", request=self._request)

    def answered(self, response: httpx2.Response) -> None:
        self._response = response
        self._decode = decoder_of(response, self._request)

    def add(self, chunk: bytes) -> bool:
        """Keep a chunk as long as a line could hold it; whether it is the last to read. Raises as `check` does."""
        if not self._endless:
            read = self._decode(chunk)
            self._chunks.append((self._elapsed(), read))
            self._size += len(read)
        self.check()
        return self._attempts.bounded and self._endless

    @property
    def _endless(self) -> bool:
        return self._size > MAX_ANSWER_BYTES

    def finish(self, *, ended: bool, error: BaseException | None = None) -> None:
        """Note the attempt. An `Exception` broke the line; what else ends it early is that the client leaves."""
        if not self._attempts.end(self):
            return
        if self._deadline is not None:
            self._deadline.cancel()
        response = self._response
        body_end = b"".join(chunk for _, chunk in self._chunks[-64:])[-_TAIL:]
        whole = ended or (response is not None and _LAST_EVENT.search(body_end) is not None)
        headers = {name.lower(): value for name, value in response.headers.items()} if response else {}
        status = response.status_code if response else _NO_ANSWER
        attempt = Attempt(
            url=self._request.url,
            request=self._request.content,
            status=status,
            headers=headers,
            chunks=self._chunks,
            complete=whole and not self._endless,
            at=self._at,
            ms=self._elapsed(),
            retries=retries_of(self._request.headers),
            method=self._request.method,
            endless=self._endless,
            broke=isinstance(error, Exception) and not whole,
        )
        self._attempts.add(attempt)

    def _elapsed(self) -> float:
        return round((self._attempts.now() - self._start) * 1000, 3)


def _blame_time(running: Running, error: BaseException) -> None:
    """Say that the time was up, where that broke the connection and no timeout of its own says so."""
    if isinstance(error, httpx2.TransportError) and not isinstance(error, httpx2.TimeoutException):
        running.check()


class _Tee(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, running: Running) -> None:
        self._inner = inner
        self._running = running

    def __iter__(self) -> Iterator[bytes]:
        is_last = False
        try:
            for chunk in self._inner:
                is_last = self._running.add(chunk)
                yield chunk
                if is_last:
                    break
            self._running.check()
        except BaseException as error:
            self._running.finish(ended=False, error=error)
            _blame_time(self._running, error)
            raise
        self._running.finish(ended=not is_last)

    def close(self) -> None:
        try:
            self._inner.close()
        finally:
            self._running.finish(ended=False)


class CaptureTransport(httpx2.BaseTransport):
    """`httpx2.Client(transport=CaptureTransport(inner, attempts))`: everything the client gets is kept."""

    def __init__(self, inner: httpx2.BaseTransport, attempts: Attempts) -> None:
        self._attempts = attempts
        self._inner = inner
        self._wires = Wires()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The inner transport's response, a copy of its body kept while it is read."""
        request.headers["accept-encoding"] = "identity"
        request.read()
        running = Running(self._attempts, request)
        running.limited(self._wires)
        try:
            response = self._inner.handle_request(request)
        except BaseException as error:
            running.finish(ended=False)
            _blame_time(running, error)
            raise
        try:
            running.answered(response)
        except httpx2.DecodingError:
            running.finish(ended=False)
            response.close()
            raise
        assert isinstance(response.stream, httpx2.SyncByteStream)  # noqa: S101  a transport of this world gives no other
        response.stream = _Tee(response.stream, running)
        return response

    def close(self) -> None:
        """Close the inner transport."""
        self._inner.close()


class _AsyncTee(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, running: Running) -> None:
        self._inner = inner
        self._running = running

    async def __aiter__(self) -> AsyncIterator[bytes]:
        is_last = False
        try:
            async for chunk in self._inner:
                is_last = self._running.add(chunk)
                yield chunk
                if is_last:
                    break
        except BaseException as error:
            self._running.finish(ended=False, error=error)
            raise
        self._running.finish(ended=not is_last)

    async def aclose(self) -> None:
        try:
            await self._inner.aclose()
        finally:
            self._running.finish(ended=False)


class AsyncCaptureTransport(httpx2.AsyncBaseTransport):
    """The same for `httpx2.AsyncClient`."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, attempts: Attempts) -> None:
        self._attempts = attempts
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The inner transport's response, a copy of its body kept while it is read."""
        request.headers["accept-encoding"] = "identity"
        await request.aread()
        running = Running(self._attempts, request)
        try:
            response = await self._inner.handle_async_request(request)
        except BaseException:
            running.finish(ended=False)
            raise
        try:
            running.answered(response)
        except httpx2.DecodingError:
            running.finish(ended=False)
            await response.aclose()
            raise
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101  a transport of this world gives no other
        response.stream = _AsyncTee(response.stream, running)
        return response

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self._inner.aclose()
