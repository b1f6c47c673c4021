"""Golden against actual: each place that differs, its values and, where they look alike, why they are not equal."""

import re
import unicodedata
from collections.abc import Iterator

import msgspec

from harness.excerpt import shortened, visible_of
from harness.judge.values import MISSING, Value, difference_of, equal, kind_of
from harness.value import Json, encode

_MOST_LINES = 12
_LONGEST = 160
_BEFORE, _AFTER = 40, 80  # characters kept around the first one that differs
_HIDDEN_SPACE = re.compile(r"^\s+|\s+$|[^\S ]")  # at either end, or of an unusual width
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


class DiffLine(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One place: its path (empty for the whole), both values as JSON, a note where they are easily taken for equal."""

    path: str
    expected: str
    actual: str
    note: str = ""


def typed_diff_of(expected: Value, actual: Value, *, path: str = "") -> list[DiffLine]:
    """Every place at which two values differ; the last line says how many more there are."""
    lines = list(_lines_of(expected, actual, path))
    hidden = len(lines) - _MOST_LINES
    if hidden <= 0:
        return lines
    return [*lines[:_MOST_LINES], DiffLine(path, "…", "…", f"{hidden} more places differ")]


def _lines_of(expected: Value, actual: Value, path: str) -> Iterator[DiffLine]:
    match expected, actual:
        case dict(), dict():
            for key in dict.fromkeys([*expected, *actual]):
                step = f"{path}.{visible_of(key)}" if path else visible_of(key)
                yield from _lines_of(expected.get(key, MISSING), actual.get(key, MISSING), step)
        case list(), list():
            yield from _lines_of_lists(expected, actual, path)
        case _:
            if not _same(expected, actual):
                yield _line_of(expected, actual, path)


def _same(expected: Value, actual: Value) -> bool:
    if expected is MISSING or actual is MISSING:
        return expected is actual
    return equal(expected, actual)


def _lines_of_lists(expected: list[Json], actual: list[Json], path: str) -> Iterator[DiffLine]:
    difference = difference_of(expected, actual)
    if difference is not None and difference.why == "order":
        yield DiffLine(path, shown_value(expected), shown_value(actual), difference.note)
    elif difference is not None:
        for index in range(max(len(expected), len(actual))):
            yield from _lines_of(_item(expected, index), _item(actual, index), f"{path}[{index}]")


def _item(items: list[Json], index: int) -> Value:
    return items[index] if index < len(items) else MISSING


def _line_of(expected: Value, actual: Value, path: str) -> DiffLine:
    if isinstance(expected, str) and isinstance(actual, str):
        return DiffLine(path, *_shown_texts(expected, actual), _note_on(expected, actual))
    if kind_of(expected) == kind_of(actual) or expected is MISSING or actual is MISSING:
        return DiffLine(path, shown_value(expected), shown_value(actual))
    return DiffLine(path, _with_kind(expected), _with_kind(actual))


def _with_kind(value: Value) -> str:
    """`"5" (string)`; null is its own kind."""
    return "null" if value is None else f"{shown_value(value)} ({kind_of(value)})"


def shown_value(value: Value, *, limit: int = _LONGEST) -> str:
    """A value as JSON in one line, nothing hidden in it, cut where it is long; `nothing` where there is none."""
    if value is MISSING:
        return "nothing"
    if isinstance(value, str):
        return shortened(_quoted(_body(value)), limit)
    try:
        text = encode(value).decode()
    except ValueError:  # a lone surrogate, which only a value from user code can hold
        text = repr(value)
    return shortened(visible_of(text), limit)


def _body(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _quoted(body: str) -> str:
    """A string's body in quotes, every space that an eye would miss written as an escape."""
    return f'"{_HIDDEN_SPACE.sub(_escapes, visible_of(body))}"'


def _escapes(found: re.Match[str]) -> str:
    return "".join(f"\\u{ord(one):04x}" for one in found[0])


def _shown_texts(expected: str, actual: str) -> tuple[str, str]:
    """Both texts from shortly before the first character that differs; look-alikes as escapes."""
    pairs = enumerate(zip(expected, actual, strict=False))
    first = next((index for index, (one, other) in pairs if one != other), min(len(expected), len(actual)))
    alike = _normal(expected) == _normal(actual)
    return _shown_from(expected, first, escape=alike), _shown_from(actual, first, escape=alike)


def _shown_from(text: str, first: int, *, escape: bool) -> str:
    cut = max(first - _BEFORE, 0) if len(text) > _LONGEST else 0
    head, tail = _body(text[cut:first]), _body(text[first : first + _AFTER])
    more = len(text) - first - _AFTER
    shown = _quoted(head + (_NOT_ASCII.sub(_escapes, tail) if escape else tail))
    return f"{'…' if cut else ''}{shown}" + (f"… ({more} more characters)" if more > 0 else "")


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _note_on(expected: str, actual: str) -> str:
    difference = difference_of(expected, actual)
    if difference is None or difference.note:
        return "" if difference is None else difference.note
    pairs = [pair for pair in zip(expected, actual, strict=False) if pair[0] != pair[1]]
    if len(expected) == len(actual) and len(pairs) == 1 and not "".join(pairs[0]).isascii():
        return " against ".join(map(_named, pairs[0]))
    return ""


def _named(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, 'without a name')}"
