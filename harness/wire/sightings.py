"""Where secrets stand in bytes: by shape, by field name, by part of a URL, by a value that is known.

Every pattern is ours, with bounded repeats and one way to match, so that time grows with the text and never explodes.
All work on bytes: the same patterns serve headers, bodies that are cut inside a character, and plain text.
"""

import re
from collections.abc import Iterator

from harness.pattern import pattern_of
from harness.value import NotJsonError, decode
from harness.wire.known import Sighting, Values
from harness.wire.secret_fields import SCHEME, is_placeholder, kind_of_field, kind_of_parameter, promises_secret

# What a provider's key looks like. The first that matches names the kind: the special stand before the general.
_SHAPES = {
    "anthropic_key": rb"sk-ant-[A-Za-z0-9_-]{16,}",
    "openrouter_key": rb"sk-or-[A-Za-z0-9_-]{16,}",
    "openai_key": rb"sk-[A-Za-z0-9_-]{20,}",
    "openai_client_secret": rb"ek_[A-Za-z0-9]{24,}",
    "google_key": rb"AIza[A-Za-z0-9_-]{35}",
    "google_token": rb"ya29\.[A-Za-z0-9_-]{20,}",
    "groq_key": rb"gsk_[A-Za-z0-9]{32,}",
    "xai_key": rb"xai-[A-Za-z0-9]{32,}",
    "perplexity_key": rb"pplx-[A-Za-z0-9]{32,}",
    "replicate_key": rb"r8_[A-Za-z0-9]{30,}",
    "huggingface_key": rb"hf_[A-Za-z0-9]{30,}",
    "github_token": rb"gh[opsur]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}",
    "gitlab_token": rb"glpat-[A-Za-z0-9_-]{20,}",
    "slack_token": rb"xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}",
    "stripe_key": rb"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}",
    "aws_key": rb"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    "sendgrid_key": rb"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}",
    "npm_token": rb"npm_[A-Za-z0-9]{36}",
    "pypi_token": rb"pypi-[A-Za-z0-9_-]{50,}",
    "jwt": rb"(?<![_-])eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,}",
    "private_key": rb"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{0,16384}"
    rb"(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?",
}
# A key starts a word; the `n` of a JSON escape `\n` before it is no part of one.
_SHAPE = re.compile(
    rb"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt]))(?:"
    + b"|".join(b"(?P<%s>%s)" % (kind.encode(), shape) for kind, shape in _SHAPES.items())
    + b")"
)
# Credentials hold a digit; that keeps "Basic understanding" and "authorization: required" what they are.
_SCHEME = re.compile(
    rb"(?i)(?<![A-Za-z0-9])(?:Bearer|Basic)\s{1,4}(?=[A-Za-z._~+/-]{0,200}[0-9=])([A-Za-z0-9._~+/-]{8,4096}={0,2})"
)
_HEADER = re.compile(
    rb"(?i)(?<![A-Za-z0-9-])(?:x-api-key|api-key|x-goog-api-key|proxy-authorization|authorization|set-cookie|cookie)"
    rb":\s{0,4}(?=[^\s\"'\\]{0,200}[0-9])(?!\[secret:)([^\s\"'\\,;]{6,4096})"
)
_USERINFO = re.compile(rb"://([^\s/?#@\"'\\<>\[\]]{1,512})@")
_PARAMETER = re.compile(rb"[?&](?:amp;)?([A-Za-z0-9_.-]{1,64})=([^&\s\"'#\\<>\[\]]{1,4096})")
_FIELD = re.compile(
    rb"(?P<edge>\\{0,15})\"(?P<name>[A-Za-z][A-Za-z0-9_. -]{1,63})(?P=edge)\"\s{0,16}:\s{0,16}"
    rb"(?:(?P=edge)(?P<open>\")|(?P<number>-?[0-9][0-9.eE+-]{0,63}))"
)
# As Python shows a field in an error, and a header in a log.
_QUOTED = re.compile(
    rb"(?:'([A-Za-z][A-Za-z0-9_. -]{1,63})'\s{0,16}:\s{0,16}|b'([A-Za-z][A-Za-z0-9_.-]{1,63})', b)'([^'\r\n]{1,4096})'"
)
_CREDENTIAL = re.compile(SCHEME.pattern.encode(), re.IGNORECASE)
_LINE_END = re.compile(rb"(?:\\+[nr]|[\r\n])+")
_BACKSLASH = 0x5C

# What must stand in a text for a pattern above to find anything, be it in the text as it is or in what it is when the
# escapes of JSON for white space and for letters beyond ASCII are undone. The linear-time engine looks for all of it at
# once, a hundred times as fast; where it finds nothing, the patterns need not run.
_SHAPE_MARK = (
    r"sk-|ek_|AIza|ya29\.|gsk_|xai-|pplx-|r8_|hf_|gh[opsur]_|github_pat_|glpat-|xox|xapp-|k_(?:live|test)_|AKIA|ASIA|SG\."
    r"|npm_|pypi-|eyJ|PRIVATE KEY-----"
)
_SCHEME_MARK = r"(?i)(?:bearer|basic)(?:\s|\\[nrt])+[a-z._~+/-]*[0-9=]"
_HEADER_MARK = r"(?i)(?:api-key|authorization|cookie):(?:\s|\\[nrt])*(?:[^\s\"'\\]|\\u)*[0-9]"
_PARAMETER_MARK = r"[?&][A-Za-z0-9_.;-]+="
_FIELD_MARK = r"(?i)(?:key|token|authorization|credentials?|passphrase|passw(?:d|ord)|pwd|secret|cookie)[_. -]*\\*[\"']"
ANY_MARK = "|".join(
    mark if not mark.startswith("(?i)") else f"(?i:{mark.removeprefix('(?i)')})"
    for mark in (_SHAPE_MARK, _SCHEME_MARK, _HEADER_MARK, _PARAMETER_MARK, _FIELD_MARK, "://")
)


