"""What `fc` is in a test: HTTP clients, tools and a trace for one run of an agent, recorded or replayed."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from harness import errors
from harness.nearest import nearest_of
from harness.session.proposed import Proposals
from harness.session.tools import Execution, Mode, Wanted, wrapped
from harness.wire.drift import CATEGORIES, Category
from harness.wire.redact import Redactor

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Client

    from harness.recording import Recording
    from harness.session.traced import Traced


class Place(NamedTuple):
    """Where a run is kept, as messages name it, who it is a run of (`test:<nodeid>`), and what records it again."""

    path: Path
    name: str
    origin: str
    command: str


class Session(ABC):
    """One run of an agent. A test says the same to it whether it records or replays."""

    def __init__(self, place: Place, secrets: list[str], allow: Iterable[str] = ()) -> None:
        self._allowed: set[Category] = set()
        self.allow(*allow)
        self.place = place
        self._redactor = Redactor(secrets)
        self._proposals = Proposals()
        self._transports: list[object] = []
        self._beneath: list[object] = []  # the library's own transports, through which ours send
        self._is_everywhere = False
        self._made: set[str] = set()

    @property
    @abstractmethod
    def recording(self) -> "Recording":
        """What was recorded or replayed so far."""

    @abstractmethod
    def _transport(self, library: Any, *, asynchronous: bool, inner: Any = None) -> Any:  # noqa: ANN401  either library's
        """What a client's requests pass; `inner` is what they would have passed."""

    @abstractmethod
    def _begin(self, wanted: Wanted) -> Execution:
        """One execution of a tool, begun."""

    def http_client(self, library: ModuleType | None = None) -> "Client":
        """A client for `OpenAI(http_client=…)` and `Anthropic(http_client=…)`; `library` is httpx for older SDKs."""
        client: Client = self._client(library, asynchronous=False)
        return client

    def async_http_client(self, library: ModuleType | None = None) -> "AsyncClient":
        """The same for `AsyncOpenAI` and `AsyncAnthropic`."""
        client: AsyncClient = self._client(library, asynchronous=True)
        return client

    def check(self, client: object) -> None:
        """Raises `NotIntercepted` where an SDK's client, or an HTTP client, does not send through this session."""
        from harness.session.clients import transport_in

        found = transport_in(client)
        if not any(found is one for one in self._transports):
            kind = type(found).__name__ if found is not None else f"{type(client).__name__} without a known transport"
            raise errors.NotIntercepted(found=kind, expected="http_client=fc.http_client(), or fc.async_http_client()")

    @contextmanager
    def everywhere(self) -> Iterator[None]:
        """While this is open, clients that the test cannot reach pass the session too: all of httpx2 and of httpx.

        For agents that build their client inside. What was there before is put back, whatever happens.
        """
        from harness.session.clients import libraries

        if self._is_everywhere:  # else each request would pass twice
            yield
            return
        self._is_everywhere = True
        try:
            with ExitStack() as stack:
                for of in libraries():
                    plain, later = self._through(of, asynchronous=False), self._through(of, asynchronous=True)
                    stack.enter_context(_patched(of.HTTPTransport, "handle_request", plain))
                    stack.enter_context(_patched(of.AsyncHTTPTransport, "handle_async_request", later))
                yield
        finally:
            self._is_everywhere = False

    def tools(self, tools: Any, *, modes: Mapping[str, Mode] | None = None) -> Any:  # noqa: ANN401  the shape that came
        """Functions, async ones, a list or a dict of them, wrapped: their results are recorded, and given on replay.

        `modes` names those that run on replay too: `compare` gives the recorded result and fails where it differs,
        `live` gives the new one.
        """
        return wrapped(tools, self._begin, modes or {})

    def allow(self, *categories: str) -> None:
        """Let these drifts pass: `fc.allow("PROMPT")`."""
        for name in categories:
            if name not in CATEGORIES:
                raise errors.UnknownName(name, expected=", ".join(CATEGORIES), nearest=nearest_of(name, CATEGORIES))
        self._allowed.update(known for known in CATEGORIES if known in categories)

    @abstractmethod
    def ignore(self, *paths: str, reason: str) -> None:
        """Leave fields of requests out of the comparison: `fc.ignore("metadata.run_id", reason="new in each run")`."""

    @abstractmethod
    def normalise(self, function: Callable[[str], str], *, reason: str) -> None:
        """Compare every text as this function gives it: for dates and ids that a run makes anew."""

    @property
    def trace(self) -> "Traced":
        """What the agent did so far: `fc.trace.calls("create_refund", order_id=4021)`."""
        from harness.session.traced import Traced

        return Traced(self.recording)

    def _client(self, library: ModuleType | None, *, asynchronous: bool) -> Any:  # noqa: ANN401  either library's
        from harness.session.clients import library_of, settings_of

        of = library_of(library)
        transport = self._transport(of, asynchronous=asynchronous)
        self._transports.append(transport)
        self._made.add("async_http_client" if asynchronous else "http_client")
        kind = of.AsyncClient if asynchronous else of.Client
        return kind(transport=transport, mounts=self._mounts(of, asynchronous=asynchronous), **settings_of(of))

    def _unused(self) -> str:
        """Why no request may have passed, and what to do: by the clients that were made."""
        if self._made == {"http_client"}:
            return "fc.http_client() sent nothing; AsyncOpenAI and AsyncAnthropic take fc.async_http_client()"
        if self._made == {"async_http_client"}:
            return "fc.async_http_client() sent nothing; OpenAI and Anthropic take fc.http_client()"
        return (
            "the agent's client was made without http_client=fc.http_client(); "
            "one that a test cannot reach asks inside `with fc.everywhere():`"
        )

    def _mounts(self, library: Any, *, asynchronous: bool) -> dict[str, Any]:  # noqa: ANN401  either library's
        """Other transports, by the pattern of the addresses that pass them."""
        del library, asynchronous
        return {}

    def _through(self, library: Any, *, asynchronous: bool) -> Callable[[Any], Callable[..., Any]]:  # noqa: ANN401
        """How a transport of the library's own handles a request now, given how it did."""

        def handler_of(original: Callable[..., Any]) -> Callable[..., Any]:
            def handle(transport: Any, request: Any) -> Any:  # noqa: ANN401  either library's
                if any(transport is one for one in self._beneath):
                    return original(transport, request)
                inner = _Inner(original, transport)
                passing = self._transport(library, asynchronous=asynchronous, inner=inner)
                return (passing.handle_async_request if asynchronous else passing.handle_request)(request)

            return handle

        return handler_of


class _Inner:
    """A transport of the HTTP library as it was before it was patched."""

    def __init__(self, original: Callable[..., Any], transport: Any) -> None:  # noqa: ANN401  either library's
        self._original = original
        self._transport = transport

    def handle_request(self, request: Any) -> Any:  # noqa: ANN401  either library's
        return self._original(self._transport, request)

    async def handle_async_request(self, request: Any) -> Any:  # noqa: ANN401  either library's
        return await self._original(self._transport, request)


@contextmanager
def _patched(owner: type, name: str, handler_of: Callable[[Any], Callable[..., Any]]) -> Iterator[None]:
    original = getattr(owner, name)
    setattr(owner, name, handler_of(original))
    try:
        yield
    finally:
        setattr(owner, name, original)
