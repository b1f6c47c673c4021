"""A model that says what a test wrote down."""

import pytest

from harness import errors
from harness.agent import Task, run
from harness.providers.dialect import Reading, Request
from harness.providers.scripted import Script
from harness.transcript import AssistantTurn, Outcome, Text, ToolCall, ToolResultTurn, UserTurn
from harness.world import Answer


class Echo:
    def execute(self, call):
        return Answer(call.name, is_error=False)

    def effects(self):
        return None


def test_a_script_plays_its_part_in_the_loop():
    calling = AssistantTurn([ToolCall("c", "look", {})])
    script = Script([calling, Reading(AssistantTurn([Text("Half")]), Outcome.TRUNCATED, "cut")])

    transcript = run(Task("m", "", ["Go."], [], {}, 9), script, Echo())

    assert transcript.turns == [
        UserTurn([Text("Go.")]),
        calling,
        ToolResultTurn("c", [Text("look")]),
        AssistantTurn([Text("Half")]),
    ]
    assert (transcript.outcome, transcript.error) == (Outcome.TRUNCATED, "cut")
    assert [len(request.turns) for request in script.requests] == [1, 3]


def test_a_script_that_is_asked_too_often_says_so():
    script = Script([AssistantTurn([])])
    request = Request("m", "", [], {}, [])
    script.reply(request)

    with pytest.raises(errors.ScriptEnded) as ended:
        script.reply(request)

    assert (ended.value.subject, ended.value.expected) == ("answer 2", "1 requests at most")
