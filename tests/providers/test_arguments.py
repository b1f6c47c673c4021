"""What a model wrote as arguments: read, unwrapped once and noted, or kept as text with the reason."""

from decimal import Decimal

import pytest

from harness.providers.arguments import Arguments, arguments_of_text, arguments_of_value, reason_of

UNREADABLE = [
    pytest.param('{"km":8}{"km": 8}', "extra data after the object at 8", id="said twice"),
    pytest.param(' {"km":8} and so on', "extra data after the object at 9", id="prose behind"),
    pytest.param('{"a":{"b":1}}}', "extra data after the object at 13", id="one brace too many"),
    pytest.param('{"km":', None, id="cut off"),
    pytest.param('{"v":NaN}', None, id="no number"),
    pytest.param('{"v":-Infinity}', None, id="infinite"),
    pytest.param("{'km': 8}", None, id="single quotes"),
    pytest.param('{"v":"\\ud83d"}', None, id="half a character"),
    pytest.param("[1,2]", "no object but an array", id="array"),
    pytest.param("7", "no object but a number", id="number"),
    pytest.param("true", "no object but a boolean", id="boolean"),
    pytest.param("null", "no object but null", id="null"),
    pytest.param('"north"', "no object but a string", id="string"),
    pytest.param('"[1]"', "no object but a string", id="encoded twice, but no object"),
    pytest.param('"\\"{}\\""', "no object but a string", id="encoded three times"),
    pytest.param('{"a":' * 300 + "1" + "}" * 300, None, id="too deep"),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('{"a": 1, "b": [true, null]}', {"a": 1, "b": [True, None]}, id="object"),
        pytest.param('{"id": 12345678901234567890123}', {"id": 12345678901234567890123}, id="large integer"),
        pytest.param('{"price": 19.90}', {"price": Decimal("19.90")}, id="decimal as written"),
        pytest.param(' {"a":1}\n', {"a": 1}, id="white space around"),
    ],
)
def test_an_object_is_taken_as_written(text, expected):
    assert arguments_of_text(text) == Arguments(expected)


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_no_text_is_no_arguments(text):
    assert arguments_of_text(text) == Arguments({}, notes=("arguments was empty",))


def test_an_object_that_was_encoded_twice_is_unwrapped_once():
    assert arguments_of_text('"{\\"a\\": 1}"') == Arguments({"a": 1}, notes=("arguments was encoded twice",))


def test_a_key_that_stands_twice_is_noted():
    assert arguments_of_text('{"a":1,"b":{"c":1,"c":2}}') == Arguments(
        {"a": 1, "b": {"c": 2}}, notes=('key "c" stands twice: the last one counts',)
    )


def test_a_key_is_noted_beside_a_number_that_no_loader_takes():
    read = arguments_of_text('{"a":1,"a":' + "9" * 5000 + "}")

    assert read.value is None or read.notes == ('key "a" stands twice: the last one counts',)


def test_colons_inside_strings_are_no_keys():
    assert arguments_of_text('{"at":"10:30:00"}') == Arguments({"at": "10:30:00"})


@pytest.mark.parametrize(("text", "reason"), UNREADABLE)
def test_what_is_no_object_is_kept_as_text(text, reason):
    read = arguments_of_text(text)

    assert (read.value, read.raw) == (None, text)
    assert read.notes == (f"malformed: {reason_of(text)}",)
    assert reason is None or reason_of(text) == reason


def test_a_readable_text_has_no_reason():
    assert reason_of('{"a":1}') == ""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"a": 1}, Arguments({"a": 1}), id="object"),
        pytest.param("{}", Arguments(None, '"{}"', ("malformed: no object but a string",)), id="text"),
        pytest.param(None, Arguments(None, "null", ("malformed: no object but null",)), id="null"),
        pytest.param([1, "x"], Arguments(None, '[1,"x"]', ("malformed: no object but an array",)), id="array"),
        pytest.param(False, Arguments(None, "false", ("malformed: no object but a boolean",)), id="boolean"),
    ],
)
def test_a_value_in_the_object_s_place(value, expected):
    assert arguments_of_value(value) == expected
