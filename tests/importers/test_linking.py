"""Captured exchanges are linked to what they continue, each conversation a recording of its own."""

import pytest
from cassettes import ASKED, CALL, CALLING, ENDED, PAIRS, SAID, TOLD, cassette, request, response
from imports import import_of, lines_said, said_in, transcripts_of

from harness.importers.tally import Tally
from harness.transcript import Outcome


def test_several_conversations_become_several_recordings():
    other = {**ASKED, "messages": [{"role": "user", "content": "Wind?"}]}

    result = import_of(cassette(PAIRS[0], (request(other), response(ENDED)), PAIRS[1]))

    assert [recording.header.id for recording in result.recordings] == ["found-1", "found-2"]
    assert [lines_said(one) for one in transcripts_of(result)] == [
        SAID,
        [("user", "Wind?"), ("assistant", "Low.")],
    ]


def test_a_request_goes_on_from_the_answer_that_it_repeats():
    """Two runs of one prompt at once: each goes on with its own call."""
    twin = {**CALLING, "tool_calls": [{**CALL, "id": "c9"}]}
    told = {**TOLD, "choices": [{"index": 0, "message": twin, "finish_reason": "tool_calls"}]}
    went_on = {
        **ASKED,
        "messages": [*ASKED["messages"], twin, {"role": "tool", "tool_call_id": "c9", "content": "high"}],
    }

    result = import_of(
        cassette(PAIRS[0], (request(ASKED), response(told)), PAIRS[1], (request(went_on), response(ENDED)))
    )

    assert [lines_said(one)[2] for one in transcripts_of(result)] == [("result", "low"), ("result", "high")]


def test_a_failed_request_that_is_made_again_is_one_conversation():
    failed = response({"error": {"message": "slow down"}}, status={"code": 429, "message": "Too Many Requests"})

    result = import_of(cassette((request(ASKED), failed), *PAIRS))

    [recording] = result.recordings
    assert [exchange.status for exchange in recording.exchanges] == [429, 200, 200]
    assert said_in(result) == SAID
    assert result.written == Tally(exchanges=3, calls=1, results=1, errors=1)


@pytest.mark.parametrize(
    ("begun", "went_on"),
    [
        pytest.param({}, {"previous_response_id": "resp_1"}, id="by the answer"),
        pytest.param({"conversation": "conv_1"}, {"conversation": {"id": "conv_1"}}, id="by the conversation"),
    ],
)
def test_a_conversation_that_the_server_keeps_is_linked_by_its_ids(begun, went_on):
    address = "https://api.openai.com/v1/responses"
    call = {"type": "function_call", "call_id": "c1", "name": "tide", "arguments": "{}"}
    first = {"id": "resp_1", "object": "response", "status": "completed", "output": [call]}
    text = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Low."}]}
    output = {"type": "function_call_output", "call_id": "c1", "output": "low"}
    second = {"model": "m", **went_on, "input": [output]}

    result = import_of(
        cassette(
            (request({"model": "m", **begun, "input": "Tide?"}, uri=address), response(first)),
            (request(second, uri=address), response({**first, "id": "resp_2", "output": [text]})),
        )
    )

    assert said_in(result) == [
        ("user", "Tide?"),
        ("assistant", "", ("tide", {})),
        ("result", "low"),
        ("assistant", "Low."),
    ]


def test_calls_that_come_back_under_other_ids_keep_their_results():
    renamed = {**CALLING, "tool_calls": [{**CALL, "id": "own_1"}]}
    went_on = {
        **ASKED,
        "messages": [*ASKED["messages"], renamed, {"role": "tool", "tool_call_id": "own_1", "content": "low"}],
    }

    result = import_of(cassette(PAIRS[0], (request(went_on), response(ENDED))))

    [transcript] = transcripts_of(result)
    assert transcript.turns[2].tool_use_id == transcript.turns[1].calls[0].id == "call_1"


def test_a_conversation_left_with_calls_is_incomplete():
    [recording] = import_of(cassette(PAIRS[0])).recordings

    assert recording.end.outcome is Outcome.INCOMPLETE
    assert recording.end.error == "the conversation was left with calls unanswered"


def test_secrets_do_not_reach_the_recording():
    key = "sk-" + "a1B2" * 8
    asked = {**ASKED, "messages": [{"role": "user", "content": f"Use {key} and blue-harbour-9."}]}

    result = import_of(cassette((request(asked), response(ENDED))), secrets=["blue-harbour-9"])

    assert key.encode() not in result.lines
    assert b"blue-harbour-9" not in result.lines
    assert b"Bearer" not in result.lines
    assert said_in(result)[0] == ("user", "Use [secret:openai-key:1] and [secret:value:1].")
