"""A result that stands on a span of its own goes to the call that it answers, and to no other trace's."""

import json

import pytest
from imports import import_of, lines_said, transcripts_of
from spans import TEXT, attribute, export, new_span, parts, span

from harness.importers.tally import Tally
from harness.transcript import Outcome

UNKNOWN, MANY = "a result of a call that is not in the file", "a result that fits calls of several conversations"


def calling(number, name, *before, **beside):
    """A span whose answer calls a tool under an id that every conversation uses."""
    call = {"type": "tool_call", "id": "call_0", "name": name, "arguments": {}}
    one = new_span(number, [parts("user", TEXT), *before], parts("assistant", call, finish_reason="tool_call"))
    return one | beside


def ran(number, result, name="tide", call="call_0", **beside):
    told = {"gen_ai.tool.name": name, "gen_ai.tool.call.id": call, "gen_ai.tool.call.result": result}
    return span(number, {"gen_ai.operation.name": "execute_tool", **told}, **beside)


def conversation(one, id_):
    return one | {"attributes": [*one["attributes"], attribute("gen_ai.conversation.id", id_)]}


def ended(result):
    """How each conversation ended, and the results in it."""
    return [
        (one.outcome, [line[1] for line in lines_said(one) if line[0] == "result"]) for one in transcripts_of(result)
    ]


def test_a_result_goes_to_no_call_of_another_trace():
    deleting, asking = calling(1, "delete_account", traceId="a"), calling(2, "get_balance", traceId="b")

    result = import_of(export(deleting, asking, ran(3, "balance 5", "get_balance", traceId="b")))

    assert ended(result) == [(Outcome.INCOMPLETE, []), (Outcome.COMPLETED, ["balance 5"])]


def test_a_result_of_a_trace_without_its_call_is_counted():
    result = import_of(export(calling(1, "tide", traceId="a"), ran(2, "low", traceId="b")))

    assert ended(result) == [(Outcome.INCOMPLETE, [])]
    assert result.left_out == {UNKNOWN: 1}


def test_a_conversation_that_is_named_joins_traces():
    first = conversation(calling(1, "tide", traceId="a"), "night")
    other = conversation(calling(2, "tide", traceId="b"), "day")

    result = import_of(export(first, other, conversation(ran(3, "low", traceId="c"), "day")))

    assert ended(result) == [(Outcome.INCOMPLETE, []), (Outcome.COMPLETED, ["low"])]


@pytest.mark.parametrize(
    ("first", "second"),
    [({"parentSpanId": "s1"}, {"parentSpanId": "s3"}), ({}, {})],
    ids=["within the call", "after the call"],
)
def test_an_id_that_each_answer_uses_again_names_the_call_nearest(first, second):
    call = {"type": "tool_call", "id": "call_0", "name": "tide", "arguments": {}}
    given = parts("tool", {"type": "tool_call_response", "id": "call_0", "response": "low"})
    spans = [
        calling(1, "tide"),
        ran(2, "low", **first),
        calling(3, "tide", parts("assistant", call), given),
        ran(4, "high", **second),
    ]

    result = import_of(export(*spans))

    [recording] = result.recordings
    assert [(run.exchange, run.result) for run in recording.tools] == [(0, "low"), (1, "high")]
    assert ended(result) == [(Outcome.COMPLETED, ["low", "high"])]
    assert result.seen == result.written == Tally(exchanges=2, calls=2, results=2)


def test_agents_of_one_trace_are_told_apart_by_what_is_beside_what():
    agents = [calling(1, "tide", parentSpanId="one"), calling(2, "tide", parentSpanId="two")]

    result = import_of(export(*agents, ran(3, "low", parentSpanId="one"), ran(4, "high", parentSpanId="two")))

    assert ended(result) == [(Outcome.COMPLETED, ["low"]), (Outcome.COMPLETED, ["high"])]


def test_a_result_that_could_be_of_two_conversations_is_counted_and_not_guessed():
    result = import_of(export(calling(1, "tide"), calling(2, "tide"), ran(3, "low")))

    assert ended(result) == [(Outcome.INCOMPLETE, []), (Outcome.INCOMPLETE, [])]
    assert result.left_out == {MANY: 1}


def test_a_further_result_within_a_call_goes_to_no_other_call():
    spans = [calling(1, "tide"), calling(2, "tide"), *(ran(at, f"low {at}", parentSpanId="s1") for at in (3, 4))]

    result = import_of(export(*spans))

    assert ended(result) == [(Outcome.COMPLETED, ["low 3"]), (Outcome.INCOMPLETE, [])]
    assert result.left_out == {"a further result of a call": 1}


def test_what_gives_a_call_nothing_is_counted_by_what_it_lacks():
    nameless = ran(3, "low", call="")
    empty = span(4, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "call_0"})

    result = import_of(export(calling(1, "tide"), ran(2, "low"), nameless, empty, ran(5, "again")))

    assert ended(result) == [(Outcome.COMPLETED, ["low"])]
    assert result.left_out == {
        "a span of execute_tool without the id of its call": 1,
        "a span of execute_tool without a result": 1,
        "a further result of a call": 1,
    }


def test_conversations_that_begin_alike_stay_in_their_traces():
    low = parts("assistant", {"type": "text", "content": "Low."}, finish_reason="stop")
    high = parts("assistant", {"type": "text", "content": "High."}, finish_reason="stop")
    said = [parts("user", TEXT), parts("assistant", {"type": "text", "content": "Low."}), parts("user", TEXT)]
    spans = [new_span(1, said[:1], low), new_span(2, said[:1], low), new_span(3, said, high), new_span(4, said, low)]
    traces = ["a", "b", "a", "b"]

    result = import_of(export(*(one | {"traceId": trace} for one, trace in zip(spans, traces, strict=True))))

    assert [len(one.exchanges) for one in result.recordings] == [2, 2]
    assert [lines_said(one)[-1] for one in transcripts_of(result)] == [("assistant", "High."), ("assistant", "Low.")]


def test_a_request_is_no_second_try_of_another_traces():
    failed = span(
        1, {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps([parts("user", TEXT)])}
    ) | {"status": {"code": 2}, "traceId": "a"}  # fmt: skip

    result = import_of(export(failed, calling(2, "tide", traceId="b")))

    assert [len(one.exchanges) for one in result.recordings] == [1, 1]
    assert [one.outcome for one in transcripts_of(result)] == [Outcome.ERROR, Outcome.INCOMPLETE]


def test_a_log_record_tells_of_no_span_of_another_trace():
    asked = {"attributes": [attribute("event.name", "gen_ai.user.message"), attribute("content", "Tide?")]}
    answered = {"attributes": [attribute("event.name", "gen_ai.choice"), attribute("content", "Low.")]}
    records = [{"traceId": "a", "spanId": "s1", **one} for one in (asked, answered)]
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    spans = [span(1, {"gen_ai.operation.name": "chat"}, traceId=trace) for trace in ("a", "b")]

    result = import_of(json.dumps({**json.loads(export(*spans)), **logs}))

    assert [lines_said(one) for one in transcripts_of(result)] == [[("user", "Tide?"), ("assistant", "Low.")]]
    assert result.left_out == {"a call to a model whose messages were not kept": 1}
