"""The agent loop: order of turns, and every way a conversation ends."""

import pytest

from harness.agent import MAX_PAUSES, Task, run
from harness.providers.dialect import Reading
from harness.scenario import Tool
from harness.transcript import AssistantTurn, Opaque, Outcome, Text, ToolCall, ToolResultTurn, Transcript, UserTurn
from harness.world import Answer

ADD = Tool(name="add")


class Script:
    """A model that answers from a list and keeps what it was asked."""

    def __init__(self, *readings):
        self.readings = list(readings)
        self.requests = []

    def reply(self, request):
        self.requests.append(request)
        return self.readings.pop(0)


class Echo:
    """Tools that answer with their call's name and id."""

    def execute(self, call):
        return Answer(f"{call.name} {call.id}", is_error=call.name == "fail")

    def effects(self):
        return None


def task(*users, max_steps=5):
    return Task("m", "Be brief.", list(users), [ADD], {"max_tokens": 9}, max_steps)


def says(text, *calls, **kwargs):
    blocks = [Text(text), *(ToolCall(one, "add", {}) for one in calls)]
    return Reading(AssistantTurn(blocks), **kwargs)


def test_results_follow_in_the_order_of_the_calls():
    model = Script(says("two", "a", "b"), says("done"))

    transcript = run(task("go"), model, Echo())

    assert transcript == Transcript(
        [
            UserTurn([Text("go")]),
            says("two", "a", "b").turn,
            ToolResultTurn("a", [Text("add a")]),
            ToolResultTurn("b", [Text("add b")]),
            says("done").turn,
        ]
    )
    assert model.requests[1].turns == transcript.turns[:4]


def test_the_next_user_speaks_when_the_model_has_answered():
    transcript = run(task("one", "two"), Script(says("1"), says("2")), Echo())

    assert [type(turn) for turn in transcript.turns] == [UserTurn, AssistantTurn, UserTurn, AssistantTurn]


ENDS = {
    "truncated": (Outcome.TRUNCATED, "cut at max_tokens"),
    "refused": (Outcome.REFUSED, None),
    "incomplete": (Outcome.INCOMPLETE, "the stream broke"),
    "error": (Outcome.ERROR, "overloaded"),
}


@pytest.mark.parametrize(("outcome", "error"), ENDS.values(), ids=ENDS.keys())
def test_an_answer_that_ends_badly_ends_the_conversation_and_runs_no_call(outcome, error):
    model = Script(says("half", "a", outcome=outcome, error=error))

    transcript = run(task("go", "never said"), model, Echo())

    assert (transcript.outcome, transcript.error, len(transcript.turns)) == (outcome, error, 2)


def test_a_model_that_never_stops_is_stopped_with_its_last_results_kept():
    model = Script(*(says("again", "a") for _ in range(3)))

    transcript = run(task("go", max_steps=3), model, Echo())

    assert transcript.outcome is Outcome.MAX_STEPS
    assert transcript.turns[-1] == ToolResultTurn("a", [Text("add a")])
    assert len(model.requests) == 3


def pause():
    return Reading(AssistantTurn([Opaque("messages", {"type": "server_tool_use"})], stop_reason="pause"))


def test_a_pause_goes_back_unchanged_and_the_model_goes_on():
    model = Script(pause(), says("found"))

    transcript = run(task("search"), model, Echo())

    assert model.requests[1].turns[-1] == pause().turn
    assert transcript.outcome is Outcome.COMPLETED


def test_a_provider_that_only_pauses_is_an_error():
    model = Script(*(pause() for _ in range(MAX_PAUSES + 1)))

    transcript = run(task("search", max_steps=50), model, Echo())

    assert transcript.outcome is Outcome.ERROR


def test_each_turn_is_told_as_it_is_added():
    told = []

    transcript = run(task("go"), Script(says("x", "a"), says("y")), Echo(), seen=told.append)

    assert told == transcript.turns
