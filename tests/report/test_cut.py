"""Cutting: a report stays readable and small, and each cut says how much there was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import transcript

from harness.judge.finding import Ruling, Verdict
from harness.judge.values import MISSING
from harness.report.cut import LARGEST_VALUE, cut_json, cut_text, cut_value
from harness.report.result import Subject, result_of
from harness.report.rows import row_of
from harness.trace import trace_of
from harness.value import encode

BIG = "x" * 1_048_576

VALUES = {
    "a short value": ({"a": [1, None, "b"]}, {"a": [1, None, "b"]}),
    "a long text": ({"a": BIG, "b": 1}, {"a": "x" * 2000 + "… (1048576 bytes)", "b": 1}),
    "a text of wide characters": ("箱" * 3000, "箱" * 2000 + "… (9000 bytes)"),
    "a long list": ([7] * 1500, [*[7] * 100, "… (1500 items)"]),
    "an object of many keys": ({f"k{n:04}": n for n in range(500)}, {**{f"k{n:04}": n for n in range(100)}, "…": "(500 keys)"}),
    "a lone surrogate": ({"a\ud800": ["\udfff箱"]}, {"a\\ud800": ["\\udfff箱"]}),
    "many long texts": ([BIG] * 9, f"… ({9 * 1_048_578 + 10} bytes)"),
}  # fmt: skip


@pytest.mark.parametrize(("value", "cut"), VALUES.values(), ids=VALUES)
def test_a_value_is_cut_and_says_its_size(value, cut):
    assert cut_json(value) == cut


def test_no_value_stays_no_value():
    assert cut_value(MISSING) is MISSING


def test_a_short_text_stays():
    assert cut_text("abc", 3) == "abc"


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=3000),
    lambda inner: st.lists(inner, max_size=200) | st.dictionaries(st.text(max_size=5), inner, max_size=120),
    max_leaves=20,
)


@given(JSON)
def test_no_value_is_large_after_it_was_cut(value):
    assert len(encode(cut_json(value))) <= LARGEST_VALUE


def test_a_conversation_of_any_size_gives_a_small_row():
    calls = [("search", {"query": BIG, "page": number}) for number in range(600)]
    trace = trace_of(transcript(*calls, text=BIG))

    result = result_of(Subject("a", 1), Verdict(Ruling.PASS, "1 check passed", []), trace=trace)

    assert len(row_of(result).raw) < 2_000_000
    assert (result.trace.call_count, len(result.trace.calls), result.trace.left_out) == (600, 200, 400)
