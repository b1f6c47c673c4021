"""JSONL into structs, with an error that names file, line and the nearest known word."""

import re
from typing import TypeVar

import msgspec

from harness import errors
from harness.depth import LINE_DEPTH, exceeds_depth, has_few_brackets
from harness.encoding import misencoded
from harness.nearest import nearest_of
from harness.repeats import check_line
from harness.shapes import words_at
from harness.value import MAX_LINE_BYTES, Json, NotJsonError, decode, encode, lines_of, long_number_in

_Struct = TypeVar("_Struct")
_Refusal = TypeVar("_Refusal", bound=errors.InputError)

_UNKNOWN = re.compile(r"Object contains unknown field `(.*?)`(?: - at `|$)")
_INVALID = re.compile(r"Invalid (?:enum )?value '?(.*?)'?(?: - at|$)")
_EXPECTED = re.compile(r"Expected `(.*?)`, got `(.*?)`")
_AT = re.compile(r" - at `(.*)`$")
_MISSING = re.compile(r"Object missing required field `(.*?)`")
_BYTE = re.compile(r"\(byte (\d+)\)")
_SHOWN_BYTES = 80


def structs_of(raw: bytes, decoder: "msgspec.json.Decoder[_Struct]", *, file: str) -> list[_Struct]:
    """Each line as the decoder's struct; raises `MalformedLine` for the first bad one, a key that stands twice too."""
    structs = None
    if len(raw) <= MAX_LINE_BYTES and has_few_brackets(raw):  # as most files have: then no line needs a look of its own
        try:
            structs = decoder.decode_lines(raw)
        except (ValueError, RecursionError):  # said below
            structs = None
    if structs and encode(structs) == b"[%b]" % raw[:-1].replace(b"\n", b","):  # as we write it
        return structs
    lines = lines_of(raw)
    if structs is None or len(structs) != len(lines):
        return structs_in(lines, decoder, file=file)
    return _without_repeats(structs, lines, decoder, file)


def structs_in(lines: list[bytes], decoder: "msgspec.json.Decoder[_Struct]", *, file: str) -> list[_Struct]:
    """As `structs_of`, of lines that are apart already."""
    structs = _all_of(lines, decoder)
    if structs is None:
        structs = [struct_of(line, decoder, file=file, line=number) for number, line in enumerate(lines, 1)]
    return _without_repeats(structs, lines, decoder, file)


def _without_repeats(
    structs: list[_Struct], lines: list[bytes], decoder: "msgspec.json.Decoder[_Struct]", file: str
) -> list[_Struct]:
    """The structs, where no line holds a key twice; what is as we write it holds none, and costs little to see."""
    for number, (line, struct) in enumerate(zip(lines, structs, strict=True), 1):
        if encode(struct) != line:
            struct_of(line, decoder, file=file, line=number)
            check_line(line, file=file, line=number)
    return structs


def _all_of(lines: list[bytes], decoder: "msgspec.json.Decoder[_Struct]") -> list[_Struct] | None:
    """All structs, or None where one of the lines needs a look of its own: which it is, and why."""
    if max(map(len, lines), default=0) > MAX_LINE_BYTES or any(exceeds_depth(line, LINE_DEPTH) for line in lines):
        return None
    try:
        return [*map(decoder.decode, lines)]
    except (ValueError, RecursionError):
        return None


def struct_of(raw: bytes, decoder: "msgspec.json.Decoder[_Struct]", *, file: str, line: int) -> _Struct:
    """The line as the decoder's struct; raises `MalformedLine` with what was expected and found."""
    if len(raw) > MAX_LINE_BYTES:
        raise overlong(len(raw), errors.MalformedLine, file=file, line=line)
    try:
        struct = decoder.decode(raw)
    except msgspec.ValidationError as error:
        if (told := long_number_in(raw, str(error))) is not None:
            raise errors.MalformedLine(told, file=file, line=line) from None
        raise shape_error_of(str(error), decoder.type, file, line, _value_of(raw)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if (refusal := misencoded(raw, errors.MalformedLine, file=file, line=line)) is not None:
            raise refusal from None
        raise errors.MalformedLine(_syntax(error, raw), file=file, line=line, found=_shown(error, raw)) from None
    except RecursionError:
        raise errors.MalformedLine(f"nested deeper than {LINE_DEPTH}", file=file, line=line) from None
    if exceeds_depth(raw, LINE_DEPTH):
        raise errors.MalformedLine(f"nested deeper than {LINE_DEPTH}", file=file, line=line)
    return struct


def overlong(size: int, kind: type[_Refusal], *, file: str, line: int) -> _Refusal:
    """The refusal of a line of so many bytes, which is more than any may have."""
    refusal = kind("the line is too long", file=file, line=line, expected="8 MiB at most", found=f"{size} bytes")
    refusal.mend = "let what it holds be smaller (a prompt, an answer, a tool's result), and write it again"
    return refusal


def fitting(line: bytes, what: str) -> bytes:
    """A line that is to be written; raises `LineTooLong` where it could not be read again."""
    if len(line) > MAX_LINE_BYTES:
        expected, found = f"{MAX_LINE_BYTES} bytes", f"{len(line)} bytes"
        raise errors.LineTooLong(what, expected=expected, found=found)
    return line


def _value_of(raw: bytes) -> Json:
    """The line as plain JSON, by which the words of its kind are told; nothing where it is none."""
    try:
        return decode(raw, deepest=LINE_DEPTH)
    except NotJsonError:
        return None


def _syntax(error: Exception, raw: bytes) -> str:
    if not raw.strip():
        return "an empty line: every line is one JSON object"
    return f"not JSON: {error}"


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
