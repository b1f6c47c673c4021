"""Attempts become lines: what is kept of each, and that what was kept line by line is the recording."""

import json

import httpx2
import pytest
from spoken import chat_body, chat_events

from harness import errors
from harness.providers.dialect import dialect_of
from harness.recording import Header
from harness.recording_lines import journal_of, line_of, lines_of_recording
from harness.transcript import Change, Effects, Outcome, ToolCall
from harness.value import MAX_LINE_BYTES, encode
from harness.wire.capture import Attempt
from harness.wire.record import Recorder
from harness.wire.redact import POLICY, Redactor
from harness.world import Answer

CHAT = dialect_of("chat")
HEADER = Header(
    id="run", recorded_at="2026-01-01T00:00:00.000Z", agent_version="1", versions={}, provider="local", host="h",
    model="m", redaction=POLICY,
)  # fmt: skip


def attempt_of(
    messages, *, answer=b"{}", status=200, chunks=None, complete=True, url="http://h/v1/chat/completions", **params
):
    request = {"model": "m", "messages": messages, **params}
    kind = "text/event-stream" if chunks else "application/json"
    return Attempt(
        url=httpx2.URL(url),
        request=json.dumps(request).encode(),
        status=status,
        headers={"content-type": kind, "set-cookie": "sid=1", "x-request-id": "r1"},
        chunks=[(float(at), chunk) for at, chunk in enumerate(chunks or [answer])],
        complete=complete,
        at="2026-01-01T00:00:01.000Z",
        ms=12.5,
    )


def said(role, text):
    return {"role": role, "content": text}


class Kept:
    """A recorder whose lines are kept as bytes."""

    def __init__(self, *values):
        self.lines = []
        self.recorder = Recorder(HEADER, Redactor(values), lambda line: self.lines.append(line_of(line)))

    def add(self, *attempts):
        return self.recorder.exchanged(list(attempts), CHAT)

    def finish(self, effects=None):
        return self.recorder.finished(Outcome.COMPLETED, None, effects, model="m-1")


def test_the_journal_and_the_finished_recording_hold_the_same():
    kept = Kept()
    kept.add(attempt_of([said("system", "s"), said("user", "u")], answer=encode(chat_body("a"))))
    kept.recorder.ran(ToolCall("x", "t", {"n": 1}), Answer("r", is_error=True), at="now", ms=0.5)
    effects = Effects("sha256:" + "0" * 64, [Change("call_1", "rows", 1, None, {"id": 1})])

    recording = kept.finish(effects)

    [journal] = journal_of(b"".join(kept.lines), file="f").recordings
    [whole] = journal_of(lines_of_recording(recording), file="f").recordings
    assert (journal.exchanges, journal.tools, journal.contexts) == (whole.exchanges, whole.tools, whole.contexts)
    assert (whole.header.model_answered, whole.state.changes, whole.end.outcome) == (
        "m-1",
        effects.changes,
        "completed",
    )
    assert (whole.end.exchanges, whole.end.tools) == (1, 1)


HUGE = "x" * MAX_LINE_BYTES


def test_what_a_line_cannot_hold_is_refused_before_anything_is_written():
    kept = Kept()
    kept.add(attempt_of([said("system", "s"), said("user", "u")], answer=encode(chat_body("a"))))
    before = list(kept.lines)

    with pytest.raises(errors.LineTooLong, match="exchange 1") as raised:
        kept.add(attempt_of([said("system", "s"), said("user", HUGE)], answer=encode(chat_body("a"))))
    with pytest.raises(errors.LineTooLong, match="the result of t"):
        kept.recorder.ran(ToolCall("x", "t", {"n": 1}), Answer(HUGE, is_error=False), at="now", ms=0.5)
    with pytest.raises(errors.LineTooLong, match="what each request holds"):
        kept.add(attempt_of([said("system", HUGE), said("user", "u")], answer=encode(chat_body("a"))))

    assert raised.value.expected == "8388608 bytes"
    assert (kept.lines, len(kept.recorder.exchanges)) == (before, 1)
    [journal] = journal_of(lines_of_recording(kept.finish()), file="f").recordings
    assert (len(journal.exchanges), len(journal.contexts), journal.tools) == (1, 1, [])


