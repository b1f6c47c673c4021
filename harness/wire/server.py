"""What both loopback servers stand on: who may ask and how much, how a line breaks, the server beneath."""

import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from socket import socket
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from harness.value import JsonObject, encode

MAX_BODY = 32 * 1024 * 1024  # what the providers themselves take at most
_METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]
_ENDING_S = 3
_JSON = "application/json"


class BrokenLineError(Exception):
    """Raised inside an answer: the connection is closed in the middle of it, as it was when this was recorded."""


class TooLargeError(Exception):
    """A request whose body is larger than `MAX_BODY`."""


class Guard:
    """In front of an app: only hosts that `allows` are answered, whatever name a web page gave this address.

    A browser says in `Host` which name it looked up and in `Origin` which page asks; programs say the first only.
    `told` gets a sentence for each request that broke the app.
    """

    def __init__(self, app: ASGIApp, allows: Callable[[str], bool], told: Callable[[str], None]) -> None:
        self._app = app
        self._allows = allows
        self._told = told

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] == "http" and (stranger := self._stranger(Headers(scope=scope))) is not None:
            message = f"{stranger.removeprefix('//')!r} is no name of this machine, and only this machine is answered"
            await refusal_of(403, "fc_refused", message)(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        except BrokenLineError:
            raise
        except Exception as error:
            self._told(f"{scope.get('method', '')} {scope.get('path', '')}: {type(error).__name__}: {error}")
            raise

    def _stranger(self, headers: Headers) -> str | None:
        """The host or origin that may not ask; None where all may."""
        said = [f"//{headers.get('host', '')}"] + [origin for origin in [headers.get("origin")] if origin]
        return next((one for one in said if not self._allows(_host_in(one))), None)


def _host_in(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def here(location: str, upstream: str | None = None) -> str:
    """Where a redirect leads, found at this server too: all of them, or those that stay at an upstream's address."""
    parts = urlsplit(location)
    stays = upstream is None or urlsplit(upstream)[:2] == parts[:2]
    return urlunsplit(("", "", parts.path or "/", parts.query, parts.fragment)) if parts.netloc and stays else location


def refusal_of(status: int, kind: str, message: str, facts: JsonObject | None = None) -> Response:
    """An answer of the server's own, in the form in which providers write errors; no SDK asks again."""
    error: JsonObject = {"type": kind, "message": message, **(facts or {})}
    body = encode({"type": "error", "error": error})
    return Response(body, status, {"x-should-retry": "false"}, media_type=_JSON)


async def body_of(request: Request) -> bytes:
    """The request's body; raises `TooLargeError`."""
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > MAX_BODY:
            raise TooLargeError
        pieces.append(piece)
    return b"".join(pieces)


def too_large() -> Response:
    """The answer to a request that is too large."""
    return refusal_of(413, "fc_too_large", f"a request holds {MAX_BODY} bytes at most")


class Streamed(StreamingResponse):
    """A stream whose source is closed when the client has left, not some time later."""

    def __init__(self, pieces: AsyncIterator[bytes], status: int, headers: Mapping[str, str] | None = None) -> None:
        self._source: Any = pieces
        super().__init__(pieces, status, headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        async with aclosing(self._source):
            await super().__call__(scope, receive, send)


def app_of(
    answer: Callable[[Request], Any],
    guard: Middleware,
    lifespan: Callable[[Starlette], AbstractAsyncContextManager[None]] | None = None,
) -> Starlette:
    """An app that gives every request, whatever its method and path, to one function."""
    route = Route("/{path:path}", answer, methods=_METHODS)
    return Starlette(routes=[route], middleware=[guard], lifespan=lifespan)


class Listener:
    """`with Listener(app, socket):` serves in a thread of its own until the block ends; the socket listens already."""

    def __init__(self, app: Starlette, listening: socket) -> None:
        config = uvicorn.Config(
            app,
            http="h11",
            loop="asyncio",
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="critical",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=_ENDING_S,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listening],), name="fc-server", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()
