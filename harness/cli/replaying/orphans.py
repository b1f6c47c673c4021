"""What lies about without a fixture: scenarios that none was recorded of, recordings that none derives from."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from harness import files
from harness.cli.evidence.evidence_named import FIXTURES
from harness.cli.replaying.neighbours import Places
from harness.cli.replaying.outcomes import Outcome
from harness.errors import HarnessError, RecordingOrphan, ScenarioOrphan
from harness.suite import CASES


def holds_all_fixtures(paths: Sequence[Path], places: Places) -> bool:
    """Whether these paths (none: the default) hold every fixture of the scenarios; of a part, nothing is an orphan."""
    home = places.scenarios.parent.joinpath(FIXTURES).resolve()
    return not paths or any(path.is_dir() and home.is_relative_to(path.resolve()) for path in paths)


def orphans_of(known: Collection[str], places: Places) -> Iterator[Outcome]:
    """Scenarios and recordings of other ids than these, by name."""
    for directory in scenarios_in(places.scenarios):
        if directory.name not in known:
            yield Outcome(directory.name, str(directory), [ScenarioOrphan(directory.name, file=str(directory))])
    for path in sorted(places.recordings.glob("*.jsonl")):
        if path.stem not in known:
            yield from _orphan_recording(path)


def scenarios_in(directory: Path) -> list[Path]:
    """Directories with a prompt; a suite is recorded as a run and has no fixtures."""
    found = [path for path in directory.iterdir() if path.is_dir()] if directory.is_dir() else []
    return sorted(path for path in found if _is_scenario(path))


def _is_scenario(path: Path) -> bool:
    return (path / "system.txt").exists() and not (path / CASES).exists()


def _orphan_recording(path: Path) -> Iterator[Outcome]:
    """A test's or an imported recording stands for itself; a scenario's is there for its fixture."""
    try:
        origins = {one.header.origin for one in files.load_journal(path).recordings}
    except HarnessError as error:
        yield Outcome(path.stem, str(path), [error])
        return
    if "scenario" in origins:
        yield Outcome(path.stem, str(path), [RecordingOrphan(path.stem, file=str(path))])
