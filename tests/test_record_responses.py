"""fc-record over the Responses API: reasoning and item ids go back unchanged, and the fixture is the same as any."""

import json

import pytest
from loopback import Loopback, plain, stream
from recording_project import USER, Project, record

from harness.fixture_derivation import fixture_of_recording
from harness.fixture_lines import lines_of_fixture
from harness.transcript import Outcome, ToolResultTurn, UserTurn, text_of

REASONING = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "c2VjcmV0"}
CALLS = [
    {"id": f"fc_{n}", "type": "function_call", "status": "completed", "call_id": f"x{n}", "name": "find_parcel", "arguments": json.dumps({"code": code}, separators=(",", ":"))}
    for n, code in ((1, "K7-11"), (2, "K8"))
]  # fmt: skip
SAID = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "It is in Oslo.", "annotations": []}]}  # fmt: skip


def response(*items):
    usage = {"input_tokens": 20, "output_tokens": 5, "total_tokens": 25}
    return {
        "id": "resp_1",
        "object": "response",
        "model": "m-answered",
        "status": "completed",
        "output": items,
        "usage": usage,
    }


def events(*items):
    written = [
        {
            "type": "response.created",
            "response": {"id": "resp_1", "object": "response", "status": "in_progress", "output": []},
        }
    ]
    for place, item in enumerate(items):
        written.append({"type": "response.output_item.added", "output_index": place, "item": item})
        if item["type"] == "message":
            pieces = {"item_id": item["id"], "output_index": place, "content_index": 0}
            written += [
                {"type": "response.output_text.delta", **pieces, "delta": piece, "logprobs": []}
                for piece in ("It is in ", "Oslo.")
            ]
        written.append({"type": "response.output_item.done", "output_index": place, "item": item})
    written.append({"type": "response.completed", "response": response(*items)})
    numbered = [{**event, "sequence_number": number} for number, event in enumerate(written)]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in numbered]


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "stream"])
def test_a_scenario_is_recorded_over_the_responses_api(tmp_path, monkeypatch, capsys, streamed):
    project = Project(tmp_path, api="responses", stream=streamed)
    monkeypatch.chdir(tmp_path)
    answers = [(REASONING, *CALLS), (SAID,)]

    with Loopback(*(stream(*events(*one)) if streamed else plain(response(*one)) for one in answers)) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    recording, fixture = project.loaded()
    first, second = (request.json for request in server.requests)
    assert ran.code == 0, ran.err
    assert [request.path for request in server.requests] == ["/v1/responses"] * 2
    assert first["tools"][0]["strict"] is False
    assert second["input"][1:4] == [REASONING, *CALLS]
    assert [one["type"] for one in second["input"][4:]] == ["function_call_output"] * 2
    assert fixture.transcript.outcome is Outcome.COMPLETED
    assert [text_of(turn) for turn in fixture.transcript.turns if isinstance(turn, UserTurn)] == [USER]
    assert [turn.tool_use_id for turn in fixture.transcript.turns if isinstance(turn, ToolResultTurn)] == [
        "call_1",
        "call_2",
    ]
    assert text_of(fixture.transcript.turns[-1]) == "It is in Oslo."
    assert project.fixture.read_bytes() == lines_of_fixture(fixture_of_recording(recording, title="A parcel is found"))


def test_what_is_streamed_is_said_while_it_comes(tmp_path, monkeypatch, capsys):
    Project(tmp_path, api="responses", stream=True)
    monkeypatch.chdir(tmp_path)

    with Loopback(stream(*events(SAID))) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert "It is in Oslo." in ran.err
