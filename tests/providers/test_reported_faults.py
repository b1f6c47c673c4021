"""Streams that broke other tools, where their folder is at hand: each is read as it should be."""

import json
from pathlib import Path

import pytest

from harness.providers.dialect import dialect_of
from harness.transcript import Outcome, Thinking, text_of

CASES = Path(__file__).parents[3] / "shared" / "cases"
INDEX = CASES / "index.jsonl"
ROWS = [json.loads(line) for line in INDEX.read_text().split("\n") if line] if INDEX.exists() else []
STREAMS = [
    pytest.param(name, expected, id=name)
    for row in ROWS
    for name, expected in (row["expect"] or {}).items()
    if name.endswith(".sse")
]
APIS = {"openai": "chat", "anthropic": "messages"}
STOPS = {"tool_calls": "toolUse", "tool_use": "toolUse", None: None}

pytestmark = pytest.mark.skipif(not STREAMS, reason="the reported faults are not here")


@pytest.mark.parametrize(("name", "expected"), STREAMS)
def test_a_stream_that_broke_other_tools_is_read_right(name, expected):
    raw = (CASES / name).read_bytes()

    reading = dialect_of(APIS[expected["wire"]]).reading_of_stream(200, raw, complete=True)

    turn = reading.turn
    assert (reading.outcome is Outcome.INCOMPLETE) == expected.get("incomplete", False)
    if "calls" in expected:
        assert [[call.id, call.name, call.arguments] for call in turn.calls] == expected["calls"]
    if "malformed" in expected:
        assert [[call.id, call.name, call.raw_arguments] for call in turn.calls] == expected["malformed"]
        assert [call.arguments for call in turn.calls] == [None] * len(turn.calls)
    assert text_of(turn) == expected.get("text", "")
    if "finish" in expected or "stop" in expected:
        assert turn.stop_reason == STOPS[expected.get("finish") or expected.get("stop")]
    if "usage" in expected:
        assert turn.token_ledger.output == expected["usage"]["completion_tokens"]
    assert len(reading.warnings) >= expected.get("warnings", 0)
    signatures = [block.opaque["signature"] for block in turn.content if isinstance(block, Thinking)]
    assert signatures == expected.get("sigs", [])


def test_a_stream_cut_inside_characters_is_read_right():
    case = json.loads((CASES / "B15-utf8-split-chunks.json").read_text())
    raw = b"".join(bytes.fromhex(piece) for piece in case["network_chunks_hex"])

    calls = dialect_of("chat").reading_of_stream(200, raw, complete=True).turn.calls

    assert [{"id": call.id, "name": call.name, "args": call.arguments} for call in calls] == case["right"]["calls"]


def test_answers_whose_finish_reason_lies_are_read_right():
    cases = json.loads((CASES / "B28-finish-reason-lies.json").read_text())["cases"]

    readings = [dialect_of("chat").reading_of_body(200, json.dumps(case["response"]).encode()) for case in cases]

    assert [len(reading.turn.calls) for reading in readings] == [case["right"]["calls"] for case in cases]
    assert [reading.outcome for reading in readings] == [None] * len(cases)
