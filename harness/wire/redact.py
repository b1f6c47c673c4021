"""Secrets out of everything that will be written: headers, URLs, bodies, streams, arguments, results, errors.

A secret becomes `[secret:<kind>:<n>]`. `n` counts the secrets of a kind by first appearance in one recording: equal
secrets stay equal and different ones different, a run that behaves the same writes the same, and nothing of the
secret is in it. A digest would let a short password be found by trying.
"""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import msgspec

from harness.value import Json, NotJsonError, decode, encode
from harness.wire.known import Sighting, values_of
from harness.wire.secret_fields import is_placeholder, kind_of_field
from harness.wire.sightings import kind_by_shape, sightings_of

POLICY = "standard-1"
# What a response says beside its body that is worth keeping and tells nothing of who asked.
KEPT_HEADERS = {
    "content-type",
    "location",
    "openai-processing-ms",
    "openai-version",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "x-request-id",
    "x-should-retry",
}

_SHORT, _REMEMBERED = 64, 4096

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")

Struct = TypeVar("Struct", bound=msgspec.Struct)


class Edit(NamedTuple):
    """Bytes from `start` to `end` become `text`."""

    start: int
    end: int
    text: bytes


class Redactor:
    """One recording's memory of its secrets; `values` are those that are known by value."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._known = list(values)
        self._values = values_of(tuple(self._known))
        self._placeholders: dict[bytes, bytes] = {}
        self._counts: dict[str, int] = {}
        self._clean: set[str] = set()  # short texts without a secret: names of fields come again and again

    @property
    def knows_values(self) -> bool:
        """Whether any secret is known by its value."""
        return bool(self._known)

    def learn(self, value: str) -> None:
        """Take one more value for a secret, from now on: the key of a caller that this process never had."""
        if value not in self._known:
            self._known.append(value)
            self._values = values_of(tuple(self._known))
            self._clean.clear()

    def kinds_in(self, text: str) -> list[str]:
        """The kinds of secrets in a text, for a refusal that does not tell them."""
        return sorted({self._kind(one) for one in sightings_of(text.encode(), self._values)})

    def finds_in(self, raw: bytes) -> bool:
        """Whether a secret stands in some bytes; what is only looked at is not counted as seen."""
        return bool(sightings_of(raw, self._values))

    def holds_value(self, text: str) -> bool:
        """Whether a value that is known stands in a text."""
        return any(self._values.sightings_in(text.encode()))

    def text(self, text: str) -> str:
        """A text without its secrets; JSON in it is looked into, since escapes may hide what bytes do not show."""
        if text in self._clean:
            return text
        raw = text.encode("utf-8", "surrogatepass")
        scrubbed = self.raw(raw)
        is_plain = scrubbed == raw and "\\" not in text and not self._values.has_numbers
        if not is_plain and text.lstrip()[:1] in {"{", "[", '"'}:
            scrubbed = self._as_json(raw, scrubbed)
        if scrubbed != raw:
            return scrubbed.decode("utf-8", "surrogatepass")
        if len(text) <= _SHORT and len(self._clean) < _REMEMBERED:
            self._clean.add(text)
        return text

    def value(self, value: Json) -> Json:
        """A JSON value without its secrets; fields are judged by name, texts and numbers by what they hold."""
        match value:
            case str():
                return self.text(value)
            case dict():
                return {self.text(key): self._field(key, item) for key, item in value.items()}
            case list():
                return [self.value(item) for item in value]
            case bool() | None:
                return value
            case _:
                return self._number(value)

    def struct(self, struct: Struct) -> Struct:
        """A line of a file, or any other struct, without the secrets in any text of it, wherever it stands.

        What counts or names things by its type stays: numbers, the words of an enumeration, digests.
        """
        names = struct.__struct_fields__
        clean = {
            name: self._member(getattr(struct, name), type_)
            for name, type_ in zip(names, _types_of(type(struct)), strict=True)
        }
        return msgspec.structs.replace(struct, **clean)

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """The headers that may be kept, by lower-case name, in order of names."""
        kept = {name.lower(): text for name, text in headers.items() if name.lower() in KEPT_HEADERS}
        return {name: self.text(kept[name]) for name in sorted(kept)}

    def body(self, raw: bytes) -> bytes:
        """A body as it came but for its secrets; written anew only where an edit would not do."""
        return self._as_json(raw, self.raw(raw))

    def raw(self, raw: bytes) -> bytes:
        """Any bytes without the secrets that stand in them as they are."""
        edits = self.edits_of(raw)
        return b"".join(edited([raw], edits)) if edits else raw

    def edits_of(self, raw: bytes) -> list[Edit]:
        """What has to change in some bytes."""
        return [
            Edit(one.start, one.end, one.edge + self._placeholder(one) + one.edge)
            for one in sightings_of(raw, self._values)
        ]

    def uncut(self, text: str, end: int) -> int:
        """The last place up to `end` where a cut goes through no secret, nor through one that is still coming."""
        end = min(end, self._values.open_in(text))
        at = len(text[:end].encode("utf-8", "surrogatepass"))
        raw = text.encode("utf-8", "surrogatepass")
        for one in sightings_of(raw, self._values):
            if one.start < at < one.end:
                return len(raw[: one.start].decode("utf-8", "surrogatepass"))
        return end

    def _field(self, key: str, item: Json) -> Json:
        if isinstance(item, bool | None | dict | list):
            return self.value(item)
        written = item if isinstance(item, str) else str(item)
        kind = kind_of_field(key, written)
        if kind is None:
            return self.value(item)
        # As it would stand in a body: one rule says where in the value the secret starts.
        within = self.raw(encode({key: item}))
        value = decode(within)
        assert isinstance(value, dict)  # noqa: S101  a placeholder leaves JSON what it is
        return value[key] if value.get(key, item) != item else self._placeholder_text(written, kind)

    def _placeholder_text(self, secret: str, kind: str) -> str:
        return self._placeholder(Sighting(0, 0, kind, secret.encode("utf-8", "surrogatepass"))).decode()

    def _member(self, item: Any, type_: Any) -> Any:  # noqa: ANN401  a field of any struct
        match item:
            case msgspec.Struct():
                return self.struct(item)
            case list() | tuple():
                return type(item)(self._member(one, Any) for one in item)
            case dict() if any(isinstance(one, msgspec.Struct) for one in item.values()):
                return {self.text(key): self._member(one, Any) for key, one in item.items()}
            case Enum():
                return item
            case str():
                return item if _DIGEST.fullmatch(item) else self.text(item)
            case dict():
                return self.value(item)
            case _:
                return self.value(item) if type_ is Any else item

    def _number(self, number: float | Decimal) -> Json:
        if not self._values.has_numbers:
            return number
        secret = self._values.number_in(number, encode(number).decode())
        return number if secret is None else self._placeholder(Sighting(0, 0, "value", secret)).decode()

    def _as_json(self, raw: bytes, scrubbed: bytes) -> bytes:
        """What is left of JSON when its secrets are out: edited where that leaves all as it was, else written anew."""
        try:
            edited_value = decode(scrubbed)
            # Where a number goes, JSON inside JSON may no longer be any: then what it was says what is to be left.
            clean = self.value(decode(raw) if self._values.has_numbers else edited_value)
        except NotJsonError:
            return self._anew(raw, scrubbed)
        return scrubbed if clean == edited_value else encode(clean)

    def _anew(self, raw: bytes, scrubbed: bytes) -> bytes:
        """JSON that an edit would break; what was none before is edited all the same."""
        try:
            return encode(self.value(decode(raw)))
        except NotJsonError:
            return scrubbed

    def _placeholder(self, one: Sighting) -> bytes:
        if is_placeholder(one.secret.decode("utf-8", "replace")):
            return one.secret
        if one.secret not in self._placeholders:
            kind = self._kind(one)
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._placeholders[one.secret] = f"[secret:{kind}:{self._counts[kind]}]".encode()
        return self._placeholders[one.secret]

    def _kind(self, one: Sighting) -> str:
        return (kind_by_shape(one.secret) or one.kind).replace("_", "-")


@lru_cache
def _types_of(kind: type[msgspec.Struct]) -> tuple[Any, ...]:
    return tuple(field.type for field in msgspec.structs.fields(kind))


def edited(chunks: list[bytes], edits: list[Edit]) -> list[bytes]:
    """The chunks with the edits made, as many as before; what replaces a cut text stands where the text began.

    Edits are in order, do not overlap, and count over all chunks joined.
    """
    raw = b"".join(chunks)
    ends: list[int] = []
    for chunk in chunks:
        ends.append((ends[-1] if ends else 0) + len(chunk))
    out: list[list[bytes]] = [[] for _ in chunks]
    here = at = 0

    def copy(until: int) -> None:
        nonlocal here, at
        while at < until:
            while ends[here] <= at:
                here += 1
            stop = min(until, ends[here])
            out[here].append(raw[at:stop])
            at = stop

    for edit in edits:
        copy(edit.start)
        while here < len(ends) - 1 and ends[here] <= edit.start:
            here += 1
        out[here].append(edit.text)
        at = edit.end
    copy(len(raw))
    return [b"".join(pieces) for pieces in out]
