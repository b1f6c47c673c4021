"""Logs of inspect_ai become recordings, and hostile archives are refused."""

import io
import json
import zipfile

import pytest
from imports import import_of, said_in, transcripts_of

from harness import errors
from harness.importers.tally import Tally
from harness.transcript import Outcome, TokenLedger

SAID = [("user", "Tide?"), ("assistant", "", ("tide", {"port": 7})), ("result", "low"), ("assistant", "Low.")]
SAMPLE = {
    "id": "harbour",
    "epoch": 1,
    "messages": [
        {"role": "user", "content": "Tide?"},
        {
            "role": "assistant",
            "content": [{"type": "reasoning", "reasoning": "Hm.", "signature": "c2ln"}, {"type": "text", "text": ""}],
            "tool_calls": [{"id": "c1", "function": "tide", "arguments": {"port": 7}, "type": "function"}],
        },
        {"role": "tool", "content": "attachment://7f", "tool_call_id": "c1", "function": "tide"},
        {"role": "assistant", "content": "Low."},
    ],
    "attachments": {"7f": "low"},
    "events": [
        {"event": "model", "tools": [{"name": "tide", "description": "Reads.", "parameters": {"type": "object"}}]},
        {"event": "model", "tools": []},
        {"event": "model", "tools": []},
    ],
}
HEADER = {"version": 2, "eval": {"model": "openai/m-1", "created": "2026-01-02T03:04:05+00:00"}}


def archive(*samples, method=zipfile.ZIP_DEFLATED, names="samples/{}.json"):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as opened:
        opened.writestr("header.json", json.dumps(HEADER))
        for number, sample in enumerate(samples):
            opened.writestr(names.format(number), sample if isinstance(sample, bytes) else json.dumps(sample))
    return packed.getvalue()


@pytest.mark.parametrize(
    "raw", [archive(SAMPLE), json.dumps({**HEADER, "samples": [SAMPLE]}).encode()], ids=["zip", "JSON"]
)
def test_samples_of_inspect_are_read(raw):
    result = import_of(raw)

    [recording] = result.recordings
    [context] = recording.contexts.values()
    assert result.format == "inspect"
    assert said_in(result) == SAID
    assert result.written == Tally(exchanges=2, calls=1, results=1, thinking=1)
    assert (context.model, recording.header.recorded_at) == ("openai/m-1", "2026-01-02T03:04:05.000Z")
    assert [tool["function"]["name"] for tool in context.tools] == ["tide"]
    assert result.left_out == {"a call of a model beside the conversation": 1}


@pytest.mark.parametrize(
    ("fields", "ended"),
    [
        pytest.param({"error": {"message": "out of tide"}}, (Outcome.ERROR, "out of tide"), id="error"),
        pytest.param({"limit": {"type": "message"}}, (Outcome.MAX_STEPS, "the sample reached its message limit"), id="limit"),
    ],
)  # fmt: skip
def test_a_sample_ends_as_it_says(fields, ended):
    [recording] = import_of(archive({**SAMPLE, **fields})).recordings

    assert (recording.end.outcome, recording.end.error) == ended


def test_a_failed_tool_of_inspect_is_an_error():
    sample = json.loads(json.dumps(SAMPLE))
    sample["messages"][2] |= {"content": "", "error": {"type": "timeout", "message": "too slow"}}

    assert said_in(import_of(archive(sample)))[2] == ("error", "too slow")


def answering(**fields):
    """Return a sample of one question and an answer with these fields."""
    return {
        "id": "x",
        "messages": [{"role": "user", "content": "Tide?"}, {"role": "assistant", "content": "", **fields}],
    }


@pytest.mark.parametrize(
    ("error", "raw"),
    [
        pytest.param(
            'Error parsing the following tool call arguments:\n\n{"port": "Rom\n\nError details: cut', '{"port": "Rom', id="told"
        ),
        pytest.param("it broke", "it broke", id="told in another way"),
    ],
)  # fmt: skip
def test_arguments_that_could_not_be_parsed_are_never_an_invented_object(error, raw):
    call = {"id": "c1", "function": "delete_all", "arguments": {}, "parse_error": error}

    result = import_of(archive(answering(tool_calls=[call])))

    [transcript] = transcripts_of(result)
    [made] = transcript.turns[-1].calls
    assert (made.name, made.arguments, made.raw_arguments) == ("delete_all", None, raw)
    assert result.notes == {"arguments that inspect_ai could not parse, as the text that its error tells": 1}


