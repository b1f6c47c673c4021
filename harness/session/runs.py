"""One run of an agent outside pytest: `with harness.record(path) as fc:`, then `with harness.replay(path) as fc:`."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import errors
from harness.cli.environment import environment, secrets_of
from harness.session.kept import end_of
from harness.session.live import LiveSession
from harness.session.replayed import ReplaySession, Timing
from harness.session.session import Place
from harness.session.surroundings import replay_surroundings, variables_set
from harness.wire.drift import Drift


def place_of(path: str | Path) -> Place:
    """Where a run outside pytest is kept."""
    path = Path(path)
    return Place(path.absolute(), str(path), f"test:{path.stem}", f"with harness.record({str(path)!r}) as fc: …")


@contextmanager
def record(path: str | Path) -> Iterator[LiveSession]:
    """Record what the agent does in this block; the file is written when the block ends without an exception.

    After an `AssertionError` a first recording is written all the same, and one beside an earlier one; after any other
    exception a journal stays. The exception's notes say where.
    """
    variables = environment()
    session = LiveSession(place_of(path), secrets_of(variables))
    try:
        with variables_set(variables):
            yield session
    except BaseException as error:
        session.finish(end_of(error))
        for note in session.notes():
            error.add_note(note)
        raise
    session.finish("passed")


@contextmanager
def replay(
    path: str | Path, *, allow: Iterable[str] = (), timing: Timing = "instant", reachable: Iterable[str] = ()
) -> Iterator[ReplaySession]:
    """Replay a recording to the agent in this block; raises `AgentDrifted` or `AgentDiverged` at its end.

    No key is needed: meanwhile the environment holds placeholders. `reachable` are hosts that may be connected to all
    the same; this machine always may.
    """
    secrets = secrets_of(environment())
    session = ReplaySession(place_of(path), secrets, allow=allow, timing=timing, reachable=frozenset(reachable))
    try:
        with replay_surroundings():
            yield session
    except BaseException as error:
        drifts = session.finish()
        if drifts and isinstance(error, Exception):
            raise error_of(drifts, session.report(drifts)) from error
        raise
    drifts = session.finish()
    if drifts:
        raise error_of(drifts, session.report(drifts))


def error_of(drifts: list[Drift], report: str) -> errors.HarnessError:
    """The error that ends a run which drifted: stale where every request was answered, diverged where not."""
    return errors.AgentDrifted(report) if all(drift.served for drift in drifts) else errors.AgentDiverged(report)
