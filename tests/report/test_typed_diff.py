"""The typed diff: kinds are told apart, what an eye would miss is written out, and equal values have none."""

from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.excerpt import visible_of
from harness.judge.values import MISSING, equal
from harness.report.typed_diff import DiffLine, shown_value, typed_diff_of

LONG = "x" * 300

DIFFERENCES = {
    "a string for a number": ("5", 5, [DiffLine("", '"5" (string)', "5 (number)")]),
    "a boolean for a number": (1, True, [DiffLine("", "1 (number)", "true (boolean)")]),
    "null for the word null": (None, "null", [DiffLine("", "null", '"null" (string)')]),
    "nothing for null": (None, MISSING, [DiffLine("", "null", "nothing")]),
    "something for nothing": (MISSING, [], [DiffLine("", "nothing", "[]")]),
    "an empty list for an empty object": ({}, [], [DiffLine("", "{} (object)", "[] (array)")]),
    "a space at the end": ("W443", "W443 ", [DiffLine("", '"W443"', '"W443\\u0020"', "only the space around it differs")]),
    "a space that does not break": ("a b", "a\u00a0b", [DiffLine("", '"a b"', '"a\\u00a0b"', "U+0020 SPACE against U+00A0 NO-BREAK SPACE")]),
    "another normal form": ("café", "cafe\u0301", [DiffLine("", '"caf\\u00e9"', '"cafe\\u0301"', "the same text in another Unicode normal form")]),
    "a look-alike": ("a", "а", [DiffLine("", '"a"', '"а"', "U+0061 LATIN SMALL LETTER A against U+0430 CYRILLIC SMALL LETTER A")]),
    "capitals": ("abc", "ABC", [DiffLine("", '"abc"', '"ABC"', "only upper and lower case differ")]),
    "a terminal escape": ("hi", "\x1b[31mhi", [DiffLine("", '"hi"', '"\\x1b[31mhi"')]),
    "quotes and backslashes": ('"', "\\", [DiffLine("", '"\\""', '"\\\\"')]),
    "an integer of any size": (10**30, 10**30 + 1, [DiffLine("", "1" + "0" * 30, "1" + "0" * 29 + "1")]),
    "a decimal": (Decimal("0.1"), Decimal("0.10000000000000000001"), [DiffLine("", "0.1", "0.10000000000000000001")]),
    "another order": ([1, 2], [2, 1], [DiffLine("", "[1,2]", "[2,1]", "the same items in another order")]),
    "deep inside": (
        {"items": [{"sku": "A", "n": 1}], "gone": True},
        {"items": [{"sku": "B", "n": "1"}, 7], "new": {}},
        [
            DiffLine("items[0].sku", '"A"', '"B"'),
            DiffLine("items[0].n", "1 (number)", '"1" (string)'),
            DiffLine("items[1]", "nothing", "7"),
            DiffLine("gone", "true", "nothing"),
            DiffLine("new", "nothing", "{}"),
        ],
    ),
    "late in a long text": (
        LONG + "old" + LONG,
        LONG + "new" + LONG,
        [
            DiffLine("", f'…"{"x" * 40}old{"x" * 77}"… (223 more characters)', f'…"{"x" * 40}new{"x" * 77}"… (223 more characters)'),
        ],
    ),
    "text from user code": ("a\ud800", "b", [DiffLine("", '"a\\ud800"', '"b"')]),
}  # fmt: skip


@pytest.mark.parametrize(("expected", "actual", "lines"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_each_difference_is_told(expected, actual, lines):
    assert typed_diff_of(expected, actual) == lines


EQUAL = {
    "a number written otherwise": (1, 1.0),
    "trailing zeros": (Decimal("0.10"), 0.1),
    "keys in another order": ({"a": 1, "b": [None]}, {"b": [None], "a": 1}),
    "nothing on both sides": (MISSING, MISSING),
}


@pytest.mark.parametrize(("expected", "actual"), EQUAL.values(), ids=EQUAL)
def test_equal_values_have_no_difference(expected, actual):
    assert typed_diff_of(expected, actual) == []


def test_a_path_goes_on_where_the_finding_stands():
    lines = typed_diff_of({"street": "A"}, {"street": "B"}, path="address")

    assert lines == [DiffLine("address.street", '"A"', '"B"')]


def test_many_differences_are_cut_and_counted():
    lines = typed_diff_of(list(range(30)), list(range(1, 31)))

    assert len(lines) == 13
    assert lines[-1] == DiffLine("", "…", "…", "18 more places differ")


def test_a_long_value_is_cut_and_counted():
    assert shown_value("y" * 200, limit=10) == f'"{"y" * 9}… (192 more characters)'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@given(JSON, JSON)
def test_there_is_a_line_exactly_where_values_differ(expected, actual):
    assert (typed_diff_of(expected, actual) == []) == equal(expected, actual)


@given(JSON, JSON)
def test_no_line_shows_equal_sides_without_saying_why(expected, actual):
    lines = typed_diff_of(expected, actual)

    assert [line for line in lines if line.expected == line.actual and not line.note] == []


@given(JSON, JSON)
def test_no_line_holds_what_a_terminal_obeys(expected, actual):
    lines = typed_diff_of(expected, actual)

    text = "".join(part for line in lines for part in msgspec.structs.astuple(line))
    assert visible_of(text) == text
