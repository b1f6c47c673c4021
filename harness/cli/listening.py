"""A loopback server as a command runs it: where it listens, which program it serves, until when."""

import os
import socket
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from harness import errors
from harness.cli.recording.endpoints import base_url_of
from harness.session.guard import is_this_machine

if TYPE_CHECKING:
    from starlette.middleware import Middleware

PORT = 8910
_PACKAGES = ("starlette", "uvicorn")
_ENDING_S = 5
_OPENAI, _ANTHROPIC = "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"
BOTH = (_OPENAI, _ANTHROPIC)


class Place(NamedTuple):
    """Where to listen, as the options say it; without a port, `PORT`, or any free one where a program is told of it."""

    host: str
    port: int | None


def check_extra(command: str) -> None:
    """Raises `MissingExtra` where the packages that serve are not installed."""
    if any(find_spec(package) is None for package in _PACKAGES):
        raise errors.MissingExtra(command, expected="server")


def listening_at(place: Place, *, has_program: bool) -> socket.socket:
    """A socket that listens; raises `WrongOption` where it cannot."""
    port = (0 if has_program else PORT) if place.port is None else place.port
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        return socket.create_server((place.host, port), family=family)
    except OSError as error:
        reason = error.strerror or str(error)
        raise errors.WrongOption(f"cannot listen on {place.host} port {port}: {reason}; --port takes another") from None


def url_of(listening: socket.socket, place: Place) -> str:
    """The address to give a program on this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(place.host, place.host)  # noqa: S104  a name to compare
    return f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"


def guard_of(place: Place, told: Callable[[str], None]) -> "Middleware":
    """Who may ask: this machine, unless another address than loopback was asked for."""
    from starlette.middleware import Middleware

    from harness.wire.server import Guard

    allows = is_this_machine if is_this_machine(place.host) else _everybody
    return Middleware(Guard, allows=allows, told=told)


def _everybody(_host: str) -> bool:
    return True


def base_urls(url: str, names: Sequence[str] = BOTH) -> dict[str, str]:
    """The variables in which the SDKs look for an address."""
    urls = {_OPENAI: base_url_of(url, "chat"), _ANTHROPIC: base_url_of(url, "messages")}
    return {name: urls[name] for name in names}


def direct(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables that keep a program from asking this machine through an HTTP proxy."""
    named = variables.get("NO_PROXY") or variables.get("no_proxy") or ""
    hosts = ",".join([*filter(None, [named]), "127.0.0.1", "localhost", "::1"])
    return {"NO_PROXY": hosts, "no_proxy": hosts}


def until_ended(program: Sequence[str], variables: Mapping[str, str]) -> int | None:
    """Wait for a program to end, and give its exit code; without one, for Ctrl-C or a request to end: None.

    Raises `InterruptedRun` where a program was cut off, `WrongOption` where it could not be started.
    """
    if program:
        return _ran(program, variables)
    with suppress(KeyboardInterrupt):
        threading.Event().wait()
    return None


def _ran(program: Sequence[str], variables: Mapping[str, str]) -> int:
    try:
        running = subprocess.Popen(program, env={**os.environ, **variables})  # noqa: S603  the user's own line
    except OSError as error:
        raise errors.WrongOption(f"cannot run {program[0]}: {error.strerror or error}") from None
    try:
        return running.wait()
    except KeyboardInterrupt:
        running.terminate()
        try:
            running.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
        raise errors.InterruptedRun from None
