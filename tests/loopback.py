"""A provider on this machine that says what it is told: each connection plays the next answer of a script, byte by byte.

An answer is a list of steps: bytes to send, seconds to wait, an event to wait for, or `RESET`. Requests are kept.
"""

import json
import socket
import struct
import threading
import time
from typing import NamedTuple

RESET = object()
_WAIT_S = 20


class Request(NamedTuple):
    """What a client sent."""

    line: str
    headers: dict
    body: bytes

    @property
    def path(self):
        return self.line.split(" ")[1]

    @property
    def json(self):
        return json.loads(self.body)


class Loopback:
    """`with Loopback(answer, …) as server:` listens on 127.0.0.1; the last answer is played again when all are."""

    def __init__(self, *answers):
        self.requests = []
        self._answers = list(answers)
        self._lock = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._threads = []
        self._closing = threading.Event()

    def __enter__(self):
        self._start(self._accept)
        return self

    def __exit__(self, *_):
        self._closing.set()
        # A listening socket does not wake up when it is closed: a last connection does that.
        socket.create_connection(self._socket.getsockname()).close()
        for thread in self._threads:
            thread.join(_WAIT_S)
        self._socket.close()

    def _start(self, target, *arguments):
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self):
        while not self._closing.is_set():
            connection, _ = self._socket.accept()
            if self._closing.is_set():
                connection.close()
                return
            self._start(self._serve, connection)

    def _serve(self, connection):
        with connection:
            request = _read(connection)
            if request is None:
                return
            with self._lock:
                self.requests.append(request)
                answer = self._answers[0] if len(self._answers) == 1 else self._answers.pop(0)
            try:
                self._play(connection, answer(request) if callable(answer) else answer)
            except OSError:
                return  # the client left

    def _play(self, connection, answer):
        for step in answer:
            if step is RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            if isinstance(step, bytes):
                connection.sendall(step)
            elif isinstance(step, threading.Event):
                step.wait(_WAIT_S)
            else:
                self._closing.wait(step)


def _read(connection):
    raw = b""
    while b"\r\n\r\n" not in raw:
        piece = connection.recv(65536)
        if not piece:
            return None
        raw += piece
    head, _, body = raw.partition(b"\r\n\r\n")
    line, *fields = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65536)
    return Request(line, headers, body)


def plain(body, *, status=200, headers=None):
    """A whole answer: JSON for an object, bytes as they are."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return [_head(status, {"content-type": "application/json", "content-length": len(raw)} | (headers or {})), raw]


def stream(*steps, status=200, headers=None, ends=True):
    """A chunked stream: bytes are sent as one chunk each, the other steps are kept; `ends` closes it properly."""
    head = _head(status, {"content-type": "text/event-stream", "transfer-encoding": "chunked"} | (headers or {}))
    body = [b"%x\r\n%b\r\n" % (len(step), step) if isinstance(step, bytes) else step for step in steps]
    return [head, *body, *([b"0\r\n\r\n"] if ends else [])]


def _head(status, headers):
    lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in headers.items()), "connection: close"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def until(condition, *, seconds=_WAIT_S):
    """Wait for something that another thread or process does."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)
