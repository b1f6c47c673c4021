"""Recordings told in a few lines: request bodies and answers, recorded as they would be on the wire."""

import json

import httpx2

from harness.providers.dialect import dialect_of
from harness.recording import Header
from harness.transcript import Outcome
from harness.wire.capture import Attempt
from harness.wire.matching import Asked, Found, Missed
from harness.wire.record import Recorder
from harness.wire.redact import Redactor
from harness.wire.replay import Replay, Script, Sent
from harness.wire.replay_transport import ReplayTransport

PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages"}
HEADER = Header(
    id="told",
    recorded_at="2026-11-30T00:00:00Z",
    agent_version="0.1.0",
    versions={},
    provider="openai",
    host="api.example.test",
    model="m-test",
    redaction="standard-1",
    origin="test:tests/test_told.py::test_it",
)
WEATHER = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}


def user(text):
    return {"role": "user", "content": text}


def said(text):
    return {"role": "assistant", "content": text}


def calls(*calls):
    """An assistant message of Chat with calls `(id, name, arguments)`."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": id_, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for id_, name, arguments in calls
        ],
    }


def result(id_, text):
    return {"role": "tool", "tool_call_id": id_, "content": text}


def chat(*messages, system="Answer in one word.", **params):
    """A body of Chat Completions; `system` None leaves the leading message out."""
    leading = [{"role": "system", "content": system}] if system is not None else []
    return {"model": "m-test", "temperature": 0, "messages": [*leading, *messages], "tools": [WEATHER]} | params


def completion(message, number=0):
    """A plain answer of Chat Completions; text stands for a message."""
    message = said(message) if isinstance(message, str) else message
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": f"cc-{number}", "object": "chat.completion", "created": 0, "model": "m-test", "choices": [choice]}


class Told:
    """A recording in the making."""

    def __init__(self, secrets=()):
        self.redactor = Redactor(secrets)
        self.recorder = Recorder(HEADER, self.redactor, lambda _: None)

    def add(self, body, answer, api="chat", *, status=200, complete=True, tries=1):
        """Add an exchange: the answer is a JSON value, bytes, or a list of chunks."""
        url = httpx2.URL("https://api.example.test" + PATHS[api])
        chunks = answer if isinstance(answer, list) else [answer if isinstance(answer, bytes) else encoded(answer)]
        kind = "text/event-stream" if isinstance(answer, list) else "application/json"
        timed = [(float(at), chunk) for at, chunk in enumerate(chunks, 1)]
        last = Attempt(
            url=url,
            request=encoded(body),
            status=status,
            headers={"content-type": kind},
            chunks=timed,
            complete=complete,
            at="2026-11-30T00:00:01.000Z",
            ms=9.0,
        )
        return self.recorder.exchanged([last] * tries, dialect_of(api))

    def recording(self):
        return self.recorder.finished(Outcome.COMPLETED, None, None, model="m-test")


def told(*pairs, api="chat", secrets=()):
    """A recording of (body, answer) pairs."""
    run = Told(secrets)
    for body, answer in pairs:
        run.add(body, answer, api)
    return run.recording()


def encoded(value):
    return json.dumps(value, ensure_ascii=False).encode()


def asked(body, api="chat", retries=None):
    """A request as the transport hands it to the matching, through bytes."""
    body = json.loads(json.dumps(body))
    return Asked(api, body, dialect_of(api).parts_of(body), retries)


def number_of(found):
    assert isinstance(found, Found), found
    return found.exchange.number


def reason_of(missed):
    assert isinstance(missed, Missed), missed
    return missed.reason


def block(text):
    return {"type": "text", "text": text}


def anthropic(*messages, system="Be brief.", **params):
    return {"model": "m-test", "max_tokens": 64, "system": system, "messages": list(messages)} | params


def message(number, *content, stop="end_turn"):
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "m-test",
        "content": list(content),
        "stop_reason": stop,
        "usage": usage,
    }


TOOL_USE = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Rome"}}


TOOL_RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "21 C"}]}


def replay_of(recording, **named):
    return Replay(Script(recording, "recordings/told.jsonl", "pytest --fc-record tests/test_told.py"), **named)


def post(replay, body, api="chat", **headers):
    """Send a body to a replay as a client would."""
    return replay.answer(Sent("POST", PATHS[api], headers, encoded(body)))


def client_for(replay, **named):
    return httpx2.Client(transport=ReplayTransport(httpx2, replay, **named))


def async_client_for(replay, **named):
    return httpx2.AsyncClient(transport=ReplayTransport(httpx2, replay, **named))
