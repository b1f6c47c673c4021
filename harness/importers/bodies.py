"""Bodies as bytes: text, parsed JSON, base64 or hex, packed or not, whatever the headers say about it."""

import binascii
import zlib
from base64 import b64decode
from typing import TYPE_CHECKING

from harness.providers.sse import is_stream
from harness.value import NotJsonError, checked, encode

if TYPE_CHECKING:
    from collections import Counter

    from harness.importers.yaml_plain import Plain

MAX_BODY_BYTES = 256 * 1024 * 1024
_GZIP = b"\x1f\x8b"
_STREAM = "text/event-stream"
_JSON = "application/json"


class UnreadableBodyError(ValueError):
    """A body that cannot be turned into bytes; its text says why."""


def bytes_of(body: "Plain") -> bytes:
    """A body in any form that cassettes know; a mapping of another kind is parsed JSON.

    `{string}` and `{base64_string}` are vcrpy's and its kin's, `{type, content}` are typed bodies, and
    `{state: [bytes, …]}` is what the dump of a Python object leaves.
    """
    match body:
        case None:
            return b""
        case bytes():
            return body
        case str():
            return body.encode("utf-8", "surrogatepass")
        case dict():
            return _bytes_of_mapping(body)
        case _:
            return json_of(body)


def _bytes_of_mapping(body: "dict[str, Plain]") -> bytes:
    match body:
        case {"base64_string": str(text)}:
            return _base64(text)
        case {"string": inner} if body.keys() <= {"string", "encoding"}:
            return bytes_of(inner)
        case {"type": "none" | "text" | "json" | "binary" as kind} if body.keys() <= {"type", "content"}:
            return _typed(str(kind), body.get("content"))
        case {"state": [inner, *_]}:
            return bytes_of(inner)
        case _:
            return json_of(body)


def json_of(value: "Plain") -> bytes:
    """A parsed body written again."""
    try:
        return encode(checked(value))
    except NotJsonError as error:
        raise UnreadableBodyError(f"a parsed body that JSON cannot write: {error}") from None


def _typed(kind: str, inner: "Plain") -> bytes:
    match kind:
        case "json":
            return json_of(inner)
        case "binary":
            return _hex(str(inner or ""))
        case "none":
            return b""
        case _:
            return bytes_of(inner)


def _hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise UnreadableBodyError("a binary body that is no hex") from None


def _base64(text: str) -> bytes:
    try:
        return b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise UnreadableBodyError("a body that is no base64") from None


def unpacked(body: bytes, coding: str, notes: "Counter[str]") -> bytes:
    """The body without its content coding. Headers lie in both directions: what the bytes are decides.

    Raises `UnreadableBodyError` where it cannot be unpacked, or would be larger than `MAX_BODY_BYTES`.
    """
    coding = coding.strip().lower()
    if body.startswith(_GZIP):
        if coding not in {"gzip", "x-gzip"}:
            notes["a gzip body without its header"] += 1
        return inflated(body, zlib.MAX_WBITS | 16, notes)
    if coding in {"", "identity"} or _is_text(body):
        if body and coding not in {"", "identity"}:
            notes[f"a {coding} header over a plain body"] += 1
        return body
    if coding == "deflate":
        return inflated(body, zlib.MAX_WBITS if body[:1] == b"\x78" else -zlib.MAX_WBITS, notes)
    raise UnreadableBodyError(f"a body encoded in {coding}")


def inflated(body: bytes, window: int, notes: "Counter[str]") -> bytes:
    """Unpacked bytes, as far as they go; raises `UnreadableBodyError` where they are broken or too many."""
    inflater = zlib.decompressobj(window)
    try:
        whole = inflater.decompress(body, MAX_BODY_BYTES)
    except zlib.error as error:
        raise UnreadableBodyError(f"a packed body that is broken: {error}") from None
    if inflater.unconsumed_tail:
        raise UnreadableBodyError(f"a packed body of more than {MAX_BODY_BYTES} bytes")
    if inflater.unused_data.strip(b"\0"):
        notes["bytes after a packed body, which are not read"] += 1
    if not inflater.eof:
        notes["a packed body that breaks off"] += 1
    return whole


def _is_text(body: bytes) -> bool:
    head = body.lstrip()[:1]
    return not body or head in {b"{", b"["} or body.startswith((b"data:", b"event:", b":", b"id:"))


def headers_of(headers: "Plain") -> dict[str, str]:
    """Headers by lower-case name, from a mapping to texts or lists of texts."""
    pairs = headers.items() if isinstance(headers, dict) else ()
    return {name.lower(): _text(value) for name, value in pairs}


def _text(value: "Plain") -> str:
    match value:
        case bytes():
            return value.decode("utf-8", "replace")
        case [first, *_]:
            return _text(first)
        case None | [] | dict():
            return ""
        case _:
            return str(value)


def restored(headers: dict[str, str], answer: bytes, notes: "Counter[str]") -> dict[str, str]:
    """The headers with a content type that fits the answer; a cassette may have none, or a black bar in its place."""
    written = headers.get("content-type", "")
    if "/" in written or not answer:
        return headers
    notes["an answer without its content type: what its bytes are was put in"] += 1
    kind = _STREAM if is_stream(answer) else _JSON
    return {**headers, "content-type": kind}
