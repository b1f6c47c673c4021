"""Patterns that cannot be used: what is wrong with them, and where."""

import pytest

from harness.errors import BadPattern
from harness.pattern import pattern_of

REFUSED = {
    "lookahead": ("a(?=b)", "lookaround at character 2: "),
    "lookbehind": ("(?<!a)b", "lookaround at character 1: "),
    "a backreference": (r"(a)\1", "a backreference at character 4: "),
    "a named backreference": (r"(?<x>a)\k<x>", "a backreference at character 8: "),
    "an atomic group": ("(?>a)", "an atomic group at character 1: "),
    "an open group": ("a(b", "the ( at character 2 is never closed"),
    "a closing bracket": ("ab)", "the ) at character 3 closes nothing"),
    "an open class": ("x[ab", "the [ at character 2 is never closed"),
    "nothing to repeat": ("*a", "not valid, or too large; "),
    "too large": ("a{5000}{5000}", "not valid, or too large; "),
    "after an escaped bracket": (r"\((?=a)", "lookaround at character 3: "),
    "after a class of brackets": ("[(](?=a)", "lookaround at character 4: "),
}


@pytest.mark.parametrize(("pattern", "told"), REFUSED.values(), ids=REFUSED)
def test_a_refused_pattern_says_what_is_not_supported_and_where(pattern, told):
    with pytest.raises(BadPattern) as refused:
        pattern_of(pattern)

    assert refused.value.found.startswith(told)
    assert told[-2:] != ": " or "lookaround and backreferences are not supported" in refused.value.found


@pytest.mark.parametrize("pattern", [r"\(?=a", "[(?=]", r"^\d{4}$", "(?i)abc", "[]a]"])
def test_what_only_looks_like_it_is_a_pattern(pattern):
    assert pattern_of(pattern)("no match here at all") in {True, False}
