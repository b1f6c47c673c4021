"""A live provider in the agent loop's place for a model: the real SDKs, their bytes kept on the way."""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import httpx2

from harness import errors
from harness.providers.dialect import Dialect, Reading, Request
from harness.recording import Api
from harness.transcript import Outcome
from harness.value import JsonObject, plain
from harness.wire.capture import Attempt, Attempts, CaptureTransport
from harness.wire.record import check_held

if TYPE_CHECKING:
    from anthropic import Anthropic
    from openai import OpenAI

    Client: TypeAlias = OpenAI | Anthropic

_CONNECT_S = 10.0
_NO_PARAMETERS = {"self", "extra_headers", "extra_query", "extra_body", "timeout"}


class Endpoint(NamedTuple):
    """Where requests go and how long they may take. `proxy` is the address of an HTTP proxy, where there is one."""

    api: Api
    base_url: str
    key: str
    timeout_s: float
    retries: int
    proxy: str | None = None


def client_of(endpoint: Endpoint, attempts: Attempts) -> "Client":
    """The API's own SDK, all of its requests kept in `attempts`.

    Redirects are not followed: the request would go, as another one, to a host that nobody named.
    """
    transport = CaptureTransport(_transport_of(endpoint), attempts)
    timeout = httpx2.Timeout(endpoint.timeout_s, connect=min(endpoint.timeout_s, _CONNECT_S))
    if endpoint.api == "messages":
        import anthropic

        return anthropic.Anthropic(
            api_key=endpoint.key,
            base_url=endpoint.base_url,
            timeout=timeout,
            max_retries=endpoint.retries,
            http_client=anthropic.DefaultHttpxClient(transport=transport, follow_redirects=False),
        )
    import openai

    return openai.OpenAI(
        api_key=endpoint.key,
        base_url=endpoint.base_url,
        timeout=timeout,
        max_retries=endpoint.retries,
        http_client=openai.DefaultHttpx2Client(transport=transport, follow_redirects=False),
    )


def _transport_of(endpoint: Endpoint) -> httpx2.HTTPTransport:
    """The way to the endpoint; raises `WrongOption` where the certificates or the proxy at hand are none."""
    try:
        return httpx2.HTTPTransport(proxy=endpoint.proxy)
    except OSError as error:  # SSL's own errors are of this kind
        reason = error.strerror or str(error)
        sentence = f"the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read: {reason}"
        raise errors.WrongOption(sentence, file=error.filename) from None
    except ValueError as error:
        raise errors.WrongOption(f"the proxy's address is none: {error}") from None


class LiveModel:
    """Asks the provider and reads the answer from the bytes that came, not from what the SDK made of them.

    `record` gets the attempts at each request as soon as they are over, however they ended; `heard` gets each piece
    of text of a stream while it comes. `answered` is what the model said it was.
    """

    def __init__(
        self,
        client: "Client",
        dialect: Dialect,
        attempts: Attempts,
        record: Callable[[list[Attempt]], None],
        heard: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._client = client
        self._dialect = dialect
        self._attempts = attempts
        self._record = record
        self._heard = heard
        self.answered: str | None = None

    def reply(self, request: Request) -> Reading:
        """The provider's answer; raises a `LiveCallError` where there is no whole one."""
        body = self._dialect.body_of(request)
        self._attempts.take()
        failure: Exception | None = None
        attempts: list[Attempt] = []
        try:
            self._ask(body)
        except Exception as error:  # noqa: BLE001  an SDK may raise anything; what came over the wire decides
            failure = error
        finally:
            attempts = self._attempts.take()
            if attempts and attempts[-1].status:
                check_held(attempts[-1])
                self._record(attempts)
        return self._judged(attempts[-1] if attempts else None, failure)

    def _ask(self, body: JsonObject) -> None:
        create = self._create()
        answer = create(**_arguments_for(create, body))
        if not body.get("stream"):
            return
        with answer:
            for text in filter(None, map(_text_in, answer)):
                self._heard(text)

    def _create(self) -> Any:  # noqa: ANN401  two SDKs, one shape of call
        client: Any = self._client
        match self._dialect.api:
            case "messages":
                return client.messages.create
            case "responses":
                return client.responses.create
            case "chat":
                return client.chat.completions.create

    def _judged(self, last: Attempt | None, failure: Exception | None) -> Reading:
        if last is None and failure is None:
            raise errors.NotIntercepted
        if failure is not None and _caused_by(failure, httpx2.ConnectTimeout):
            raise errors.LiveCallFailed("no connection in time") from None
        if failure is not None and _caused_by(failure, httpx2.TimeoutException):
            limit = self._attempts.limit
            raise errors.LiveCallTimeout(f"{limit:g} s" if limit is not None else "its time") from None
        if last is None or not last.status:
            raise errors.LiveCallFailed(_reason(failure)) from None
        reading = self._reading_of(last)
        if reading.outcome in {Outcome.ERROR, Outcome.INCOMPLETE}:
            raise _failed(reading.error or _reason(failure), last.status) from None
        if not last.complete:
            raise _failed(_reason(failure), last.status) from None
        self.answered = reading.model or self.answered
        return reading

    def _reading_of(self, last: Attempt) -> Reading:
        if last.is_stream:
            return self._dialect.reading_of_stream(last.status, last.body, complete=last.complete)
        return self._dialect.reading_of_body(last.status, last.body)


def _failed(reason: str, status: int) -> errors.LiveCallFailed:
    error = errors.LiveCallFailed(reason)
    error.status = status
    return error


def _arguments_for(create: Callable[..., object], body: JsonObject) -> dict[str, Any]:
    """The body as arguments of an SDK's call; what its signature does not know goes past its types."""
    known = inspect.signature(create).parameters.keys() - _NO_PARAMETERS
    value = plain(body)
    assert isinstance(value, dict)  # noqa: S101  a dict stays one
    named: dict[str, Any] = {key: item for key, item in value.items() if key in known}
    beyond = {key: item for key, item in value.items() if key not in known}
    return named | {"extra_body": beyond} if beyond else named


def _text_in(event: Any) -> str:  # noqa: ANN401  an event of either SDK
    """The text that an event adds to the answer."""
    kind = getattr(event, "type", None)
    if kind == "content_block_delta":
        return getattr(event.delta, "text", None) or ""
    if kind == "response.output_text.delta":
        return str(event.delta)
    choices = getattr(event, "choices", None)
    return (choices[0].delta.content or "") if choices and choices[0].delta else ""


def _causes(failure: BaseException | None) -> list[BaseException]:
    causes: list[BaseException] = []
    while failure is not None and failure not in causes:
        causes.append(failure)
        failure = failure.__cause__ or failure.__context__
    return causes


def _caused_by(failure: Exception, kind: type[Exception]) -> bool:
    return any(isinstance(cause, kind) for cause in _causes(failure))


def _reason(failure: Exception | None) -> str:
    """What the SDK says, and what was behind it where that says more."""
    sentences = [f"{type(cause).__name__}: {cause}".strip(" :") for cause in _causes(failure)]
    if not sentences:
        return "the answer broke off"
    return sentences[0] if len(sentences) == 1 else f"{sentences[0]} ({sentences[-1]})"
