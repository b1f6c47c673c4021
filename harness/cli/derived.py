"""Whether a fixture still is what its recording gives."""

from typing import NamedTuple

from harness import files
from harness.cli.neighbours import Places, recording_path
from harness.derivation import fixture_of_recording
from harness.errors import HarnessError, NotDerived
from harness.excerpt import excerpts_of
from harness.fixture import Fixture
from harness.fixture_lines import lines_of_fixture
from harness.value import lines_of

ABSENT = "the recording is not here, so that the fixture derives from it was not checked"


class Derivation(NamedTuple):
    """What a derivation showed: errors, and a warning where there was nothing to derive from."""

    errors: list[HarnessError]
    warnings: list[str]


def derivation_of(fixture: Fixture, raw: bytes, places: Places, *, file: str) -> Derivation:
    """The fixture's bytes against those that its recording gives; assertions and title are a person's."""
    path = recording_path(fixture, places)
    if path is None:
        return Derivation([], [ABSENT])
    try:
        recording = files.load_journal(path).recordings[0]
        derived = fixture_of_recording(recording, title=fixture.meta.scenario, assertions_line=fixture.assertions_line)
    except HarnessError as error:
        return Derivation([error], [])
    difference = _difference(raw, lines_of_fixture(derived), fixture.meta.fixture_id, file)
    return Derivation([difference] if difference else [], [])


def _difference(raw: bytes, derived: bytes, id_: str, file: str) -> NotDerived | None:
    if raw == derived:
        return None
    own, given = lines_of(raw), lines_of(derived)
    place = next((at for at, pair in enumerate(zip(own, given, strict=False)) if pair[0] != pair[1]), None)
    number = min(len(own), len(given)) if place is None else place
    expected, found = (_line_at(lines, number) for lines in (given, own))
    expected, found = excerpts_of(expected, found)
    return NotDerived(id_, file=file, line=number + 1, expected=expected, found=found)


def _line_at(lines: list[bytes], number: int) -> str:
    return lines[number].decode("utf-8", "replace") if number < len(lines) else "no further line"
