"""HTTP archives (`.har`), as browsers and proxies save them."""

from collections import Counter

from harness import errors
from harness.importers import times
from harness.importers.bodies import UnreadableBodyError, bytes_of, headers_of, unpacked
from harness.importers.found import Captured, Found, Source, objects_in
from harness.providers.fields import list_at, object_at, objects_of, text_at
from harness.value import JsonObject


class Har:
    """The format `har`."""

    name = "har"

    def recognises(self, source: Source) -> bool:
        """Whether the file is an object with a log of entries."""
        return source.head[:1] == b"{" and b'"log"' in source.head[:4096] and b'"entries"' in source.raw

    def read(self, source: Source) -> Found:
        """Every entry."""
        log = object_at(source.json(), "log")
        if not isinstance(log.get("entries"), list):
            raise errors.BadImport("an HTTP archive holds log.entries", file=source.name)
        found = Found()
        for entry in objects_in(list_at(log, "entries"), "an entry", found.left_out):
            try:
                found.captured.append(_captured(entry, found.notes))
            except UnreadableBodyError as error:
                found.left_out[str(error)] += 1
        return found


def _captured(entry: JsonObject, notes: Counter[str]) -> Captured:
    request, response = object_at(entry, "request"), object_at(entry, "response")
    asked, told = _headers_in(request), _headers_in(response)
    content = object_at(response, "content")
    form = "base64_string" if content.get("encoding") == "base64" else "string"
    answer = unpacked(bytes_of({form: text_at(content, "text")}), told.get("content-encoding", ""), notes)
    status, ms = response.get("status"), entry.get("time")
    return Captured(
        method=text_at(request, "method").upper(),
        url=text_at(request, "url"),
        request=bytes_of(text_at(object_at(request, "postData"), "text")),
        status=status if isinstance(status, int) and status > 0 else 0,
        headers={"content-type": text_at(content, "mimeType"), **told},
        chunks=[(0.0, answer)] if answer else [],
        at=times.of_text(text_at(entry, "startedDateTime")),
        ms=float(ms) if isinstance(ms, int | float) and ms > 0 else 0.0,
        client=asked.get("user-agent", ""),
    )


def _headers_in(message: JsonObject) -> dict[str, str]:
    return headers_of({text_at(one, "name"): text_at(one, "value") for one in objects_of(list_at(message, "headers"))})


IMPORTER = Har()
