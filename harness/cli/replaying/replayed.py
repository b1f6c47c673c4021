"""What paths hold, played again, held against its scenario and judged: fixtures, recordings, runs."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from harness import contract, files
from harness.cli.judging.judged import Sources, is_recording
from harness.cli.replaying.neighbours import evidence_in, scenario_of, today_of
from harness.cli.replaying.outcomes import Outcome
from harness.cli.replaying.played import Settings, played_again
from harness.errors import HarnessError
from harness.fixture import Fixture
from harness.fixture_lines import fixture_of
from harness.judge.evidence import judge_fixture
from harness.judge.finding import Verdict
from harness.transcript import Transcript


def replayed_paths(paths: Sequence[Path], settings: Settings) -> Iterator[Outcome]:
    """Every fixture, recording and run of these paths, played again and judged."""
    for path in evidence_in(paths):
        if path.is_dir():
            from harness.cli.replaying.replayed_recordings import replayed_run  # deriving takes 30 ms to import

            yield from replayed_run(path, settings)
        else:
            yield from _replayed_file(path, settings)


def _replayed_file(path: Path, settings: Settings) -> Iterator[Outcome]:
    try:
        raw = files.read_bytes(path)
        if is_recording(raw):
            from harness.cli.replaying.replayed_recordings import replayed_recordings

            yield from replayed_recordings(raw, str(path), settings)
        else:
            yield replayed_fixture(fixture_of(raw, file=str(path)), str(path), settings)
    except HarnessError as error:
        yield Outcome(path.stem, str(path), [error])


def replayed_fixture(fixture: Fixture, file: str, settings: Settings) -> Outcome:
    """One fixture played again, held against its scenario and judged; every error is collected."""
    try:
        scenario = scenario_of(fixture, settings.places)
        today = today_of(fixture, scenario, settings.places)
    except HarnessError as error:
        return Outcome(fixture.meta.fixture_id, file, [error])
    found: list[HarnessError] = list(contract.drift_of(fixture, today, file=file))
    played = played_again(fixture, scenario, file, settings)
    found += played.errors
    verdict = _verdict_of(fixture, played.transcript, settings, found) if played.transcript else None
    warning = contract.version_warning(fixture, installed=settings.installed)
    warnings = [warning] if warning else []
    warnings += contract.asked_otherwise(fixture, scenario) if scenario else []
    outcome = Outcome(fixture.meta.fixture_id, file, found, warnings, verdict)
    return outcome.mended_by(contract.mend_of(fixture.meta))


def not_run(outcomes: Sequence[Outcome], settings: Settings) -> str | None:
    """A sentence where today's tools are at hand and were not asked: the results were the recorded ones."""
    homes = [settings.places.scenarios / one.id for one in outcomes]
    count = sum((home / "world.json").exists() or (home / "stubs.json").exists() for home in homes)
    if settings.mode != "recorded" or not count:
        return None
    return f"tool results were the recorded ones ({count} with tools at hand, not run): --tools compare runs them"


def _verdict_of(
    fixture: Fixture, transcript: Transcript, settings: Settings, found: list[HarnessError]
) -> Verdict | None:
    """The verdict on what the replay did, by the fixture's assertions and the scenario's expectation, both.

    None where the expectation cannot be read; why is added to `found`.
    """
    try:
        expectation = Sources(settings.places.scenarios).expectation(fixture.meta.fixture_id, fixture.meta.origin)
    except HarnessError as error:
        found.append(error)
        return None
    return judge_fixture(msgspec.structs.replace(fixture, transcript=transcript), expectation)
