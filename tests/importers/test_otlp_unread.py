"""What of a span cannot be read is counted, and no conversation passes for a whole one without it."""

import json

import pytest
from imports import import_of, lines_said, said_in, transcripts_of
from spans import LOW, REASONING, RESPONSE, TEXT, TOOL_CALL, export, new_span, parts, span, told

from harness.transcript import Outcome

ASKED, ANSWERED = "gen_ai.input.messages", "gen_ai.output.messages"
CUT = "cannot be read, as where a limit on its length cut it"
SEARCH = {"type": "server_tool_call", "id": "w1", "name": "web_search", "server_tool_call": {"query": "tide"}}
GENERIC = {"type": "generic", "content": {"type": "server_tool_use", "id": "w1"}}
USER, ANSWER = parts("user", TEXT), parts("assistant", LOW, finish_reason="stop")


def cut(one, key):
    """A span with the JSON of one of its attributes cut in the middle."""
    attributes = [
        {"key": each["key"], "value": {"stringValue": each["value"]["stringValue"][:-9]}}
        if each["key"] == key
        else each
        for each in one["attributes"]
    ]
    return one | {"attributes": attributes}


def ended(result):
    return [(one.outcome, one.error, lines_said(one)) for one in transcripts_of(result)]


def test_a_request_that_was_cut_leaves_no_whole_conversation():
    result = import_of(export(cut(new_span(1, [USER], ANSWER), ASKED)))

    assert ended(result) == [(Outcome.INCOMPLETE, f"{ASKED} {CUT}", [("assistant", "Low.")])]
    assert result.left_out == {f"{ASKED} that {CUT}": 1}


def test_an_answer_that_was_cut_is_an_error_that_says_so():
    result = import_of(export(cut(new_span(1, [USER], ANSWER), ANSWERED)))

    [(outcome, error, said)] = ended(result)
    assert (outcome, error) == (Outcome.INCOMPLETE, f"{ANSWERED} {CUT}")
    assert said[0] == ("user", "Tide?")
    assert result.left_out == {f"{ANSWERED} that {CUT}": 1}


def test_what_went_before_a_request_that_was_cut_does_not_pass_for_whole():
    later = new_span(2, [USER, parts("assistant", LOW), USER], ANSWER)
    elsewhere = new_span(3, [parts("user", LOW)], ANSWER) | {"traceId": "other"}

    result = import_of(export(new_span(1, [USER], ANSWER), cut(later, ASKED), elsewhere))

    assert [(outcome, error) for outcome, error, _ in ended(result)] == [
        (Outcome.INCOMPLETE, "a later call of the same trace could not be read"),
        (Outcome.INCOMPLETE, f"{ASKED} {CUT}"),
        (Outcome.COMPLETED, None),
    ]


def test_tools_and_instructions_that_were_cut_are_counted():
    beside = {"gen_ai.tool.definitions": '[{"type": "fun', "gen_ai.system_instructions": '[{"type": "te'}

    result = import_of(export(new_span(1, [USER], ANSWER, **beside)))

    assert said_in(result) == [("user", "Tide?"), ("assistant", "Low.")]
    assert result.left_out == {f"{key} that {CUT}": 1 for key in beside}


@pytest.mark.parametrize(
    ("attributes", "events"),
    [
        ({"gen_ai.prompt": '[{"role": "user", "con', "gen_ai.completion": "Low."}, []),
        ({"events": '[{"event.name": "gen_ai.user.mess', "gen_ai.operation.name": "chat"}, []),
        ({}, [told("gen_ai.user.message", content="Tide?"), told("gen_ai.choice", message='{"content": "Lo')]),
        ({}, [told("gen_ai.user.message", content="Tide?"), told("gen_ai.choice", tool_calls='[{"id": "c1')]),
    ],
    ids=["messages in one attribute", "events in an attribute", "a choice", "its calls"],
)
def test_older_forms_that_were_cut_are_no_whole_conversation(attributes, events):
    result = import_of(export(span(1, attributes, events=events)))

    assert [one.outcome for one in transcripts_of(result)] == [Outcome.INCOMPLETE]
    assert [name.partition(" that ")[2] for name in result.left_out] == [CUT]


