"""JSONL into structs, with an error that names file, line and the nearest known word."""

import re
from typing import TypeVar

import msgspec

from harness import errors
from harness.nearest import nearest_of
from harness.shapes import words_at
from harness.value import (
    MAX_DEPTH,
    MAX_LINE_BYTES,
    Json,
    NotJsonError,
    decode,
    exceeds_depth,
    has_few_brackets,
    lines_of,
)

_Struct = TypeVar("_Struct")

_UNKNOWN = re.compile(r"Object contains unknown field `(.*?)`(?: - at `|$)")
_INVALID = re.compile(r"Invalid (?:enum )?value '?(.*?)'?(?: - at|$)")
_EXPECTED = re.compile(r"Expected `(.*?)`, got `(.*?)`")
_AT = re.compile(r" - at `(.*)`$")
_MISSING = re.compile(r"Object missing required field `(.*?)`")
_BYTE = re.compile(r"\(byte (\d+)\)")
_SHOWN_BYTES = 80


def structs_of(raw: bytes, decoder: "msgspec.json.Decoder[_Struct]", *, file: str) -> list[_Struct]:
    """Each line as the decoder's struct; raises `MalformedLine` for the first bad one."""
    lines = lines_of(raw)
    if len(raw) <= MAX_LINE_BYTES and has_few_brackets(raw):  # as most files have: then no line needs a look of its own
        try:
            return [*map(decoder.decode, lines)]
        except (ValueError, RecursionError):  # said below
            pass
    return structs_in(lines, decoder, file=file)


def structs_in(lines: list[bytes], decoder: "msgspec.json.Decoder[_Struct]", *, file: str) -> list[_Struct]:
    """As `structs_of`, of lines that are apart already."""
    longest = max(map(len, lines), default=0)
    if longest <= MAX_LINE_BYTES and not any(map(exceeds_depth, lines)):
        try:
            return [*map(decoder.decode, lines)]
        except (ValueError, RecursionError):  # the loop below says which line it is, and why
            pass
    return [struct_of(line, decoder, file=file, line=number) for number, line in enumerate(lines, 1)]


def struct_of(raw: bytes, decoder: "msgspec.json.Decoder[_Struct]", *, file: str, line: int) -> _Struct:
    """The line as the decoder's struct; raises `MalformedLine` with what was expected and found."""
    if len(raw) > MAX_LINE_BYTES:
        found = f"{len(raw)} bytes"
        raise errors.MalformedLine("the line is too long", file=file, line=line, expected="8 MiB at most", found=found)
    try:
        struct = decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise shape_error_of(str(error), decoder.type, file, line, _value_of(raw)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise errors.MalformedLine(_syntax(error, raw), file=file, line=line, found=_shown(error, raw)) from None
    except RecursionError:
        raise errors.MalformedLine(f"nested deeper than {MAX_DEPTH}", file=file, line=line) from None
    if exceeds_depth(raw):
        raise errors.MalformedLine(f"nested deeper than {MAX_DEPTH}", file=file, line=line)
    return struct


def fitting(line: bytes, what: str) -> bytes:
    """A line that is to be written; raises `LineTooLong` where it could not be read again."""
    if len(line) > MAX_LINE_BYTES:
        expected, found = f"{MAX_LINE_BYTES} bytes", f"{len(line)} bytes"
        raise errors.LineTooLong(what, expected=expected, found=found)
    return line


def _value_of(raw: bytes) -> Json:
    """The line as plain JSON, by which the words of its kind are told; nothing where it is none."""
    try:
        return decode(raw)
    except NotJsonError:
        return None


def _syntax(error: Exception, raw: bytes) -> str:
    if not raw.strip():
        return "an empty line: every line is one JSON object"
    return "not UTF-8" if isinstance(error, UnicodeDecodeError) else f"not JSON: {error}"


def _shown(error: Exception, raw: bytes) -> str:
    """The line from its start; where the byte is known that cannot stand there, the text around it."""
    at = _BYTE.search(str(error))
    if at is None or len(raw) <= _SHOWN_BYTES:
        return raw[:_SHOWN_BYTES].decode("utf-8", "replace") + ("…" if len(raw) > _SHOWN_BYTES else "")
    middle = int(at[1])
    start, end = max(middle - _SHOWN_BYTES // 2, 0), middle + _SHOWN_BYTES // 2
    near = raw[start:end].decode("utf-8", "replace")
    return ("…" if start else "") + near + ("…" if end < len(raw) else "")


def shape_error_of(message: str, type_: object, file: str, line: int, value: Json = None) -> errors.MalformedLine:
    """What msgspec says of a value of the wrong shape, with what can stand there and the nearest of it."""
    at = _AT.search(message)
    path = at[1].removeprefix("$") if at else ""
    sentence = f"{path.removeprefix('.')}: {_AT.sub('', message)}" if path else message
    expected = found = nearest = None
    if unknown := _UNKNOWN.search(message) or _INVALID.search(message):
        known = words_at(type_, path, value, keys=_UNKNOWN.search(message) is not None)
        found, nearest, expected = unknown[1], nearest_of(unknown[1], known), ", ".join(known) or None
    elif missing := _MISSING.search(message):
        expected = ", ".join(words_at(type_, f"{path}.{missing[1]}", value, keys=False)) or None
    elif kinds := _EXPECTED.search(message):
        expected, found = kinds[1], kinds[2]
    return errors.MalformedLine(sentence, file=file, line=line, expected=expected, found=found, nearest=nearest)
