"""Spans of several conversations stay apart, and say what they cannot hold call by call."""

import json
from collections import Counter

import msgspec
from test_round_trip import ANTHROPIC, BROKEN, CHAT_CALL, SIGNED, recordings_of, said_in

from harness.exporters.registry import exporter_of
from harness.recording import ToolRun


def run_of(*results, **beside):
    """A run that calls under one id again and again, the last time without an answer after it."""
    calling = {"role": "assistant", "content": None, "tool_calls": [{**CHAT_CALL, "id": "call_0"}]}
    told = [{"role": "tool", "tool_call_id": "call_0", "content": result} for result in results]
    turns = [message for result in told for message in (calling, result)]
    return {"task_id": 1, "traj": [{"role": "user", "content": "Tide?"}, *turns], **beside}


def test_conversations_of_one_name_keep_all_results_apart():
    first, second = recordings_of(json.dumps([run_of("low", "ebb"), run_of("high", "flood", trial=1)]))
    second = msgspec.structs.replace(second, header=first.header)

    again = recordings_of(exporter_of("otlp")([first, second], Counter()))

    assert said_in(again) == said_in([first, second])
    assert [one.end.outcome for one in again] == ["completed", "completed"]


def test_trials_of_a_case_are_traces_apart_in_exports_apart():
    [recording] = recordings_of(json.dumps([run_of("low")]))
    headers = [msgspec.structs.replace(recording.header, trial=trial) for trial in (1, 2)]

    written = [exporter_of("otlp")([msgspec.structs.replace(recording, header=one)], Counter()) for one in headers]

    spans = [json.loads(one)["resourceSpans"][0]["scopeSpans"][0]["spans"][0] for one in written]
    assert spans[0]["traceId"] != spans[1]["traceId"]
    assert spans[0]["spanId"] != spans[1]["spanId"]


def test_a_run_that_failed_says_nothing_of_a_later_result_under_its_id():
    asked, called, failed, ended = ANTHROPIC["messages"]
    [recording] = recordings_of(json.dumps({**ANTHROPIC, "messages": [asked, called, failed, called, failed, ended]}))
    run = ToolRun(exchange=0, position=0, call="c1", name="tide", arguments={}, result="no", error=True, at="", ms=0.0)
    left_out = Counter()

    exporter_of("otlp")([msgspec.structs.replace(recording, tools=[run])], left_out)

    assert left_out[BROKEN] == 1
    assert left_out[SIGNED] == len(recording.exchanges) - 1
