"""Excerpts: what differs stands in the middle, and nothing in a message can move the cursor."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.excerpt import excerpts_of, shortened, visible_of

PAIRS = {
    "a word in a sentence": (
        ("Call each function once. Then stop.", "Call each function twice. Then stop."),
        ("Call each function «once». Then stop.", "Call each function «twice». Then stop."),
    ),
    "text that is added": (("one two", "one two three"), ("one «two»", "one «two three»")),
    "white space only": (("a b", "a  b"), ("a «b»", "a « b»")),
    "a final newline": (("line", "line\n"), ("«line»", "«line\\n»")),
    "all of it": (("", "x"), ("«»", "«x»")),
    "no spaces": (("箱" * 90 + "北" + "山" * 90, "箱" * 90 + "南" + "山" * 90), ("…" + "箱" * 40 + "«北»" + "山" * 40 + "…", "…" + "箱" * 40 + "«南»" + "山" * 40 + "…")),
    "deep in a long text": (
        ("x" * 100_000 + " old " + "y" * 100_000, "x" * 100_000 + " new " + "y" * 100_000),
        ("…" + "x" * 39 + " «old» " + "y" * 39 + "…", "…" + "x" * 39 + " «new» " + "y" * 39 + "…"),
    ),
    "a long change": (("", "z" * 500), ("«»", "«" + "z" * 120 + "… (380 more characters)»")),
}  # fmt: skip


@pytest.mark.parametrize(("texts", "shown"), PAIRS.values(), ids=PAIRS)
def test_the_change_stands_in_the_middle(texts, shown):
    assert excerpts_of(*texts) == shown


WORDS = st.text(alphabet="ab ", max_size=40)


@given(WORDS, WORDS)
def test_two_texts_are_shown_alike_only_where_they_are_equal(one, other):
    first, second = excerpts_of(one, other)

    assert (first == second) == (one == other)


@given(st.text())
def test_nothing_visible_is_changed_and_nothing_hidden_is_left(text):
    shown = visible_of(text)

    assert all(character.isprintable() or character == " " for character in shown if character.isascii())
    assert shown.isascii() or "\x1b" not in shown
    assert visible_of(shown) == shown


UNSAFE = {
    "colour": ("\x1b[31mred", "\\x1b[31mred"),
    "carriage return": ("ok\rno", "ok\\rno"),
    "direction": ("a\u202eb", "a\\u202eb"),
    "lone surrogate": ("a\ud800b", "a\\ud800b"),
    "c1 control": ("a\x9bb", "a\\x9bb"),
    "line separator": ("a\u2028b", "a\\u2028b"),
}


@pytest.mark.parametrize(("text", "shown"), UNSAFE.values(), ids=UNSAFE)
def test_what_a_terminal_obeys_is_written_out(text, shown):
    assert visible_of(text) == shown


def test_characters_to_keep_stay():
    assert visible_of("a\nb\tc", keep="\n") == "a\nb\\tc"


def test_a_text_at_the_limit_is_whole():
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd", 3) == "abc… (1 more character)"
