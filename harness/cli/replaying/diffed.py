"""Two sets of conversations side by side: each pair's changed behaviour, and what each was asked."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from harness import errors, files
from harness.cli.judging.judged import evidence_files, is_recording
from harness.cli.replaying.shown import path_named
from harness.cli.suites.run_files import cases_of_run, is_run
from harness.derivation import conversations_of, transcript_of
from harness.excerpt import counted, visible_of
from harness.fixture import Meta, Named
from harness.fixture_derivation import fixture_of_recording
from harness.fixture_lines import fixture_of
from harness.recording import Exchange, Recording
from harness.recording_lines import journal_of
from harness.report.behaviour import Behaviour, behaviour_of, places_of
from harness.report.behaviour_text import SAME, summary_of
from harness.report.behaviour_text import lines_of as lines_of_behaviour
from harness.transcript import Transcript, UserTurn, text_of
from harness.value import JsonObject, as_json


class Side(NamedTuple):
    """One conversation: its id among those beside it, what was said, what it was asked with where that is known."""

    id: str
    transcript: Transcript
    meta: Meta | None = None

    @property
    def opening(self) -> str:
        """What the user said first."""
        return next((text_of(turn) for turn in self.transcript.turns if isinstance(turn, UserTurn)), "")


class Compared(NamedTuple):
    """A conversation on both sides, or on one; `asked` is what was asked otherwise."""

    id: str
    before: Side | None
    after: Side | None
    behaviour: Behaviour
    asked: list[str]

    @property
    def differs(self) -> bool:
        """Whether anything but what was asked is another."""
        return self.behaviour.changed or self.before is None or self.after is None


def compared(before: str, after: str) -> list[Compared]:
    """Every conversation of two files, directories or ids; raises what is wrong with one of them."""
    return [_compared(*pair) for pair in _pairs([*sides_in(before)], [*sides_in(after)])]


def sides_in(what: str) -> Iterator[Side]:
    """Each conversation in a fixture, a recording, a run's directory, or all files of a directory."""
    path = Path(what)
    if is_run(path):
        for trial in cases_of_run(path):
            if trial.error is not None:
                raise trial.error
            if trial.recording is not None:
                yield Side(f"{trial.case}.{trial.trial}", transcript_of(trial.recording))
        return
    for file in evidence_files([path]) if path.is_dir() else [path_named(what)]:
        yield from _sides_in_file(file)


def _sides_in_file(path: Path) -> Iterator[Side]:
    raw = files.read_bytes(path)
    if not is_recording(raw):
        fixture = fixture_of(raw, file=str(path))
        yield Side(fixture.meta.fixture_id, fixture.transcript, fixture.meta)
        return
    for recording in journal_of(raw, file=str(path)).recordings:
        leaves = conversations_of(recording)
        for number, leaf in enumerate(leaves, 1):
            id_ = recording.header.id if len(leaves) == 1 else f"{recording.header.id} ({number} of {len(leaves)})"
            yield Side(id_, transcript_of(recording, leaf), _meta_of(recording, leaf))


def _meta_of(recording: Recording, leaf: Exchange) -> Meta | None:
    """What a fixture of the conversation would say of it; None where it could be no fixture."""
    try:
        return fixture_of_recording(recording, title="", leaf=leaf, named=Named("x", recording.header.id)).meta
    except errors.InputError:
        return None


def _pairs(before: list[Side], after: list[Side]) -> Iterator[tuple[Side | None, Side | None]]:
    """Equal ids in order; where there are none, equal openings. Two single conversations are a pair in any case."""
    if len(before) == len(after) == 1:
        yield before[0], after[0]
        return
    by_id = {one.id for one in before} & {one.id for one in after}
    rest = list(after)
    for one in before:
        twin = next((two for two in rest if (two.id == one.id if by_id else two.opening == one.opening)), None)
        if twin is not None:
            rest.remove(twin)
        yield one, twin
    yield from ((None, two) for two in rest)


def _compared(before: Side | None, after: Side | None) -> Compared:
    if before is None or after is None:
        only = before or after
        assert only is not None  # noqa: S101  a pair has one side at least
        return Compared(only.id, before, after, Behaviour(), [])
    id_ = before.id if before.id == after.id else f"{before.id} -> {after.id}"
    return Compared(id_, before, after, behaviour_of(before.transcript, after.transcript), _asked(before, after))


def _asked(before: Side, after: Side) -> list[str]:
    """What the model was asked with otherwise, where both sides know."""
    if before.meta is None or after.meta is None:
        return []
    one, other = before.meta, after.meta
    places = places_of(_facts(one), _facts(other))
    lines = [f"{place.path}: {place.before} -> {place.after}" for place in places]
    if one.system_prompt_hash != other.system_prompt_hash:
        lines.append("another system prompt")
    return [*lines, *_tools(one.tool_hashes or {}, other.tool_hashes or {})]


def _facts(meta: Meta) -> JsonObject:
    return {"model": meta.model, "params": meta.params or {}}


def _tools(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    parts = {
        "changed": [name for name in before if name in after and before[name] != after[name]],
        "added": [name for name in after if name not in before],
        "removed": [name for name in before if name not in after],
    }
    return (f"tools {kind}: {', '.join(names)}" for kind, names in parts.items() if names)


def lines_of(found: list[Compared], *, whole: bool) -> list[str]:
    """For people: a line for each conversation that changed with what changed below it, and the count of all."""
    lines = [line for one in found if one.differs or one.asked for line in _lines_of(one, whole=whole)]
    same = sum(not one.differs for one in found)
    if len(found) == 1:
        return lines or [f"{visible_of(found[0].id)}: {SAME}"]
    return [*lines, f"{counted(len(found), 'conversation')}: {same} the same, {len(found) - same} changed"]


def _lines_of(one: Compared, *, whole: bool) -> Iterator[str]:
    id_ = visible_of(one.id)
    if one.before is None or one.after is None:
        yield f"{id_}: only in {'the first' if one.after is None else 'the second'}"
        return
    yield f"{id_}: {summary_of(one.behaviour)}"
    yield from (f"  asked otherwise: {visible_of(line)}" for line in one.asked)
    yield from lines_of_behaviour(one.behaviour, whole=whole)


def json_of(found: Iterable[Compared]) -> JsonObject:
    """For programs."""
    conversations = [_facts_of(one) for one in found]
    return {"conversations": [*conversations], "changed": sum(bool(one["differs"]) for one in conversations)}


def _facts_of(one: Compared) -> JsonObject:
    behaviour = as_json(one.behaviour)
    assert isinstance(behaviour, dict)  # noqa: S101  a struct is an object
    sides = {"before": one.before.id if one.before else None, "after": one.after.id if one.after else None}
    return {"id": one.id, **sides, "differs": one.differs, "asked": [*one.asked], **behaviour}
