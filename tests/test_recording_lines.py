"""Recording files: written and read back, torn tails set apart, broken lines refused."""

import pytest
from msgspec.structs import replace

from harness import errors
from harness.recording import Chunk, End, Exchange, Header, Recording, ToolRun, context_of, conversation_of, leaves_of
from harness.recording_lines import journal_of, lines_of_recording
from harness.transcript import Outcome

CONTEXT = context_of(
    api="chat", host="127.0.0.1", path="/v1/chat/completions", model="m", system=[], tools=[], params={"seed": 7}
)
HEADER = Header(
    id="walk",
    recorded_at="2026-11-30T04:00:00Z",
    agent_version="0.1.0",
    versions={"openai": "3.57.0"},
    provider="local",
    host="127.0.0.1",
    model="m",
    redaction="v1",
)


def exchange(number, parent, *texts, **changes):
    messages = [{"role": "user", "content": text} for text in texts]
    made = Exchange(
        number=number,
        parent=parent,
        context=CONTEXT.hash,
        messages=messages,
        status=200,
        headers={"content-type": "application/json"},
        body="{}",
        at="2026-11-30T04:00:01Z",
        ms=3.5,
    )
    return replace(made, **changes)


TREE = Recording(
    HEADER,
    {CONTEXT.hash: CONTEXT},
    [
        exchange(0, None, "a"),
        exchange(1, 0, "b", body=None, chunks=[Chunk(0.5, "data: {}\n\n"), Chunk(0.9, None, "/w==")]),
        exchange(2, 0, "c", complete=False),
    ],
    [
        ToolRun(
            exchange=0, position=0, call="x", name="add", arguments={"n": 1}, result="2", error=False, at="t", ms=1.0
        )
    ],
    None,
    End(outcome=Outcome.ERROR, exchanges=3, tools=1, digest="sha256:" + "0" * 64),
)


def test_a_recording_is_read_as_it_was_written():
    raw = lines_of_recording(TREE)

    (read,), torn = journal_of(raw, file="r.jsonl")

    assert (replace(read, end=None), torn) == (replace(TREE, end=None), None)
    assert lines_of_recording(read) == raw


def test_a_context_stands_once_before_its_first_exchange():
    kinds = [line[:20] for line in lines_of_recording(TREE).split(b"\n")]

    assert kinds.count(b'{"type":"context","h') == 1
    assert kinds[1] == b'{"type":"context","h'


def test_concatenated_files_are_several_recordings():
    raw = lines_of_recording(TREE)

    assert len(journal_of(raw + raw, file="r.jsonl").recordings) == 2


def test_a_conversation_is_its_chain_of_parents():
    assert [m["content"] for m in conversation_of(TREE, TREE.exchanges[2])] == ["a", "c"]
    assert [one.number for one in leaves_of(TREE)] == [1, 2]


def test_a_torn_tail_is_set_apart_and_the_rest_is_kept():
    raw = lines_of_recording(replace(TREE, end=None))
    cut = raw[:-7]

    (read,), torn = journal_of(cut, file="r.jsonl")

    assert len(read.exchanges) == 2
    size = len(cut) - cut.rindex(b"\n") - 1
    assert (torn.line, torn.found) == (6, f"{size} bytes")


def test_a_whole_last_line_without_its_newline_is_not_torn():
    raw = lines_of_recording(replace(TREE, end=None))

    (read,), torn = journal_of(raw[:-1], file="r.jsonl")

    assert (len(read.exchanges), torn) == (3, None)


RAW = lines_of_recording(TREE)
BROKEN = {
    "a torn line that is not the last": (RAW.replace(b'"number":1', b'"number":', 1), errors.MalformedLine, 5),
    "an exchange out of order": (RAW.replace(b'"number":1', b'"number":7', 1), errors.MalformedLine, 5),
    "a parent that comes later": (RAW.replace(b'"parent":0', b'"parent":2', 1), errors.MalformedLine, 5),
    "no header": (RAW.split(b"\n", 1)[1], errors.MalformedLine, 1),
    "an unknown context": (b"\n".join(RAW.split(b"\n")[:1] + RAW.split(b"\n")[2:]), errors.MalformedLine, 2),
    "an edited line": (RAW.replace(b'"ms":3.5', b'"ms":4.5', 1), errors.DigestMismatch, 7),
    "a line after the end": (RAW + RAW.split(b"\n")[2] + b"\n", errors.MalformedLine, 8),
    "an unknown key": (RAW.replace(b'"redaction"', b'"redactoin"', 1), errors.MalformedLine, 1),
    "an empty line": (RAW.replace(b"\n", b"\n\n", 1), errors.MalformedLine, 2),
}


@pytest.mark.parametrize(("raw", "kind", "line"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_recording_is_refused_with_its_line(raw, kind, line):
    with pytest.raises(kind) as refused:
        journal_of(raw, file="recordings/walk.jsonl")

    assert (refused.value.file, refused.value.line) == ("recordings/walk.jsonl", line)
