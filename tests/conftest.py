"""What holds for every test: no way out of this machine, no key, no terminal, no clock of the place it runs in."""

import ipaddress
import os
import sys
import time

import pytest
from hypothesis import settings

# The machine's speed is no property of the code. The same examples each time, so that the same code gives the same
# answer everywhere; `pytest --hypothesis-profile explore` looks for new ones.
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")

PROVIDER_PREFIXES = ("ANTHROPIC_", "GOOGLE_", "OPENAI_", "OPENROUTER_")
TERMINAL_NAMES = ("CI", "COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR")
# Not UTC and not a whole hour, so that local time is never mistaken for UTC; POSIX form needs no zone files.
ODD_ZONE = "ODD-05:45"


class OutsideConnectionError(Exception):
    """A test reached for an address that is not on this machine."""


class NetworkGuard:
    """Refuses connections that leave the machine and remembers them: the code under test may swallow the error.

    An audit hook sees what the C level does, so nothing is patched; it cannot be removed, so there is one a process.
    """

    refusal = OutsideConnectionError

    def __init__(self):
        self.attempts = []

    def watch(self, event, arguments):
        match event, arguments:
            case ("socket.connect" | "socket.sendmsg" | "socket.sendto", (_, address)) if isinstance(address, tuple):
                self._judge(event, address[0])
            case "socket.getaddrinfo", (host, *_) if host:
                self._judge(event, host)

    def take(self):
        """Return the attempts so far and forget them."""
        attempts, self.attempts = self.attempts, []
        return attempts

    def _judge(self, event, host):
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
        if _is_loopback(name):
            return
        self.attempts.append((event, name))
        message = f"{event} to {name}: tests stay on this machine (loopback only)"
        raise self.refusal(message)


def _is_loopback(host):
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


_GUARD = NetworkGuard()
sys.addaudithook(_GUARD.watch)


@pytest.fixture(autouse=True)
def network_guard():
    """Fail the test at its end for each address outside this machine that it tried, however it took the refusal."""
    _GUARD.take()
    yield _GUARD
    attempts = _GUARD.take()
    if attempts:
        pytest.fail(f"left this machine: {attempts}", pytrace=False)


@pytest.fixture(autouse=True)
def _same_everywhere(monkeypatch):
    for name in list(os.environ):
        if name.endswith("_API_KEY") or name.startswith(PROVIDER_PREFIXES) or name in TERMINAL_NAMES:
            monkeypatch.delenv(name)
    with monkeypatch.context() as zone:
        zone.setenv("TZ", ODD_ZONE)
        time.tzset()
        yield
    time.tzset()