@pytest.mark.parametrize("attribute", ["gen_ai.prompt", "gen_ai.system_instructions"])
def test_a_text_with_brackets_is_a_text(attribute):
    result = import_of(export(new_span(1, [USER], ANSWER, **{attribute: "[INST] {tide} [/INST]"})))

    assert [one.outcome for one in transcripts_of(result)] == [Outcome.COMPLETED]
    assert result.left_out == {}


@pytest.mark.parametrize(
    ("part", "kind"),
    [(SEARCH, "of kind server_tool_call"), (GENERIC, "of kind generic server_tool_use"), ("?", "that is no object")],
    ids=["a server's tool", "generic", "no object"],
)
def test_parts_without_a_place_are_counted_once_however_often_they_are_repeated(part, kind):
    first = new_span(1, [USER], parts("assistant", part, LOW, finish_reason="stop"))
    second = new_span(2, [USER, parts("assistant", part, LOW), USER], ANSWER)

    result = import_of(export(first, second))

    assert said_in(result) == [("user", "Tide?"), ("assistant", "Low.")] * 2
    assert result.left_out == {f"a part of a message {kind}": 1}


def test_an_answer_of_nothing_but_such_parts_is_an_error():
    result = import_of(export(new_span(1, [USER], parts("assistant", SEARCH, finish_reason="stop"))))

    [(outcome, error, _)] = ended(result)
    assert outcome is Outcome.ERROR
    assert error == "nothing in the answer can be read: a part of a message of kind server_tool_call"


def test_parts_beside_a_result_are_counted_and_no_message_of_their_own():
    called = parts("assistant", TOOL_CALL)
    spans = [
        new_span(1, [USER], called | {"finish_reason": "tool_call"}),
        new_span(2, [USER, called, parts("tool", RESPONSE, GENERIC)], ANSWER),
    ]

    result = import_of(export(*spans))

    assert said_in(result)[2:] == [("result", "low"), ("assistant", "Low.")]
    assert result.left_out == {"a part of a message of kind generic server_tool_use": 1}


def test_parts_that_a_user_said_stand_among_the_words_in_their_order():
    result = import_of(export(new_span(1, [parts("user", TEXT, {"type": "blob"}, TEXT)], ANSWER)))

    assert said_in(result)[0] == ("user", "Tide?[blob]Tide?")


def test_a_result_within_an_answer_is_the_result_of_its_call():
    result = import_of(export(new_span(1, [USER], parts("assistant", REASONING, TOOL_CALL, RESPONSE, LOW))))

    assert said_in(result) == [("user", "Tide?"), ("assistant", "Low.", ("tide", {"port": 7})), ("result", "low")]
    assert result.left_out == {}


def test_messages_without_parts_keep_their_calls():
    call = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": "{}"}}
    said = [
        {"role": "user", "content": "Tide?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "low"},
    ]

    result = import_of(export(new_span(1, said, {"role": "assistant", "content": "Low."})))

    assert said_in(result) == [
        ("user", "Tide?"), ("assistant", "", ("tide", {})), ("result", "low"), ("assistant", "Low."),
    ]  # fmt: skip


def test_a_span_without_question_or_answer_is_no_whole_conversation():
    silent = span(1, {ANSWERED: json.dumps([ANSWER])}, droppedAttributesCount=2)
    unanswered = span(2, {ASKED: json.dumps([USER])}, traceId="other")

    result = import_of(export(silent, unanswered))

    assert [(outcome, error) for outcome, error, _ in ended(result)] == [
        (Outcome.INCOMPLETE, "the span does not say what was asked"),
        (Outcome.ERROR, "the span does not say what was answered"),
    ]
    assert result.left_out == {"an attribute or event that was dropped before the export": 2}


def test_a_span_that_says_that_nothing_was_asked_is_believed():
    result = import_of(export(new_span(1, [], ANSWER)))

    assert ended(result) == [(Outcome.COMPLETED, None, [("assistant", "Low.")])]
