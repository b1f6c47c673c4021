"""From recordings to transcripts and fixtures: turns, pairs, ids, outcomes, effects."""

import msgspec
import pytest
from recorded_run import LAMP, chat_answer, messages_answer, recorded

from harness.derivation import transcript_of
from harness.fixture_derivation import fixture_of_recording, system_text_of
from harness.fixture_lines import fixture_of, lines_of_fixture
from harness.recording_lines import journal_of, lines_of_recording
from harness.transcript import AssistantTurn, Outcome, Text, ToolCall, ToolResultTurn, UserTurn
from harness.value import digest_of

ANSWERS = {"chat": chat_answer, "messages": messages_answer}
APIS = pytest.mark.parametrize("api", ["chat", "messages"])


def two_steps(api, **more):
    answer = ANSWERS[api]
    calls = [("id-a", "set_lamp", '{"on":true}'), ("id-b", "set_lamp", '{"on":false,"broken":true}')]
    return recorded(api, [answer("One moment.", calls), answer("Done.")], **more)


def shape_of(turns):
    """What of each turn does not depend on the API: who, what, which call."""
    return [
        (turn.tool_use_id, turn.content, turn.is_error)
        if isinstance(turn, ToolResultTurn)
        else (type(turn).__name__, turn.content)
        for turn in turns
    ]


@APIS
def test_a_run_is_derived_turn_by_turn(api):
    recording, _ = two_steps(api)

    derived = transcript_of(recording)

    assert shape_of(derived.turns) == [
        ("UserTurn", [Text("Light, please.")]),
        (
            "AssistantTurn",
            [
                Text("One moment."),
                ToolCall("call_1", "set_lamp", {"on": True}),
                ToolCall("call_2", "set_lamp", {"on": False, "broken": True}),
            ],
        ),
        ("call_1", [Text('{"ok":true}')], False),
        ("call_2", [Text("the lamp is broken")], True),
        ("AssistantTurn", [Text("Done.")]),
    ]
    assert derived.outcome is Outcome.COMPLETED
    assert [change.call for change in derived.effects.changes] == ["call_1"]


@APIS
def test_a_derived_transcript_is_the_loop_s_own_but_for_the_ids(api):
    recording, lived = two_steps(api)
    names = {"id-a": "call_1", "id-b": "call_2"}

    derived = transcript_of(recording)

    for was, now in zip(lived.turns, derived.turns, strict=True):
        match was:
            case AssistantTurn():
                content = [
                    msgspec.structs.replace(block, id=names[block.id]) if isinstance(block, ToolCall) else block
                    for block in was.content
                ]
                assert now == msgspec.structs.replace(was, content=content)
            case ToolResultTurn():
                assert now == msgspec.structs.replace(was, tool_use_id=names[was.tool_use_id])
            case UserTurn():
                assert now == was
    assert (derived.outcome, derived.error, derived.effects) == (lived.outcome, lived.error, lived.effects)


@APIS
def test_ids_that_repeat_from_turn_to_turn_are_paired_inside_their_turn(api):
    answer = ANSWERS[api]
    same = [("call_0", "set_lamp", '{"on":true}')]
    recording, _ = recorded(api, [answer(calls=same), answer(calls=same), answer("Done.")])

    turns = transcript_of(recording).turns

    assert [call.id for turn in turns if isinstance(turn, AssistantTurn) for call in turn.calls] == ["call_1", "call_2"]
    assert [turn.tool_use_id for turn in turns if isinstance(turn, ToolResultTurn)] == ["call_1", "call_2"]


def test_two_calls_with_one_id_get_the_results_in_their_order():
    calls = [("x", "set_lamp", '{"on":true}'), ("x", "set_lamp", '{"broken":true}')]
    recording, _ = recorded("chat", [chat_answer(calls=calls), chat_answer("Done.")])

    results = [turn for turn in transcript_of(recording).turns if isinstance(turn, ToolResultTurn)]

    assert [(turn.tool_use_id, turn.is_error) for turn in results] == [("call_1", False), ("call_2", True)]


@APIS
def test_results_that_no_request_carried_come_from_the_tools_lines(api):
    answer = ANSWERS[api]
    on, broken = ("a", "set_lamp", '{"on":true}'), ("b", "set_lamp", '{"broken":true}')
    recording, lived = recorded(api, [answer(calls=[on]), answer(calls=[broken])], max_steps=2)

    derived = transcript_of(recording)

    assert derived.outcome is Outcome.MAX_STEPS
    assert derived.error == lived.error
    assert derived.turns[-1] == ToolResultTurn("call_2", [Text("the lamp is broken")], is_error=True)


