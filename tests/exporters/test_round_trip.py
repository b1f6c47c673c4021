"""What is exported says the same when it is imported again: calls, results, texts."""

import json
from collections import Counter
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from harness import errors
from harness.cli.recording.export import export_files
from harness.derivation import conversations_of, transcript_of
from harness.exporters.registry import EXPORTERS, exporter_of
from harness.importers.found import Source
from harness.importers.importing import imported
from harness.importers.registry import importer_of
from harness.transcript import AssistantTurn, ToolResultTurn, text_of
from harness.wire.redact import Redactor

SHARED = Path(__file__).parents[3] / "shared" / "data"
ODD = "line one\nyes: no\t\u2028 «ü» 012 1e5 \x85 end "

CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": '{"port": 7, "at": 1.50}'}}
OPENAI = {
    "model": "m-1",
    "tools": [{"type": "function", "function": {"name": "tide", "description": "Reads.", "parameters": {"type": "object"}}}],
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": ODD},
        {"role": "assistant", "content": "Hm.", "tool_calls": [CHAT_CALL, {**CHAT_CALL, "id": "c2"}], "reasoning_content": "So."},
        {"role": "tool", "tool_call_id": "c1", "content": ODD},
        {"role": "tool", "tool_call_id": "c2", "content": ""},
        {"role": "assistant", "content": "Low."},
    ],
}  # fmt: skip
ANTHROPIC = {
    "model": "m-2",
    "system": "Be brief.",
    "tools": [{"name": "tide", "description": "Reads.", "input_schema": {"type": "object"}}],
    "messages": [
        {"role": "user", "content": ODD},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "So.", "signature": "c2ln"},
                {"type": "text", "text": "Hm."},
                {"type": "tool_use", "id": "c1", "name": "tide", "input": {"port": 7}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": True}]},
        {"role": "assistant", "content": "Low."},
    ],
}
STREAM = "".join(
    f"data: {json.dumps({'id': 'cc-1', 'choices': [choice]})}\n\n"
    for choice in (
        {"index": 0, "delta": {"tool_calls": [{"index": 0, **CHAT_CALL}]}},
        {"index": 0, "delta": {}, "finish_reason": "tool_calls"},
    )
)
CASSETTE = yaml.dump(
    {
        "interactions": [
            {
                "request": {
                    "method": "POST",
                    "uri": "https://api.openai.com/v1/chat/completions",
                    "body": json.dumps({"model": "m-3", "stream": True, "messages": [{"role": "user", "content": "Tide?"}]}),
                },
                "response": {
                    "status": {"code": 200},
                    "headers": {"content-type": ["text/event-stream"]},
                    "body": {"string": STREAM},
                },
            }
        ]
    }
)  # fmt: skip
RESPONSES = "https://api.openai.com/v1/responses"
THOUGHT = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "So."}],
    "encrypted_content": "c2Vj",
}
CALLED = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "tide", "arguments": '{"port":7}'}
TOLD = {"type": "message", "id": "m1", "role": "assistant", "content": [{"type": "output_text", "text": "Low."}]}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "low"}


def exchange(body, *output, number=1, status=200):
    """A pair of the Responses API; one without output failed."""
    usage = {"input_tokens": 9, "output_tokens": 2}
    told = {"id": f"resp_{number}", "object": "response", "model": "m-5", "status": "completed", "output": output}
    answer = {**told, "usage": usage} if output else {"error": {"message": "slow down"}}
    request = {"method": "POST", "url": RESPONSES, "body": {"model": "m-5", "instructions": "Be brief.", **body}}
    return {"request": request, "response": {"status": status, "body": answer}}


def going_on(**beside):
    """A failed try, then two requests of one conversation; the second says only what it adds."""
    first = {"input": "Tide?", **({"conversation": "conv_1"} if "conversation" in beside else {})}
    tried = exchange(first, status=429)
    return json.dumps(
        [tried, exchange(first, THOUGHT, CALLED), exchange({"input": [OUTPUT], **beside}, TOLD, number=2)]
    )


MATERIAL = {
    "openai": json.dumps(OPENAI),
    "anthropic": json.dumps(ANTHROPIC),
    "stream": CASSETTE,
    "by answers": going_on(previous_response_id="resp_1"),
    "by a conversation": going_on(conversation="conv_1"),
}
LEDGERS, SIGNED, FAILED = "the token counts of an answer", "the signature of a thought", "an answer that failed"
BROKEN, FOREIGN = "that a result was an error", "a thought of another API"
UNSAID = {
    ("openai", "anthropic-messages"): {FOREIGN: 1},
    ("anthropic", "openai-messages"): {BROKEN: 1, SIGNED: 1},
    ("anthropic", "otlp"): {BROKEN: 1, SIGNED: 1},
    ("stream", "otlp"): {"the parameter stream": 1},
    ("by answers", "openai-messages"): {LEDGERS: 2, SIGNED: 1, FAILED: 1},
    ("by answers", "anthropic-messages"): {LEDGERS: 2, FOREIGN: 1, FAILED: 1},
    ("by answers", "otlp"): {SIGNED: 1, "the parameter previous_response_id": 1},
    ("by a conversation", "openai-messages"): {LEDGERS: 2, SIGNED: 1, FAILED: 1},
    ("by a conversation", "anthropic-messages"): {LEDGERS: 2, FOREIGN: 1, FAILED: 1},
    ("by a conversation", "otlp"): {SIGNED: 1, "the parameter conversation": 1},
}


