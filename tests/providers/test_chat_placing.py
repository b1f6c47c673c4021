"""Fragments of calls in a Chat Completions stream: each finds its call by its labels, or is refused."""

import pytest
from chat_wire import call, calls, chunk, read, said, stream

from harness.transcript import Outcome, ToolCall

PLACED = [
    pytest.param(
        [calls(call(0, "a", "f", '{"n":1}')), calls(call(1, "b", "f", '{"n":')), calls(call(1, arguments="2}"))],
        [("a", "f", {"n": 1}), ("b", "f", {"n": 2})],
        id="by index",
    ),
    pytest.param(
        [
            calls(call(0, "a", "f", '{"n":'), call(1, "b", "f", '{"n":')),
            calls(call(1, arguments="2}"), call(0, arguments="1}")),
        ],
        [("a", "f", {"n": 1}), ("b", "f", {"n": 2})],
        id="interleaved",
    ),
    pytest.param([calls(call(3, "a", "f", "{}"))], [("a", "f", {})], id="an index is a label, not a position"),
    pytest.param(
        [calls(call(0, "a", "f", '{"n":1}')), calls(call(0, "b", "f", '{"n":')), calls(call(0, arguments="2}"))],
        [("a", "f", {"n": 1}), ("b", "f", {"n": 2})],
        id="a new id at a used index is a new call",
    ),
    pytest.param(
        [calls(call(0, "a", "f", '{"n":')), calls(call(0, "a", "f", "1}"))],
        [("a", "f", {"n": 1})],
        id="id and name said again",
    ),
    pytest.param(
        [calls(call(0, "a", "fi", "{")), calls(call(0, "", "nd", "}"))], [("a", "find", {})], id="a name in pieces"
    ),
    pytest.param(
        [calls(call(None, "a", "f", '{"n":')), calls(call(arguments="1}"))],
        [("a", "f", {"n": 1})],
        id="no index, one call",
    ),
    pytest.param(
        [
            calls(call(None, "a", "f", '{"n":')),
            calls(call(None, "b", "g", "{")),
            calls(call(None, "a", arguments="1}"), call(None, "b", arguments="}")),
        ],
        [("a", "f", {"n": 1}), ("b", "g", {})],
        id="no index, by id",
    ),
    pytest.param(
        [calls(call(None, "a", "f", '{"n":1}')), calls(call(None, "b", "g", '{"n":')), calls(call(arguments="2}"))],
        [("a", "f", {"n": 1}), ("b", "g", {"n": 2})],
        id="no index, only one call unfinished",
    ),
    pytest.param(
        [calls(call(0, "a", "f", '{"n":1}')), calls(call(1, "a", "f", '{"n":2}'))],
        [("a", "f", {"n": 1}), ("a", "f", {"n": 2})],
        id="one id for two calls",
    ),
    pytest.param([calls(call(0, "a", "f"))], [("a", "f", {})], id="no arguments at all"),
    pytest.param([calls(call(0, "a", "f", {"n": 1}))], [("a", "f", {"n": 1})], id="arguments as an object"),
    pytest.param(
        [chunk({"function_call": {"name": "f", "arguments": '{"n":'}}), chunk({"function_call": {"arguments": "1}"}})],
        [("made_up_0", "f", {"n": 1})],
        id="the legacy form",
    ),
]


@pytest.mark.parametrize(("events", "expected"), PLACED)
def test_fragments_find_their_call(events, expected):
    reading = read(stream(*events))

    assert reading.outcome is None
    assert [
        (id_[:9] if id_.startswith("made_up") else id_, name, args) for id_, name, args in said(reading)
    ] == expected


def test_a_fragment_without_label_between_two_open_calls_is_an_error():
    raw = stream(calls(call(0, "a", "f", '{"n":')), calls(call(1, "b", "f", '{"n":')), calls(call(arguments="1}")))

    reading = read(raw)

    assert reading.outcome is Outcome.ERROR
    assert reading.error.startswith("cannot place fragment")
    assert said(reading) == [("a", "f", '{"n":'), ("b", "f", '{"n":')]


def test_whole_calls_without_any_label_are_told_apart_and_get_ids():
    raw = stream(calls(call(name="f", arguments='{"n":1}')), calls(call(name="f", arguments='{"n":2}')))

    first, second = said(read(raw))

    assert (first[1:], second[1:]) == (("f", {"n": 1}), ("f", {"n": 2}))
    assert first[0] != second[0]
    assert said(read(raw)) == [first, second]


def test_a_late_flush_that_repeats_everything_is_malformed():
    raw = stream(
        calls(call(0, "a", "log", '{"km":')), calls(call(0, arguments="8}")), calls(call(0, arguments='{"km": 8}'))
    )

    reading = read(raw)

    assert reading.turn.calls == [ToolCall("a", "log", None, '{"km":8}{"km": 8}')]
    assert reading.warnings == ["log: malformed: extra data after the object at 8"]
    assert reading.outcome is None
