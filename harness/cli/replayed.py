"""One fixture's file played again, held against its scenario and judged."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from harness import contract, files
from harness.cli.judged import Sources
from harness.cli.neighbours import Places, scenario_of, today_of
from harness.cli.outcomes import Outcome
from harness.errors import HarnessError
from harness.fixture import Fixture
from harness.judge.evidence import judge_fixture
from harness.judge.finding import Verdict
from harness.playback import Mode, Replay, replay
from harness.scenario import Scenario
from harness.transcript import Transcript
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
        """As the world itself, the result scrubbed."""
        after, result, is_error = self.world.call(state, name, arguments)
        return after, self.redactor.value(checked(result)), is_error


def replayed_file(path: Path, settings: Settings) -> Outcome:
    """One fixture, from its bytes to its verdict; every error is collected."""
    file = str(path)
    try:
        fixture = files.load_fixture(path)
    except HarnessError as error:
        return Outcome(path.stem, file, [error])
    scenario, drift = _against_today(fixture, settings, file)
    played = _played(fixture, scenario, settings, file)
    found = [*drift, *played.errors]
    verdict = _verdict_of(fixture, played.transcript, settings, found) if played.transcript else None
    warning = contract.version_warning(fixture, installed=settings.installed)
    outcome = Outcome(fixture.meta.fixture_id, file, found, [warning] if warning else [], verdict)
    return outcome.mended_by(contract.mend_of(fixture.meta))


def _against_today(fixture: Fixture, settings: Settings, file: str) -> tuple[Scenario | None, list[HarnessError]]:
    try:
        scenario = scenario_of(fixture, settings.places)
        today = today_of(fixture, scenario, settings.places)
    except HarnessError as error:
        return None, [error]
    return scenario, list(contract.drift_of(fixture, today, file=file))


def _played(fixture: Fixture, scenario: Scenario | None, settings: Settings, file: str) -> Replay:
    try:
        loaded = files.load_world(scenario) if scenario and settings.mode != "recorded" else None
    except HarnessError as error:
        return Replay(None, [error])
    world = Scrubbed(loaded, Redactor(settings.secrets)) if loaded else None
    return replay(fixture, scenario, file=file, mode=settings.mode, world=world)


def _verdict_of(
    fixture: Fixture, transcript: Transcript, settings: Settings, found: list[HarnessError]
) -> Verdict | None:
    """The verdict on what the replay did, by the fixture's assertions and the scenario's expectation, both.

    None where the expectation cannot be read; why is added to `found`, unless the contract said it already.
    """
    try:
        expectation = Sources(settings.places.scenarios).expectation(fixture.meta.fixture_id)
    except HarnessError as error:
        if error.facts() not in [one.facts() for one in found]:
            found.append(error)
        return None
    return judge_fixture(msgspec.structs.replace(fixture, transcript=transcript), expectation)
