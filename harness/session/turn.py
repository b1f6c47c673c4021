"""A run's turn: its clients are answered while it goes on; who asks through one later is refused, and the run is told.

A client may outlive its run, as in a module's cache. Its requests belong to no run then: they would go live and be in
no recording, or miss where nobody counts the misses.
"""

import threading
from collections.abc import Callable
from typing import Any

from harness.value import encode
from harness.wire.replay import MISS_STATUS

_REFUSED = {"content-type": "application/json", "x-should-retry": "false"}
_NOW: list["Turn"] = []


class Turn:
    """From its making until `end`; `tell` gets a sentence for each request that came through another run's client.

    Not for those of threads that were there before: they belong to the other run too, and this one is not to blame.
    """

    def __init__(self, name: str, tell: Callable[[str], None]) -> None:
        self.name = name
        self.tell = tell
        self.is_over = False
        self.others = {one.ident for one in threading.enumerate()} - {threading.get_ident()}
        _NOW.append(self)

    def end(self) -> None:
        """The run is over."""
        self.is_over = True
        if self in _NOW:
            _NOW.remove(self)

    def refusal(self) -> bytes:
        """What the asker gets; those whose turn it is are told."""
        note = f"a request came through a client whose run is over, make one in each run: {self.name}"
        for turn in tuple(_NOW):
            if threading.get_ident() not in turn.others:
                turn.tell(note)
        return encode({"type": "error", "error": {"type": "fc_over", "message": note}})


class Gate:
    """A transport of either library's clients, open during a turn."""

    def __init__(self, library: Any, inner: Any, turn: Turn) -> None:  # noqa: ANN401  either library's
        self._library = library
        self._inner = inner
        self._turn = turn

    def handle_request(self, request: Any) -> Any:  # noqa: ANN401  either library's
        """The inner transport's response, or the refusal."""
        return self._refused(request) if self._turn.is_over else self._inner.handle_request(request)

    async def handle_async_request(self, request: Any) -> Any:  # noqa: ANN401  either library's
        """The inner transport's response, or the refusal."""
        return self._refused(request) if self._turn.is_over else await self._inner.handle_async_request(request)

    def _refused(self, request: Any) -> Any:  # noqa: ANN401  either library's
        return self._library.Response(MISS_STATUS, headers=_REFUSED, content=self._turn.refusal(), request=request)

    def close(self) -> None:
        """Close the inner transport."""
        self._inner.close()

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self._inner.aclose()

    def __enter__(self) -> "Gate":  # noqa: PYI034  no subclass
        self._inner.__enter__()
        return self

    def __exit__(self, *facts: object) -> None:
        self._inner.__exit__(*facts)

    async def __aenter__(self) -> "Gate":  # noqa: PYI034  no subclass
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *facts: object) -> None:
        await self._inner.__aexit__(*facts)