def test_only_named_headers_are_kept():
    exchange = Kept().add(attempt_of([said("user", "u")]))

    assert exchange.headers == {"content-type": "application/json", "x-request-id": "r1"}


@pytest.mark.parametrize(
    ("answer", "body", "base64"),
    [
        (b'{"a": 1.50,\n "b": "\\u7bb1"}', '{"a": 1.50,\n "b": "\\u7bb1"}', None),
        (b"not json \xe7\xae\xb1", "not json 箱", None),
        (b"\xff\xfe", None, "//4="),
        (b"", "", None),
    ],
)
def test_a_body_is_kept_as_it_came(answer, body, base64):
    exchange = Kept().add(attempt_of([said("user", "u")], answer=answer))

    assert (exchange.body, exchange.base64, exchange.chunks) == (body, base64, None)


def test_chunks_keep_their_borders_also_inside_a_character():
    chunks = [b"data: \xe7\xae", b"\xb1\n", b"\n"]

    exchange = Kept().add(attempt_of([said("user", "u")], chunks=chunks))

    assert [(one.ms, one.text, one.base64) for one in exchange.chunks] == [
        (0.0, None, "ZGF0YTog564="), (1.0, None, "sQo="), (2.0, "\n", None),
    ]  # fmt: skip


def test_attempts_before_the_last_are_counted_with_their_status():
    messages = [said("user", "u")]

    exchange = Kept().add(attempt_of(messages, status=429), attempt_of(messages, status=0), attempt_of(messages))

    assert (exchange.attempts, exchange.retried, exchange.status) == (3, [429, 0], 200)


def test_what_stays_the_same_is_written_once():
    kept = Kept()
    kept.add(attempt_of([said("system", "s"), said("user", "u")]))
    kept.add(attempt_of([said("system", "s"), said("user", "u"), said("assistant", "a"), said("user", "v")]))
    kept.add(attempt_of([said("system", "other"), said("user", "u")]))

    kinds = [json.loads(line)["type"] for line in kept.lines]
    messages = [exchange.messages for exchange in kept.recorder.exchanges]

    assert kinds == ["recording", "context", "exchange", "exchange", "context", "exchange"]
    assert messages[1] == [said("assistant", "a"), said("user", "v")]


def test_a_conversation_may_branch_and_two_may_go_on_at_once():
    kept = Kept()
    first = [said("user", "u"), said("assistant", "a")]
    for messages in (
        first[:1],
        [said("user", "x")],
        [*first, said("user", "v")],
        [*first, said("user", "w")],
        first[:1],
    ):
        kept.add(attempt_of(messages))

    assert [(one.parent, len(one.messages)) for one in kept.recorder.exchanges] == [
        (None, 1), (None, 1), (0, 2), (0, 2), (None, 1),
    ]  # fmt: skip


def test_everything_that_is_kept_is_scrubbed():
    kept = Kept("hunter22!")
    url = "http://u:hunter22!@h/v1/chat/completions?key=hunter22!&page=2"
    kept.add(
        attempt_of(
            [said("system", "hunter22!"), said("user", "hunter22!")],
            chunks=chat_events(["hunt", "er22!"]),
            url=url,
            user="hunter22!",
        )
    )
    kept.recorder.ran(
        ToolCall("hunter22!", "hunter22!", {"hunter22!": "hunter22!"}),
        Answer("hunter22!", is_error=False),
        at="now",
        ms=1,
    )
    changes = [Change("call_1", "rows", "hunter22!", {"a": "hunter22!"}, None)]

    recording = kept.recorder.finished(
        Outcome.ERROR, "hunter22!", Effects("sha256:" + "0" * 64, changes), model="hunter22!"
    )

    written = b"".join(kept.lines) + lines_of_recording(recording)
    assert b"hunter22" not in written
    assert b"page=2" in written
