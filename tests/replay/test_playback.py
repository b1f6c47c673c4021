"""Playback: the loop makes again what was recorded, and every way in which it cannot is an error of its own."""

import pytest
from refund_run import call, ended, fixture, refund_turns, result, says, user

from harness import errors
from harness.agent import MAX_PAUSES
from harness.playback import RecordedTools, ReplayModel, replay
from harness.providers.dialect import Request
from harness.tape import tape_of
from harness.transcript import Text, ToolCall, UserTurn

FILE = "fixtures/refund.jsonl"


def played(recorded, **options):
    return replay(recorded, file=FILE, **options)


RUNS = {
    "calls and results": (refund_turns(), ()),
    "parallel calls": (
        [
            user(),
            says(call(1, "get_order", order_id=1), call(2, "get_order", order_id=2)),
            result(1, "one"),
            result(2, "none", isError=True),
            says("done"),
        ],
        (),
    ),
    "two user turns": ([user("one"), says("1"), user("two"), says("2")], ()),
    "ids that repeat from turn to turn": (
        [
            user(),
            says(call(1, "get_order", order_id=1)),
            result(1, "one"),
            says(call(1, "get_order", order_id=2)),
            result(1, "two"),
            says("done"),
        ],
        (),
    ),
    "ids that repeat inside a turn": (
        [
            user(),
            says(call(1, "get_order", order_id=1), call(1, "get_order", order_id=2)),
            result(1, "one"),
            result(1, "two"),
            says("done"),
        ],
        (),
    ),
    "a provider's pause": ([user(), says("wait", stop="pause"), says("done")], ()),
    "pauses without end": (
        [user(), *[says("wait", stop="pause")] * (MAX_PAUSES + 1)],
        (ended("error", f"the provider paused {MAX_PAUSES + 1} times in a row"),),
    ),
    "max steps": (
        [user(), says(call(1, "get_order", order_id=1)), result(1, "one")],
        (ended("max_steps", "the model went on after 1 requests"),),
    ),
    "max steps before the second user was answered": (
        [user("one"), says("1"), user("two")],
        (ended("max_steps", "the model went on after 1 requests"),),
    ),
    "truncated before its call was run": (
        [user(), says("half", call(1, "get_order", order_id=1), stop="length")],
        (ended("truncated", "cut at 5 tokens"),),
    ),
    "refused": ([user(), says("I cannot.", stop="refusal")], (ended("refused"),)),
    "an error instead of an answer": ([user()], (ended("error", "overloaded"),)),
    "a timeout after a result": (
        [user(), says(call(1, "get_order", order_id=1)), result(1, "one")],
        (ended("timeout", "not answered within 120 s"),),
    ),
    "stopped between two results": (
        [user(), says(call(1, "get_order", order_id=1), call(2, "get_order", order_id=2)), result(1, "one")],
        (ended("incomplete", "interrupted"),),
    ),
    "a stream that broke": ([user(), says("hal")], (ended("incomplete", "the stream broke"),)),
    "an empty answer": ([user(), says()], ()),
}


@pytest.mark.parametrize(("turns", "tail"), RUNS.values(), ids=RUNS)
def test_a_recorded_run_replays_to_the_same_transcript(turns, tail):
    recorded = fixture(turns, tail=tail)

    outcome = played(recorded)

    assert outcome.errors == []
    assert outcome.transcript == recorded.transcript


def test_results_recorded_in_another_order_are_played_in_the_order_of_their_calls():
    calls = says(call(1, "get_order", order_id=1), call(2, "get_order", order_id=2))
    recorded = fixture([user(), calls, result(2, "two"), result(1, "one"), says("done")])

    outcome = played(recorded)

    assert outcome.errors == []
    assert [turn.tool_use_id for turn in outcome.transcript.turns[2:4]] == ["call_1", "call_2"]


def test_text_in_several_blocks_is_the_same_text():
    parts = [{"type": "text", "text": "Refund "}, {"type": "text", "text": "it."}]
    recorded = fixture([{"role": "user", "content": parts}, says("done")])

    outcome = played(recorded)

    assert outcome.errors == []
    assert outcome.transcript.turns[0] == UserTurn([Text("Refund it.")])