def recordings_of(raw, format_=None):
    importer = importer_of(format_) if format_ else None
    source = Source("a file", raw if isinstance(raw, bytes) else raw.encode())
    return imported(source, importer, id_="harbour", agent_version="1", redactor=Redactor).recordings


def said_in(recordings):
    """Return each conversation: its texts, calls and results."""
    conversations = []
    for recording in recordings:
        for leaf in conversations_of(recording):
            turns = transcript_of(recording, leaf).turns
            conversations.append([(type(turn).__name__, text_of(turn), *_calls_of(turn)) for turn in turns])
    return conversations


def _calls_of(turn):
    if isinstance(turn, ToolResultTurn):
        return [turn.tool_use_id]
    calls = turn.calls if isinstance(turn, AssistantTurn) else []
    return [(call.id, call.name, call.arguments, call.raw_arguments) for call in calls]


@pytest.mark.parametrize("format_", EXPORTERS)
@pytest.mark.parametrize("name", MATERIAL)
def test_a_recording_comes_back_the_same(name, format_):
    recordings = recordings_of(MATERIAL[name])
    left_out = Counter()

    written = exporter_of(format_)(recordings, left_out)
    again = recordings_of(written)

    assert said_in(again) == said_in(recordings)
    assert again[0].header.origin == f"import:{format_}"
    assert +left_out == UNSAID.get((name, format_), {})


@pytest.mark.parametrize("format_", ["har", "vcr"])
def test_formats_of_the_wire_keep_the_bytes(format_):
    [recording] = recordings_of(CASSETTE)

    [again] = recordings_of(exporter_of(format_)([recording], Counter()))

    assert again.exchanges[0].chunks == recording.exchanges[0].chunks
    assert again.exchanges[0].messages == recording.exchanges[0].messages
    assert again.contexts == recording.contexts


def test_what_a_format_cannot_say_is_counted():
    block = {"type": "web_search_call", "id": "w1", "status": "completed"}
    text = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Low."}]}
    body = {"model": "m", "input": "Tide?", "tools": [{"type": "web_search"}]}
    answer = {"id": "r1", "object": "response", "status": "completed", "output": [block, text]}
    pair = {
        "request": {"method": "POST", "url": "https://api.openai.com/v1/responses", "body": body},
        "response": {"status": 200, "body": answer},
    }
    left_out = Counter()

    exporter_of("openai-messages")(recordings_of(json.dumps([pair])), left_out)

    assert +left_out == {"a block of another API": 1, "a tool without a schema": 1}


@pytest.mark.parametrize("format_", ["har", "vcr"])
def test_what_no_request_carries_is_counted(format_):
    calling = {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}
    told = {"role": "tool", "tool_call_id": "c1", "content": "Error: no such port"}
    run = {"task_id": 1, "traj": [{"role": "user", "content": "Tide?"}, calling, told]}
    before = {**run, "task_id": 2, "traj": [*run["traj"], {"role": "assistant", "content": "No."}]}
    left_out = Counter()

    exporter_of(format_)(recordings_of(json.dumps([run, before])), left_out)

    assert +left_out == {"a result that no request carried": 1, "that a result was an error": 1}


def test_spans_bear_the_new_names_and_stay_the_same():
    recordings = recordings_of(json.dumps(OPENAI))

    first, second = (exporter_of("otlp")(recordings, Counter()) for _ in range(2))

    spans = json.loads(first)["resourceSpans"][0]["scopeSpans"][0]["spans"]
    keys = {attribute["key"] for span in spans for attribute in span["attributes"]}
    assert first == second
    assert {
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.system_instructions",
        "gen_ai.provider.name",
    } <= keys
    assert all(not key.startswith(("gen_ai.prompt", "gen_ai.completion")) for key in keys)


def test_a_cassette_is_one_that_vcrpy_knows():
    written = yaml.safe_load(exporter_of("vcr")(recordings_of(json.dumps(OPENAI)), Counter()))

    [first, second] = written["interactions"]
    assert written["version"] == 1
    assert set(first["request"]) == {"body", "headers", "method", "uri"}
    assert set(first["response"]) == {"body", "headers", "status"}
    assert json.loads(second["request"]["body"])["messages"] == OPENAI["messages"][:-1]


def test_export_writes_a_file_or_stdout(tmp_path):
    from harness.recording_lines import lines_of_recording

    source, target = tmp_path / "harbour.jsonl", tmp_path / "out" / "harbour.yaml"
    source.write_bytes(lines_of_recording(recordings_of(json.dumps(OPENAI))[0]))

    to_file = CliRunner().invoke(export_files, ["vcr", str(source), "-o", str(target)])
    to_stdout = CliRunner().invoke(export_files, ["vcr", str(tmp_path)])

    assert (to_file.exit_code, to_stdout.exit_code) == (0, 0)
    assert target.read_text() == to_stdout.stdout


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(["ottlp", "."], errors.UnknownName), (["otlp", "nowhere.jsonl"], errors.PathNotFound), (["otlp", "."], errors.WrongOption)],
    ids=["format", "file", "nothing"],
)  # fmt: skip
def test_a_wrong_export_is_refused(tmp_path, monkeypatch, arguments, error):
    monkeypatch.chdir(tmp_path)

    assert isinstance(CliRunner().invoke(export_files, arguments).exception, error)
