"""A run of several conversations at once: each is judged, whichever is the longest."""

import pytest
from loopback import Loopback, plain
from spoken import chat_body
from weather_agent import OPENAI_TOOLS, openai_for

from harness.derivation import transcript_of
from harness.files import load_journal
from harness.run_derivation import run_of
from harness.session.runs import record
from harness.session.traced import Traced
from harness.trace import trace_of
from harness.transcript import AssistantTurn, Outcome, ToolResultTurn, UserTurn

CALL = plain(chat_body(None, [("c1", "weather", '{"city": "Rome"}')]))
NO_CALL = "case: any\nmust_not_call: [weather]\n"
ONE_CALL = "case: any\nmust_call: [{tool: weather, count: 2}]\n"
REFUSED = plain({"error": {"message": "no credit"}}, status=402)


def said(text):
    return plain(chat_body(text))


class Talk:
    """One conversation: what was said in it so far, asked on with each text or result."""

    def __init__(self, client):
        self._client = client
        self._messages = []

    def __call__(self, text):
        last = self._messages[-1] if self._messages else None
        calls = last.get("tool_calls") if last else None
        extra = {"role": "tool", "tool_call_id": calls[0]["id"]} if calls else {"role": "user"}
        self._messages.append({**extra, "content": text})
        answer = self._client.chat.completions.create(model="m-test", messages=self._messages, tools=OPENAI_TOOLS)
        self._messages.append(answer.choices[0].message.model_dump(exclude_none=True))


def side_by_side(path, *answers):
    """A recording of two conversations in turns, of which the longer one calls nothing."""
    with Loopback(*answers) as server, record(path) as fc:
        client = openai_for(fc, server.url).with_options(max_retries=0)
        calling, chatting = Talk(client), Talk(client)
        calling("weather?")
        chatting("hello")
        calling("21 C")
        chatting("how are you?")
        chatting("and you?")
    [recording] = load_journal(path).recordings
    return recording


ANSWERS = (CALL, said("Hi"), said("Warm."), said("Fine."), said("Bye."))


def test_a_call_of_the_shorter_conversation_is_seen(tmp_path):
    recording = side_by_side(tmp_path / "run.jsonl", *ANSWERS)
    expect = tmp_path / "no-call.yaml"
    expect.write_text(NO_CALL)

    alone, traced = trace_of(transcript_of(recording)), Traced(recording)

    assert alone.calls == []
    assert [(call.name, call.id, call.result) for call in traced.all] == [("weather", "call_1", "21 C")]
    with pytest.raises(AssertionError, match="weather"):
        traced.satisfies(expect)
    assert traced.answer == "Bye."


def test_each_turn_stands_once_with_its_results_behind_it(tmp_path):
    recording = side_by_side(tmp_path / "run.jsonl", CALL, CALL, said("Warm."), said("Fine."), said("Bye."))

    transcript, notes, _ = run_of(recording)

    kinds = [type(turn) for turn in transcript.turns]
    asked = [UserTurn, AssistantTurn, ToolResultTurn]
    assert kinds == [*asked, *asked, AssistantTurn, AssistantTurn, UserTurn, AssistantTurn]
    assert [(call.id, call.result) for call in trace_of(transcript).calls] == [
        ("call_1", "21 C"),
        ("call_2", "how are you?"),
    ]
    assert transcript.outcome is Outcome.COMPLETED
    assert notes == ["2 conversations were judged as one run"]


def test_what_must_be_done_may_be_done_by_any(tmp_path):
    recording = side_by_side(tmp_path / "run.jsonl", CALL, CALL, said("Warm."), said("Fine."), said("Bye."))
    expect = tmp_path / "calls.yaml"
    expect.write_text(ONE_CALL)

    Traced(recording).satisfies(expect)


def test_an_error_in_one_conversation_is_the_runs(tmp_path):
    path = tmp_path / "run.jsonl"
    with Loopback(REFUSED, said("Hi"), said("Fine.")) as server, record(path) as fc:
        client = openai_for(fc, server.url).with_options(max_retries=0)
        with pytest.raises(Exception, match="no credit"):
            Talk(client)("weather?")
        other = Talk(client)
        other("hello")
        other("how are you?")
    [recording] = load_journal(path).recordings

    transcript = run_of(recording).transcript

    assert transcript_of(recording).outcome is Outcome.COMPLETED
    assert (transcript.outcome, transcript.error) == (Outcome.ERROR, "conversation 1 of 2: HTTP 402: no credit")
    assert Traced(recording).outcome is Outcome.ERROR