DIVERGED = {
    "one answer too few": (
        refund_turns()[:-1],
        (),
        errors.ReplayExhausted,
        6,
        ("an end after 2 recorded answers", 'a request for one more, after result of call_2: {"refund_id":"refund-1","amount":89.99}'),
    ),
    "no answer at all": (
        [user()],
        (),
        errors.ReplayExhausted,
        2,
        ("an end after 0 recorded answers", "a request for one more, after user: Refund order #4021, it arrived damaged."),
    ),
    "a pause at the end": (
        [user(), says("wait", stop="pause")],
        (),
        errors.ReplayExhausted,
        3,
        ("an end after 1 recorded answer", "a request for one more, after assistant: wait"),
    ),
    "an answer too many": (
        [user(), says("done"), says("and more")],
        (),
        errors.ReplayUnplayed,
        4,
        (None, "1 recorded turn after the agent's end: line 4"),
    ),
    "a whole exchange too many": (
        [user(), says("done"), says(call(1, "get_order", order_id=1)), result(1, "one"), says("more")],
        (),
        errors.ReplayUnplayed,
        4,
        (None, "3 recorded turns after the agent's end: line 4, 5, 6"),
    ),
    "an answer too many in the middle": (
        [user("one"), says("1"), says("1 again"), user("two"), says("2")],
        (),
        errors.ReplayMismatch,
        4,
        ("«assistant: 1 again»", "«user: two»"),
    ),
    "two user turns in a row": (
        [user("one"), user("two"), says("2")],
        (),
        errors.ReplayMismatch,
        3,
        ("user: two", "a request for the model's next answer"),
    ),
    "another end than the loop's": (
        [user(), says("done")],
        (ended("max_steps", "went on"),),
        errors.ReplayMismatch,
        3,
        ("max_steps", "completed"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("turns", "tail", "kind", "line", "values"), DIVERGED.values(), ids=DIVERGED)
def test_a_run_that_the_loop_cannot_make_again_is_a_named_error(turns, tail, kind, line, values):
    outcome = played(fixture(turns, tail=tail))

    (error,) = outcome.errors
    assert (type(error), error.exit_code) == (kind, 5)
    assert (error.file, error.line, error.subject) == (FILE, line, "refund")
    assert (error.expected, error.found) == values
    assert error.command == "fc-record scenarios/refund"


def test_a_replay_that_came_to_no_end_has_no_transcript():
    assert played(fixture([user()])).transcript is None


def test_the_model_answers_only_the_conversation_that_was_recorded():
    model = ReplayModel(tape_of(fixture(), file=FILE))
    said = Request("m", "s", [], {}, [UserTurn([Text("Refund order #4022, it arrived damaged.")])])

    with pytest.raises(errors.ReplayMismatch) as caught:
        model.reply(said)

    assert caught.value.line == 2
    assert caught.value.expected == "user: Refund order #«4021», it arrived damaged."
    assert caught.value.found == "user: Refund order #«4022», it arrived damaged."


def test_the_model_answers_equal_requests_alike():
    model = ReplayModel(tape_of(fixture(), file=FILE))
    request = Request("m", "s", [], {}, fixture().transcript.turns[:1])

    assert model.reply(request) == model.reply(request)


def test_a_result_is_handed_out_for_its_own_call_only():
    tools = RecordedTools(tape_of(fixture(), file=FILE))

    with pytest.raises(errors.ReplayMismatch) as caught:
        tools.execute(ToolCall("call_1", "get_order", {"order_id": 4022}))

    assert caught.value.line == 3
    assert caught.value.expected == 'get_order({"order_id":«4021»})'
    assert caught.value.found == 'get_order({"order_id":«4022»})'


def test_a_call_beyond_the_recorded_ones_has_no_result():
    tools = RecordedTools(tape_of(fixture([user(), says("done")]), file=FILE))

    with pytest.raises(errors.ReplayMismatch):
        tools.execute(ToolCall("call_1", "get_order", {}))


def test_a_call_without_a_recorded_result_is_exhausted():
    recorded = fixture(refund_turns()[:2], tail=[ended("incomplete")])
    whole = tape_of(recorded, file=FILE)
    tape = whole._replace(recorded=fixture().transcript)

    with pytest.raises(errors.ReplayExhausted) as caught:
        RecordedTools(tape).execute(tape.calls[0].call)

    assert (caught.value.line, caught.value.found) == (3, 'no recorded result of get_order({"order_id":4021})')


def test_what_a_call_wrote_that_was_no_json_is_played_again():
    unreadable = {"type": "toolCall", "id": "call_1", "name": "get_order", "arguments": None, "rawArguments": "{oops"}
    recorded = fixture([user(), says(unreadable), result(1, "no JSON object", isError=True), says("sorry")])

    outcome = played(recorded)

    assert outcome.errors == []
    assert outcome.transcript == recorded.transcript
