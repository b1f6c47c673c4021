"""Evidence as files: one JSON object with a `type`, the items of each list in lines of their own; and back again."""

import re
from typing import TypeVar

import msgspec

from harness import errors
from harness.encoding import misencoded
from harness.json_lines import shape_error_of
from harness.repeats import decode_unique
from harness.value import decoder_of, encode

_Document = TypeVar("_Document", bound=msgspec.Struct)


def bytes_of_document(document: msgspec.Struct) -> bytes:
    """A document's bytes: as `encode` gives them, with line breaks that keep a diff small."""
    fields = msgspec.structs.fields(document)
    config = document.__struct_config__
    parts = [encode(config.tag_field) + b":" + encode(config.tag)] if config.tag_field else []
    values = [(encode(field.encode_name), getattr(document, field.name)) for field in fields]
    parts += [name + b":" + _value_bytes(value) for name, value in values if value is not msgspec.UNSET]
    return b"{" + b",\n".join(parts) + b"}\n"


def _value_bytes(value: object) -> bytes:
    if not isinstance(value, list) or not value:
        return encode(value)
    return b"[\n" + b",\n".join(map(encode, value)) + b"\n]"


def read_document(raw: bytes, kind: type[_Document], *, file: str) -> _Document:
    """The document of this kind in a file's bytes; raises `BadEvidence` with the nearest known word."""
    decoder: msgspec.json.Decoder[_Document] = decoder_of(kind)
    try:
        document = decoder.decode(raw)
        decode_unique(raw)
    except msgspec.ValidationError as error:
        found = type_of(raw)
        if found != kind.__struct_config__.tag:
            raise errors.BadEvidence(
                "another kind of file", file=file, expected=str(kind.__struct_config__.tag), found=found or "no type"
            ) from None
        told = shape_error_of(str(error), kind, file, 1)
        raise errors.BadEvidence(
            told.subject, file=file, expected=told.expected, found=told.found, nearest=told.nearest
        ) from None
    except (ValueError, RecursionError) as error:
        refusal = misencoded(raw, errors.BadEvidence, file=file)
        raise refusal or errors.BadEvidence(f"no JSON: {error}", file=file) from None
    return document


_TYPE = re.compile(rb'\s*\{\s*"type"\s*:\s*"(\w+)"')


def type_of(raw: bytes) -> str | None:
    """The kind of document that the bytes say they are in their first field, whatever is wrong with the rest."""
    found = _TYPE.match(raw)
    return found[1].decode() if found else None
