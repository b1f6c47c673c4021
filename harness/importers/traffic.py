"""Which API an exchange speaks, by its address or, where that is blacked out, by what it says."""

import re
from urllib.parse import SplitResult, urlsplit

from harness.importers.found import Captured
from harness.providers.fields import list_at, text_at
from harness.recording import Api
from harness.value import JsonObject

_ENDINGS: tuple[tuple[str, Api], ...] = (
    ("/chat/completions", "chat"),
    ("/api/chat", "chat"),
    ("/responses", "responses"),
    ("/v1/messages", "messages"),
)
_GOOGLE = re.compile(r"/models/[^/:]+:(?:streamG|g)enerateContent$")
_BEDROCK = re.compile(r"/model/[^/]+/invoke$")
_ID = re.compile(r"[0-9a-f]{8,}|.*[0-9]{3,}|\*+.*|(?=.*[0-9A-Z])[a-z]{2,12}[-_][A-Za-z0-9-]{8,}")
PATHS: dict[Api, str] = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages"}
_PROVIDERS = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "google",
    "aiplatform.googleapis.com": "google",
    "openrouter.ai": "openrouter",
}
UNKNOWN_HOST = "unknown"
_LONGEST = 32  # what is longer is an id


def split(url: str) -> SplitResult:
    """An address in its parts; what is none has only a path."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", url, "", "")


def api_of(one: Captured, body: JsonObject) -> Api | None:
    """The API of an exchange; None for other traffic."""
    if one.method not in {"POST", ""}:
        return None
    parts = split(one.url)
    path = parts.path.rstrip("/")
    for ending, api in _ENDINGS:
        if path.endswith(ending):
            return api
    if _BEDROCK.search(path) and "anthropic_version" in body:
        return "messages"
    return None if parts.scheme in {"http", "https"} else _api_said(one.answer, body)


def is_google(url: str) -> bool:
    """Whether an address is that of a native call of Google's API."""
    return _GOOGLE.search(split(url).path) is not None


def _api_said(answer: bytes, body: JsonObject) -> Api | None:
    """The API by what request and answer say."""
    start = b"".join(answer[:4096].split())
    if "messages" not in body and ("input" in body or b"response.created" in start or b'"object":"response"' in start):
        return "responses"
    if b"message_start" in start or b'"type":"message"' in start:
        return "messages"
    if b"chat.completion" in start or b'"choices"' in start:
        return "chat"
    if not list_at(body, "messages"):
        return None
    return "messages" if "system" in body or "anthropic_version" in body else "chat"


def kind_of_other(one: Captured) -> str:
    """What other traffic is, for the count of what is left out: its method and its path without ids."""
    parts = split(one.url)
    if not one.answer and not one.status:
        return "a request without an answer"
    if parts.scheme not in {"http", "https"}:
        return "an exchange of an unknown kind"
    words = ["…" if len(word) > _LONGEST or _ID.fullmatch(word) else word for word in parts.path.strip("/").split("/")]
    return f"{one.method or 'POST'} /{'/'.join(words)}"[:120]


def path_of(one: Captured, api: Api) -> str:
    """Path and query of the address; the API's usual path where the address is blacked out."""
    parts = split(one.url)
    if parts.scheme not in {"http", "https"}:
        return PATHS[api]
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def host_of(one: Captured) -> str:
    """Host and port, without credentials."""
    parts = split(one.url)
    return parts.netloc.rpartition("@")[2] if parts.scheme in {"http", "https"} else UNKNOWN_HOST


def provider_of(host: str) -> str:
    """The provider behind a host: a known one, `local` for this machine, else the host itself."""
    name = host.partition(":")[0]
    if name in {"localhost", "127.0.0.1", "0.0.0.0", "[", "::1"}:  # noqa: S104  a name to compare, nothing listens
        return "local"
    return next((known for ending, known in _PROVIDERS.items() if name.endswith(ending)), name)


def model_in(one: Captured, body: JsonObject) -> str:
    """The model that a request names, in its body or (Azure, Bedrock) in its address."""
    named = re.search(r"/(?:deployments|model|models)/([^/:]+)", split(one.url).path)
    return text_at(body, "model") or (named[1] if named else "")
