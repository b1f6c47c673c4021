"""A piece of evidence and what is expected of it, to its verdict."""

from collections.abc import Callable

from harness.fixture import Fixture
from harness.judge.assertions import assertions_hold, declared_outcomes
from harness.judge.domain import domain_from
from harness.judge.engine import Expectation, judge, not_judged, skipped
from harness.judge.finding import Verdict
from harness.judge.golden import golden_holds
from harness.judge.matcher_forms import MatcherError
from harness.suite import Case, Suite
from harness.trace import Trace, trace_of
from harness.transcript import Transcript


def trace_of_fixture(fixture: Fixture) -> Trace:
    """The trace that a fixture is judged by; an ending that its assertions declare makes it a complete one."""
    return trace_of(fixture.transcript, declared=declared_outcomes(fixture.assertions))


def judge_fixture(fixture: Fixture, expectation: Expectation | None = None, trace: Trace | None = None) -> Verdict:
    """The verdict of a fixture: its own assertions and its scenario's expectation, both; neither: NOT_JUDGED.

    `trace` spares making it again.
    """
    expectations = (
        [("assertions", assertions_hold(fixture.assertions, fixture.meta.tool_hashes))] if fixture.assertions else []
    )
    if expectation is not None:
        expectations.append(("expect", expectation))
    return judge(trace or trace_of_fixture(fixture), expectations)


def judge_trace(trace: Trace, expectation: Expectation | None) -> Verdict:
    """The verdict of a conversation without assertions of its own, as a recording gives it."""
    return judge(trace, [] if expectation is None else [("expect", expectation)])


def judge_transcript(transcript: Transcript, expectation: Expectation | None) -> Verdict:
    """The verdict of what was said, by an expectation; without one: NOT_JUDGED."""
    return judge_trace(trace_of(transcript), expectation)


def suite_judge(suite: Suite) -> Callable[[Case, Transcript], Verdict]:
    """What judges the runs of a suite's cases: `judge(case, transcript)`, which raises nothing.

    Each case's golden is compiled when it is first met.
    """
    domain = domain_from(suite.tools, suite.tables, suite.system)
    compiled: dict[str, Expectation | Verdict] = {}

    def expectation_of(case: Case) -> Expectation | Verdict:
        if case.skip:
            return skipped(case.skip_reason or "the case says that it is not to be run")
        if case.golden is None:
            return not_judged("the case has no golden")
        try:
            return golden_holds(case.golden, suite.config.judge, domain)
        except MatcherError as error:
            return not_judged(f"the golden of {case.id} cannot be read: {error}")

    def verdict(case: Case, transcript: Transcript) -> Verdict:
        if case.id not in compiled:
            compiled[case.id] = expectation_of(case)
        expectation = compiled[case.id]
        return expectation if isinstance(expectation, Verdict) else judge_transcript(transcript, expectation)

    return verdict
