"""The one look at many texts finds what the redactor finds in each of them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.importers.scrubbing import Scrubber
from harness.wire.redact import Redactor

KEY = "sk-" + "a1B2" * 8
PIECES = st.sampled_from(
    [
        "", " ", "\n", '"', "\\", "Bearer ", "Bearer\n", "abc12345xyz", KEY, "api_key", "password", ": ", '{"password": "x9"}',
        '{"a": "b\\u0041"}', "https://u:p9secret@host/", "?token=abc123", "cookie: sid=1234567", "plain words", "tok",
        '{"k": "' + KEY.replace("-", "\\u002d") + '"}', "blue harbour 9", "\u2028", "é",
    ]
)  # fmt: skip
texts = st.lists(PIECES, max_size=4).map("".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 99999) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(values, max_size=4))
def test_values_come_out_as_from_the_redactor(given_values):
    scrubber, redactor = Scrubber(Redactor(["blue harbour 9"])), Redactor(["blue harbour 9"])

    assert [scrubber.value(one) for one in given_values] == [redactor.value(one) for one in given_values]


@given(st.lists(values, max_size=3))
def test_bodies_come_out_as_from_the_redactor(given_values):
    scrubber, redactor = Scrubber(Redactor()), Redactor()
    bodies = [json.dumps(one).encode() for one in given_values]

    assert [scrubber.body(one) for one in bodies] == [redactor.body(one) for one in bodies]


def test_what_was_only_looked_at_is_not_counted():
    body = json.dumps("\u2028cookie: sid=1234567\u2028").encode()

    assert b"[secret:header:1]" in Scrubber(Redactor()).body(body)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({KEY: 1}, id="a key that is a field's name"),
        pytest.param({"password": 12345}, id="a number"),
        pytest.param(["Use", f"line\nBearer {KEY}"], id="after a line end"),
        pytest.param({"text": '{"inner": "' + KEY.replace("-", "\\u002d") + '"}'}, id="behind an escape"),
    ],
)
def test_a_secret_is_found_each_time(value):
    scrubber = Scrubber(Redactor())

    once, twice = scrubber.value(value), scrubber.value(value)

    assert once == twice != value
    assert KEY not in json.dumps(once)


def test_what_holds_no_secret_is_handed_back_as_it_is():
    value = {"role": "user", "content": ["Tide?", {"port": 7}]}

    assert Scrubber(Redactor()).value(value) is value
