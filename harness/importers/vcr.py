"""Cassettes: vcrpy, pytest-recording, cassetter, go-vcr, and the one-exchange JSON of their kin.

Known shapes: `interactions`, `requests` beside `responses`, a list of `{request, response}`, one such pair alone; in
YAML or JSON; bodies as text, as parsed JSON, as typed content, as bytes; plain or packed, whatever the headers say.
"""

import re
from collections import Counter
from typing import TYPE_CHECKING, cast

from harness import errors
from harness.encoding import MARK
from harness.importers import times, yaml_plain
from harness.importers.bodies import UnreadableBodyError, bytes_of, headers_of, unpacked
from harness.importers.found import Captured, Found, Source
from harness.repeats import repeated_key

if TYPE_CHECKING:
    from harness.importers.yaml_plain import Plain

_HEAD = 64 * 1024
_YAML = re.compile(rb"^(?:interactions|requests|responses|grpc_interactions|ws_interactions):", re.MULTILINE)
_JSON = re.compile(rb'\s*(?:\{|\[\s*\{)\s*"(?:interactions|requests|request|version)"\s*:')
_OTHER = {"grpc_interactions": "a gRPC call", "ws_interactions": "a WebSocket"}
_CLOCK = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ns|us|µs|ms|s|m|h)")
_MS = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4, "h": 3.6e6}
_OK = 200


class Vcr:
    """The format `vcr`."""

    name = "vcr"

    def recognises(self, source: Source) -> bool:
        """Whether the file's beginning holds the keys of a cassette."""
        head = source.head[:_HEAD]
        if head[:1] in {b"{", b"["}:
            return _JSON.match(head) is not None and b'"request' in head and b'"response' in source.raw
        return _YAML.search(head) is not None

    def read(self, source: Source) -> Found:
        """Every exchange of the cassette."""
        found = Found()
        for document in _documents_of(source):
            for request, response, at in _pairs_of(document, found.left_out, source.name):
                try:
                    found.captured.append(_captured(request, response, at, found.notes))
                except UnreadableBodyError as error:
                    found.left_out[str(error)] += 1
        return found


def _documents_of(source: Source) -> "list[Plain]":
    if source.head[:1] in {b"{", b"["}:
        value = source.json()
        key = repeated_key(source.raw.removeprefix(MARK), value)
        if key is not None:
            raise errors.BadImport(f"the key {key[:40]} stands twice in one object", file=source.name)
        return [cast("Plain", value)]
    return yaml_plain.values_of(source.raw, file=source.name)


def _pairs_of(
    document: "Plain", left_out: Counter[str], file: str
) -> "list[tuple[dict[str, Plain], dict[str, Plain], str]]":
    """Requests with their responses and times."""
    if isinstance(document, list):
        document = {"interactions": document}
    if not isinstance(document, dict):
        raise errors.BadImport("a cassette holds interactions", file=file, found=type(document).__name__)
    for key, kind in _OTHER.items():
        others = document.get(key)
        left_out[kind] += len(others) if isinstance(others, list) else 0
    match document:
        case {"interactions": list(interactions)}:
            pairs = [one if isinstance(one, dict) else {} for one in interactions]
        case {"requests": list(requests), "responses": list(responses)}:
            _count_unpaired(len(requests) - len(responses), left_out)
            pairs = [{"request": ask, "response": reply} for ask, reply in zip(requests, responses, strict=False)]
        case {"request": dict(), "response": dict()}:
            pairs = [document]
        case _:
            raise errors.BadImport("a cassette holds interactions, or requests and responses", file=file)
    return [_pair_of(one) for one in pairs if _is_pair(one, left_out)]


def _count_unpaired(more: int, left_out: Counter[str]) -> None:
    if more:
        left_out["a request without a response" if more > 0 else "a response without a request"] += abs(more)


def _is_pair(one: "dict[str, Plain]", left_out: Counter[str]) -> bool:
    if isinstance(one.get("request"), dict) and isinstance(one.get("response"), dict):
        return True
    left_out["an interaction without request and response"] += 1
    return False


def _pair_of(one: "dict[str, Plain]") -> "tuple[dict[str, Plain], dict[str, Plain], str]":
    request, response = one["request"], one["response"]
    assert isinstance(request, dict)  # noqa: S101  `_is_pair` saw it
    assert isinstance(response, dict)  # noqa: S101  as above
    return request, response, times.of_text(str(one.get("recorded_at", "")))


def _captured(request: "dict[str, Plain]", response: "dict[str, Plain]", at: str, notes: Counter[str]) -> Captured:
    asked, told = headers_of(request.get("headers")), headers_of(response.get("headers"))
    answer = unpacked(_body_in(response), told.get("content-encoding", ""), notes)
    return Captured(
        method=str(request.get("method") or "POST").upper(),
        url=str(request.get("uri") or request.get("url") or ""),
        request=unpacked(_body_in(request), asked.get("content-encoding", ""), notes),
        status=_status_of(response),
        headers=told,
        chunks=[(0.0, answer)] if answer else [],
        at=at or times.of_text(told.get("date", "")) or times.created_in(answer),
        ms=_milliseconds(response.get("duration")),
        client=asked.get("user-agent", ""),
    )


def _body_in(message: "dict[str, Plain]") -> bytes:
    for key in ("parsed_body", "content"):
        if message.get(key) is not None:
            return bytes_of(message[key])
    return bytes_of(message.get("body"))


def _status_of(response: "dict[str, Plain]") -> int:
    """The status, as a number, as `{code, message}`, as a list (an enum's dump), or as `200 OK`."""
    status: Plain = response.get("status_code") or response.get("code") or response.get("status") or _OK
    if isinstance(status, dict):
        status = status.get("code")
    if isinstance(status, list):
        status = status[0] if status else None
    words = str(status).split()
    return int(words[0]) if words and words[0].isdecimal() else _OK


def _milliseconds(written: "Plain") -> float:
    """A duration as Go writes it (`1m2.5s`); 0 where there is none."""
    if not isinstance(written, str):
        return 0.0
    return round(sum(float(number) * _MS[unit] for number, unit in _CLOCK.findall(written[:40])), 3)


IMPORTER = Vcr()
