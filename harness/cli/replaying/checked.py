"""The static half of a replay: what can be wrong with fixtures and their neighbours without playing anything."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from harness import contract, files
from harness.cli.judging.judged import is_recording, spec_in
from harness.cli.replaying.neighbours import Places, fixture_files, scenario_of, today_of
from harness.cli.replaying.orphans import holds_all_fixtures, orphans_of
from harness.cli.replaying.outcomes import Outcome
from harness.errors import HarnessError, SecretInFile
from harness.fixture import Fixture
from harness.fixture_lines import fixture_of
from harness.recording_lines import journal_of
from harness.repeats import check_keys
from harness.scenario import Scenario
from harness.schema import check_schema
from harness.wire.known import Values
from harness.wire.sightings import sightings_of


class Plan(NamedTuple):
    """What to check: where the neighbours are, which version is installed, which secrets are known by value."""

    places: Places
    installed: str
    secrets: Sequence[str]
    derive: bool


def checked_paths(paths: Sequence[Path], plan: Plan) -> Iterator[Outcome]:
    """Every fixture of these paths; where all fixtures are among them, also what lies about without one."""
    values = Values(plan.secrets)
    known: set[str] = set()
    for path in fixture_files(paths):
        yield _checked_file(path, plan, values, known)
    if holds_all_fixtures(paths, plan.places):
        yield from orphans_of(known, plan.places)


def _checked_file(path: Path, plan: Plan, values: Values, known: set[str]) -> Outcome:
    file = str(path)
    known.add(path.stem)
    try:
        raw = files.read_bytes(path)
        if is_recording(raw):
            return _checked_recording(raw, file, values)
        fixture = fixture_of(raw, file=file)
        check_keys(raw, file=file)
    except HarnessError as error:
        return Outcome(path.stem, file, [error])
    known.add(fixture.meta.recording or path.stem)
    found = [*_secrets_in(file, raw, values), *_neighbour_errors(fixture, plan, values, file)]
    warning = contract.version_warning(fixture, installed=plan.installed)
    warnings = [warning] if warning else []
    if plan.derive:
        from harness.cli.replaying.derived import derivation_of

        derivation = derivation_of(fixture, raw, plan.places, file=file)
        found += derivation.errors
        warnings += derivation.warnings
    outcome = Outcome(fixture.meta.fixture_id, file, found, warnings)
    return outcome.mended_by(contract.mend_of(fixture.meta))


def _checked_recording(raw: bytes, file: str, values: Values) -> Outcome:
    journal = journal_of(raw, file=file)
    if journal.torn is None:
        check_keys(raw, file=file)
    torn = [journal.torn] if journal.torn else []
    return Outcome(Path(file).stem, file, [*torn, *_secrets_in(file, raw, values)])


def _neighbour_errors(fixture: Fixture, plan: Plan, values: Values, file: str) -> list[HarnessError]:
    try:
        scenario = scenario_of(fixture, plan.places)
        today = today_of(fixture, scenario, plan.places)
    except HarnessError as error:
        return [error]
    found: list[HarnessError] = list(contract.drift_of(fixture, today, file=file))
    return [*found, *_scenario_errors(scenario, values)] if scenario else found


def _scenario_errors(scenario: Scenario, values: Values) -> Iterator[HarnessError]:
    for tool in scenario.tools:
        try:
            check_schema(tool.parameters, tool=tool.name)
        except HarnessError as error:
            error.file = scenario.path("tools.json")
            yield error
    with os.scandir(scenario.directory) as entries:
        paths = sorted(entry.path for entry in entries if entry.is_file())
    try:
        spec_in(Path(scenario.directory))
    except HarnessError as error:
        yield error
    for path in paths:
        yield from _secrets_in(path, files.read_bytes(Path(path)), values)


def _secrets_in(file: str, raw: bytes, values: Values) -> Iterator[SecretInFile]:
    for one in sightings_of(raw, values):
        line = raw.count(b"\n", 0, one.start) + 1
        yield SecretInFile(one.kind.replace("_", "-"), file=file, line=line)
