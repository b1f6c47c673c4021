"""Runs of one small suite, made once and copied for every test; and reviews served to a client of their page."""

import json
import re
import shutil
import threading
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from evidence_project import project_in, record_run
from evidence_samples import report

from harness.cli.evidence.review_file import Reviewer, ReviewFile
from harness.cli.evidence.review_web import ReviewServer
from harness.cli.suites.run_report import Loaded


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Three runs that nearly agree, one that is worse, one of two trials."""
    root = tmp_path_factory.mktemp("made")
    project_in(root)
    record_run(root, "one", wrong={3, 7})
    record_run(root, "two", wrong={3, 7})
    record_run(root, "three", wrong={3, 7, 8})
    record_run(root, "worse", wrong={1, 2, 3, 4, 5, 6, 7, 9})
    record_run(root, "twice", "--trials", "2", wrong={3})
    for manifest in root.glob("recordings/*/run.json"):  # made on one day, so that a baseline of any later one may be
        manifest.write_bytes(re.sub(rb'(edAt":")[^T"]*T', rb"\g<1>2026-11-01T", manifest.read_bytes()))
    return root


@pytest.fixture
def project(made, tmp_path, monkeypatch):
    """A copy of the project, and the place where commands run."""
    root = tmp_path / "project"
    shutil.copytree(made, root)
    monkeypatch.chdir(root)
    return root


class Site:
    """A served review and a client of it."""

    def __init__(self, server):
        self.server = server
        self.url = server.url
        self.path = urlsplit(server.url).path

    def ask(self, method="GET", place="", *, body=None, **headers):
        """Status and body; headers are written with `_` for `-`."""
        connection = HTTPConnection(self.server.host, timeout=10)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, self.path + place if not place.startswith("/") else place, body, named)
        answer = connection.getresponse()
        told = answer.status, answer.read().decode(), dict(answer.getheaders())
        connection.close()
        return told

    def answer(self, body, **headers):
        raw = body if isinstance(body, (bytes, str)) else json.dumps(body)
        return self.ask("POST", "answer", body=raw, **{"content_type": "application/json", **headers})


@pytest.fixture
def site(tmp_path):
    servers = []

    def serve(verdicts="FFP", **facts):
        book = ReviewFile(tmp_path / "review.json", Loaded("one", report(verdicts, **facts), "one"))
        book.begin()
        server = ReviewServer(book, Reviewer("ada", "human"))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        servers.append((server, thread))
        return Site(server)

    yield serve
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()
