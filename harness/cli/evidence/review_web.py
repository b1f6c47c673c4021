"""A review in the browser: a server on this machine's own address that serves one page and saves each answer.

Only who was told the address gets in: it holds a random word, and a request for any other host name is refused, so
that no page from elsewhere can reach it by a name of its own.
"""

import secrets
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import click
import msgspec

from harness.cli.evidence.review_file import Reviewer, ReviewFile
from harness.errors import EvidenceTaken, HarnessError, WrongOption
from harness.evidence.review import Choice, Given
from harness.evidence.review_page import page_of, state_of
from harness.value import NotJsonError, decode, encode

HOST = "127.0.0.1"
_LARGEST = 64 * 1024
_LONGEST_NOTE = 4_000
_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}


class _Answer(msgspec.Struct, forbid_unknown_fields=True):
    place: int
    answer: Choice
    note: str = ""


class _Refused(Exception):
    """A request that is answered with a status and a sentence."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class ReviewServer(ThreadingHTTPServer):
    """One review, served until `shutdown`; `url` is where."""

    daemon_threads = True

    def __init__(self, book: ReviewFile, reviewer: Reviewer, *, port: int = 0, again: bool = False) -> None:
        super().__init__((HOST, port), _Handler)
        self.book = book
        self.reviewer = reviewer
        self.again = again
        self.word = secrets.token_hex(16)
        self.host = f"{HOST}:{self.server_address[1]}"
        self.url = f"http://{self.host}/{self.word}/"
        self._lock = threading.Lock()

    def page(self) -> bytes:
        """The page as the review stands now."""
        with self._lock:
            return page_of(self.book.sheet, self.book.review, reviewer=self.reviewer.name, again=self.again)

    def take(self, answer: _Answer) -> bytes:
        """Save an answer; the state after it. Raises `_Refused` where it does not suit."""
        if not 0 <= answer.place < len(self.book.sheet.asked):
            raise _Refused(HTTPStatus.BAD_REQUEST, "there is no such result")
        if len(answer.note) > _LONGEST_NOTE:
            raise _Refused(HTTPStatus.BAD_REQUEST, f"a note has at most {_LONGEST_NOTE} characters")
        with self._lock:
            try:
                self.book.answer(answer.place, Given(answer.answer, answer.note, *self.reviewer))
            except EvidenceTaken as error:
                raise _Refused(HTTPStatus.CONFLICT, str(error)) from None
            except (HarnessError, OSError) as error:
                raise _Refused(HTTPStatus.BAD_REQUEST, str(error)) from None
            return encode(state_of(self.book.sheet, self.book.review, again=self.again))


class _Handler(BaseHTTPRequestHandler):
    server: ReviewServer
    server_version = "fc-judge"
    sys_version = ""
    timeout = 30
    _ends = False

    def do_GET(self) -> None:
        """Give the page."""
        self._answer({"": lambda: ("text/html; charset=utf-8", self.server.page())})

    def do_POST(self) -> None:
        """Take an answer, or end."""
        self._answer({"answer": self._take, "finish": self._finish})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as the base class names it
        """Say nothing: the address holds the word."""

    def _answer(self, places: dict[str, Any]) -> None:
        try:
            kind, body = self._place(places)()
            status = HTTPStatus.OK
        except _Refused as refused:
            status, kind, body = refused.status, "text/plain; charset=utf-8", str(refused).encode()
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        if self._ends:  # not before the page has its answer
            threading.Thread(target=self.server.shutdown, daemon=True).start()

    def _place(self, places: dict[str, Any]) -> Any:  # noqa: ANN401  what answers the request
        if self.headers.get("Host") != self.server.host:
            raise _Refused(HTTPStatus.FORBIDDEN, "this server answers to its own address only")
        if self.headers.get("Origin", f"http://{self.server.host}") != f"http://{self.server.host}":
            raise _Refused(HTTPStatus.FORBIDDEN, "only the page itself may ask")
        _, word, place = [*self.path.split("/", 2), "", ""][:3]
        if not secrets.compare_digest(word.encode(), self.server.word.encode()) or place not in places:
            raise _Refused(HTTPStatus.NOT_FOUND, "there is nothing here")
        return places[place]

    def _take(self) -> tuple[str, bytes]:
        raw = self._body()
        try:
            answer = msgspec.convert(decode(raw), _Answer)
        except (NotJsonError, msgspec.ValidationError) as error:
            raise _Refused(HTTPStatus.BAD_REQUEST, f"no answer: {error}") from None
        return "application/json", self.server.take(answer)

    def _finish(self) -> tuple[str, bytes]:
        self._body()
        self._ends = True
        return "application/json", b"{}"

    def _body(self) -> bytes:
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "answers are JSON")
        size = self.headers.get("Content-Length", "")
        if not size.isdecimal() or int(size) > _LARGEST:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "an answer is short")
        return self.rfile.read(int(size))


def review_in_browser(book: ReviewFile, reviewer: Reviewer, *, port: int = 0, again: bool = False) -> None:
    """Serve the review until it is ended there or here."""
    with _server(book, reviewer, port=port, again=again) as server:
        try:
            click.echo(f"review: {server.url}", err=True)
            click.echo("Open it on this machine. Every answer is saved at once; Ctrl-C ends the server.", err=True)
            server.serve_forever(poll_interval=0.1)
        except KeyboardInterrupt:
            click.echo("ended", err=True)


def _server(book: ReviewFile, reviewer: Reviewer, *, port: int, again: bool) -> ReviewServer:
    try:
        return ReviewServer(book, reviewer, port=port, again=again)
    except OSError as error:
        sentence = f"nothing can listen on port {port}: {error.strerror}"
        raise WrongOption(sentence, expected="another --port, or none for a free one") from None
