"""A session inside one test: whether it records, what the environment is meanwhile, and what it comes to."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from harness import errors
from harness.cli.environment import environment, secrets_of
from harness.session.kept import End
from harness.session.live import LiveSession
from harness.session.replayed import ReplaySession, Timing, check_timing
from harness.session.session import Place
from harness.session.surroundings import replay_surroundings, variables_set
from harness.wire.drift import Drift
from harness.wire.drift_report import causes_of, summary_of


class Wish(NamedTuple):
    """What a test wants of its session."""

    place: Place
    records: bool
    timing: Timing = "instant"
    allow: tuple[str, ...] = ()
    reachable: tuple[str, ...] = ()


class Outcome(NamedTuple):
    """What a session came to, in plain values that travel between processes. `failure` is for the reader.

    `recorded`: its recording was written; None where it replayed. `given`: calls that got their recorded results.
    """

    recording: str
    recorded: bool | None
    drifts: list[tuple[Any, ...]]
    notes: list[str]
    failure: str = ""
    given: int = 0


class TestSession:
    """One test's session from its first line to its teardown."""

    __test__ = False  # pytest collects classes of this spelling

    def __init__(self, wish: Wish) -> None:
        self._wish = wish
        self._variables = environment()
        secrets = secrets_of(self._variables)
        self.session = _live_of(wish, secrets) if wish.records else _replay_of(wish, secrets)

    @contextmanager
    def surroundings(self) -> Iterator[None]:
        """The environment that clients are made in: in replay placeholder keys, and no profile of the user's."""
        if self._wish.records:
            with variables_set(self._variables):
                yield
            return
        with replay_surroundings():
            yield

    def finish(self, end: End) -> Outcome:
        """End the session; what fails the test is said in the outcome and raises nothing."""
        name, session = self._wish.place.name, self.session
        if isinstance(session, ReplaySession):
            drifts = session.finish()
            failure = session.report(drifts) if drifts else ""
            return Outcome(name, None, [tuple(one) for one in drifts], [], failure, session.given_results)
        failure = ""
        try:
            session.finish(end)
        except errors.HarnessError as error:
            failure = str(error)
        return Outcome(name, session.written, [], session.notes(), failure)


def _replay_of(wish: Wish, secrets: list[str]) -> ReplaySession:
    reachable = frozenset(wish.reachable)
    return ReplaySession(wish.place, secrets, allow=wish.allow, timing=wish.timing, reachable=reachable)


def _live_of(wish: Wish, secrets: list[str]) -> LiveSession:
    check_timing(wish.timing)
    return LiveSession(wish.place, secrets, wish.allow)


def summary_lines(outcomes: list[Outcome]) -> list[str]:
    """What all sessions of a test run came to."""
    counts = Counter(one.recorded for one in outcomes)
    drifts = [(one.recording, Drift(*drift)) for one in outcomes for drift in one.drifts]
    failed = f", {counts[False]} not recorded" if counts[False] else ""
    lines = [f"{counts[None]} replayed, {counts[True]} recorded{failed}"]
    if drifts:
        lines += [summary_of(causes_of(drifts)), "record again what is stale: pytest --fc-record=stale"]
    given = sum(one.given for one in outcomes)
    if given:
        calls = "1 tool call" if given == 1 else f"{given} tool calls"
        lines.append(f'{calls} got the recorded result; fc.tools(…, modes={{"NAME": "compare"}}) runs the tool too')
    notes = dict.fromkeys(note for one in outcomes for note in one.notes)
    return [*lines, *notes]
