"""Conversations as messages become recordings, in the OpenAI form and in the Anthropic form."""

import json

import pytest
from imports import format_of, import_of, lines_said, said_in, transcripts_of

from harness import errors
from harness.importers.tally import Tally
from harness.transcript import Outcome, Thinking

CALL = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": '{"port": 7}'}}
OPENAI = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Tide?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL], "reasoning_content": "Look it up."},
    {"role": "tool", "tool_call_id": "c1", "content": "low"},
    {"role": "assistant", "content": "Low."},
]
ANTHROPIC = [
    {"role": "user", "content": "Tide?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Look it up.", "signature": "c2ln"},
            {"type": "tool_use", "id": "c1", "name": "tide", "input": {"port": 7}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "low"}]},
    {"role": "assistant", "content": "Low."},
]
SAID = [("user", "Tide?"), ("assistant", "", ("tide", {"port": 7})), ("result", "low"), ("assistant", "Low.")]


def lines(*values):
    return "".join(json.dumps(value) + "\n" for value in values)


FORMS = {
    "one object": (json.dumps({"messages": OPENAI}), "openai-messages"),
    "indented": (json.dumps({"messages": OPENAI}, indent=2), "openai-messages"),
    "a list of messages": (json.dumps(OPENAI), "openai-messages"),
    "a line each": (lines(*OPENAI), "openai-messages"),
    "a list of conversations": (json.dumps([{"messages": OPENAI}]), "openai-messages"),
    "one line": (lines({"messages": OPENAI, "tools": []}), "openai-messages"),
    "anthropic": (lines({"system": "Be brief.", "messages": ANTHROPIC}), "anthropic-messages"),
    "anthropic without a system prompt": (json.dumps({"messages": ANTHROPIC}), "anthropic-messages"),
}


@pytest.mark.parametrize(("raw", "name"), FORMS.values(), ids=FORMS)
def test_a_conversation_of_any_form_says_the_same(raw, name):
    result = import_of(raw)

    assert result.format == name
    assert said_in(result) == SAID
    assert result.seen == result.written == Tally(exchanges=2, calls=1, results=1, thinking=1)


def test_each_line_is_a_recording_of_its_own():
    result = import_of(lines({"messages": OPENAI, "id": "one/../two"}, {"messages": OPENAI}, {"messages": OPENAI}))

    assert [recording.header.id for recording in result.recordings] == ["found-one-two", "found-2", "found-3"]
    assert [lines_said(one) for one in transcripts_of(result)] == [SAID] * 3


def test_what_stands_beside_the_messages_is_the_context():
    tool = {"type": "function", "function": {"name": "tide", "parameters": {"type": "object"}}}

    [recording] = import_of(lines({"messages": OPENAI, "tools": [tool], "model": "m-1", "temperature": 0.5})).recordings

    [context] = recording.contexts.values()
    assert (context.api, context.path, context.host) == ("chat", "/v1/chat/completions", "unknown")
    assert (context.model, context.tools, context.params) == ("m-1", [tool], {"temperature": 0.5})
    assert context.system == [OPENAI[0]]


def test_signatures_of_thinking_are_kept():
    [transcript] = transcripts_of(import_of(json.dumps({"messages": ANTHROPIC})))

    thought = transcript.turns[1].content[0]
    assert thought == Thinking("Look it up.", {"type": "thinking", "signature": "c2ln"})


def test_results_after_the_last_answer_are_the_runs_of_their_tools():
    result = import_of(json.dumps(OPENAI[:-1]))

    [recording] = result.recordings
    assert said_in(result) == SAID[:-1]
    assert [run.result for run in recording.tools] == ["low"]
    assert recording.end.outcome is Outcome.COMPLETED
    assert result.written == Tally(exchanges=1, calls=1, results=1, thinking=1)


def test_words_that_nobody_answered_are_counted():
    result = import_of(json.dumps([*OPENAI, {"role": "user", "content": "Thanks."}]))

    assert said_in(result) == SAID
    assert result.left_out == {"words after the last answer": 1}


def test_a_conversation_without_an_answer_is_counted():
    result = import_of(json.dumps(OPENAI[:2]))

    assert (result.recordings, result.left_out) == ([], {"a conversation without an answer": 1})


def test_two_answers_in_a_row_are_two_exchanges():
    raw = json.dumps([OPENAI[1], {"role": "assistant", "content": "One."}, {"role": "assistant", "content": "Two."}])

    assert said_in(import_of(raw)) == [("user", "Tide?"), ("assistant", "One."), ("assistant", "Two.")]


def test_secrets_do_not_reach_the_recording():
    key = "sk-" + "a1B2" * 8
    call = {**CALL, "function": {"name": "login", "arguments": json.dumps({"password": "correct horse"})}}
    said = [{"role": "user", "content": f"Use {key}."}, {"role": "assistant", "content": None, "tool_calls": [call]}]

    result = import_of(json.dumps(said))

    assert key.encode() not in result.lines
    assert b"correct horse" not in result.lines


def test_input_that_was_no_json_is_its_text_again():
    said = [ANTHROPIC[0], {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "tide", "input": {"INVALID_JSON": '{"po'}}]}]  # fmt: skip

    [transcript] = transcripts_of(import_of(json.dumps({"messages": said})))

    [call] = transcript.turns[1].calls
    assert (call.arguments, call.raw_arguments) == (None, '{"po')


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        pytest.param(lines({"messages": OPENAI}) + '{"messages": [', 2, id="no JSON"),
        pytest.param(lines({"messages": OPENAI}, {"nothing": 1}), None, id="no messages"),
        pytest.param(json.dumps({"messages": [{"role": "user", "content": "x"}, 7]}), None, id="no message"),
        pytest.param("[" * 5000, None, id="deep"),
        pytest.param('{"messages": [{"role": "user", "content": NaN}]}', None, id="NaN"),
    ],
)
def test_a_broken_file_is_refused_with_its_reason(raw, line):
    with pytest.raises(errors.BadImport) as raised:
        import_of(raw, "openai-messages")

    assert (raised.value.file, raised.value.line) == ("a file", line)


@pytest.mark.parametrize("raw", ['{"messages": []}', '{"role": "user"}', "[1, 2]", '"messages"', "null"], ids=repr)
def test_other_json_is_not_taken_for_messages(raw):
    assert format_of(raw) is None
