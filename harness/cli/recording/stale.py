"""Which scenarios are stale: never recorded, or no longer what their fixture was recorded of."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from harness import contract, errors, files
from harness.cli.replaying.neighbours import Places, today_of
from harness.cli.replaying.orphans import scenarios_in
from harness.errors import HarnessError
from harness.excerpt import counted


class Stale(NamedTuple):
    """A scenario's directory and why it is stale; empty where it is not."""

    directory: Path
    reasons: list[HarnessError]


def stale_among(named: Sequence[Path], places: Places, fixtures: Path) -> list[Stale]:
    """These scenarios, or all that are there, each with what makes it stale."""
    return [Stale(one, _reasons(one, places, fixtures)) for one in named or scenarios_in(places.scenarios)]


def _reasons(directory: Path, places: Places, fixtures: Path) -> list[HarnessError]:
    """Why a scenario is to be recorded. One that is not there, or cannot be read, is the recorder's to refuse."""
    id_ = directory.resolve().name
    path = fixtures / f"{id_}.jsonl"
    if not path.exists():
        return [errors.ScenarioOrphan(id_, file=str(directory))]
    try:
        fixture = files.load_fixture(path)
        today = today_of(fixture, files.load_scenario(directory), places)
    except HarnessError as error:
        return [error]
    return [*contract.drift_of(fixture, today, file=str(path))]


def lines_of(found: list[Stale]) -> list[str]:
    """Why each is stale, in a line; or that none is."""
    stale = [one for one in found if one.reasons]
    if not stale:
        return [f"nothing is stale of {counted(len(found), 'scenario')}: there is nothing to record"]
    return [f"{one.directory}: {error.code}: {str(error).splitlines()[0]}" for one in stale for error in one.reasons]
