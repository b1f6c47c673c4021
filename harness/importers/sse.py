"""Bare streams: the events of one answer and nothing else."""

from harness.importers.found import Captured, Found, Source
from harness.importers.times import created_in

_STARTS = (b"data:", b"event:", b"id:", b":")
_WORDS = (b"message_start", b"content_block", b"chat.completion", b'"choices"', b"response.created", b"response.output")


class Sse:
    """The format `sse`."""

    name = "sse"

    def recognises(self, source: Source) -> bool:
        """Whether the file starts as an event does and speaks of an answer."""
        head = source.raw[:8192].lstrip(b"\xef\xbb\xbf").lstrip()
        return head.startswith(_STARTS) and any(word in head for word in _WORDS)

    def read(self, source: Source) -> Found:
        """One answer; what was asked is not known."""
        answer = source.raw
        headers = {"content-type": "text/event-stream"}
        one = Captured("", "", b"", 200, headers, [(0.0, answer)], at=created_in(answer))
        return Found(captured=[one])


IMPORTER = Sse()
