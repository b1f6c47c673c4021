"""No way out while a replay runs: a connection to another machine is refused, and remembered."""

import ipaddress
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from harness import errors

_CONNECTING = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_LOOPBACK = {"localhost", "ip6-localhost"}


class _Guard:
    """One audit hook a process: it sees what C code does too, and cannot be taken away, so it is switched."""

    def __init__(self) -> None:
        self.watchers: list[tuple[frozenset[str], Callable[[str], None]]] = []
        self._lock = threading.Lock()
        self._hooked = False

    def add(self, watcher: tuple[frozenset[str], Callable[[str], None]]) -> None:
        with self._lock:
            self.watchers.append(watcher)
            if not self._hooked:
                sys.addaudithook(self._saw)
                self._hooked = True

    def _saw(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.watchers:
            return
        host = _host_in(event, arguments)
        if host is None or is_this_machine(host):
            return
        for allowed, tell in list(self.watchers):
            if host not in allowed:
                tell(host)
                raise errors.NotHermetic(found=host)


_GUARD = _Guard()


@contextmanager
def no_way_out(allowed: frozenset[str], tell: Callable[[str], None]) -> Iterator[None]:
    """Refuse connections to other machines but those allowed by name, and tell of each that was tried."""
    watcher = (allowed, tell)
    _GUARD.add(watcher)
    try:
        yield
    finally:
        _GUARD.watchers.remove(watcher)


def _host_in(event: str, arguments: tuple[object, ...]) -> str | None:
    match event, arguments:
        case ("socket.getaddrinfo", (str() | bytes() as host, *_)) if host:
            return _text(host)
        case (name, (_, (str() | bytes() as host, *_))) if name in _CONNECTING:
            return _text(host)
        case _:
            return None


def _text(host: str | bytes) -> str:
    return host.decode("ascii", "replace") if isinstance(host, bytes) else host


def is_this_machine(host: str) -> bool:
    """Whether a host name or address is loopback; a name is not looked up."""
    if host in _LOOPBACK or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
