"""Pieces of text that are safe and short enough for a message: nothing hidden, cut around what differs."""

import re

_CONTEXT = 40
_CHANGE = 120
_LONGEST_WORD = 24  # some scripts part no words: there a difference starts at its own character

# What a terminal obeys or hides: controls, direction marks, zero-width and line separators, lone surrogates, tags. The
# joiners stay that emoji and some scripts are written with.
_HIDDEN = (
    "\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
_UNSAFE = re.compile(f"[\x00-\x1f{_HIDDEN}]")
_UNSAFE_IN_LINES = re.compile(f"[\x00-\x08\x0b-\x1f{_HIDDEN}]")
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ONE_BYTE = 0x100


def visible_of(text: str, *, keep: str = "") -> str:
    """The text with what a terminal would obey or hide written as an escape; characters of `keep` stay."""
    return _UNSAFE.sub(lambda found: found[0] if found[0] in keep else _escape(found[0]), text)


def harmless_of(text: str) -> str:
    """Lines of text, or of JSON, which stays JSON: what a terminal would obey or hide is written as JSON writes it."""
    return _UNSAFE_IN_LINES.sub(lambda found: _json_escape(found[0]), text)


def _escape(character: str) -> str:
    number = ord(character)
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    return f"\\x{number:02x}" if number < _ONE_BYTE else _json_escape(character)


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters of the text and, where there are more, how many more."""
    return text if len(text) <= limit else f"{text[:limit]}… ({counted(len(text) - limit, 'more character')})"


def sayable_of(text: str) -> str:
    """The text with an escape for each character that has no UTF-8 form: everything that is written is UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def shown_of(value: object, limit: int) -> str:
    """A foreign value as a message shows it; its `__repr__` is foreign code, which may raise anything."""
    try:
        return shortened(sayable_of(repr(value)), limit)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  see above
        return f"a {type(value).__name__} (its repr raised {type(error).__name__})"


def counted(number: int, noun: str) -> str:
    """`1 turn`, `2 turns`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def excerpts_of(expected: str, found: str) -> tuple[str, str]:
    """Both texts in one line each, cut around the words that differ, which stand in «»."""
    start = _word_start(expected, _shared(expected, found))
    expected_back, found_back = expected[start:][::-1], found[start:][::-1]
    end = _word_start(expected_back, _shared(expected_back, found_back))
    return _marked(expected, start, end), _marked(found, start, end)


def _shared(one: str, other: str) -> int:
    """How many characters both start with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one.startswith(other[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def _word_start(text: str, position: int) -> int:
    """The start of the word that the position stands in."""
    for start in range(position, max(position - _LONGEST_WORD, 0) - 1, -1):
        if start == 0 or not text[start - 1].isalnum():
            return start
    return position


def _marked(text: str, start: int, end: int) -> str:
    stop = len(text) - end
    before, changed, after = text[max(start - _CONTEXT, 0) : start], text[start:stop], text[stop : stop + _CONTEXT]
    opening = "…" if start > _CONTEXT else ""
    closing = "…" if end > _CONTEXT else ""
    return f"{opening}{visible_of(before)}«{visible_of(shortened(changed, _CHANGE))}»{visible_of(after)}{closing}"
