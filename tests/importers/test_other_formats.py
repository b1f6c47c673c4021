"""HTTP archives, mock fixtures and our own fixtures become recordings."""

import base64
import json

import pytest
from imports import format_of, import_of, said_in, transcripts_of

from harness import errors
from harness.importers.tally import Tally

CALL = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": '{"port": 7}'}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
USER = {"role": "user", "content": "Tide?"}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "low"}
SAID = [("user", "Tide?"), ("assistant", "", ("tide", {"port": 7})), ("result", "low"), ("assistant", "Low.")]


def entry(said, told, **content):
    body = json.dumps({"choices": [{"index": 0, "message": told, "finish_reason": "stop"}]})
    return {
        "startedDateTime": "2026-01-02T03:04:05.678+02:00",
        "time": 12.5,
        "request": {
            "method": "POST",
            "url": "https://api.openai.com/v1/chat/completions",
            "headers": [{"name": "Authorization", "value": "Bearer abc"}],
            "postData": {"text": json.dumps({"model": "m-1", "messages": said})},
        },
        "response": {
            "status": 200,
            "headers": [{"name": "Content-Type", "value": "application/json"}],
            "content": {"mimeType": "application/json", "text": body, **content},
        },
    }


def har(*entries):
    return json.dumps({"log": {"version": "1.2", "entries": list(entries)}})


def test_an_http_archive_is_read():
    second = entry([USER, CALLING, RESULT], {"role": "assistant", "content": "Low."})
    text = second["response"]["content"]["text"]
    second["response"]["content"] |= {"text": base64.b64encode(text.encode()).decode(), "encoding": "base64"}
    picture = {"request": {"method": "GET", "url": "https://x.test/a.png"}, "response": {"status": 200}}

    result = import_of(har(entry([USER], CALLING), picture, second))

    [recording] = result.recordings
    assert (result.format, said_in(result)) == ("har", SAID)
    assert (recording.header.recorded_at, recording.exchanges[0].ms) == ("2026-01-02T01:04:05.678Z", 12.5)
    assert result.left_out == {"GET /a.png": 1}
    assert b"Bearer" not in result.lines


def test_a_browser_that_kept_no_answer_is_counted():
    kept_none = entry([USER], CALLING)
    kept_none["response"] = {"status": 0, "headers": [], "content": {}}

    assert import_of(har(kept_none)).left_out == {"a request without an answer": 1}


def mock(match, response):
    return {"match": match, "response": response}


def test_fixtures_of_aimock_are_read():
    raw = json.dumps(
        {
            "fixtures": [
                mock({"userMessage": "Tide?"}, {"toolCalls": [{"id": "c1", "name": "tide", "arguments": '{"port": 7}'}]}),
                mock({"toolCallId": "c1", "toolResultContains": "low"}, {"content": "Low."}),
                mock({"userMessage": "Wind?", "systemMessage": ["Be brief."]}, {"error": {"message": "slow"}, "status": 429}),
                mock({"inputText": "x", "endpoint": "embedding"}, {"embedding": [1]}),
            ]
        }
    )  # fmt: skip

    result = import_of(raw)

    assert result.format == "aimock"
    assert [len(one.turns) for one in transcripts_of(result)] == [4, 1]
    assert result.left_out == {"a fixture for embedding": 1}
    assert result.written == Tally(exchanges=3, calls=1, results=1, errors=1)


@pytest.mark.parametrize(
    ("match", "lengths", "notes"),
    [
        ({"userMessage": "Tide?"}, [4, 2], {}),
        ({}, [2, 2, 1], {"a fixture that waits for the result of a call that several conversations made": 1}),
    ],
    ids=["which is said", "which is not said"],
)
def test_a_fixture_that_waits_for_a_result_goes_on_from_its_own_conversation(match, lengths, notes):
    calling = {"toolCalls": [{"id": "call_0", "name": "tide", "arguments": "{}"}]}
    waiting = mock({**match, "toolCallId": "call_0", "toolResultContains": "low"}, {"content": "Low."})
    fixtures = [mock({"userMessage": "Tide?"}, calling), mock({"userMessage": "Wind?"}, calling), waiting]

    result = import_of(json.dumps({"fixtures": fixtures}))

    assert [len(one.turns) for one in transcripts_of(result)] == lengths
    assert result.notes == notes


