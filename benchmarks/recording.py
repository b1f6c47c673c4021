"""What recording costs while a stream comes: the first token, later tokens, and chunks kept one for one.

    python benchmarks/recording.py [ROUNDS]

A provider on loopback notes when it sends each event; the client notes when it gets it. The SDK alone and the SDK with
the recorder beneath take turns, so that both meet the same machine.
"""

import json
import socket
import statistics
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import httpx2
import openai

from harness.providers.dialect import Request, dialect_of
from harness.recording import Exchange, Header, Line
from harness.transcript import Text, UserTurn
from harness.wire.capture import Attempt, Attempts
from harness.wire.clients import Endpoint, LiveModel, client_of
from harness.wire.record import Recorder
from harness.wire.redact import POLICY, Redactor

TOKENS = 40
GAP_S = 0.002
SENT: list[float] = []


def event_of(text: str | None, reason: str | None = None) -> bytes:
    delta = {"content": text} if text else {}
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


EVENTS = [*(event_of(f"word{number} ") for number in range(TOKENS)), event_of(None, "stop"), b"data: [DONE]\n\n"]


def serve(listener: socket.socket) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            answer(connection)


def answer(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.recv(1 << 20)
    head = (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    )
    connection.sendall(head)
    SENT.clear()
    for event in EVENTS:
        time.sleep(GAP_S)
        SENT.append(time.perf_counter())
        connection.sendall(b"%x\r\n%b\r\n" % (len(event), event))
    connection.sendall(b"0\r\n\r\n")


def delays(ask: Callable[[Callable[[str], None]], object]) -> tuple[float, float]:
    """Milliseconds between sending and getting: the first token, the median of the others."""
    got: list[float] = []
    ask(lambda _: got.append(time.perf_counter()))
    passed = [(there - sent) * 1000 for there, sent in zip(got, SENT, strict=False)]
    assert len(got) == TOKENS
    return passed[0], statistics.median(passed[1:])


def alone(url: str) -> Callable[[Callable[[str], None]], object]:
    client = openai.OpenAI(api_key="none", base_url=url, http_client=httpx2.Client(timeout=60))

    def ask(heard: Callable[[str], None]) -> None:
        messages: Any = [{"role": "user", "content": "hi"}]
        for chunk in client.chat.completions.create(model="m", messages=messages, stream=True):
            if chunk.choices and chunk.choices[0].delta.content:
                heard(chunk.choices[0].delta.content)

    return ask


def recorded(url: str, kept: list[Line]) -> Callable[[Callable[[str], None]], object]:
    dialect, attempts = dialect_of("chat"), Attempts(time.monotonic, lambda: "now")
    client = client_of(Endpoint("chat", url, "none", 60, 0), attempts)
    header = Header(
        id="run", recorded_at="now", agent_version="1", versions={}, provider="local", host="h", model="m",
        redaction=POLICY,
    )  # fmt: skip

    def ask(heard: Callable[[str], None]) -> object:
        recorder = Recorder(header, Redactor(["some known value"]), kept.append)

        def record(tries: list[Attempt]) -> None:
            recorder.exchanged(tries, dialect)

        model = LiveModel(client, dialect, attempts, record, heard)
        return model.reply(Request("m", "", [], {"stream": True}, [UserTurn([Text("hi")])]))

    return ask


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    kept: list[Line] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        plain, taped = alone(url), recorded(url, kept)
        for ask in (plain, taped):
            delays(ask)  # the SDK builds its models on the first call
        pairs = [(delays(plain), delays(taped)) for _ in range(rounds)]
    exchanges = [line for line in kept if isinstance(line, Exchange)]
    same = all([chunk.text for chunk in one.chunks or []] == [event.decode() for event in EVENTS] for one in exchanges)
    for name, place in (("first token", 0), ("later tokens", 1)):
        before = statistics.median(pair[0][place] for pair in pairs)
        after = statistics.median(pair[1][place] for pair in pairs)
        print(f"{name:14} alone {before:6.3f} ms   recorded {after:6.3f} ms   more {after - before:+6.3f} ms (≤ 5 ms)")
    print(f"chunks         {len(EVENTS)} sent a stream, kept one for one in {len(exchanges)} streams: {same}")
    if not same:
        sys.exit(1)


if __name__ == "__main__":
    main()
