"""Record a tool-calling agent once, replay it offline, judge what it did by fixed rules.

The names below are the public face; each is imported when it is first used, so that `import harness` stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.errors import HarnessError
    from harness.files import load_fixture, load_scenario
    from harness.fixture import Fixture
    from harness.recording import Recording
    from harness.scenario import Scenario, Tool
    from harness.session.runs import record, replay
    from harness.transcript import Transcript

__all__ = [
    "Fixture",
    "HarnessError",
    "Recording",
    "Scenario",
    "Tool",
    "Transcript",
    "load_fixture",
    "load_scenario",
    "record",
    "replay",
]

_HOME = {
    "Fixture": "harness.fixture",
    "HarnessError": "harness.errors",
    "Recording": "harness.recording",
    "Scenario": "harness.scenario",
    "Tool": "harness.scenario",
    "Transcript": "harness.transcript",
    "load_fixture": "harness.files",
    "load_scenario": "harness.files",
    "record": "harness.session.runs",
    "replay": "harness.session.runs",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'harness' has no attribute {name!r}")
    named: object = getattr(import_module(_HOME[name]), name)
    return named


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
