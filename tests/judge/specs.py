"""Constraint specs judged from their text."""

from conversations import trace

from harness.judge.constraints import expectation_of
from harness.judge.domain import UNKNOWN
from harness.judge.engine import judge


def verdict_on(spec, seen, domain=UNKNOWN):
    """The verdict of a spec on a trace."""
    return judge(seen, [("expect", expectation_of(spec.encode(), file="expect.yaml", domain=domain))])


def failures_of(spec, *turns, domain=UNKNOWN, **rest):
    """The checks of a spec that fail on a conversation, with their codes."""
    return [(one.check, one.code) for one in verdict_on(spec, trace(*turns, **rest), domain).failures]
