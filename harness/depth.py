"""How deep JSON may nest, and whether a text or a value nests deeper."""

import re
from typing import Any

MAX_DEPTH = 200
LINE_DEPTH = MAX_DEPTH + 24  # of a line that we write: what stands around a value must not make it unreadable

_NESTED = frozenset({dict, list})
_OPENING = frozenset(b"[{")
# Strings, cut ones too, and all else that opens and closes nothing.
_NO_BRACKETS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[^]\[{}"]++', re.DOTALL)


def is_deep(value: object, deepest: int) -> bool:
    """Whether a decoded JSON value nests deeper than that; its texts, most of the bytes, need no look."""
    level: list[Any] = [[value]]
    depth = 0
    while level and depth <= deepest:
        items = [one.values() if type(one) is dict else one for one in level]
        level = [item for some in items for item in some if type(item) in _NESTED]
        depth += 1
    return bool(level)


def has_few_brackets(raw: bytes | str) -> bool:
    """Whether there are too few to nest deeper than `MAX_DEPTH`."""
    if isinstance(raw, str):
        return raw.count("[") + raw.count("{") <= MAX_DEPTH
    return raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH


def exceeds_depth(raw: bytes, deepest: int = MAX_DEPTH) -> bool:
    """Whether brackets outside strings nest deeper than that."""
    if has_few_brackets(raw):
        return False
    depth = 0
    for byte in _NO_BRACKETS.sub(b"", raw):
        depth += 1 if byte in _OPENING else -1
        if depth > deepest:
            return True
    return False
