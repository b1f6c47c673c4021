"""Recordings that are no single line of exchanges: retries, second tries, answers that broke."""

import base64

import msgspec
import pytest
from recorded_run import HEADER, chat_answer, exchange_of, messages_answer, recorded

from harness import errors
from harness.derivation import (
    conversation_of,
    conversations_of,
    main_conversation_of,
    reading_of_exchange,
    transcript_of,
)
from harness.recording import Chunk, Recording
from harness.transcript import AssistantTurn, Outcome, Text, UserTurn


def branched(*answers):
    """A recording whose exchanges all ask the same question: retries and second tries."""
    recording, _ = recorded("chat", [chat_answer("Hello.")])
    first = recording.exchanges[0]
    exchanges = [
        msgspec.structs.replace(
            exchange_of(number, first.context, first.messages, answer), **{"parent": None, **fields}
        )
        for number, (answer, fields) in enumerate(answers)
    ]
    return Recording(HEADER, recording.contexts, exchanges, [], None, recording.end)


def test_a_failed_attempt_that_was_made_again_is_no_conversation():
    recording = branched((b'{"error":{"message":"busy"}}', {"status": 429}), (chat_answer("Hello."), {}))

    assert [leaf.number for leaf in conversations_of(recording)] == [1]
    assert len(transcript_of(recording).turns) == 2


def test_a_failed_attempt_that_its_repetition_follows_leaves_no_turn():
    recording = branched((b"{}", {"status": 503}), (chat_answer("Hello."), {"parent": 0, "messages": []}))

    turns = transcript_of(recording).turns

    assert [type(turn) for turn in turns] == [UserTurn, AssistantTurn]


def test_a_last_failure_is_the_end():
    recording = branched((b'{"error":{"message":"no credit"}}', {"status": 402}))

    derived = transcript_of(msgspec.structs.replace(recording, end=None))

    assert (derived.outcome, derived.error) == (Outcome.ERROR, "HTTP 402: no credit")
    assert [type(turn) for turn in derived.turns] == [UserTurn]


def test_two_answers_to_one_question_are_two_conversations():
    recording = branched((chat_answer("One."), {}), (chat_answer("Two."), {}))

    leaves = conversations_of(recording)

    assert [leaf.number for leaf in leaves] == [0, 1]
    assert main_conversation_of(recording).number == 1
    assert transcript_of(recording, leaves[0]).turns[-1].content == [Text("One.")]


def test_a_run_that_was_left_on_a_pause_is_incomplete():
    whole, _ = recorded("messages", [messages_answer("Searching.", stop="pause_turn"), messages_answer("Found.")])
    left = msgspec.structs.replace(whole, exchanges=whole.exchanges[:1])

    transcript = transcript_of(left)

    assert (transcript.outcome, transcript.error) == (
        Outcome.INCOMPLETE,
        "the provider paused, and was not asked to go on",
    )
    assert transcript_of(whole).outcome is Outcome.COMPLETED


def test_an_answer_that_should_hold_calls_and_holds_none_is_noted():
    chat, _ = recorded("chat", [chat_answer("<call>f()</call>", finish="tool_calls")])
    messages, _ = recorded("messages", [messages_answer("I will call it.", stop="tool_use")])

    assert conversation_of(chat).notes == ["finish reason tool_calls without calls"]
    assert conversation_of(messages).notes == ["stop reason tool_use without calls"]


def test_a_recording_without_exchanges_cannot_be_derived():
    with pytest.raises(errors.UnreadableAnswer) as refused:
        transcript_of(Recording(HEADER, {}, [], []))

    assert "two-lamps" in refused.value.subject


def test_an_answer_that_broke_off_is_incomplete():
    recording = branched((b'{"choices":[{"mess', {"complete": False}))

    assert reading_of_exchange(recording, recording.exchanges[0]).outcome is Outcome.INCOMPLETE


def test_chunks_that_are_no_utf8_stand_as_base64():
    stream = 'data: {"choices":[{"index":0,"delta":{"content":"é"},"finish_reason":"stop"}]}\n\n'.encode()
    cut = stream.index(b"\xc3") + 1
    pieces = [Chunk(1.0, None, base64.b64encode(piece).decode()) for piece in (stream[:cut], stream[cut:])]
    recording = branched((b"", {"chunks": pieces, "body": None}))

    assert reading_of_exchange(recording, recording.exchanges[0]).turn.content == [Text("é")]


def test_each_conversation_has_its_own_effects_under_its_own_ids():
    calling = chat_answer(calls=[("a", "set_lamp", '{"on":true}')])
    lived, _ = recorded("chat", [calling, chat_answer("Done."), calling, chat_answer("Done.")], users=["One.", "Two."])
    apart = [
        msgspec.structs.replace(one, parent=None if one.number in {0, 2} else one.number - 1) for one in lived.exchanges
    ]
    recording = msgspec.structs.replace(lived, exchanges=apart)

    first, second = (transcript_of(recording, leaf).effects.changes for leaf in conversations_of(recording))

    assert [(change.call, change.key) for change in lived.state.changes] == [("call_1", 0), ("call_2", 1)]
    assert [(change.call, change.key) for change in first] == [("call_1", 0)]
    assert [(change.call, change.key) for change in second] == [("call_1", 1)]
