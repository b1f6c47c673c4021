"""Keys that stand twice in one object are found in every spelling, and only those."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import MalformedLine
from harness.repeats import check_keys, decode_unique
from harness.value import NotJsonError, encode

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)

TWICE = {
    "as written": b'{"a":1,"a":2}',
    "with the same value": b'{"a":1,"a":1}',
    "with spaces": b'{ "a": 1, "b": 2, "a": 3 }',
    "inside a list": b'[1,{"x":{"a":1,"a":2}}]',
    "escaped": b'{"a":1,"\\u0061":2}',
}


@pytest.mark.parametrize("raw", TWICE.values(), ids=TWICE)
def test_a_key_that_stands_twice_is_refused(raw):
    with pytest.raises(NotJsonError, match='the key "a" stands twice in one object'):
        decode_unique(raw)


@pytest.mark.parametrize("raw", [b'{"a":{"a":1}}', b'[{"a":1},{"a":2}]', b'{"a": 1e2, "b": "\\u00e9", "c": 10000}'])
def test_the_same_key_in_two_objects_is_none(raw):
    assert decode_unique(raw) is not None


@given(VALUES)
def test_what_is_written_here_holds_none(value):
    assert encode(decode_unique(encode(value))) == encode(value)


def test_the_line_is_told():
    with pytest.raises(MalformedLine) as refused:
        check_keys(b'{"a":1}\n{"a":1, "a":2}\n', file="f.jsonl")

    assert (refused.value.where, refused.value.found) == ("f.jsonl:2", "a")