def sightings_of(raw: bytes, values: Values) -> list[Sighting]:
    """All secrets in some bytes, in order, none overlapping another."""
    found = [*values.sightings_in(raw)]
    if _holds(raw, ANY_MARK):
        found += [*_shapes_in(raw), *_credentials_in(raw), *_url_parts_in(raw), *_fields_in(raw)]
    return _apart(sorted(found, key=lambda one: (one.start, -one.end)), raw) if found else found


def kind_by_shape(secret: bytes) -> str | None:
    """The kind of a secret that is a provider's key as a whole."""
    found = _SHAPE.fullmatch(secret)
    return found.lastgroup if found else None


def _apart(found: list[Sighting], raw: bytes) -> list[Sighting]:
    apart: list[Sighting] = []
    for one in found:
        last = apart[-1] if apart else None
        if last is None or one.start >= last.end:
            apart.append(one)
        elif one.end > last.end:
            apart[-1] = last._replace(end=one.end, secret=raw[last.start : one.end])
    return apart


def _holds(raw: bytes, mark: str) -> bool:
    return pattern_of(mark)(raw.decode("latin-1"))


def _shapes_in(raw: bytes) -> Iterator[Sighting]:
    if not _holds(raw, _SHAPE_MARK):
        return
    for found in _SHAPE.finditer(raw):
        # The one shape with line ends: however they are written, it is the same key.
        yield Sighting(*found.span(), str(found.lastgroup), _LINE_END.sub(b"\n", found[0]))


def _credentials_in(raw: bytes) -> Iterator[Sighting]:
    kinds = ((_SCHEME, "authorization", _SCHEME_MARK), (_HEADER, "header", _HEADER_MARK))
    for pattern, kind, mark in kinds:
        for found in pattern.finditer(raw) if _holds(raw, mark) else ():
            if kind == "authorization" or not _CREDENTIAL.match(found[1] + b" "):
                yield Sighting(*found.span(1), kind, found[1])


def _url_parts_in(raw: bytes) -> Iterator[Sighting]:
    if b"://" in raw:
        for found in _USERINFO.finditer(raw):
            yield Sighting(*found.span(1), "userinfo", found[1])
    for found in _PARAMETER.finditer(raw) if b"=" in raw and _holds(raw, _PARAMETER_MARK) else ():
        kind = kind_of_parameter(found[1].decode())
        if kind and not is_placeholder(found[2].decode("utf-8", "replace")):
            yield Sighting(*found.span(2), kind, found[2])


def _fields_in(raw: bytes) -> Iterator[Sighting]:
    if not _holds(raw, _FIELD_MARK):
        return
    for found in _FIELD.finditer(raw):
        if not promises_secret(found["name"].decode()):
            continue
        start, end = found.span("number")
        edge = found["edge"] + b'"'
        if found["open"]:
            start, end, edge = found.end(), _end_of_string(raw, found.end(), len(found["edge"])), b""
        sighting = _field(raw, found["name"], Sighting(start, end, "", b"", edge), len(found["edge"]))
        if sighting:
            yield sighting
    for found in _QUOTED.finditer(raw):
        sighting = _field(raw, found[1] or found[2], Sighting(*found.span(3), "", b""), 0)
        if sighting:
            yield sighting


def _field(raw: bytes, name: bytes, place: Sighting, escapes: int) -> Sighting | None:
    written = raw[place.start : place.end]
    value = _unescaped(written, escapes)
    kind = kind_of_field(name.decode(), value.decode("utf-8", "replace"))
    if kind is None:
        return None
    scheme = _CREDENTIAL.match(written)
    skipped = scheme.end() if scheme else 0
    return place._replace(start=place.start + skipped, kind=kind, secret=value[skipped:])


def _end_of_string(raw: bytes, start: int, escapes: int) -> int:
    """Where a JSON string ends whose own quotes have `escapes` backslashes before them; the end where it is cut off.

    A quote that belongs to the string's text has more of them, and one that ends an outer string has fewer.
    """
    at = raw.find(b'"', start)
    while at >= 0:
        before = at
        while before > start and raw[before - 1] == _BACKSLASH:
            before -= 1
        count = at - before
        if count < escapes:
            return before
        if (count - escapes) % (2 * (escapes + 1)) == 0:
            return at - escapes
        at = raw.find(b'"', at + 1)
    return len(raw)


def _unescaped(written: bytes, escapes: int) -> bytes:
    """A JSON string's text; as it is written where it is no whole string."""
    for _ in range((escapes + 1).bit_length()):
        try:
            text = decode(b'"' + written + b'"')
        except NotJsonError:
            return written
        written = str(text).encode()
    return written
