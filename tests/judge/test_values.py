"""When two JSON values are the same, and what is said where they are not."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.judge.values import MISSING, at_path, described, difference_of, equal, key_of, shown
from harness.value import decode

SAME = [
    pytest.param("1", "1.0", id="integer-and-decimal"),
    pytest.param("1e2", "100", id="exponent"),
    pytest.param("0", "-0.0", id="minus-zero"),
    pytest.param("[7.0,9.0]", "[7,9]", id="numbers-in-a-list"),
    pytest.param('{"w":{"kg":2.0}}', '{"w":{"kg":2}}', id="numbers-deep"),
    pytest.param('{"a":1,"b":[{"c":2,"d":3}]}', '{"b":[{"d":3,"c":2}],"a":1}', id="key-order-at-any-depth"),
    pytest.param("null", "null", id="null"),
    pytest.param("[null,1]", "[null,1]", id="null-in-a-list"),
    pytest.param("{}", "{}", id="empty-objects"),
    pytest.param("0.1", "0.10", id="trailing-zero"),
    pytest.param("123456789012345678901234567890", "123456789012345678901234567890.0", id="large"),
    pytest.param("1e400", "10e399", id="beyond-floats"),
]
DIFFERENT = [
    pytest.param("1", "true", "kind", "", id="one-and-true"),
    pytest.param("0", "false", "kind", "", id="zero-and-false"),
    pytest.param("1.0", "true", "kind", "", id="decimal-and-true"),
    pytest.param("[0,1]", "[false,true]", "kind", "[0]", id="booleans-in-a-list"),
    pytest.param('{"on":true}', '{"on":1}', "kind", ".on", id="boolean-deep"),
    pytest.param("5", '"5"', "kind", "", id="number-and-string"),
    pytest.param("null", "0", "kind", "", id="null-and-zero"),
    pytest.param("null", "false", "kind", "", id="null-and-false"),
    pytest.param('""', "null", "kind", "", id="empty-and-null"),
    pytest.param("null", '"null"', "kind", "", id="null-and-its-name"),
    pytest.param("[]", "{}", "kind", "", id="list-and-object"),
    pytest.param("9007199254740993", "9007199254740992.0", "value", "", id="beyond-two-to-the-53"),
    pytest.param("0.1", "0.10000000000000001", "value", "", id="the-last-digit"),
    pytest.param('"Cedar"', '"cedar"', "value", "", id="case"),
    pytest.param('"up-hill"', '"up hill"', "value", "", id="punctuation"),
    pytest.param('"x\\n"', '"x"', "value", "", id="newline"),
    pytest.param('"two  oaks"', '"two oaks"', "value", "", id="inner-space"),
    pytest.param('{"a":1,"b":2}', '{"a":1}', "missing", ".b", id="missing-field"),
    pytest.param('{"a":null}', "{}", "missing", ".a", id="missing-is-not-null"),
    pytest.param('{"a":1}', '{"a":1,"b":null}', "unexpected", ".b", id="extra-field"),
    pytest.param('["s4","s2"]', '["s2","s4"]', "order", "", id="list-order"),
    pytest.param("[1,2]", "[1,2,3]", "length", "", id="longer-list"),
    pytest.param('[{"a":[1,{"b":2}]}]', '[{"a":[1,{"b":3}]}]', "value", "[0].a[1].b", id="deep"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_values_that_are_the_same(one, other):
    assert equal(decode(one), decode(other))
    assert difference_of(decode(one), decode(other)) is None


@pytest.mark.parametrize(("expected", "actual", "why", "path"), DIFFERENT)
def test_values_that_differ_say_where_and_how(expected, actual, why, path):
    difference = difference_of(decode(expected), decode(actual))

    assert not equal(decode(expected), decode(actual))
    assert (difference.why, difference.path) == (why, path)


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        pytest.param([1, True, 1.0], [True, 1, 1], True, id="one-and-true-stay-two"),
        pytest.param([1], [True], False, id="one-is-not-true"),
        pytest.param(["a", "b"], ["b", "a", "a"], True, id="order-and-repeats-do-not-count"),
        pytest.param(["a", "b"], ["a"], False, id="one-lacks"),
        pytest.param(["a"], ["a", "c"], False, id="one-too-many"),
        pytest.param([[1, 2], [3]], [[3], [2, 1, 1]], True, id="lists-inside-are-sets-too"),
        pytest.param({"x": [1, 2]}, {"x": [2, 1]}, True, id="lists-in-objects"),
        pytest.param([{"a": 1, "b": 2}], [{"b": 2.0, "a": 1}], True, id="objects-as-members"),
    ],
)
def test_lists_as_sets(expected, actual, same):
    assert (difference_of(expected, actual, "set") is None) is same


def test_a_member_of_another_kind_is_told_as_such():
    assert difference_of([5, 6], ["5", 6], "set").why == "kind"


@pytest.mark.parametrize(
    ("expected", "actual", "note"),
    [
        pytest.param("caf\u00e9", "cafe\u0301", "the same text in another Unicode normal form", id="normal-form"),
        pytest.param("fri", "fri ", "only the space around it differs", id="space"),
        pytest.param("fri", "Fri", "only upper and lower case differ", id="case"),
        pytest.param("fri", "sat", "", id="another-word"),
    ],
)
def test_strings_that_look_alike_are_told_apart_in_words(expected, actual, note):
    difference = difference_of(expected, actual)

    assert difference.note == note
    assert note in described(difference)


def test_null_nothing_and_their_names_look_different():
    values = [MISSING, None, "None", "null", "", [], {}, 0, "0", False]

    assert len({shown(value) for value in values}) == len(values)


@pytest.mark.parametrize(
    ("expected", "actual", "told"),
    [
        pytest.param(4, "4", 'expected 4, got "4" (string, not number)', id="kind"),
        pytest.param({"a": None}, {}, "expected null, but it is missing", id="missing"),
        pytest.param({}, {"a": None}, "null is not expected there", id="unexpected"),
        pytest.param([1, 2], [2, 1], "expected [1,2], got [2,1] (the same items in another order)", id="order"),
        pytest.param([1], [1, 2], "expected [1], got [1,2] (1 expected, 2 there)", id="length"),
        pytest.param(Decimal("0.10"), 0.2, "expected 0.10, got 0.2", id="as-written"),
    ],
)
def test_a_difference_in_words(expected, actual, told):
    assert described(difference_of(expected, actual)) == told


def test_a_long_value_is_cut():
    assert len(shown("x" * 500)) == 80


@pytest.mark.parametrize(
    ("path", "found"),
    [
        pytest.param("a", {"0": "x"}, id="field"),
        pytest.param("a.0", "x", id="digits-are-a-key-in-an-object"),
        pytest.param("b.1", 6, id="digits-index-a-list"),
        pytest.param("b.2", MISSING, id="past-the-end"),
        pytest.param("c", MISSING, id="no-such-field"),
        pytest.param("b.x", MISSING, id="a-word-in-a-list"),
    ],
)
def test_what_stands_at_a_path(path, found):
    assert at_path({"a": {"0": "x"}, "b": [5, 6]}, path) == found


NUMBERS = (
    st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(allow_nan=False, allow_infinity=False, places=3)
)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=6,
)


@given(JSON)
def test_every_value_equals_itself(value):
    assert equal(value, value)
    assert difference_of(value, value) is None
    assert difference_of(value, value, "set") is None


@given(JSON, JSON)
def test_equality_is_mutual_and_has_one_meaning(one, other):
    same = equal(one, other)

    assert equal(other, one) is same
    assert (difference_of(one, other) is None) is same
    assert (key_of(one) == key_of(other)) is same


@given(st.lists(JSON, max_size=4), st.randoms(use_true_random=False))
def test_a_set_has_no_order(items, chance):
    shuffled = chance.sample(items, len(items))

    assert difference_of(items, [*shuffled, *items], "set") is None
