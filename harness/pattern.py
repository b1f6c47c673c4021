"""Regular expressions from files, on an engine whose time grows with the text and never explodes.

The engine is jsonschema-rs' (ECMA dialect, searching, ASCII classes); lookaround and backreferences are refused.
"""

from collections.abc import Callable
from functools import lru_cache

from harness import errors

MAX_PATTERN = 1000
_SIZE_LIMIT = 1 << 20


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
    except (ValidationError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else "not a linear-time pattern"
        raise errors.BadPattern(pattern, found=reason) from None

    def finds(text: str) -> bool:
        return bool(validator.is_valid(text))

    return finds
