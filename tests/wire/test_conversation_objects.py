"""Conversation objects of the Responses API: the server holds the conversation, requests say what they add."""

import pytest
from told_runs import Told, asked, number_of, reason_of, told

from harness.derivation import conversations_of, transcript_of
from harness.transcript import AssistantTurn, text_of
from harness.wire.facets import held_conversation
from harness.wire.matching import Matching


def spoken(number, text):
    """An answer of Responses that says something."""
    said = {"type": "output_text", "text": text, "annotations": []}
    item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [said]}
    return {"id": f"resp_{number}", "object": "response", "status": "completed", "model": "m-test", "output": [item]}


def called(number):
    """An answer of Responses that calls the tool."""
    call = {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": "tide",
        "arguments": "{}",
    }
    return {**spoken(number, ""), "output": [call]}


def adding(conversation, said):
    """A request that adds to a conversation which the server holds."""
    return {"model": "m-test", "input": said, "conversation": conversation}


def given(call, text):
    return [{"type": "function_call_output", "call_id": call, "output": text}]


def turns_in(recording, leaf):
    """Return each turn of a conversation: the tools that it calls, else its text."""
    turns = transcript_of(recording, leaf).turns
    return [
        [call.name for call in turn.calls] if isinstance(turn, AssistantTurn) and turn.calls else text_of(turn)
        for turn in turns
    ]


HELD = (
    (adding("conv_a", "Tide?"), called(1)),
    (adding("conv_b", "Tide?"), called(2)),
    (adding({"id": "conv_a"}, given("call_1", "low")), spoken(3, "Low.")),
    (adding("conv_b", given("call_2", "high")), spoken(4, "High.")),
    (adding("conv_a", "And now?"), spoken(5, "Still low.")),
)


def test_a_conversation_object_is_one_conversation():
    recording = told(*HELD, api="responses")

    said = [turns_in(recording, leaf) for leaf in conversations_of(recording)]

    assert [exchange.parent for exchange in recording.exchanges] == [None, None, 0, 1, 2]
    assert said == [
        ["Tide?", ["tide"], "high", "High."],
        ["Tide?", ["tide"], "low", "Low.", "And now?", "Still low."],
    ]


@pytest.mark.parametrize("names", [("conv_a", "conv_b"), ("conv_8", "conv_9")], ids=["as recorded", "others"])
def test_conversation_objects_replay_whatever_they_are_called(names):
    matching = Matching(told(*HELD, api="responses"))
    renamed = dict(zip(("conv_a", "conv_b"), names, strict=True))

    found = [
        matching.find(asked({**body, "conversation": renamed[held_conversation(body)]}, "responses"))
        for body, _ in HELD
    ]

    assert [(number_of(one), one.differing) for one in found] == [(number, []) for number in range(5)]


def test_conversation_objects_at_once_do_not_mix():
    matching = Matching(told(*HELD, api="responses"))
    turns = [HELD[0], HELD[2], HELD[4], HELD[1], HELD[3]]

    found = [matching.find(asked(body, "responses")) for body, _ in turns]

    assert [number_of(one) for one in found] == [0, 2, 4, 1, 3]


@pytest.mark.parametrize(
    ("at", "body", "reason"),
    [
        pytest.param(2, adding("conv_a", given("call_1", "lower")), "conversation", id="another result"),
        pytest.param(2, adding("conv_c", given("call_1", "low")), "conversation", id="in a new conversation"),
        pytest.param(4, adding("conv_b", "And now?"), "exhausted", id="in the other conversation"),
        pytest.param(2, {"model": "m-test", "input": given("call_1", "low")}, "conversation", id="without its conversation"),
    ],
)  # fmt: skip
def test_what_is_added_to_a_conversation_object_is_compared(at, body, reason):
    matching = Matching(told(*HELD, api="responses"))
    for before, _ in HELD[:at]:
        matching.find(asked(before, "responses"))

    missed = matching.find(asked(body, "responses"))

    assert reason_of(missed) == reason


def test_leaving_the_conversation_object_out_is_a_drift_of_params():
    matching = Matching(told(HELD[0], api="responses"))

    found = matching.find(asked({"model": "m-test", "input": "Tide?"}, "responses"))

    assert (number_of(found), found.differing) == (0, ["params"])


def test_a_failed_answer_is_no_part_of_a_conversation_object():
    failed = {"error": {"message": "slow down", "type": "rate_limit"}}
    made = Told()
    made.add(*HELD[0], api="responses")
    made.add(HELD[2][0], failed, api="responses", status=429)
    made.add(*HELD[2], api="responses")
    recording = made.recording()
    matching = Matching(recording)

    found = [matching.find(asked(body, "responses")) for body in (HELD[0][0], HELD[2][0], HELD[2][0])]

    assert [exchange.parent for exchange in recording.exchanges] == [None, 0, 0]
    assert [number_of(one) for one in found] == [0, 1, 2]
    assert len(conversations_of(recording)) == 1
