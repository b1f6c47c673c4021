"""A loopback address in a provider's place: every request goes on to the provider, and a copy of what passed stays.

Nothing of a caller's key stays: headers are forwarded and not kept, and the key itself is told to `secret` before
anything is.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, TypeVar

import httpx2
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from harness.wire.capture import MAX_ANSWER_BYTES, AsyncCaptureTransport, Attempt, Attempts
from harness.wire.client_keys import keys_in
from harness.wire.server import BrokenLineError, Streamed, TooLargeError, app_of, body_of, here, refusal_of, too_large

_T = TypeVar("_T")

# What belongs to one connection, and what is said anew for the next.
_CONNECTION = {
    b"connection", b"expect", b"keep-alive", b"proxy-authenticate", b"proxy-connection", b"te", b"trailer",
    b"transfer-encoding", b"upgrade",
}  # fmt: skip
_SAID_ANEW = _CONNECTION | {b"accept-encoding", b"content-length", b"host"}
_TIMEOUTS = {"connect": 10.0, "read": 600.0, "write": 600.0, "pool": None}


class Upstream(NamedTuple):
    """Where requests go: an address with or without a path, through which HTTP proxy."""

    url: str
    proxy: str | None = None


class Keeping(NamedTuple):
    """What becomes of what passed: `keep` takes each attempt in order of their ends, `secret` each caller's key.

    `now` is a monotonic clock in seconds, `date` the time as text.
    """

    keep: Callable[[Attempt], Future[None]]
    secret: Callable[[str], None]
    now: Callable[[], float]
    date: Callable[[], str]


class ProxyServer:
    """Forwards every request; an answer ends for the caller when it is kept."""

    def __init__(self, upstream: Upstream, keeping: Keeping) -> None:
        self._url = httpx2.URL(upstream.url)
        self._proxy = upstream.proxy
        self._keeping = keeping
        self._inner: httpx2.AsyncBaseTransport | None = None

    def app(self, guard: Middleware) -> Starlette:
        """The ASGI app."""
        return app_of(self._answer, guard, self._connected)

    @asynccontextmanager
    async def _connected(self, _: Starlette) -> AsyncIterator[None]:
        async with httpx2.AsyncHTTPTransport(proxy=self._proxy) as inner:
            self._inner = inner
            yield

    async def _answer(self, request: Request) -> Response:
        try:
            body = await body_of(request)
        except TooLargeError:
            return too_large()
        for key in keys_in(request.headers):
            self._keeping.secret(key)
        assert self._inner is not None  # noqa: S101  the server starts with the transport open
        attempts = Attempts(self._keeping.now, self._keeping.date, bounded=False)
        asking = _asked(AsyncCaptureTransport(self._inner, attempts), self._forwarded(request, body))
        try:
            begun = await _unless_left(request, asking)
        except (ClientDisconnect, httpx2.HTTPError) as error:
            await self._keep(attempts)
            return refusal_of(502, "fc_proxy", f"{self._url.host}: {type(error).__name__}: {error}")
        except asyncio.CancelledError:  # the server ends: that this was asked, and not answered, is known all the same
            self._keep(attempts)
            raise
        status = begun.response.status_code
        answer = Streamed(self._carried(begun, attempts), status) if begun.rest else Response(begun.read, status)
        answer.raw_headers = _without(_CONNECTION, begun.response.headers.raw)
        if "location" in begun.response.headers:
            answer.headers["location"] = here(begun.response.headers["location"], str(self._url))
        await self._keep(attempts)
        return answer

    def _forwarded(self, request: Request, body: bytes) -> httpx2.Request:
        path = target_path(self._url.path, request.scope["raw_path"].decode("latin-1"))
        query = request.scope["query_string"]
        url = self._url.copy_with(raw_path=path.encode("latin-1") + (b"?" + query if query else b""))
        headers = _without(_SAID_ANEW, request.headers.raw)
        return httpx2.Request(
            request.method, url, headers=headers, content=body, extensions={"timeout": dict(_TIMEOUTS)}
        )

    async def _carried(self, begun: "_Begun", attempts: Attempts) -> AsyncIterator[bytes]:
        assert begun.rest is not None  # noqa: S101  something is still to come
        try:
            if begun.read:
                yield begun.read
            async for chunk in begun.rest:
                yield chunk
        except httpx2.HTTPError as error:
            raise BrokenLineError(str(error)) from None
        finally:
            try:
                await _stream_of(begun.response).aclose()
            finally:
                kept = self._keep(attempts)
        await kept

    def _keep(self, attempts: Attempts) -> Awaitable[object]:
        """Hand the attempts on at once; the caller may leave while they are kept, and they are kept all the same."""
        futures = [asyncio.wrap_future(self._keeping.keep(attempt)) for attempt in attempts.take()]
        return asyncio.shield(asyncio.gather(*futures))


class _Begun(NamedTuple):
    """The provider's response: what was read of its body, and what is still to come, None where that is nothing."""

    response: httpx2.Response
    read: bytes
    rest: AsyncIterator[bytes] | None


async def _asked(transport: httpx2.AsyncBaseTransport, sent: httpx2.Request) -> _Begun:
    """A body is read whole, so that a break of it can still be told; not a stream, and not more than can be kept."""
    response = await transport.handle_async_request(sent)
    stream = _stream_of(response)
    rest = aiter(stream)
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        return _Begun(response, b"", rest)
    read, size = [], 0
    try:
        async for chunk in rest:
            read.append(chunk)
            size += len(chunk)
            if size > MAX_ANSWER_BYTES:
                return _Begun(response, b"".join(read), rest)
    except BaseException:
        await stream.aclose()
        raise
    await stream.aclose()
    return _Begun(response, b"".join(read), None)


def _stream_of(response: httpx2.Response) -> httpx2.AsyncByteStream:
    assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101  an asynchronous transport gave it
    return response.stream


def target_path(base: str, path: str) -> str:
    """Where a request goes whose path may hold the upstream's own path, or only the `/v1` at its end, or none of it."""
    base = base.rstrip("/")
    if path == base or path.startswith(f"{base}/"):
        return path
    if path.startswith("/v1/"):
        base = base.removesuffix("/v1")
    return base + path


def _without(names: set[bytes], headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower(), value) for name, value in headers if name.lower() not in names]


async def _unless_left(request: Request, asking: Coroutine[Any, Any, _T]) -> _T:
    """The answer, unless the caller leaves before it begins; raises `ClientDisconnect` then."""
    task = asyncio.ensure_future(asking)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
    finally:
        leaving.cancel()
        task.cancel()
        await asyncio.wait({task, leaving})
    raise ClientDisconnect


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
