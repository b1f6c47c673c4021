"""The whole time of a request: when it is up, its connection is cut, wherever the answer stands.

Timeouts bound single reads, so a host that sends a byte now and then, be it of a header, never meets one.
"""

import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from weakref import WeakSet

_OPENED = {"connection.connect_tcp.complete", "connection.start_tls.complete"}


class Wires:
    """The connections that one client has open; it asks one thing at a time, so all of them are its request's."""

    def __init__(self) -> None:
        self._sockets: WeakSet[socket.socket] = WeakSet()

    def trace(self, name: str, facts: Mapping[str, Any]) -> None:
        """What the HTTP library tells of each step of a request (its `trace` extension)."""
        if name in _OPENED:
            opened = facts["return_value"].get_extra_info("socket")
            if isinstance(opened, socket.socket):
                self._sockets.add(opened)

    def cut(self) -> None:
        """End all of them at once, for whoever reads from them too."""
        for one in list(self._sockets):
            with suppress(OSError):  # closed already
                socket.socket.shutdown(one, socket.SHUT_RDWR)  # TLS would first say goodbye


class Deadline:
    """A time that runs from now; `passed` once it was up before `cancel`."""

    def __init__(self, seconds: float, cut: Callable[[], None]) -> None:
        self.passed = False
        self._cut = cut
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        """The request is over."""
        self._timer.cancel()

    def _end(self) -> None:
        self.passed = True
        self._cut()
