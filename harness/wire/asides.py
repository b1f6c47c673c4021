"""Requests that ask no model, kept beside the exchanges and answered again: models, token counts, embeddings."""

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import NamedTuple

from harness.excerpt import excerpts_of
from harness.recording import Aside
from harness.value import Json, NotJsonError, decode, digest_of
from harness.wire.capture import Attempt
from harness.wire.divergence import divergence_of, path_text
from harness.wire.drift import Drift
from harness.wire.facets import fits
from harness.wire.redact import Redactor

# What a base URL ends in: the same server may be found under another, as when it is recorded through a proxy.
_BASE = re.compile(r".*/v1(?:beta/openai)?(?=/)")

# Secrets are numbered by first appearance, which need not be the same in a replay.
_NUMBERED = re.compile(r"\[secret:([^:\]]*):\d+\]")
TOO_LARGE = "its answer is too large for a line"


class _Said(NamedTuple):
    """What a body says, without its secrets: a value, or the digest of what is no JSON."""

    value: Json
    digest: str | None


class Beside(NamedTuple):
    """Such a request as it is sent."""

    method: str
    path: str
    query: str
    body: bytes


def aside_of(attempt: Attempt, redactor: Redactor, *, after: int) -> Aside | str:
    """The line of a recording, or why there is none: what no replay could answer."""
    if attempt.endless:
        return TOO_LARGE
    if not attempt.complete or not attempt.status:
        return "no whole answer came"
    request, digest = _said_in(attempt.request, redactor.value)
    text, encoded = _text_or_base64(redactor.body(attempt.body))
    return Aside(
        after=after,
        method=attempt.method,
        path=redactor.text(attempt.url.raw_path.decode("latin-1")),
        request=request,
        digest=digest,
        status=attempt.status,
        headers=redactor.headers(attempt.headers),
        body=text,
        base64=encoded,
        at=attempt.at,
        ms=attempt.ms,
    )


def raw_of(aside: Aside) -> bytes:
    """The answer's bytes."""
    return b64decode(aside.base64) if aside.base64 is not None else (aside.body or "").encode()


class Asides:
    """What a recording holds of them; equal ones are answered in recorded order.

    The last answers again: an agent may ask which models there are as often as it likes, since that changes nothing.
    For the same reason none has to be asked for.
    """

    def __init__(self, recorded: list[Aside]) -> None:
        self._recorded = recorded
        self._given: set[int] = set()

    def find(self, sent: Beside, scrub: Callable[[Json], Json]) -> Aside | Drift:
        """The recorded answer, or why there is none."""
        path, _, query = str(scrub(f"{_BASE.sub('', sent.path)}?{sent.query}")).partition("?")
        there = [
            number
            for number, one in enumerate(self._recorded)
            if one.method == sent.method and fits(_BASE.sub("", one.path.partition("?")[0]), path)
        ]
        query = _in_order(query)
        here = [number for number in there if fits(self._query_of(number), query)]
        asked = _said_in(sent.body, scrub)
        equal = [number for number in here if self._says(number, asked)]
        if not equal:
            return self._missed(sent, here, asked) if here or not there else self._elsewhere(sent, there[0], query)
        number = next((number for number in equal if number not in self._given), equal[-1])
        self._given.add(number)
        return self._recorded[number]

    def _says(self, number: int, asked: _Said) -> bool:
        one = self._recorded[number]
        return one.digest == asked.digest and fits(one.request, asked.value)

    def _query_of(self, number: int) -> str:
        return _in_order(self._recorded[number].path.partition("?")[2])

    def _elsewhere(self, sent: Beside, nearest: int, query: str) -> Drift:
        recorded, asked = excerpts_of(self._query_of(nearest), query)
        return Drift("CONVERSATION", f"{sent.method} {sent.path} has another query than recorded", "", recorded, asked)

    def _missed(self, sent: Beside, here: list[int], asked: _Said) -> Drift:
        if not here:
            return Drift("NOT_INTERCEPTED", f"nothing is recorded of {sent.method} {sent.path}")
        note = f"{sent.method} {sent.path} does not send what was recorded"
        nearest = self._recorded[here[0]]
        if nearest.digest != asked.digest:
            return Drift("CONVERSATION", f"{note}: its bytes are others")
        first = divergence_of(nearest.request, asked.value)
        return Drift("CONVERSATION", note, path_text(first.path), first.recorded, first.sent)


def _in_order(query: str) -> str:
    """A query whatever order its pairs stand in."""
    return "&".join(sorted(query.split("&")))


def _said_in(body: bytes, scrub: Callable[[Json], Json]) -> _Said:
    try:
        return _Said(scrub(decode(body)) if body else None, None)
    except NotJsonError:
        text = str(scrub(_without_boundary(body).decode("latin-1")))
        return _Said(None, digest_of(_NUMBERED.sub(r"[secret:\1]", text).encode()))


def _without_boundary(body: bytes) -> bytes:
    """A form whose parts are set apart by what is new in each request; other bodies as they are."""
    boundary = body[2:].partition(b"\r\n")[0] if body.startswith(b"--") else b""
    is_form = bool(boundary) and b"--" + boundary + b"--" in body
    return body.replace(boundary, b"boundary") if is_form else body


def _text_or_base64(raw: bytes) -> tuple[str | None, str | None]:
    try:
        return raw.decode(), None
    except UnicodeDecodeError:
        return None, b64encode(raw).decode()
