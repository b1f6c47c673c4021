"""Raw HTTP captures: a request's bytes in `NAME.request.http`, its answer's in `NAME.response.http`.

All captures of one directory are one source, in the order of their names, so that a conversation over several files
is found. A file may also hold a request and the response after it.
"""

import re
from collections import Counter

from harness.importers import times
from harness.importers.bodies import UnreadableBodyError, headers_of, unpacked
from harness.importers.found import Captured, Found, Source

REQUEST, RESPONSE = ".request.http", ".response.http"

_REQUEST_LINE = re.compile(rb"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S{1,8000} HTTP/[0-9.]+\r?\n")
_STATUS_LINE = re.compile(rb"HTTP/[0-9.]+ ([0-9]{3})[^\n]{0,200}\n")
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")


class Http:
    """The format `http`."""

    name = "http"

    def recognises(self, source: Source) -> bool:
        """Whether the file starts as a request does, or its parts are captures."""
        return bool(source.parts) or _REQUEST_LINE.match(source.raw) is not None

    def read(self, source: Source) -> Found:
        """Each request with its response."""
        found = Found()
        asked = {name.removesuffix(REQUEST) for name in source.parts if name.endswith(REQUEST)}
        told = {name.removesuffix(RESPONSE) for name in source.parts if name.endswith(RESPONSE)}
        found.left_out["an answer whose request is not here"] += len(told - asked)
        for request, response in _pairs_of(source):
            try:
                found.captured.append(_captured(request, response, found.notes))
            except UnreadableBodyError as error:
                found.left_out[str(error)] += 1
        return found


def _pairs_of(source: Source) -> list[tuple[bytes, bytes]]:
    if source.parts:
        names = sorted(name.removesuffix(REQUEST) for name in source.parts if name.endswith(REQUEST))
        return [(source.parts[name + REQUEST], source.parts.get(name + RESPONSE, b"")) for name in names]
    cut = _STATUS_LINE.search(source.raw)
    return [(source.raw[: cut.start()], source.raw[cut.start() :]) if cut else (source.raw, b"")]


def _captured(request: bytes, response: bytes, notes: Counter[str]) -> Captured:
    first, asked, body = _taken_apart(request)
    method, _, target = first.partition(" ")
    line, told, raw = _taken_apart(response)
    words = line.split()
    status = int(words[1]) if len(words) > 1 and words[1].isdecimal() else 0
    chunks, complete = _chunks_of(raw, told)
    coding = told.get("content-encoding", "")
    if coding not in {"", "identity"} and chunks:
        chunks = [unpacked(b"".join(chunks), coding, notes)]
    return Captured(
        method=method,
        url=f"http://{asked.get('host', 'unknown')}{target.partition(' ')[0]}",
        request=unpacked(body, asked.get("content-encoding", ""), notes),
        status=status,
        headers=told,
        chunks=[(0.0, chunk) for chunk in chunks],
        complete=complete and status > 0,
        at=times.of_text(told.get("date", "")),
        client=asked.get("user-agent", ""),
    )


def _taken_apart(message: bytes) -> tuple[str, dict[str, str], bytes]:
    """The first line, the headers by lower-case name, and the body."""
    end = _END_OF_HEAD.search(message)
    head, body = (message[: end.start()], message[end.end() :]) if end else (message, b"")
    first, *rest = head.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    fields = [line.partition(":") for line in rest]
    return first, headers_of({name.strip(): value.strip() for name, _, value in fields}), body


def _chunks_of(raw: bytes, headers: dict[str, str]) -> tuple[list[bytes], bool]:
    """The body as its chunks, and whether it came to its end."""
    if headers.get("transfer-encoding", "").lower() != "chunked":
        length = headers.get("content-length", "")
        return ([raw] if raw else []), not length.isdecimal() or len(raw) >= int(length)
    chunks: list[bytes] = []
    at = 0
    while (end := raw.find(b"\r\n", at)) >= 0:
        size = _size_in(raw[at:end])
        if not size:
            return chunks, size == 0
        chunks.append(raw[end + 2 : end + 2 + size])
        at = end + 2 + size + 2
        if at > len(raw):
            break
    return chunks, False


def _size_in(line: bytes) -> int | None:
    try:
        size = int(line.partition(b";")[0].strip() or b"x", 16)
    except ValueError:
        return None
    return size if size >= 0 else None


IMPORTER = Http()
