"""Whether a fixture still is what its recording gives."""

from typing import NamedTuple

from harness import errors, files
from harness.cli.replaying.neighbours import Places, recording_path
from harness.derivation import conversations_of
from harness.errors import HarnessError, NotDerived
from harness.excerpt import counted, excerpts_of
from harness.fixture import Fixture, Named
from harness.fixture_derivation import fixture_of_recording
from harness.fixture_lines import lines_of_fixture
from harness.recording import Exchange, Recording
from harness.value import lines_of

ABSENT = "the recording is not here, so that the fixture derives from it was not checked"


class Derivation(NamedTuple):
    """What a derivation showed: errors, and a warning where the fixture names nothing that it derives from."""

    errors: list[HarnessError]
    warnings: list[str]


def derivation_of(fixture: Fixture, raw: bytes, places: Places, *, file: str) -> Derivation:
    """The fixture's bytes against those that its recording gives; assertions and title are a person's."""
    path = recording_path(fixture, places)
    if path is None and fixture.meta.recording is not None:
        return Derivation([errors.RecordingLost(fixture.meta.recording, file=file, line=1)], [])
    if path is None:
        return Derivation([], [ABSENT])
    try:
        derived = fixture_again(fixture, files.load_journal(path).recordings, file=str(path))
    except HarnessError as error:
        return Derivation([error], [])
    difference = _difference(raw, lines_of_fixture(derived), fixture.meta.fixture_id, file)
    return Derivation([difference] if difference else [], [])


def fixture_again(fixture: Fixture, recordings: list[Recording], *, file: str) -> Fixture:
    """What the fixture's recording gives now, under the fixture's name; raises `InputError` where that is none."""
    meta = fixture.meta
    place = conversation_at(recordings, meta.conversation, file=file)
    named = Named(meta.fixture_id, meta.recording or meta.fixture_id, meta.conversation)
    return fixture_of_recording(
        place.recording, title=meta.scenario, assertions_line=fixture.assertions_line, leaf=place.leaf, named=named
    )


class Conversation(NamedTuple):
    """A recording, and the last exchange of one of its conversations; None: the longest one's."""

    recording: Recording
    leaf: Exchange | None


def conversations_among(recordings: list[Recording]) -> list[Conversation]:
    """All conversations of a file, in order."""
    return [Conversation(one, leaf) for one in recordings for leaf in conversations_of(one)]


def conversation_at(recordings: list[Recording], number: int | None, *, file: str) -> Conversation:
    """The conversation of this number, from 1; without a number the longest one of the first recording."""
    if not recordings:
        raise errors.UnreadableAnswer("the file holds no recording", file=file)
    if number is None:
        return Conversation(recordings[0], None)
    found = conversations_among(recordings)
    if number > len(found):
        sentence = f"the recording holds {counted(len(found), 'conversation')}, and no number {number}"
        raise errors.UnreadableAnswer(sentence, file=file)
    return found[number - 1]


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
