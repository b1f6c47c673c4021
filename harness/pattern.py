"""Regular expressions from files, on an engine whose time grows with the text and never explodes.

The engine is jsonschema-rs' (ECMA dialect, searching, ASCII classes); lookaround and backreferences are refused.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from harness import errors

MAX_PATTERN = 1000
_SIZE_LIMIT = 1 << 20
_KIND = "patterns take time that grows with the text only, so lookaround and backreferences are not supported"


_TOLD = re.compile(
    r"""(?P<group>\\(?:[1-9]|k<))           # a backreference
    | \\.                                  # any other escape
    | (?P<class>\[\^?\]?(?:\\.|[^\]\\])*\]?)
    | (?P<look>\(\?<?[=!])
    | (?P<atomic>\(\?>)
    | (?P<open>\()
    | (?P<close>\))""",
    re.VERBOSE | re.DOTALL,
)

_UNSUPPORTED = {"group": "a backreference", "look": "lookaround", "atomic": "an atomic group"}


def _trouble_in(pattern: str) -> str:
    """What is wrong with a pattern that the engine refuses, with its place where that is known."""
    opened: list[int] = []
    for found in _TOLD.finditer(pattern):
        at = f"at character {found.start() + 1}"
        if found.lastgroup in _UNSUPPORTED:
            return f"{_UNSUPPORTED[found.lastgroup]} {at}: {_KIND}"
        match found.lastgroup:
            case "class" if not found[0].endswith("]"):
                return f"the [ {at} is never closed"
            case "open":
                opened.append(found.start() + 1)
            case "close" if not opened:
                return f"the ) {at} closes nothing"
            case "close":
                opened.pop()
            case _:
                pass
    return f"the ( at character {opened[-1]} is never closed" if opened else f"not valid, or too large; {_KIND}"


_UNLIKE = ("", "x", "0 \n~é")


@lru_cache(maxsize=1024)
def finds_all(pattern: str) -> bool:
    """Whether the pattern is found in texts that have nothing in common: then it says nothing of any."""
    return all(map(pattern_of(pattern), _UNLIKE))


@lru_cache(maxsize=1024)
def pattern_of(pattern: str) -> Callable[[str], bool]:
    """A function that says whether the pattern is found in a text; raises `BadPattern`."""
    from jsonschema_rs import RegexOptions, ValidationError, validator_for

    if len(pattern) > MAX_PATTERN:
        found = f"{len(pattern)} characters"
        raise errors.BadPattern(pattern[:40] + "…", expected=f"{MAX_PATTERN} characters at most", found=found)
    try:
        options = RegexOptions(size_limit=_SIZE_LIMIT)
        validator = validator_for({"type": "string", "pattern": pattern}, offline=True, pattern_options=options)
    except (ValidationError, ValueError):
        raise errors.BadPattern(pattern, found=_trouble_in(pattern)) from None

    def finds(text: str) -> bool:
        return bool(validator.is_valid(text))

    return finds
