"""The keys that a client sends along: they may be known to nobody else here, and none may stand in a file."""

from collections.abc import Mapping

from harness.wire.secret_fields import promises_secret


def keys_in(headers: Mapping[str, str]) -> list[str]:
    """Each key, without the scheme before it: of every header whose name promises one."""
    found = (value.rpartition(" ")[2] for name, value in headers.items() if promises_secret(name))
    return [key for key in found if key]
