"""One conversation played again with what this machine has beside it: the scenario's world, its secrets."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from harness import files
from harness.cli.neighbours import Places
from harness.errors import HarnessError
from harness.fixture import Fixture
from harness.playback import Mode, Replay, replay
from harness.scenario import Scenario
from harness.value import JsonObject, checked
from harness.wire.redact import Redactor
from harness.world import World


class Settings(NamedTuple):
    """How to replay: what answers the calls, where the neighbours are, which version is installed.

    `secrets` are known by value: a world of today may answer with one, and messages go into logs.
    """

    mode: Mode
    places: Places
    installed: str
    secrets: Sequence[str] = ()


class Scrubbed(NamedTuple):
    """A world whose results hold no secrets, as in a recording."""

    world: World
    redactor: Redactor

    def start(self, tables: JsonObject) -> JsonObject:
        """As the world itself."""
        return self.world.start(tables)

    def call(self, state: JsonObject, name: str, arguments: JsonObject) -> tuple[JsonObject, object, bool]:
        """As the world itself, the result scrubbed; what is no such triple is the sandbox's to refuse."""
        returned: Any = self.world.call(state, name, arguments)
        match returned:
            case (after, result, is_error):
                return after, self.redactor.value(checked(result)), is_error
            case _:
                return returned  # type: ignore[no-any-return]


def played_again(fixture: Fixture, scenario: Scenario | None, file: str, settings: Settings) -> Replay:
    """The replay; a world that cannot be loaded is its error."""
    try:
        loaded = files.load_world(scenario) if scenario and settings.mode != "recorded" else None
    except HarnessError as error:
        return Replay(None, [error])
    world = Scrubbed(loaded, Redactor(settings.secrets)) if loaded else None
    return replay(fixture, scenario, file=file, mode=settings.mode, world=world)
