"""HTTP clients for an SDK: everything they send passes the session's transport."""

import importlib
import importlib.util
import inspect
from types import ModuleType
from typing import Any
from urllib.request import getproxies

from harness import errors

# The SDKs' own settings, for a client that is given to them ready made.
_TIMEOUT_S, _CONNECT_S = 600, 5
_CONNECTIONS, _KEPT_ALIVE = 1000, 100


def library_of(library: ModuleType | None) -> Any:  # noqa: ANN401  httpx2, or httpx where a client still uses that
    """The HTTP library that a client is built from: httpx2, unless another of its kind is handed in."""
    if library is None:
        import httpx2

        return httpx2
    if not hasattr(library, "AsyncHTTPTransport"):
        raise errors.WrongOption(f"{library.__name__} is no HTTP library that the SDKs use: httpx2, or httpx")
    return library


def libraries() -> list[Any]:
    """The HTTP libraries that SDKs here may use: httpx2, and httpx of the older ones where it is installed."""
    import httpx2

    return [httpx2, *([importlib.import_module("httpx")] if importlib.util.find_spec("httpx") else [])]


def settings_of(library: Any) -> dict[str, Any]:  # noqa: ANN401  either library
    """What both SDKs set on a client of their own."""
    return {
        "timeout": library.Timeout(_TIMEOUT_S, connect=_CONNECT_S),
        "follow_redirects": True,
        "limits": library.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=_KEPT_ALIVE),
    }


def proxies() -> dict[str, str]:
    """The proxies that the system names, by the pattern of an HTTP client's `mounts`; none for this machine."""
    named = {f"{scheme}://": url for scheme, url in getproxies().items() if scheme in {"http", "https", "all"}}
    direct = [host.strip() for host in getproxies().get("no", "").split(",") if host.strip()]
    own = ["localhost", "127.0.0.1", "[::1]"] if named else []
    return named | {f"all://{host.lstrip('.')}": "" for host in [*own, *direct] if host != "*"}


def transport_in(client: object) -> object:
    """The transport at the bottom of an SDK's client or of an HTTP client; None where none is found."""
    inner = client
    for _ in range(4):
        transport = _static(inner, "_transport")
        if transport is not None:
            return transport
        inner = _static(inner, "_client")
        if inner is None:
            return None
    return None


def _static(owner: object, name: str) -> object:
    """An attribute that is there, without running any code of the owner's."""
    found: object = inspect.getattr_static(owner, name, None)
    return None if isinstance(found, property) else found
