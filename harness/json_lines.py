"""One line of a JSONL file into its struct, with an error that names file, line and the nearest known word."""

import re
from typing import Any

import msgspec

from harness import errors
from harness.nearest import nearest_of
from harness.value import MAX_DEPTH, MAX_LINE_BYTES, exceeds_depth

_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
_INVALID = re.compile(r"Invalid (?:enum )?value '?(.*?)'?(?: - at|$)")
_EXPECTED = re.compile(r"Expected `(.*?)`, got `(.*?)`")
_AT = re.compile(r" - at `(.*)`$")


def struct_of(raw: bytes, decoder: "msgspec.json.Decoder[Any]", *, file: str, line: int) -> Any:
    """The line as the decoder's struct; raises `MalformedLine` with what was expected and found."""
    if len(raw) > MAX_LINE_BYTES:
        found = f"{len(raw)} bytes"
        raise errors.MalformedLine("the line is too long", file=file, line=line, expected="8 MiB at most", found=found)
    try:
        value = decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise _shape_error(str(error), decoder, file, line) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise errors.MalformedLine(_syntax(error, raw), file=file, line=line, found=_shown(raw)) from None
    except RecursionError:
        raise errors.MalformedLine(f"nested deeper than {MAX_DEPTH}", file=file, line=line) from None
    if exceeds_depth(raw):
        raise errors.MalformedLine(f"nested deeper than {MAX_DEPTH}", file=file, line=line)
    return value


def _syntax(error: Exception, raw: bytes) -> str:
    if not raw.strip():
        return "an empty line: every line is one JSON object"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return f"not JSON: {error}"


def _shown(raw: bytes) -> str:
    text = raw[:80].decode("utf-8", "replace")
    return text if len(raw) <= len(text) else text + "…"


def _shape_error(message: str, decoder: "msgspec.json.Decoder[Any]", file: str, line: int) -> errors.MalformedLine:
    at = _AT.search(message)
    path = at[1].removeprefix("$").removeprefix(".") if at else ""
    sentence = f"{path}: {_AT.sub('', message)}" if path else message
    expected = found = nearest = None
    if unknown := _UNKNOWN.search(message):
        found, nearest = unknown[1], nearest_of(unknown[1], words_of(decoder.type))
    elif kinds := _EXPECTED.search(message):
        expected, found = kinds[1], kinds[2]
    elif invalid := _INVALID.search(message):
        found, nearest = invalid[1], nearest_of(invalid[1], words_of(decoder.type))
    return errors.MalformedLine(sentence, file=file, line=line, expected=expected, found=found, nearest=nearest)


def words_of(type_: Any) -> set[str]:
    """Every field name and tag that the type knows, at any depth."""
    words: set[str] = set()
    seen: list[Any] = []
    _collect(msgspec.inspect.type_info(type_), words, seen)
    return words


def _collect(info: Any, words: set[str], seen: list[Any]) -> None:
    if any(info is one for one in seen):
        return
    seen.append(info)
    match info:
        case msgspec.inspect.StructType():
            words.add(str(info.tag))
            for field in info.fields:
                words.add(field.encode_name)
                _collect(field.type, words, seen)
        case msgspec.inspect.UnionType():
            for one in info.types:
                _collect(one, words, seen)
        case msgspec.inspect.ListType():
            _collect(info.item_type, words, seen)
        case msgspec.inspect.LiteralType():
            words.update(map(str, info.values))
        case msgspec.inspect.EnumType():
            words.update(member.value for member in info.cls)
        case _:
            pass