@APIS
def test_several_user_turns_stay_where_they_were_said(api):
    answer = ANSWERS[api]
    recording, lived = recorded(api, [answer("Hello."), answer("Bye.")], users=["Hi.", "That is all."])

    assert transcript_of(recording).turns == lived.turns


@APIS
def test_a_truncated_answer_keeps_its_calls_without_results(api):
    answer = ANSWERS[api]
    stop = {"finish": "length"} if api == "chat" else {"stop": "max_tokens"}
    recording, lived = recorded(api, [answer(calls=[("a", "set_lamp", '{"on":true}')], **stop)])

    derived = transcript_of(recording)

    assert (derived.outcome, derived.error) == (Outcome.TRUNCATED, lived.error)
    assert derived.turns[-1].calls == [ToolCall("call_1", "set_lamp", {"on": True})]


@APIS
def test_a_recording_without_an_end_is_incomplete(api):
    recording, _ = two_steps(api)
    torn = msgspec.structs.replace(recording, end=None)

    derived = transcript_of(torn)

    assert derived.outcome is Outcome.INCOMPLETE
    assert len(derived.turns) == 5


def test_the_last_answer_says_better_how_it_ended_than_a_missing_end():
    recording, _ = recorded("chat", [chat_answer("Half a s", finish="length")])

    derived = transcript_of(msgspec.structs.replace(recording, end=None))

    assert derived.outcome is Outcome.TRUNCATED


def test_an_end_that_says_completed_does_not_hide_a_truncated_answer():
    recording, _ = recorded("chat", [chat_answer("Half a s", finish="length")])
    end = msgspec.structs.replace(recording.end, outcome=Outcome.COMPLETED, error=None)

    derived = transcript_of(msgspec.structs.replace(recording, end=end))

    assert derived.outcome is Outcome.TRUNCATED


def test_a_history_that_the_agent_brought_along_is_part_of_the_conversation():
    recording, _ = recorded("chat", [chat_answer("Done.")])
    brought = [
        {"role": "user", "content": "Earlier."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "z", "type": "function", "function": {"name": "set_lamp", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "z", "content": "ok"},
        *recording.exchanges[0].messages,
    ]
    first = msgspec.structs.replace(recording.exchanges[0], messages=brought)

    turns = transcript_of(msgspec.structs.replace(recording, exchanges=[first])).turns

    assert [type(turn).__name__ for turn in turns] == [
        "UserTurn",
        "AssistantTurn",
        "ToolResultTurn",
        "UserTurn",
        "AssistantTurn",
    ]
    assert turns[2].tool_use_id == turns[1].calls[0].id == "call_1"


@APIS
def test_the_fixture_says_what_it_is_a_record_of(api):
    recording, _ = two_steps(api)

    meta = fixture_of_recording(recording, title="Two lamps").meta

    assert (meta.fixture_id, meta.scenario, meta.recording, meta.origin) == (
        "two-lamps",
        "Two lamps",
        "two-lamps",
        "scenario",
    )
    assert (meta.api, meta.provider, meta.model, meta.params["temperature"]) == (api, "local", "m", 0)
    assert meta.system_prompt_hash == digest_of(b"Be brief.")
    assert meta.user_message_hash == digest_of(b"Light, please.")
    assert meta.tool_hashes == {"set_lamp": LAMP.digest}
    assert system_text_of(recording) == "Be brief."


@APIS
def test_the_fixture_is_the_same_from_the_recording_s_file(api):
    recording, _ = two_steps(api)
    line = b'{"type":"assertions",  "assertions":[{"kind":"trace_max_turns","max":9}]}'

    direct = lines_of_fixture(fixture_of_recording(recording, title="Two lamps", assertions_line=line))
    stored = journal_of(lines_of_recording(recording), file="two-lamps.jsonl").recordings[0]
    again = lines_of_fixture(fixture_of_recording(stored, title="Two lamps", assertions_line=line))

    assert direct == again
    assert direct.endswith(line + b"\n")
    assert lines_of_fixture(fixture_of(direct, file="two-lamps.jsonl")) == direct


def test_two_answers_of_one_run_differ_only_in_what_may_differ():
    """Renumbering makes two runs of unchanged behaviour equal, whatever ids the provider chose."""
    first, _ = recorded("chat", [chat_answer(calls=[("q1", "set_lamp", '{"on":true}')]), chat_answer("Done.")])
    second, _ = recorded("chat", [chat_answer(calls=[("z9", "set_lamp", '{ "on": true }')]), chat_answer("Done.")])

    assert fixture_of_recording(first, title="t") == fixture_of_recording(second, title="t")
