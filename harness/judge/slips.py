"""Words that people write for a spec's own: matchers' names from other tools, keys by another name, shapes."""

from collections.abc import Iterable
from typing import Any

from harness.nearest import nearest_of

_SHORTEST = 5  # a shorter word is near to too many
_MATCHERS = {
    "matches": "regex", "match": "regex", "regexp": "regex", "regx": "regex", "pattern": "regex",
    "startswith": "regex", "starts_with": "regex", "endswith": "regex", "ends_with": "regex",
    "in": "any_of", "one_of": "any_of", "oneof": "any_of", "anyof": "any_of", "enum": "any_of",
    "eq": "equals", "equal": "equals", "equal_to": "equals", "exact": "equals", "exactly": "equals",
    "ne": "not", "neq": "not", "not_equal": "not", "gte": "ge", "lte": "le", "min": "ge", "max": "le",
    "includes": "contains", "substring": "contains", "exists": "present", "missing": "absent",
}  # fmt: skip
_KEYS = {
    "name": "tool", "function": "tool", "arguments": "args", "params": "args", "parameters": "args",
    "times": "count", "status": "outcome", "before": "first", "after": "then", "must_not": "must_not_call",
}  # fmt: skip


def meant_matchers(keys: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """The matcher that each of an object's keys was probably meant to be; empty where one of them was meant as it is.

    A name of another tool is a slip wherever all keys are such names; a misspelt one where it stands alone.
    """
    words = list(keys)
    found = {word: _MATCHERS.get(word.lstrip("$").casefold()) for word in words}
    if len(words) == 1 and len(words[0]) >= _SHORTEST and found[words[0]] is None:
        near = nearest_of(words[0], known)
        found[words[0]] = near if near and _is_slip(words[0], near) else None
    return {word: near for word, near in found.items() if near} if all(found.values()) else {}


def _is_slip(word: str, near: str) -> bool:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, word.casefold(), near).ratio() > 0.8  # noqa: PLR2004  one letter of five or six


def meant_key(key: str, known: list[str]) -> str | None:
    """The key that this one was probably meant to be."""
    meant = _KEYS.get(key.casefold())
    return meant if meant in known else nearest_of(key, known)


def shape_of(error: Any, keys: list[str]) -> str | None:  # noqa: ANN401  as pydantic gives it
    """What should stand there, in words of JSON; None where the reader's own words say it already."""
    kind, limits = error["type"], error.get("ctx", {})
    if kind in {"model_type", "model_attributes_type", "dict_type"}:
        return f"must be an object{': {' + ', '.join(keys) + '}' if keys else ''}"
    words = {
        "missing": "is missing",
        "list_type": "must be a list",
        "string_type": "must be a string",
        "bool_type": "must be true or false",
        "int_type": "must be a whole number",
        "literal_error": f"must be {limits.get('expected', '')}",
        "greater_than_equal": f"must be at least {limits.get('ge', '')}",
        "string_too_short": "must not be empty",
    }
    return words.get(kind)
