"""What the environment says, read once at the door: variables, `.env`, the time, the proxy."""

import os
import re
import shlex
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from harness import errors

_NO_HOST = re.compile(r"[\s\x00-\x20\x7f<>\"{}|\\^`]")


def environment(dotenv: Path = Path(".env")) -> dict[str, str]:
    """The variables, and those of `.env` that are not set yet; every value is text that UTF-8 can say."""
    return {**_variables_of(dotenv), **{name: _as_text(value) for name, value in os.environ.items()}}


def _as_text(value: str) -> str:
    """Bytes that are no UTF-8 are read in the old encoding that has a character for each."""
    return value if errors.sayable_of(value) == value else os.fsencode(value).decode("latin-1")


def _variables_of(path: Path) -> dict[str, str]:
    """`NAME=value` lines; `export`, quotes and comments are understood, everything else is passed over."""
    try:
        raw = path.read_bytes()
    except OSError:
        return {}
    wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))  # what PowerShell writes with `>`
    lines = raw.decode("utf-16" if wide else "utf-8-sig", "replace").splitlines()
    variables: dict[str, str] = {}
    for line in lines:
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        name = name.strip()
        if equals and name.isidentifier():
            variables[name] = _value_of(value.strip())
    return variables


def _value_of(written: str) -> str:
    for quote in ('"', "'"):
        if written.startswith(quote) and (end := written.find(quote, 1)) > 0:
            return written[1:end]
    return written.partition(" #")[0].rstrip()


def secrets_of(variables: Mapping[str, str]) -> list[str]:
    """The values that must not be written anywhere."""
    from harness.wire.secret_variables import secrets_in_variable

    return [secret for name, value in variables.items() for secret in secrets_in_variable(name, value)]


def proxy_for(url: str, variables: Mapping[str, str]) -> str | None:
    """The proxy that the usual variables name for an address; never for this machine."""
    parts = address_parts(url)
    host = (parts.hostname or "").lower()
    named = {name.lower(): value for name, value in variables.items() if name.lower().endswith("_proxy") and value}
    direct = [name.strip().lower().lstrip("*.") for name in named.get("no_proxy", "").split(",") if name.strip()]
    if is_loopback(url) or any(not name or host == name or host.endswith(f".{name}") for name in direct):
        return None
    return named.get(f"{parts.scheme}_proxy") or named.get("all_proxy")


def address_parts(address: str) -> SplitResult:
    """An address of a host, taken apart; raises `WrongOption` where it is none."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise _no_address(address, str(error)) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or _NO_HOST.search(parts.netloc) or port == 0:
        raise _no_address(address, "")
    return parts


def _no_address(address: str, reason: str) -> errors.WrongOption:
    from harness.wire.redact import Redactor

    sentence = "a base URL starts with http:// or https:// and a host"
    return errors.WrongOption(f"{sentence} ({reason})" if reason else sentence, found=Redactor().text(address))


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine."""
    from ipaddress import ip_address

    host = address_parts(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def now() -> str:
    """The time as files say it: UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def command_line() -> str:
    """What was typed, to be typed again."""
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
