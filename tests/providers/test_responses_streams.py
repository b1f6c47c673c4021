"""Streams of the Responses API: whole, broken, cut anywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from responses_wire import (
    CALL,
    CALL_BLOCKS,
    CALL_EVENTS,
    RESPONSES,
    SAID,
    body,
    event,
    last,
    read,
    streamed,
)

from harness.providers.responses_stream import Assembler
from harness.providers.sse import Parser
from harness.transcript import Outcome, Text


def test_a_stream_says_what_its_last_event_holds():
    reading = streamed(*CALL_EVENTS, event("response.output_item.done", output_index=0, item=CALL), last(CALL))

    assert reading == read(CALL)


def test_items_count_where_the_last_event_leaves_its_output_empty():
    reading = streamed(*CALL_EVENTS, event("response.output_item.done", output_index=0, item=CALL), last())

    assert reading.turn.content == CALL_BLOCKS


def test_items_at_one_place_are_told_apart_by_their_ids():
    second = {**CALL, "id": "fc_2", "call_id": "call_b", "arguments": '{"port":8}'}

    reading = streamed(
        event("response.output_item.added", output_index=0, item={**CALL, "arguments": ""}),
        event("response.output_item.added", output_index=0, item={**second, "arguments": ""}),
        event("response.function_call_arguments.delta", item_id="fc_2", output_index=0, delta='{"port":8}'),
        event("response.function_call_arguments.delta", item_id="fc_1", output_index=0, delta='{"port":7}'),
        last(),
    )

    assert [(call.id, call.arguments) for call in reading.turn.calls] == [
        ("call_a", {"port": 7}),
        ("call_b", {"port": 8}),
    ]


def test_a_stream_that_broke_off_is_incomplete_and_keeps_what_came():
    reading = streamed(
        event("response.output_item.added", output_index=0, item={**SAID, "content": []}),
        event("response.output_text.delta", item_id="msg_1", content_index=0, delta="One mo"),
    )

    assert (reading.outcome, reading.error) == (Outcome.INCOMPLETE, "the stream ended without response.completed")
    assert reading.turn.content[0] == Text("One mo")


@pytest.mark.parametrize("events", [2, 3], ids=["before its arguments", "within its arguments"])
def test_a_call_that_was_cut_off_is_never_an_empty_one(events):
    [call] = streamed(*CALL_EVENTS[:events]).turn.calls

    assert call.arguments is None


def test_a_failed_stream_is_an_error():
    reading = streamed(last(status="failed", error={"code": "server_error", "message": "out of tide"}))

    assert (reading.outcome, reading.error) == (Outcome.ERROR, "out of tide")


def test_an_error_event_is_an_error():
    reading = streamed(CALL_EVENTS[0], event("error", code="rate_limit", message="slow down"))

    assert (reading.outcome, reading.error) == (Outcome.ERROR, "slow down")


def test_a_fragment_without_an_item_is_no_guess():
    reading = streamed(CALL_EVENTS[2])

    assert reading.outcome is Outcome.ERROR
    assert "cannot place fragment" in reading.error


def test_a_host_that_answers_plainly_when_asked_to_stream_is_read():
    assert RESPONSES.reading_of_stream(200, body(CALL), complete=True) == read(CALL)


@given(st.lists(st.integers(0, 900), max_size=8).map(sorted))
def test_any_split_of_a_stream_gives_the_same_turn(cuts):
    stream = b"".join([*CALL_EVENTS, event("response.output_item.done", output_index=0, item=CALL), last(SAID, CALL)])
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    parser, assembler = Parser(), Assembler()

    for piece in pieces:
        for one in parser.feed(piece):
            assembler.feed(one)

    assert assembler.reading() == read(SAID, CALL)


@given(st.binary(max_size=200))
def test_no_bytes_make_it_raise(raw):
    assert RESPONSES.reading_of_stream(200, b"data: " + raw, complete=True).outcome is not None
    assert RESPONSES.reading_of_body(200, raw).outcome is not None
