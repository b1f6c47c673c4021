"""A piece of evidence and what is expected of it, to its verdict."""

from harness.fixture import Fixture
from harness.judge.assertions import assertions_hold, declared_outcomes
from harness.judge.engine import Expectation, judge
from harness.judge.finding import Verdict
from harness.trace import trace_of
from harness.transcript import Transcript


def judge_fixture(fixture: Fixture, expectation: Expectation | None = None) -> Verdict:
    """The verdict of a fixture: its own assertions and its scenario's expectation, both."""
    trace = trace_of(fixture.transcript, declared=declared_outcomes(fixture.assertions))
    expectations = [("assertions", assertions_hold(fixture.assertions))] if fixture.assertions else []
    if expectation is not None:
        expectations.append(("expect", expectation))
    return judge(trace, expectations)


def judge_transcript(transcript: Transcript, expectation: Expectation | None) -> Verdict:
    """The verdict of a conversation without assertions of its own, as a recording gives it."""
    return judge(trace_of(transcript), [] if expectation is None else [("expect", expectation)])