@pytest.mark.parametrize(
    ("refusal", "stop"),
    [(True, "refusal"), (False, "stop"), (None, "stop")],
)
def test_a_text_says_by_a_boolean_whether_it_is_a_refusal(refusal, stop):
    sample = answering(content=[{"type": "text", "text": "No.", "refusal": refusal}])
    sample["messages"][0]["content"] = [{"type": "text", "text": "Tide?", "refusal": refusal}]

    result = import_of(archive(sample))

    [transcript] = transcripts_of(result)
    assert said_in(result) == [("user", "Tide?"), ("assistant", "No.")]
    assert transcript.turns[-1].stop_reason == stop


@pytest.mark.parametrize("place", ["sample", "event"])
def test_why_an_answer_stopped_and_what_it_cost_is_kept(place):
    usage = {"input_tokens": 5, "output_tokens": 7, "total_tokens": 15, "input_tokens_cache_read": 3}
    output = {"choices": [{"message": {"id": "m1"}, "stop_reason": "max_tokens"}], "usage": usage}
    kept = {"output": output} if place == "sample" else {"events": [{"event": "model", "output": output}]}

    result = import_of(archive({**answering(id="m1", content="Lo"), **kept}))

    [transcript] = transcripts_of(result)
    assert transcript.outcome == Outcome.TRUNCATED
    assert transcript.turns[-1].token_ledger == TokenLedger(5, 3, None, 7)


def test_usage_of_old_logs_is_placed_by_order_and_what_has_no_place_is_noted():
    usage = {"input_tokens": 5, "output_tokens": 7}
    events = [{"event": "model", "output": {"usage": usage}}]
    stray = {"event": "model", "output": {"choices": [{"message": {"id": "m9"}}], "usage": usage}}

    placed, unplaced = (import_of(archive({**answering(), "events": one})) for one in (events, [*events, stray]))

    assert [transcripts_of(one)[0].turns[-1].token_ledger.output for one in (placed, unplaced)] == [7, None]
    assert (placed.notes, unplaced.notes) == ({}, {"usage of an answer that is no message of the conversation": 2})


def broken(method):
    """Return an archive whose sample is broken where only unpacking sees it."""
    raw = archive(SAMPLE, method=method)
    at = raw.index(b"samples/0.json") + len(b"samples/0.json") + 9
    return raw[:at] + b"\xff" * 12 + raw[at + 12 :]


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_whatever_unpacking_raises_is_a_refusal(method):
    with pytest.raises(errors.BadImport, match="cannot be unpacked"):
        import_of(broken(method))


def lying(raw):
    """Return an archive whose directory says that its sample is small."""
    at = raw.rfind(b"samples/0.json") - 46 + 24
    return raw[:at] + (10).to_bytes(4, "little") + raw[at + 4 :]


def test_an_archive_that_would_fill_the_memory_is_refused(monkeypatch):
    monkeypatch.setattr("harness.importers.inspect_log.MAX_SAMPLE_BYTES", 100_000)
    bomb = archive(b'"' + b"x" * 10_000_000 + b'"')

    for raw in (bomb, lying(bomb)):
        with pytest.raises(errors.BadImport):
            import_of(raw)


def test_an_archive_of_too_many_bytes_is_refused_before_it_is_opened(monkeypatch):
    monkeypatch.setattr("harness.importers.inspect_log.MAX_ARCHIVE_BYTES", 400)

    with pytest.raises(errors.BadImport, match="too large to unpack"):
        import_of(archive(SAMPLE))


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(archive(SAMPLE)[:-30], id="torn"),
        pytest.param(b"PK\x03\x04 header.json" + b"\x00" * 100, id="no archive"),
        pytest.param(archive(b"{"), id="no JSON"),
        pytest.param(archive(SAMPLE).replace(b"header.json", b"header.jsom", 1), id="broken names"),
    ],
)
def test_a_broken_archive_is_refused(raw):
    with pytest.raises(errors.BadImport) as raised:
        import_of(raw, "inspect")

    assert raised.value.exit_code == 4


def test_names_inside_an_archive_are_no_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    result = import_of(archive(SAMPLE, names="samples/../../{}.json"))

    assert list(tmp_path.iterdir()) == []
    assert [recording.header.id for recording in result.recordings] == ["found"]
