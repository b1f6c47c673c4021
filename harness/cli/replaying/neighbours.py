"""What stands beside a fixture on the disk now: its scenario, what its prompt builder gives, its recording."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from harness import errors, files
from harness.cli.evidence.evidence_named import evidence_named, fixtures_home
from harness.cli.judging.judged import SUFFIX, apart, evidence_files
from harness.contract import Today
from harness.directories import walk
from harness.fixture import Fixture
from harness.raw_run import FILE as RUN
from harness.scenario import Scenario
from harness.user_code import built_prompt
from harness.value import JsonObject, digest_of


class Places(NamedTuple):
    """Where scenarios and recordings are."""

    scenarios: Path = Path("scenarios")
    recordings: Path = Path("recordings")


def places_of(scenarios: str, recordings: str) -> Places:
    """The places that the options name."""
    return Places(Path(scenarios), Path(recordings))


def evidence_in(paths: Sequence[Path]) -> Iterator[Path]:
    """Files and run directories: those named by path or by id, all below named directories; `fixtures/` by default."""
    named = apart([evidence_named(path, "fc-replay") for path in paths] or [fixtures_home()])
    yield from named.files
    for directory in walk(named.directories, SUFFIX, RUN):
        if RUN in directory.names:
            directory.inner.clear()
            yield Path(directory.path)
        else:
            yield from (Path(directory.path, name) for name in sorted(directory.names) if name.endswith(SUFFIX))


def fixture_files(paths: Sequence[Path]) -> Iterator[Path]:
    """The fixtures' files of these paths."""
    return evidence_files([evidence_named(path, "fc-replay check") for path in paths] or [fixtures_home()])


def scenario_of(fixture: Fixture, places: Places) -> Scenario | None:
    """The scenario directory named like the fixture, None where there is none; raises what is wrong with it."""
    directory = places.scenarios / fixture.meta.fixture_id
    return files.load_scenario(directory) if directory.is_dir() else None


def today_of(fixture: Fixture, scenario: Scenario | None, places: Places) -> Today | None:
    """The contract's other side; the recording is read only where its prompt is needed to show what changed."""
    if scenario is None:
        return None
    recorded = None
    if digest_of(scenario.system.encode()) != fixture.meta.system_prompt_hash:
        recorded = _recorded_prompt(fixture, places)
    today = Today(scenario, built_prompt(scenario), recorded)
    hashes = fixture.meta.tool_hashes
    if hashes is None or hashes == {tool.name: tool.digest for tool in scenario.tools}:
        return today
    return today._replace(recorded_tools=_recorded_tools(fixture, places))


def recording_path(fixture: Fixture, places: Places) -> Path | None:
    """The file of the recording that a fixture names, None where it names none or one outside `recordings/`."""
    name = fixture.meta.recording or fixture.meta.fixture_id
    path = places.recordings / f"{name}.jsonl"
    inside = path.resolve().is_relative_to(places.recordings.resolve())
    return path if inside and path.is_file() else None


def _recorded_tools(fixture: Fixture, places: Places) -> dict[str, JsonObject]:
    """The tools as they were sent; those of a recording that cannot be read are not shown."""
    from harness.fixture_derivation import tools_sent_in

    path = recording_path(fixture, places)
    try:
        recordings = files.load_journal(path).recordings if path else []
        return {name: sent for one in recordings for name, sent in tools_sent_in(one).items()}
    except errors.HarnessError:
        return {}


def _recorded_prompt(fixture: Fixture, places: Places) -> str | None:
    """The prompt as it was sent; a recording that cannot be read is the static check's business."""
    from harness.fixture_derivation import system_text_of

    path = recording_path(fixture, places)
    try:
        recordings = files.load_journal(path).recordings if path else []
        prompts = [system_text_of(one) for one in recordings]
    except errors.HarnessError:
        return None
    return next((one for one in prompts if digest_of(one.encode()) == fixture.meta.system_prompt_hash), None)
