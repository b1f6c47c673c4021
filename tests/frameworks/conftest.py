"""A page of docs/ as a project of its own: its files written out, recorded beside a provider on loopback, replayed."""

import asyncio
import importlib
import re
import socket
from pathlib import Path

import pytest
from loopback import Loopback

DOCS = Path(__file__).parents[2] / "docs"


class PageProject:
    """The files that a page shows, and pytest run on them."""

    def __init__(self, page, answers, pytester, monkeypatch):
        self.text = (DOCS / page).read_text("utf-8")
        self.recordings = pytester.path / "recordings"
        self._answers, self._pytester, self._monkeypatch = answers, pytester, monkeypatch
        for name, source in re.findall(r"```python\n# (\S+\.py)\n(.*?)```", self.text, re.DOTALL):
            (pytester.path / name).write_text(source)

    def edit(self, name, pattern, new):
        path = self._pytester.path / name
        edited, count = re.subn(pattern, new, path.read_text())
        assert count
        path.write_text(edited)

    def run_alone(self, *arguments):
        """Pytest where no connection can be made, not even to this machine."""
        with self._monkeypatch.context() as patch:
            patch.setattr(socket.socket, "connect", _refused)
            return self._run(arguments)

    def run_beside(self, *arguments):
        """Pytest beside a provider that answers; the result, and what the provider was asked."""
        with Loopback(*self._answers) as server, self._monkeypatch.context() as patch:
            patch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
            patch.setenv("ANTHROPIC_BASE_URL", server.url)
            patch.setenv("OPENAI_API_KEY", "k-placeholder")
            patch.setenv("ANTHROPIC_API_KEY", "k-placeholder")
            return self._run(arguments), server.requests

    def run_apart(self, *arguments):
        """Pytest in a process of its own, where no guard but the replay's own refuses a connection."""
        return self._pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)

    def _run(self, arguments):
        # A run of its own would have an event loop of its own; `Runner.run_sync` takes the thread's.
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            return self._pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)
        finally:
            asyncio.set_event_loop(None)
            loop.close()


def _refused(*_):
    raise ConnectionRefusedError("every socket is closed here")


@pytest.fixture(scope="module")
def loaded():
    """`loaded(package)` before the first run in this process, which forgets the modules that it was first to import."""

    def load(package):
        for name in ("openai.resources.chat", "openai.resources.responses", "harness.session.under_pytest"):
            importlib.import_module(name)
        pytest.importorskip(package, reason=f"{package} is not installed; `make test-frameworks` fetches it")

    return load


@pytest.fixture
def page_project(pytester, monkeypatch):
    """`page_project(page, answers)`: what the page shows, and a provider that gives these answers."""
    monkeypatch.syspath_prepend(pytester.path)
    return lambda page, answers: PageProject(page, answers, pytester, monkeypatch)
