"""Secrets out of what is imported, at the price of one look where there are none.

A value is looked at as JSON, in one piece and for all marks of a secret at once. Only where something may stand there
are its texts laid end to end and looked at, and only where something does is each of them scrubbed by the redactor.
What it finds in one text it finds among all: a quote or a line end between two texts opens and closes words.
"""

import re

from harness.pattern import pattern_of
from harness.value import Json, JsonObject, NotJsonError, decode, encode
from harness.wire.redact import Redactor
from harness.wire.secret_fields import kind_of_field
from harness.wire.sightings import ANY_MARK

_PROBE = "a1b2c3d4e5f6g7h8i9="  # a value that is a secret under every name that promises one

# What hides more than a quote or white space: an escape inside an escaped text, a letter, a slash, half an escape.
_HIDING = r"\\(?:[^nrt\"u]|u(?:00|[0-9a-fA-F]{0,3}[^0-9a-fA-F]))"
_SPACE = re.compile(rb"\\[nrt]")
_LETTER = re.compile(rb"\\u....", re.DOTALL)
# The last word of every name that `kind_of_field` takes for a promise, and what may follow it in the name.
_PROMISE = (
    r"(?i:key|token|authorization|credentials?|passphrase|passw(?:d|ord)|pwd|secret|cookie)"
    r"(?:\\[nrt\"]|[^A-Za-z0-9\"\\])*\"\s*:"
)
_CLOSER = f"{_HIDING}|{_PROMISE}"
_MARK = f"{ANY_MARK}|{_CLOSER}"


class Scrubber:
    """One recording's redactor, and the field names that are known to promise nothing."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self._harmless: set[str] = set()

    def text(self, text: str) -> str:
        """A text without its secrets."""
        return self.redactor.text(text)

    def fields(self, value: JsonObject) -> JsonObject:
        """An object without its secrets."""
        clean = self.value(value)
        assert isinstance(clean, dict)  # noqa: S101  scrubbing keeps the kind
        return clean

    def items(self, value: list[Json]) -> list[Json]:
        """A list without its secrets."""
        clean = self.value(value)
        assert isinstance(clean, list)  # noqa: S101  scrubbing keeps the kind
        return clean

    def value(self, value: Json) -> Json:
        """A value without its secrets."""
        if self.is_clean(encode(value)):
            return value
        look = _Look(self._harmless)
        if not look.at(value) or self.redactor.finds_in("\n".join(look.texts).encode("utf-8", "surrogatepass")):
            return self.redactor.value(value)
        self._harmless |= look.names
        return value

    def body(self, raw: bytes) -> bytes:
        """A body as it came but for its secrets."""
        if self.is_clean(raw):
            return raw
        scrubbed = self.redactor.raw(raw)
        try:
            value = decode(scrubbed)
        except NotJsonError:
            return self.redactor.body(raw)
        return scrubbed if self.value(value) is value else self.redactor.body(raw)

    def is_clean(self, written: bytes) -> bool:
        """Whether nothing in this JSON could be a secret; False where that takes a closer look."""
        text = written.decode("latin-1")
        marked = pattern_of(_MARK)(text)
        if not (marked or self.redactor.knows_values):
            return True
        if marked and pattern_of(_CLOSER)(text):
            return False
        plain = _LETTER.sub(b"\xff", _SPACE.sub(b"\n", written))
        return not self.redactor.finds_in(written) and (plain == written or not self.redactor.finds_in(plain))


class _Look:
    """One look at a value: all its texts, and the field names that were not known before."""

    def __init__(self, harmless: set[str]) -> None:
        self.texts: list[str] = []
        self.names: set[str] = set()
        self._harmless = harmless

    def at(self, value: Json) -> bool:
        """Take up every text and name of a value; False where a name promises a secret."""
        match value:
            case str():
                return self._at_text(value)
            case dict():
                return all(self._at_name(key) and self.at(item) for key, item in value.items())
            case list():
                return all(map(self.at, value))
            case bool() | None:
                return True
            case _:
                self.texts.append(encode(value).decode())  # digits may be a secret
                return True

    def _at_text(self, text: str) -> bool:
        self.texts.append(text)
        if "\\" not in text or text.lstrip()[:1] not in {"{", "["}:
            return True
        try:
            return self.at(decode(text))  # escapes inside JSON text may hide what its bytes do not show
        except (NotJsonError, UnicodeEncodeError):
            return True

    def _at_name(self, key: str) -> bool:
        if key in self._harmless or key in self.names:
            return True
        self.names.add(key)
        return self._at_text(key) and kind_of_field(key, _PROBE) is None
