"""Where a number stands in a JSON text that has too many digits: decoders name its place by brackets alone."""

import json
from collections.abc import Callable

from harness.excerpt import shortened

_SHOWN = 80


class _Long:
    """Stands in place of the number."""


def place_of_long_number(raw: bytes | str, is_long: Callable[[str], bool]) -> str:
    """The path of the first number in a text that is too long, `$.golden.calls[0].params.id`; empty where none is."""

    def read(digits: str) -> object:
        return _Long() if is_long(digits) else None

    try:
        value: object = json.loads(raw, parse_int=read, parse_float=read, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return ""
    waiting = [("$", value)]
    while waiting:
        path, one = waiting.pop()
        if isinstance(one, _Long):
            return shortened(path, _SHOWN)
        waiting += reversed([*_members(path, one)])
    return ""


def _members(path: str, value: object) -> list[tuple[str, object]]:
    if isinstance(value, dict):
        return [(f"{path}.{key}", item) for key, item in value.items()]
    return [(f"{path}[{index}]", item) for index, item in enumerate(value)] if isinstance(value, list) else []
