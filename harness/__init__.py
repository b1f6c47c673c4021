"""Record a tool-calling agent once, replay it offline, judge what it did by fixed rules.

The names below are the public face; each is imported when it is first used, so that `import harness` stays cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.cli.suites.run_files import cases_of_run, load_run, run_problems
    from harness.derivation import transcript_of
    from harness.errors import HarnessError
    from harness.files import load_fixture, load_journal, load_scenario, load_suite
    from harness.fixture import Fixture
    from harness.judge.constraints import expectation_of
    from harness.judge.evidence import judge_fixture, judge_transcript, suite_judge
    from harness.judge.finding import Finding, Verdict
    from harness.raw_run import RawRun
    from harness.recording import Recording
    from harness.scenario import Scenario, Tool
    from harness.session.runs import record, replay
    from harness.suite import Suite
    from harness.trace import Trace, trace_of
    from harness.transcript import Transcript

__all__ = [
    "Finding",
    "Fixture",
    "HarnessError",
    "RawRun",
    "Recording",
    "Scenario",
    "Suite",
    "Tool",
    "Trace",
    "Transcript",
    "Verdict",
    "cases_of_run",
    "expectation_of",
    "judge_fixture",
    "judge_transcript",
    "load_fixture",
    "load_journal",
    "load_run",
    "load_scenario",
    "load_suite",
    "record",
    "replay",
    "run_problems",
    "suite_judge",
    "trace_of",
    "transcript_of",
]

_HOME = {
    "Finding": "harness.judge.finding",
    "Fixture": "harness.fixture",
    "HarnessError": "harness.errors",
    "RawRun": "harness.raw_run",
    "Recording": "harness.recording",
    "Scenario": "harness.scenario",
    "Suite": "harness.suite",
    "Tool": "harness.scenario",
    "Trace": "harness.trace",
    "Transcript": "harness.transcript",
    "Verdict": "harness.judge.finding",
    "cases_of_run": "harness.cli.suites.run_files",
    "expectation_of": "harness.judge.constraints",
    "judge_fixture": "harness.judge.evidence",
    "judge_transcript": "harness.judge.evidence",
    "load_fixture": "harness.files",
    "load_journal": "harness.files",
    "load_run": "harness.cli.suites.run_files",
    "load_scenario": "harness.files",
    "load_suite": "harness.files",
    "record": "harness.session.runs",
    "replay": "harness.session.runs",
    "run_problems": "harness.cli.suites.run_files",
    "suite_judge": "harness.judge.evidence",
    "trace_of": "harness.trace",
    "transcript_of": "harness.derivation",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'harness' has no attribute {name!r}")
    named: object = getattr(import_module(_HOME[name]), name)
    return named


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
