"""No text of any line keeps a secret, whichever field it stands in and however deep; what is written can be read."""

import json
from typing import Any, get_args, get_origin

import httpx2
import msgspec
import pytest
from spoken import chat_body, chat_events

from harness import errors
from harness.fixture import Meta
from harness.fixture_derivation import fixture_of_recording
from harness.fixture_lines import lines_of_fixture
from harness.judge.finding import Verdict
from harness.providers.dialect import dialect_of
from harness.raw_run import RawRun
from harness.recording import Context, End, Exchange, Header, State, ToolRun
from harness.recording_lines import journal_of, line_of, lines_of_recording
from harness.report.report import Result
from harness.transcript import Change, Effects, Outcome, ToolCall, Transcript
from harness.value import encode
from harness.wire.capture import Attempt
from harness.wire.record import Recorder
from harness.wire.redact import POLICY, Redactor
from harness.world import Answer

CHAT = dialect_of("chat")
SECRETS = {"text": "zX9qL2mN8pRt", "number": "8273645190"}
BOTH = pytest.mark.parametrize("secret", SECRETS.values(), ids=list(SECRETS))
DIGEST = "sha256:" + "0" * 64


def planted(type_, secret):
    """A value of a type, the secret in every place where any text, or any JSON, may stand."""
    origin, inner = get_origin(type_), get_args(type_)
    if type_ is Any:
        return {secret: [secret, {"a": secret}, json.dumps({"in": secret}), _number(secret)], "n": _number(secret)}
    if type_ is str:
        return f"a {secret} b"
    if isinstance(type_, type) and issubclass(type_, msgspec.Struct):
        return type_(**{one.name: planted(one.type, secret) for one in msgspec.structs.fields(type_)})
    if hasattr(type_, "__metadata__"):
        return _named(type_, secret)
    if origin in {list, tuple}:
        return origin([planted(inner[0], secret)])
    if origin is dict:
        return {planted(inner[0], secret): planted(inner[1], secret)}
    if inner and origin is not None and type(None) in inner:
        return planted(next(one for one in inner if one is not type(None)), secret)
    return _plain(type_, inner)


def _number(secret):
    return int(secret) if secret.isdecimal() else secret


def _named(type_, secret):
    """A type with bounds: digests and counts hold no secret; names do."""
    pattern = next((one.pattern for one in type_.__metadata__ if getattr(one, "pattern", None)), None)
    if pattern and "sha256" in pattern:
        return DIGEST
    return f"a-{secret}" if type_.__origin__ is str else 1


def _plain(type_, inner):
    if isinstance(type_, type):
        return next(iter(type_)) if hasattr(type_, "__members__") else type_(1)
    return planted(inner[0], "") if inner and not isinstance(inner[0], str | int) else inner[0]


@BOTH
@pytest.mark.parametrize(
    "kind", [Header, Context, Exchange, ToolRun, State, End, Meta, Transcript, RawRun, Verdict, Result], ids=lambda one: one.__name__
)  # fmt: skip
def test_no_field_of_a_struct_keeps_a_secret(kind, secret):
    struct = planted(kind, secret)

    clean = Redactor([secret]).struct(struct)

    assert secret in encode(struct).decode()
    assert secret not in encode(clean).decode()
    assert type(clean) is kind
    assert Redactor([secret]).struct(clean) == clean


@pytest.mark.parametrize(
    "kind", [Header, Exchange, State, Meta, Transcript, RawRun, Result], ids=lambda one: one.__name__
)
def test_a_struct_without_secrets_stays_as_it_is(kind):
    struct = planted(kind, "nothing of the kind")

    assert Redactor(SECRETS.values()).struct(struct) == struct


HEADER = Header(
    id="run", recorded_at="2026-01-01T00:00:00.000Z", agent_version="1", versions={}, provider="local", host="h",
    model="m", redaction=POLICY,
)  # fmt: skip


