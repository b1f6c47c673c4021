"""Both loopback servers inside a test, and raw requests to them."""

import http.client
import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

from harness.cli.listening import Place, guard_of, listening_at, url_of
from harness.files import load_journal
from harness.session.growing import Growing
from harness.wire.joined import script_of
from harness.wire.proxy_server import Keeping, ProxyServer, Upstream
from harness.wire.redact import Redactor
from harness.wire.replay import Replay
from harness.wire.replay_server import ReplayServer
from harness.wire.server import Listener

ANYWHERE = Place("127.0.0.1", 0)
DATE = "2026-01-02T03:04:05Z"
PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages"}


@contextmanager
def listening(server, told=print):
    with listening_at(ANYWHERE, has_program=False) as socket, Listener(server.app(guard_of(ANYWHERE, told)), socket):
        yield url_of(socket, ANYWHERE)


class Proxy:
    """A proxy in front of an upstream; when its block ends, `recording` is what it recorded."""

    def __init__(self, path, upstream, *, secrets=()):
        redactor = Redactor(secrets)
        self.growing = Growing(path, "proxy:test", redactor)
        self._keeper = ThreadPoolExecutor(1)
        keeping = Keeping(
            lambda one: self._keeper.submit(self.growing.intake.add, one), redactor.learn, time.monotonic, lambda: DATE
        )
        self._server = ProxyServer(Upstream(upstream), keeping)

    @contextmanager
    def __call__(self):
        with listening(self._server) as url:
            yield url
        self._keeper.shutdown()
        self.growing.intake.flush()
        if self.growing.exchanges:
            self.growing.write()

    @property
    def recording(self):
        [recording] = load_journal(self.growing.path).recordings
        return recording


@contextmanager
def recorded(path, upstream):
    """Record what is asked inside the block: the proxy's address."""
    with Proxy(path, upstream)() as url:
        yield url


def replay_of(*paths, allowed=frozenset()):
    """Give a replay of recordings."""
    pairs = [(path.name, recording) for path in paths for recording in load_journal(path).recordings]
    return Replay(script_of(pairs, name=paths[0].name, command="record-it-again"), allowed=allowed)


@contextmanager
def serving(replay, **options):
    with listening(ReplayServer(replay, **options)) as url:
        yield url


class Answer:
    """A raw answer; `chunks` are those of the chunked coding, None for a body of a said length."""

    def __init__(self, status, headers, body, chunks):
        self.status, self.headers, self.body, self.chunks = status, headers, body, chunks

    @property
    def json(self):
        return json.loads(self.body)


def ask(url, path, body=None, *, method="POST", headers=None):
    """Send one request and read its answer as it crosses the wire."""
    raw = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    with closing(http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)) as connection:
        headers = {"content-type": "application/json", "connection": "close"} | (headers or {})
        connection.request(method, path, raw, headers)
        response = connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        if not response.chunked:
            return Answer(response.status, found, response.read(), None)
        response.chunked = False  # the coding itself is wanted
        chunks = _chunks(response.fp.read())
        return Answer(response.status, found, b"".join(chunks), chunks)


def _chunks(raw):
    """Take chunked coding apart; raises `IncompleteRead` where its end is missing."""
    chunks = []
    while True:
        size, found, raw = raw.partition(b"\r\n")
        if not found:
            raise http.client.IncompleteRead(b"".join(chunks))
        count = int(size, 16)
        if not count:
            return chunks
        chunks.append(raw[:count])
        raw = raw[count + 2 :]


def question(api, text="hi", *, model="m", stream=False, system=None):
    """Give the body of a question in one of the three APIs."""
    body = {"model": model, "stream": stream} if stream else {"model": model}
    user = {"role": "user", "content": text}
    match api:
        case "chat":
            leading = [{"role": "system", "content": system}] if system else []
            return body | {"messages": [*leading, user]}
        case "messages":
            return body | {"max_tokens": 9, "messages": [user]} | ({"system": system} if system else {})
        case "responses":
            return body | {"input": [user]} | ({"instructions": system} if system else {})
