"""Fixtures and recordings by name, as text for people or as JSON."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from harness import errors, files
from harness.cli.common import say
from harness.cli.judging.judged import is_recording
from harness.depth import LINE_DEPTH
from harness.derivation import conversations_of, transcript_of
from harness.excerpt import visible_of
from harness.fixture_lines import fixture_of, lines_of_turns
from harness.nearest import nearest_of
from harness.recording import Recording
from harness.recording_lines import journal_of
from harness.transcript import Outcome, Transcript
from harness.transcript_text import Kind, Paint, plain_paint, text_of_transcript
from harness.value import Json, as_json, decode

_PLACES = ("fixtures/{}.jsonl", "recordings/{}.jsonl", "recordings/{}.jsonl.partial")
_COLOURS: dict[Kind, dict[str, Any]] = {
    "user": {"fg": "cyan", "bold": True},
    "assistant": {"fg": "green", "bold": True},
    "result": {"fg": "yellow", "bold": True},
    "error": {"fg": "red", "bold": True},
    "call": {"fg": "blue", "bold": True},
    "dim": {"dim": True},
    "end": {"bold": True},
}


class Shown(NamedTuple):
    """One conversation with the lines that stand above it: what it is, where it comes from."""

    id: str
    title: str
    transcript: Transcript


def conversations_in(what: str) -> Iterator[Shown]:
    """Each conversation in a fixture or a recording, which is named by its path or its id."""
    path = path_named(what)
    raw = files.read_bytes(path)
    if is_recording(raw):
        journal = journal_of(raw, file=str(path))
        if journal.torn:
            say(journal.torn)
        for recording in journal.recordings:
            yield from _recorded(recording)
        return
    fixture = fixture_of(raw, file=str(path))
    meta = fixture.meta
    parts = [meta.fixture_id, meta.scenario, meta.model, meta.recorded_at]
    yield Shown(meta.fixture_id, " | ".join(part for part in parts if part), fixture.transcript)


def path_named(what: str) -> Path:
    """The file of a path, or of a fixture's or recording's id; raises `PathNotFound`."""
    candidates = [Path(what), *(Path(place.format(what)) for place in _PLACES)]
    for path in candidates:
        if path.is_file():
            return path
    known = [
        path.name.partition(".")[0] for place in ("fixtures", "recordings") for path in Path(place).glob("*.jsonl*")
    ]
    raise errors.PathNotFound(file=what, nearest=nearest_of(what, known))


def _recorded(recording: Recording) -> Iterator[Shown]:
    header = recording.header
    title = " | ".join(part for part in (header.id, header.scenario, header.model, header.recorded_at) if part)
    leaves = conversations_of(recording)
    if not leaves:
        yield Shown(header.id, title, Transcript([], Outcome.INCOMPLETE, "no answer was finished"))
    for number, leaf in enumerate(leaves, 1):
        of = f" | conversation {number} of {len(leaves)}" if len(leaves) > 1 else ""
        yield Shown(header.id, title + of, transcript_of(recording, leaf))


def text_of(shown: Shown, *, colour: bool, whole: bool) -> str:
    """A conversation for people."""
    paint: Paint = _painted if colour else plain_paint
    title = paint("end", visible_of(shown.title))
    return f"{title}\n\n{text_of_transcript(shown.transcript, paint=paint, whole=whole)}"


def _painted(kind: Kind, text: str) -> str:
    return click.style(text, **_COLOURS[kind])


def json_of(shown: Shown) -> Json:
    """A conversation for programs; its turns are those of a fixture's lines."""
    transcript = shown.transcript
    turns = [decode(line, deepest=LINE_DEPTH) for line in lines_of_turns(transcript.turns)]
    effects = as_json(transcript.effects) if transcript.effects else None
    return {
        "id": shown.id,
        "title": shown.title,
        "turns": turns,
        "outcome": transcript.outcome.value,
        "error": transcript.error,
        "effects": effects,
    }
