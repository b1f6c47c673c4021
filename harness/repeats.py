"""Keys that stand twice in one object of a JSON text: every decoder keeps the last one and says nothing."""

import json

from harness import errors
from harness.depth import LINE_DEPTH
from harness.value import Json, NotJsonError, decode, encode, lines_of


def decode_unique(raw: bytes | str) -> Json:
    """As `decode`, for what a person may have written: raises `NotJsonError` also for a key that stands twice."""
    value = decode(raw)
    key = repeated_key(raw, value)
    if key is not None:
        raise NotJsonError(f"the key {encode(key).decode()} stands twice in one object")
    return value


def check_keys(raw: bytes, *, file: str) -> None:
    """Refuse JSONL in which a key stands twice in one object; raises `MalformedLine` for the first such line."""
    for number, line in enumerate(lines_of(raw), 1):
        check_line(line, file=file, line=number)


def check_line(raw: bytes, *, file: str, line: int) -> None:
    """Refuse a line in which a key stands twice in one object; raises `MalformedLine`."""
    key = repeated_key(raw, decode(raw, deepest=LINE_DEPTH))
    if key is not None:
        sentence = "a key stands twice in one object, of which readers see the last only"
        raise errors.MalformedLine(sentence, file=file, line=line, found=key)


def repeated_key(raw: bytes | str, value: Json) -> str | None:
    """The first key that stands twice in one object of a text, which was read as this value.

    A text with as many quotes as `encode` writes holds none, which costs little to see: the key that was lost had two.
    """
    text = raw if isinstance(raw, bytes) else raw.encode()
    written = encode(value)
    if written == text or (b"\\" not in text and written.count(b'"') == text.count(b'"')):
        return None
    repeated: list[str] = []

    def look(pairs: list[tuple[str, object]]) -> None:
        keys = [key for key, _ in pairs]
        if len(set(keys)) < len(keys):
            repeated.extend(key for at, key in enumerate(keys) if key in keys[:at])

    json.loads(raw, object_pairs_hook=look, parse_int=str, parse_float=str)
    return repeated[0] if repeated else None
