"""JSON values: what is kept, what is refused, and the one canonical form."""

import json
from contextlib import nullcontext
from decimal import Decimal

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from harness.depth import MAX_DEPTH, exceeds_depth
from harness.value import (
    NotJsonError,
    canonical,
    checked,
    decode,
    digest_of,
    encode,
    exact,
    lines_of,
    plain,
)

AS_WRITTEN = [
    b'{"amount":89.90}',
    b'{"amount":0.1000000000000000055}',
    b"[12345678901234567890123456789]",
    b'{"b":1,"a":2}',
    '{"text":"a\u2028b\u0085c"}'.encode(),
    b"[1.0,-0.0,1e22]",
]


@pytest.mark.parametrize("raw", AS_WRITTEN)
def test_decoding_and_encoding_gives_the_same_bytes(raw):
    assert encode(decode(raw)) == raw


REFUSED = {
    "nan": b"NaN",
    "infinity": b'{"a":-Infinity}',
    "lone surrogate": b'"\\ud800"',
    "two values": b"{}{}",
    "not UTF-8": b'"\xff"',
    "too deep": b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
    "deep enough to end the stack": b"[" * 100_000,
    "nothing": b"",
    "an exponent out of all range": b'{"a":1e99999999999999999999}',
}


@pytest.mark.parametrize("raw", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_json_is_refused(raw):
    with pytest.raises(NotJsonError):
        decode(raw)


def test_brackets_in_strings_are_no_depth():
    raw = b'["' + b"[" * 500 + b'\\"{"]'

    assert decode(raw) == ["[" * 500 + '"{']


@pytest.mark.parametrize("inner", [b"", b"1", b'"]]"', b'{"a":{}},[]'])
@pytest.mark.parametrize("depth", [MAX_DEPTH - 2, MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1])
def test_a_value_is_as_deep_as_its_bytes(inner, depth):
    raw = b"[" * depth + inner + b"]" * depth

    with pytest.raises(NotJsonError) if exceeds_depth(raw) else nullcontext():
        decode(raw)


def test_a_number_beyond_the_floats_is_not_silently_infinity():
    assert decode(b"1e400") == Decimal("1e400")


PYTHON_VALUES = {
    "nan": ({"slope": float("nan")}, r"\$\.slope: nan"),
    "infinity in a list": ([1, float("inf")], r"\$\[1\]: inf"),
    "a set": ({"ids": {1}}, r"\$\.ids: set"),
    "an integer key": ({1: "a"}, r"\$: key 1"),
    "a lone surrogate": (["\ud800"], r"\$\[0\]: a lone surrogate"),
}


@pytest.mark.parametrize(("value", "reason"), PYTHON_VALUES.values(), ids=PYTHON_VALUES.keys())
def test_a_python_value_without_json_form_is_named_by_its_path(value, reason):
    with pytest.raises(NotJsonError, match=reason):
        checked(value)


def test_a_value_that_holds_itself_is_refused():
    value: list[object] = []
    value.append(value)

    with pytest.raises(NotJsonError, match="nested deeper"):
        checked(value)


def test_tuples_become_lists():
    assert checked({"a": (1, "x")}) == {"a": [1, "x"]}


def test_plain_values_hold_ordinary_floats():
    assert plain({"a": [Decimal("1.10"), 2]}) == {"a": [1.1, 2]}
    assert type(plain(Decimal("1.10"))) is float


def test_numbers_compare_as_they_were_written():
    assert exact(89.9) == exact(Decimal("89.90"))
    assert exact(2**70) != exact(float(2**70) * 2)
    assert exact(0.1) != exact(Decimal("0.1000000000000000055"))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(JSON_VALUES)
def test_the_canonical_form_is_that_of_rfc_8785(value):
    assert canonical(value) == rfc8785.dumps(value)


@given(JSON_VALUES)
def test_the_canonical_form_is_the_same_for_all_spellings(value):
    spelled_otherwise = json.dumps(value, indent=2)

    assert canonical(decode(spelled_otherwise)) == canonical(value)


def test_integers_beyond_the_doubles_keep_their_digits():
    assert (
        canonical({"id": 2**64 + 1, "a": 9223372036854775807}) == b'{"a":9223372036854775807,"id":18446744073709551617}'
    )


def test_a_digest_names_its_algorithm():
    assert digest_of(b"abc") == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_lines_end_at_line_feeds_only():
    assert lines_of("a\u2028b\r\nc\x85d\n".encode()) == ["a\u2028b\r".encode(), "c\x85d".encode()]


BEYOND_FLOATS = [
    pytest.param("1e400", b"1e+400", id="large"),
    pytest.param("10.00e399", b"1e+400", id="large, spelled otherwise"),
    pytest.param("-1.5e4000", b"-1.5e+4000", id="large and negative"),
    pytest.param("1e-400", b"1e-400", id="small"),
    pytest.param("0e-400", b"0", id="nothing"),
]


@pytest.mark.parametrize(("written", "expected"), BEYOND_FLOATS)
def test_a_number_beyond_the_floats_has_a_canonical_form_too(written, expected):
    value = checked(decode(written))

    assert canonical([value]) == b"[%b]" % expected


@pytest.mark.parametrize("written", ["1e4300", "-1e99999999", "1e-4300", "1e99999999999999999999", "1" * 4301 + ".5"])
def test_a_number_that_nobody_could_write_out_is_refused(written):
    with pytest.raises(NotJsonError, match="more than 4300 digits"):
        decode(written)


def test_what_is_beyond_the_floats_is_given_to_tools_as_a_whole_number():
    assert plain(decode("[1e400, 1e-400, 1.5]")) == [10**400, 0.0, 1.5]


@pytest.mark.parametrize("number", [10**4300, Decimal("1e4300")], ids=["whole", "decimal"])
def test_a_number_of_user_code_that_could_not_be_written_is_named_by_its_path(number):
    with pytest.raises(NotJsonError, match=r"\$\.id: a .*number of more than 4300 digits"):
        checked({"id": number})


LONG = "9" * 4301


@pytest.mark.parametrize(
    ("written", "told"),
    {
        "whole": (LONG, "$: a whole number of more than 4300 digits"),
        "negative": (f'{{"a":[1,{{"b":-{LONG}}}]}}', "$.a[1].b: a whole number of more than 4300 digits"),
        "decimal": (f'{{"a":[1,{LONG}.5]}}', "$.a[1]: a number of more than 4300 digits when it is written out: 9999"),
        "exponent": ('{"a":{"b":1e5000}}', "$.a.b: a number of more than 4300 digits when it is written out: 1e5000"),
    }.values(),
)
def test_a_number_with_too_many_digits_is_named_with_its_place(written, told):
    with pytest.raises(NotJsonError) as refused:
        decode(written)

    assert str(refused.value).startswith(told)
    assert decode("9" * 4300) == int("9" * 4300)
