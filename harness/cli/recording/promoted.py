"""A conversation of a recording made into a fixture, which is replayed before it is written."""

from pathlib import Path
from typing import NamedTuple

from harness import errors, files
from harness.cli.environment import environment, secrets_of
from harness.cli.judging.judged import is_recording
from harness.cli.replaying.derived import Conversation, conversation_at, conversations_among
from harness.cli.replaying.neighbours import Places
from harness.cli.replaying.played import Settings, played_again
from harness.derivation import transcript_of
from harness.excerpt import counted, shortened, visible_of
from harness.fixture import Fixture, Named
from harness.fixture_derivation import fixture_of_recording
from harness.fixture_lines import EMPTY_ASSERTIONS, KEBAB, lines_of_fixture
from harness.recording import Recording
from harness.recording_lines import journal_of
from harness.transcript import AssistantTurn, Transcript, UserTurn, text_of
from harness.value import JsonObject
from harness.wire.redact import Redactor

_SHOWN = 60


class Wish(NamedTuple):
    """Which conversation becomes which fixture."""

    recording: Path
    fixture_id: str
    conversation: int | None
    title: str | None
    replace: bool
    fixtures: Path

    @property
    def target(self) -> Path:
        """The fixture's file."""
        return self.fixtures / f"{self.fixture_id}.jsonl"


class Done(NamedTuple):
    """What was written, of how many conversations."""

    wish: Wish
    fixture: Fixture
    conversations: int

    def lines(self) -> list[str]:
        """For people."""
        transcript, meta = self.fixture.transcript, self.fixture.meta
        which = f" (conversation {meta.conversation} of {self.conversations})" if meta.conversation else ""
        lines = [f"{self.wish.target}: {_size(transcript)}, from {self.wish.recording}{which}"]
        if not self.fixture.assertions:
            lines.append(f"next: choose what must hold: fc-judge suggest {meta.fixture_id}")
        return lines

    def facts(self) -> JsonObject:
        """For programs."""
        meta = self.fixture.meta
        return {
            "fixture": str(self.wish.target),
            "recording": str(self.wish.recording),
            "conversation": meta.conversation,
            "conversations": self.conversations,
            "turns": len(self.fixture.transcript.turns),
            "assertions": len(self.fixture.assertions),
            "origin": meta.origin,
        }


def promoted(wish: Wish, places: Places) -> Done:
    """Write the fixture; raises what is wrong with the recording, the wish, or the fixture that would come of it."""
    if not KEBAB.match(wish.fixture_id):
        raise errors.WrongOption("--fixture-id is a kebab-case name (refund-4021-damaged)", found=wish.fixture_id)
    recordings = _recordings_in(wish.recording)
    before = files.load_fixture(wish.target) if wish.target.exists() else None
    found = conversations_among(recordings)
    number = _number(wish, before, found)
    named = Named(wish.fixture_id, _name_of(wish.recording, recordings[0], places), number)
    _check_same_place(wish, before, named)
    place = conversation_at(recordings, number, file=str(wish.recording))
    _check_scenario(wish, place, places)
    kept = before.assertions_line if before else EMPTY_ASSERTIONS
    title = wish.title or (before.meta.scenario if before else wish.fixture_id.replace("-", " ").capitalize())
    title = Redactor(secrets_of(environment())).text(title)
    fixture = fixture_of_recording(place.recording, title=title, assertions_line=kept, leaf=place.leaf, named=named)
    _check_replays(fixture, wish, places)
    files.write_whole(wish.target, lines_of_fixture(fixture))
    return Done(wish, fixture, len(found))


def _recordings_in(path: Path) -> list[Recording]:
    raw = files.read_bytes(path)
    if not is_recording(raw):
        raise errors.WrongOption("this is no recording: a fixture is made of one", file=str(path))
    journal = journal_of(raw, file=str(path))
    if journal.torn is not None:
        raise journal.torn
    if not any(one.exchanges for one in journal.recordings):
        raise errors.UnreadableAnswer("the recording holds no exchange", file=str(path))
    return journal.recordings


def _number(wish: Wish, before: Fixture | None, found: list[Conversation]) -> int | None:
    """The conversation's number; None where there is only one. Raises `WrongOption` where it was not said."""
    if len(found) == 1:
        return None
    number = wish.conversation or (before.meta.conversation if before else None)
    if number is None or number > len(found):
        listed = "".join(f"\n  {at}: {_listed(one)}" for at, one in enumerate(found, 1))
        sentence = f"the recording holds {counted(len(found), 'conversation')}; say --conversation N{listed}"
        raise errors.WrongOption(sentence, file=str(wish.recording))
    return number


def _listed(one: Conversation) -> str:
    transcript = transcript_of(one.recording, one.leaf)
    first = next((text_of(turn) for turn in transcript.turns if isinstance(turn, UserTurn)), "")
    return f"{visible_of(shortened(first.strip(), _SHOWN))!r}, {_size(transcript)}"


def _size(transcript: Transcript) -> str:
    calls = sum(len(turn.calls) for turn in transcript.turns if isinstance(turn, AssistantTurn))
    return f"{counted(len(transcript.turns), 'turn')}, {counted(calls, 'call')}"


def _name_of(path: Path, recording: Recording, places: Places) -> str:
    """The recording's name among the recordings, by which `fc-replay check` finds it again."""
    inside = path.resolve().is_relative_to(places.recordings.resolve())
    if not inside:
        return recording.header.id
    return path.resolve().relative_to(places.recordings.resolve()).with_suffix("").as_posix()


def _check_same_place(wish: Wish, before: Fixture | None, named: Named) -> None:
    if before is None or wish.replace:
        return
    was = (before.meta.recording, before.meta.conversation)
    if was != (named.recording, named.conversation):
        sentence = "this fixture is another conversation's; --replace writes over it and keeps its assertions"
        expected, found = (f"{name}, conversation {number or 1}" for name, number in (was, named[1:]))
        raise errors.WrongOption(sentence, file=str(wish.target), expected=expected, found=found)


def _check_scenario(wish: Wish, place: Conversation, places: Places) -> None:
    """A scenario's fixture has its scenario's name: without it every replay would call it stale."""
    header = place.recording.header
    if header.origin == "scenario" and not (places.scenarios / wish.fixture_id).is_dir():
        sentence = "a scenario's recording becomes the fixture of that scenario, whose name it has"
        raise errors.WrongOption(sentence, expected=header.scenario or header.id, found=wish.fixture_id)


def _check_replays(fixture: Fixture, wish: Wish, places: Places) -> None:
    """Raises the first reason for which the agent loop cannot follow the conversation."""
    settings = Settings("recorded", places, files.installed_version())
    for error in played_again(fixture, None, str(wish.target), settings).errors:
        raise error