def test_a_fixture_that_waits_for_any_result_goes_on_from_its_user_message():
    blocks = [{"type": "toolCall", "name": "tide", "arguments": '{"port": 7}'}, {"type": "text", "text": "Hm."}]
    raw = json.dumps(
        {
            "fixtures": [
                mock({"userMessage": "Tide?", "hasToolResult": False}, {"blocks": blocks}),
                mock({"userMessage": "Tide?", "hasToolResult": True}, {"content": "Low."}),
            ]
        }
    )

    result = import_of(raw)

    assert said_in(result) == [
        ("user", "Tide?"), ("assistant", "Hm.", ("tide", {"port": 7})), ("result", ""), ("assistant", "Low."),
    ]  # fmt: skip
    assert result.notes == {"a result that a fixture waits for without saying what it is, left empty": 1}


@pytest.mark.parametrize(
    ("user", "said"),
    [(["Tide?", "today"], "Tide?\ntoday"), ({"regex": "^Ti"}, '{"regex":"^Ti"}')],
    ids=["list", "regex"],
)
def test_a_pattern_for_a_user_message_stands_in_its_place(user, said):
    result = import_of(json.dumps({"fixtures": [mock({"userMessage": user}, {"content": "Low."})]}))

    assert said_in(result) == [("user", said), ("assistant", "Low.")]
    assert result.notes == {"a user message that is a pattern: the pattern stands in its place": 1}


@pytest.mark.parametrize("match", [{"toolCallId": "c9"}, {"hasToolResult": True}], ids=["id", "any"])
def test_a_fixture_that_waits_for_an_unknown_call_is_noted(match):
    result = import_of(json.dumps({"fixtures": [mock({"userMessage": "Tide?", **match}, {"content": "Low."})]}))

    assert result.notes == {"a fixture that waits for the result of a call that is not in the file": 1}


def fixture(*turns, assertions="[]"):
    meta = {
        "type": "meta",
        "fixtureId": "harbour",
        "scenario": "Harbour",
        "recordedAt": "2026-01-02T03:04:05Z",
        "model": "m-1",
        "systemPromptHash": "sha256:" + "0" * 64,
        "piAgentCoreVersion": "0.1.0",
    }
    numbered = [{"type": "turn", "turnIndex": index, **turn} for index, turn in enumerate(turns)]
    end = f'{{"type":"assertions","assertions":{assertions}}}\n'
    return "".join(json.dumps(one) + "\n" for one in (meta, *numbered)) + end


LEDGER = {"input": 9, "cache_read": 3, "cache_creation": None, "output": 2}
TURNS = (
    {"role": "user", "content": [{"type": "text", "text": "Tide?"}]},
    {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "toolCall", "id": "call_1", "name": "tide", "arguments": {"port": 7}}],
        "tokenLedger": LEDGER,
        "stopReason": "toolUse",
    },
    {"role": "toolResult", "toolUseId": "call_1", "content": [{"type": "text", "text": "low"}], "isError": True},
    {"role": "assistant", "content": [{"type": "text", "text": "Low."}], "tokenLedger": LEDGER, "stopReason": "stop"},
)  # fmt: skip


def test_a_fixture_is_a_recording_as_well():
    result = import_of(fixture(*TURNS))

    [transcript] = transcripts_of(result)
    assert result.format == "fixture"
    assert said_in(result) == [*SAID[:2], ("error", "low"), SAID[3]]
    assert transcript.turns[1].token_ledger.cache_read == 3
    assert result.recordings[0].header.model == "m-1"
    assert result.written.thinking == 1


def test_a_broken_fixture_is_refused():
    with pytest.raises(errors.BadImport, match="no fixture"):
        import_of(fixture(*TURNS[2:]))


@pytest.mark.parametrize(
    "raw", ['{"log": {}}', '{"resourceSpans": 1, "fixtures": []}', '{"fixtures": [1]}', '{"type": "meta"}'], ids=repr
)
def test_halves_of_formats_are_no_crash(raw):
    name = format_of(raw)

    if name is not None:
        with pytest.raises(errors.BadImport):
            import_of(raw)
