"""A project of its own for each test of the plugin."""

# Before any run in this process, which forgets the modules that it was the first to import: an exception of a module
# that is imported twice is no exception that its users know.
import httpcore2  # noqa: F401
import openai  # noqa: F401
import pytest
from greeter import AGENT, TEST
from loopback import Loopback, plain
from spoken import chat_body


@pytest.fixture
def project(pytester, monkeypatch):
    """A project with an agent; `run(test, …)` runs pytest in it, with a provider on loopback for those that record."""
    monkeypatch.syspath_prepend(pytester.path)
    pytester.makepyfile(agent=AGENT)
    pytester.makepyprojecttoml('[tool.pytest]\nminversion = "9"\nstrict = true\n')

    class Project:
        path = pytester.path
        recordings = pytester.path / "recordings"

        def write(self, source=TEST, **files):
            pytester.makepyfile(**(files or {"test_greeter": source}))

        def run(self, *arguments):
            return pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)

        def record(self, *arguments, option="--fc-record"):
            with Loopback(plain(chat_body("Hello"))) as server, monkeypatch.context() as patch:
                patch.setenv("MODEL_URL", server.url)
                return self.run(option, *arguments), server

    return Project()
