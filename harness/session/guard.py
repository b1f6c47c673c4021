"""No way out while a replay runs: a connection to another machine or to a model is refused, and remembered."""

import ipaddress
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias

from harness import errors

_CONNECTING = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_LOOPBACK = {"localhost", "ip6-localhost"}


class Reach(NamedTuple):
    """How far connections may go: to hosts named here, and to this machine but for the ports of its models."""

    hosts: frozenset[str] = frozenset()
    model_ports: frozenset[int] = frozenset()

    def allows(self, host: str, port: int | None) -> bool:
        """Whether a connection may be made."""
        return host in self.hosts or (is_this_machine(host) and port not in self.model_ports)


_Watcher: TypeAlias = tuple[Reach, Callable[[str], None]]


class _Guard:
    """One audit hook a process: it sees what C code does too, and cannot be taken away, so it is switched."""

    def __init__(self) -> None:
        self.watchers: list[_Watcher] = []
        self._lock = threading.Lock()
        self._hooked = False

    def add(self, watcher: _Watcher) -> None:
        with self._lock:
            self.watchers.append(watcher)
            if not self._hooked:
                sys.addaudithook(self._saw)
                self._hooked = True

    def _saw(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.watchers:
            return
        target = _target_in(event, arguments)
        if target is None:
            return
        host, port = target
        for reach, tell in list(self.watchers):
            if not reach.allows(host, port):
                found = f"{host}:{port}" if is_this_machine(host) else host
                tell(found)
                if event == "socket.connect":
                    arguments[0].close()  # type: ignore[attr-defined]  # who expects an OSError only would leave it open
                raise errors.NotHermetic(found=found)


_GUARD = _Guard()


@contextmanager
def no_way_out(reach: Reach, tell: Callable[[str], None]) -> Iterator[None]:
    """Refuse connections beyond reach, and tell of each that was tried."""
    watcher = (reach, tell)
    _GUARD.add(watcher)
    try:
        yield
    finally:
        _GUARD.watchers.remove(watcher)


def _target_in(event: str, arguments: tuple[object, ...]) -> tuple[str, int | None] | None:
    match event, arguments:
        case ("socket.getaddrinfo", (str() | bytes() as host, *_)) if host:
            return _text(host), None
        case (name, (_, (str() | bytes() as host, int() as port, *_))) if name in _CONNECTING:
            return _text(host), port
        case (name, (_, (str() | bytes() as host, *_))) if name in _CONNECTING:
            return _text(host), None
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
