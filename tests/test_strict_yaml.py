"""What the strict YAML reader takes, and what it refuses with which line."""

from decimal import Decimal

import pytest

from harness.errors import BadExpectation
from harness.strict_yaml import document_of


def value_of(text):
    return document_of(text.encode(), file="f.yaml").value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("a: no", {"a": "no"}, id="no-is-a-word"),
        pytest.param("a: on", {"a": "on"}, id="on-is-a-word"),
        pytest.param("on: 1", {"on": 1}, id="on-as-a-key"),
        pytest.param("a: true", {"a": True}, id="true"),
        pytest.param("a: ~", {"a": None}, id="tilde"),
        pytest.param("a:", {"a": None}, id="nothing"),
        pytest.param("a: 2031-03-30", {"a": "2031-03-30"}, id="a-date-is-text"),
        pytest.param("a: 12:30", {"a": "12:30"}, id="a-time-is-text"),
        pytest.param("a: 4021", {"a": 4021}, id="integer"),
        pytest.param("a: '4021'", {"a": "4021"}, id="quoted-number"),
        pytest.param("a: -1.5e3", {"a": -1500.0}, id="float"),
        pytest.param("a: 89.50", {"a": 89.5}, id="float-that-says-it-exactly"),
        pytest.param("a: 9007199254740993.5", {"a": Decimal("9007199254740993.5")}, id="digits-are-kept"),
        pytest.param("a: 0x1F", {"a": 31}, id="hexadecimal"),
        pytest.param("a: 0o17", {"a": 15}, id="octal"),
        pytest.param("a: 1_000", {"a": "1_000"}, id="no-underscores"),
        pytest.param("a: |\n  x\n  y\n", {"a": "x\ny\n"}, id="block-text"),
        pytest.param("a: [x, {b: 1}]", {"a": ["x", {"b": 1}]}, id="flow"),
        pytest.param("", None, id="empty"),
        pytest.param("# only a comment\n", None, id="comment"),
        pytest.param('{"a": "\\ud83d\\ude00"}', {"a": "😀"}, id="json-escapes"),
        pytest.param('{\n\t"a": 1\n}', {"a": 1}, id="json-with-tabs"),
        pytest.param("[1, 2.5]", [1, 2.5], id="json-list"),
        pytest.param("\ufeffa: 1", {"a": 1}, id="byte-order-mark"),
        pytest.param("请: 求", {"请": "求"}, id="chinese"),
    ],
)
def test_what_a_text_means(text, value):
    found = value_of(text)

    assert found == value
    assert repr(found) == repr(value)


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        pytest.param("a: 1\nb: 012", 2, 'Write 12 or "012"', id="padded-number"),
        pytest.param("a: &x 1\nb: *x", 1, "anchors", id="anchor"),
        pytest.param("a: 1\nb: *x", 2, "aliases|alias", id="alias"),
        pytest.param("a:\n  b: !!python/object/apply:os.system [ls]", 2, "tags are not read", id="object-tag"),
        pytest.param("a: !x 1", 1, "tags are not read", id="own-tag"),
        pytest.param("a: 1\nb: 2\na: 3", 3, "a stands twice; first on line 1", id="duplicate"),
        pytest.param("x:\n  <<: {a: 1}", 2, "merge keys", id="merge"),
        pytest.param("404: x", 1, "put it in quotes", id="number-as-a-key"),
        pytest.param("? [a]\n: 1", 1, "a key is a plain word", id="list-as-a-key"),
        pytest.param("a: 1\n---\nb: 2", 2, "one document", id="two-documents"),
        pytest.param("a: .inf", 1, "no JSON number", id="infinity"),
        pytest.param("a: .nan", 1, "no JSON number", id="nan"),
        pytest.param("a: 1e99999999999999999999", 1, "too large", id="exponent"),
        pytest.param("a: " + "1" * 5000, 1, "too large", id="digits"),
        pytest.param("a: 1\nb: [1, 2", 2, "not YAML", id="open-list"),
        pytest.param("a: 1\n  b: 2", 2, "not YAML", id="indentation"),
        pytest.param('{"a": 1, "a": 2}', None, "a stands twice", id="duplicate-in-json"),
    ],
)
def test_what_is_refused_says_where(text, line, told):
    with pytest.raises(BadExpectation) as caught:
        value_of(text)

    assert caught.value.line == line
    assert any(words in str(caught.value) for words in told.split("|"))


def test_bytes_that_are_no_text_are_refused_with_their_line():
    with pytest.raises(BadExpectation) as caught:
        document_of(b"a: 1\nb: \xff", file="f.yaml")

    assert caught.value.line == 2


def test_a_few_lines_cannot_grow_into_many():
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]"

    with pytest.raises(BadExpectation):
        value_of(bomb)


def test_depth_is_bounded():
    with pytest.raises(BadExpectation):
        value_of("[" * 300 + "]" * 300)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        pytest.param((), 1, id="whole"),
        pytest.param(("a",), 2, id="key"),
        pytest.param(("a", 1), 4, id="item"),
        pytest.param(("a", 1, "b"), 5, id="inside-an-item"),
        pytest.param(("a", 1, "nowhere"), 4, id="the-nearest-that-holds-it"),
    ],
)
def test_parts_know_their_lines(path, line):
    document = document_of(b"x: 0\na:\n  - 1\n  - c: 2\n    b: 3\n", file="f.yaml")

    assert document.line(path) == line


@pytest.mark.parametrize(
    "number", ["1e99999999", "1e4300", "1e-4300", "9" * 4301, "0x" + "f" * 5000, "1" * 4301 + ".5"]
)
@pytest.mark.parametrize("form", ["a: {}", '{{"a": {}}}'], ids=["YAML", "JSON"])
def test_a_number_that_nobody_could_write_out_is_refused(number, form):
    with pytest.raises(BadExpectation, match=r"too large a number|not YAML"):
        document_of(form.format(number).encode(), file="expect.yaml")


def test_a_number_beyond_the_floats_is_kept():
    assert document_of(b"a: 1e400", file="expect.yaml").value == {"a": Decimal("1e400")}
