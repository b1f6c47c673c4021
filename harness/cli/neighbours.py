"""What stands beside a fixture on the disk now: its scenario, what its prompt builder gives, its recording."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from harness import errors, files
from harness.cli.judged import evidence_files
from harness.contract import Today
from harness.fixture import Fixture
from harness.recording import Recording
from harness.recording_lines import Journal
from harness.scenario import Scenario
from harness.value import Json, digest_of


class Places(NamedTuple):
    """Where scenarios and recordings are."""

    scenarios: Path = Path("scenarios")
    recordings: Path = Path("recordings")


FIXTURES = Path("fixtures")


def places_of(scenarios: str, recordings: str) -> Places:
    """The places that the options name."""
    return Places(Path(scenarios), Path(recordings))


def fixture_files(paths: Sequence[Path]) -> Iterator[Path]:
    """The fixtures' files: those named by path or by id, all below named directories; all of `fixtures/` by default."""
    return evidence_files([_found(path) for path in paths] or [FIXTURES])


def _found(path: Path) -> Path:
    named = FIXTURES / f"{path}.jsonl"
    return named if not path.exists() and path.name == str(path) and named.exists() else path


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
    return Today(scenario, files.built_prompt(scenario), recorded)


def recording_path(fixture: Fixture, places: Places) -> Path | None:
    """The file of the recording that a fixture names, None where it names none or one outside `recordings/`."""
    name = fixture.meta.recording or fixture.meta.fixture_id
    path = places.recordings / f"{name}.jsonl"
    inside = path.resolve().is_relative_to(places.recordings.resolve())
    return path if inside and path.is_file() else None


def _recorded_prompt(fixture: Fixture, places: Places) -> str | None:
    path = recording_path(fixture, places)
    if path is None:
        return None
    prompts = [prompt for one in _readable(path).recordings for prompt in _prompts_of(one)]
    return next((one for one in prompts if digest_of(one.encode()) == fixture.meta.system_prompt_hash), None)


def _readable(path: Path) -> Journal:
    """A recording that cannot be read shows no difference; saying so is the static check's business."""
    try:
        return files.load_journal(path)
    except errors.HarnessError:
        return Journal([], None)


def _prompts_of(recording: Recording) -> list[str]:
    return ["".join(map(_text_of, context.system)) for context in recording.contexts.values()]


def _text_of(part: Json) -> str:
    """The text of a system part as any API writes it: a string, a message, a text block, a list of those."""
    match part:
        case str():
            return part
        case list():
            return "".join(map(_text_of, part))
        case {"content": inner} | {"text": inner}:
            return _text_of(inner)
        case _:
            return ""
