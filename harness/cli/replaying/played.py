"""One conversation played again with what this machine has beside it: the scenario's world, its secrets."""

from collections.abc import Sequence
from typing import NamedTuple

from harness.cli.replaying.neighbours import Places
from harness.errors import HarnessError
from harness.fixture import Fixture
from harness.playback import Mode, Replay, replay
from harness.scenario import Scenario
from harness.user_code import load_world
from harness.wire.redact import Redactor


class Settings(NamedTuple):
    """How to replay: what answers the calls, where the neighbours are, which version is installed.

    `secrets` are known by value: a world of today may answer with one, and messages go into logs.
    """

    mode: Mode
    places: Places
    installed: str
    secrets: Sequence[str] = ()


def played_again(fixture: Fixture, scenario: Scenario | None, file: str, settings: Settings) -> Replay:
    """The replay; a world that cannot be loaded is its error."""
    try:
        world = load_world(scenario) if scenario and settings.mode != "recorded" else None
    except HarnessError as error:
        return Replay(None, [error])
    redactor = Redactor(settings.secrets)
    return replay(fixture, scenario, file=file, mode=settings.mode, world=world, redactor=redactor)