def _attempt(secret, deep, *, streamed):
    number = _number(secret)
    calls = [("x1", "find", json.dumps({"pin": number, "deep": deep, "list": [1, number]}))]
    request = {
        "model": secret,
        "messages": [
            {"role": "system", "content": secret},
            {"role": "user", "content": f"I am {secret}", secret: deep},
        ],
        "tools": [{"type": "function", "function": {"name": "find", "description": secret, "parameters": deep}}],
        "user": secret,
        "seed": number,
    }
    body = encode(chat_body(None, calls) | {"created": number, "id": secret, "x": deep})
    events = [
        json.loads(one.removeprefix(b"data: ")) | {"created": number, "x": deep} for one in chat_events([], calls)[:-1]
    ]
    chunks = [b"data: " + encode(one) + b"\n\n" for one in events] + [f": {secret}\n\ndata: [DONE]\n\n".encode()]
    return Attempt(
        url=httpx2.URL(f"http://u:{secret}@{secret}.test/{secret}/v1/chat/completions?key={secret}"),
        request=encode(request),
        status=200,
        headers={
            "content-type": "text/event-stream" if streamed else "application/json",
            "x-request-id": secret,
            secret: secret,
        },
        chunks=[(1.0, chunk) for chunk in chunks] if streamed else [(1.0, body)],
        complete=True,
        at="2026-01-01T00:00:01.000Z",
        ms=12.5,
    )


def recorded(secret, *, streamed):
    """A recording whose every line was given the secret wherever that is possible, and its journal's lines."""
    number, deep = _number(secret), {secret: [secret, _number(secret)], "n": _number(secret)}
    header = msgspec.structs.replace(
        HEADER, versions={secret: secret}, provider=secret, host=secret, model=secret, origin=f"proxy:{secret}",
        source=secret,
    )  # fmt: skip
    lines = []
    recorder = Recorder(header, Redactor([secret]), lambda line: lines.append(line_of(line)))
    attempt = _attempt(secret, deep, streamed=streamed)
    recorder.exchanged([attempt], CHAT)
    call = ToolCall("x1", "find", {"pin": number, "deep": deep, "list": [1, number]})
    recorder.ran(call, Answer(json.dumps({"r": number, secret: deep}), is_error=False), at="t", ms=1.0)
    recorder.ran(ToolCall(secret, secret, None, secret), Answer(secret, is_error=True), at="t", ms=1.0)
    change = Change("call_1", secret, number, deep, {"rows": [deep]})
    recording = recorder.finished(Outcome.COMPLETED, f"it was {secret}", Effects(DIGEST, [change]), model=secret)
    return recording, b"".join(lines)


@BOTH
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "stream"])
def test_no_line_of_a_recording_or_its_fixture_keeps_a_secret(secret, streamed):
    recording, journal = recorded(secret, streamed=streamed)

    lines = lines_of_recording(recording)
    fixture = fixture_of_recording(recording, title="t")

    written = journal + lines + lines_of_fixture(fixture)
    assert secret.encode() not in written
    assert journal_of(lines, file="f").recordings[0].state == recording.state
    [asked] = [call for turn in fixture.transcript.turns for call in getattr(turn, "calls", [])]
    mark = asked.arguments["pin"]
    assert mark.startswith("[secret:value:")
    assert asked.arguments == {"pin": mark, "deep": {mark: [mark, mark], "n": mark}, "list": [1, mark]}
    assert recording.tools[0].arguments == asked.arguments
    assert recording.state.changes[0].table == recording.state.changes[0].key == mark


@pytest.mark.parametrize("name", ["id", "scenario"])
def test_a_recording_whose_name_holds_a_secret_is_refused(name):
    header = msgspec.structs.replace(HEADER, **{name: "of-zX9qL2mN8pRt"})

    with pytest.raises(errors.SecretInName) as refused:
        Recorder(header, Redactor(["zX9qL2mN8pRt"]), lambda _: None)

    assert "zX9q" not in str(refused.value)


@pytest.mark.parametrize(
    ("secret", "which"), [("tool_calls", "the answer"), ("reasoning_content", None), ("content-of-it", None)]
)
def test_a_secret_that_is_a_word_of_the_protocol_leaves_no_broken_line(secret, which):
    kept = []
    recorder = Recorder(HEADER, Redactor([secret]), kept.append)
    answer = chat_body("Hi.", [("x1", "find", "{}")]) | {"note": f"{secret} content-of-it"}
    answer["choices"][0]["message"]["reasoning_content"] = "hm"
    attempt = Attempt(
        httpx2.URL("http://h/v1/chat/completions"), encode({"model": "m", "messages": []}), 200,
        {"content-type": "application/json"}, [(1.0, encode(answer))], True, "t", 1.0,
    )  # fmt: skip

    refused = None
    try:
        recorder.exchanged([attempt], CHAT)
    except errors.SecretInTheWay as error:
        refused = error.subject

    assert (refused is None) == (which is None)
    assert len(kept) == (1 if which else 3)
