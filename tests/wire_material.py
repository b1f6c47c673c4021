"""Exchanges of real providers out of other tools' cassettes and raw captures, for tests that skip without them."""

import gzip
import json
from pathlib import Path
from typing import NamedTuple

import yaml

SHARED = Path(__file__).parents[2] / "shared" / "data"
WIRE, LOCAL = SHARED / "wire", SHARED / "local-model"


class Material(NamedTuple):
    """One exchange of the Chat Completions or the Messages API."""

    name: str
    api: str
    status: int
    answer: bytes
    streamed: bool
    request: object


class PlainLoader(yaml.CSafeLoader):
    """A safe loader to which tags of Python objects are plain data."""


def _plain(loader, _suffix, node):
    match node:
        case yaml.MappingNode():
            return loader.construct_mapping(node, deep=True)
        case yaml.SequenceNode():
            return loader.construct_sequence(node, deep=True)
        case _:
            return loader.construct_scalar(node)


PlainLoader.add_multi_constructor("tag:yaml.org,2002:python/", _plain)


def material():
    """Return all exchanges of both APIs; empty where the folder is not there."""
    found = [*_captures(), *_cassettes(), *_bare_streams()]
    return [one for one in found if one.api and one.answer]


def _captures():
    for path in sorted(LOCAL.glob("*.response.http")):
        head, _, answer = path.read_bytes().partition(b"\r\n\r\n")
        request = Path(str(path).replace(".response.", ".request.")).read_bytes()
        words = head.split()
        if len(words) < 2:
            continue  # a request whose connection was refused
        if b"chunked" in head.lower():
            answer = _unchunked(answer)
        api = _api_of(request.split(b" ", 2)[1].decode())
        body = _json(request.partition(b"\r\n\r\n")[2])
        yield Material(path.name, api, int(words[1]), answer, b"event-stream" in head, body)


def _unchunked(raw):
    answer, position = b"", 0
    while True:
        end = raw.find(b"\r\n", position)
        size = int(raw[position:end] or b"0", 16) if end >= 0 else 0
        if not size:
            return answer
        answer += raw[end + 2 : end + 2 + size]
        position = end + 2 + size + 2


def _cassettes():
    for path in sorted(WIRE.rglob("*")):
        if path.name.endswith((".yaml", ".yaml.gz", ".json")):
            raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            loaded = json.loads(raw) if path.suffix == ".json" else yaml.load(raw, PlainLoader)  # noqa: S506
            for number, (request, response) in enumerate(_pairs(loaded)):
                yield _material(f"{path.relative_to(WIRE)}#{number}", request, response)


def _pairs(loaded):
    if isinstance(loaded, dict) and "requests" in loaded:
        return list(zip(loaded["requests"], loaded["responses"], strict=True))
    if isinstance(loaded, dict) and "request" in loaded:
        loaded = [loaded]
    interactions = loaded if isinstance(loaded, list) else loaded["interactions"]
    return [(one["request"], one["response"]) for one in interactions]


def _material(name, request, response):
    url = request.get("uri") or request.get("url") or ""
    status = response.get("status_code") or response.get("code") or response.get("status") or 200
    status = status.get("code", 200) if isinstance(status, dict) else status
    body = response.get("parsed_body", response.get("content", response.get("body")))
    if isinstance(body, dict) and set(body) <= {"string", "encoding", "base64_string"}:
        body = body.get("string")
    answer = _bytes(body)
    streamed = answer.lstrip().startswith((b"data:", b"event:", b":"))
    return Material(name, _api_of(url), int(status), answer, streamed, _request(request))


def _request(request):
    body = request.get("parsed_body", request.get("body"))
    return body if isinstance(body, dict) else _json(_bytes(body))


def _bytes(body):
    if isinstance(body, str):
        body = body.encode()
    if not isinstance(body, bytes):
        return json.dumps(body).encode() if body is not None else b""
    return gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body


def _json(raw):
    try:
        return json.loads(raw)
    except ValueError:
        return None


def _api_of(url):
    path = url.partition("?")[0]
    if path.endswith("/v1/messages"):
        return "messages"
    return "chat" if path.endswith(("/chat/completions", "/api/chat")) else ""


def _bare_streams():
    for path in sorted(WIRE.rglob("*.txt")):
        yield Material(str(path.relative_to(WIRE)), "messages", 200, path.read_bytes(), streamed=True, request=None)
