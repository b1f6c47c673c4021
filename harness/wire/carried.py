"""The capturing transports for either HTTP library: as they are for httpx2, carried over for httpx."""

from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace
from typing import Any

import httpx2

from harness.wire.capture import AsyncCaptureTransport, Attempts, CaptureTransport


def capture_of(library: Any, inner: Any, attempts: Attempts, *, asynchronous: bool) -> Any:  # noqa: ANN401  either library's
    """A transport for the library's own clients, in front of one of the library's own transports."""
    if library is httpx2:
        return AsyncCaptureTransport(inner, attempts) if asynchronous else CaptureTransport(inner, attempts)
    return _Carried(library, inner, attempts)


class _Carried:
    """A transport of httpx: its requests read alike, its streams are put into the other library's and back."""

    def __init__(self, library: Any, inner: Any, attempts: Attempts) -> None:  # noqa: ANN401  either library's
        self._library = library
        self._inner = inner
        inward: Any = _Inward(inner)
        self._capture: Any = CaptureTransport(inward, attempts)
        self._acapture: Any = AsyncCaptureTransport(inward, attempts)

    def handle_request(self, request: Any) -> Any:  # noqa: ANN401  httpx's own
        return self._outward(self._capture.handle_request(request), request)

    async def handle_async_request(self, request: Any) -> Any:  # noqa: ANN401  httpx's own
        return self._outward(await self._acapture.handle_async_request(request), request)

    def _outward(self, response: Any, request: Any) -> Any:  # noqa: ANN401  httpx's own
        bases = (_Stream, self._library.SyncByteStream, self._library.AsyncByteStream)
        stream = type("CarriedStream", bases, {})(response.stream)
        return self._library.Response(
            response.status_code,
            headers=response.headers,
            stream=stream,
            extensions=response.extensions,
            request=request,
        )

    def close(self) -> None:
        self._inner.close()

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __enter__(self) -> "_Carried":  # noqa: PYI034  no subclass
        self._inner.__enter__()
        return self

    def __exit__(self, *facts: object) -> None:
        self._inner.__exit__(*facts)

    async def __aenter__(self) -> "_Carried":  # noqa: PYI034  no subclass
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *facts: object) -> None:
        await self._inner.__aexit__(*facts)


class _Inward:
    """httpx's transport as the captor takes it."""

    def __init__(self, inner: Any) -> None:  # noqa: ANN401  httpx's own
        self._inner = inner

    def handle_request(self, request: Any) -> Any:  # noqa: ANN401  httpx's own
        return _with_stream(self._inner.handle_request(request))

    async def handle_async_request(self, request: Any) -> Any:  # noqa: ANN401  httpx's own
        return _with_stream(await self._inner.handle_async_request(request))


def _with_stream(response: Any) -> Any:  # noqa: ANN401  httpx's own
    stream = type("CarriedStream", (_Stream, httpx2.SyncByteStream, httpx2.AsyncByteStream), {})(response.stream)
    return SimpleNamespace(
        status_code=response.status_code, headers=response.headers, stream=stream, extensions=response.extensions
    )


class _Stream:
    """A stream of one library inside a stream of the other."""

    def __init__(self, inner: Any) -> None:  # noqa: ANN401  either library's
        self._inner = inner

    def __iter__(self) -> Iterator[bytes]:
        yield from self._inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            yield chunk

    def close(self) -> None:
        self._inner.close()

    async def aclose(self) -> None:
        await self._inner.aclose()
