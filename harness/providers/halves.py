r"""Characters that a host cut in two: escapes of lone surrogates, put together again across pieces.

Programs that count in UTF-16 cut a stream inside a character and send `"\ud83d"` in one event and `"\ude9a"` in the
next. Each half stands for a while as a code point at the end of the last private plane, which no text uses; a half
that stays alone becomes U+FFFD.
"""

import re
from collections.abc import Callable

from harness.value import Json, NotJsonError, decode

_HIGH, _LOW, _END = 0xD800, 0xDC00, 0xE000
_BASE = 0x10F700  # U+10F700 to U+10FEFF stand for the halves
_SHIFT = _BASE - _HIGH
_REPLACEMENT = "\ufffd"

_PAIR = rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPES = re.compile(_PAIR + rb"|\\u([dD][89a-fA-F][0-9a-fA-F]{2})|\\.")
_FIRST, _MIDDLE, _LAST = (chr(code + _SHIFT) for code in (_HIGH, _LOW, _END - 1))
_STANDING = re.compile(f"([{_FIRST}-{chr(ord(_MIDDLE) - 1)}])([{_MIDDLE}-{_LAST}])|[{_FIRST}-{_LAST}]")


def decoded(raw: bytes) -> Json:
    """A whole answer as `value.decode` gives it, but half a character is U+FFFD and no error."""
    return _decoded(raw, lambda _: _REPLACEMENT)


def decoded_event(raw: bytes) -> Json:
    """An event of a stream; its halves of characters stand until `joined` puts them together."""
    return _decoded(raw, lambda code: chr(code + _SHIFT))


def _decoded(raw: bytes, mark: Callable[[int], str]) -> Json:
    try:
        return decode(raw)
    except NotJsonError:
        marked = _ESCAPES.sub(lambda escape: mark(int(escape[1], 16)).encode() if escape[1] else escape[0], raw)
        if marked == raw:
            raise
        return decode(marked)


def joined(pieces: list[str]) -> str:
    """The text of the pieces, its halves put together."""
    text = "".join(pieces)
    return text if text.isascii() else _STANDING.sub(_whole, text)


def _whole(halves: re.Match[str]) -> str:
    if halves[1] is None:
        return _REPLACEMENT
    high, low = ord(halves[1]) - _SHIFT - _HIGH, ord(halves[2]) - _SHIFT - _LOW
    return chr(0x10000 + (high << 10) + low)
