"""What changed in behaviour from one conversation to another: calls, results, texts, the end, the world's rows."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

import msgspec

from harness.excerpt import excerpts_of
from harness.judge.values import MISSING, Value, equal
from harness.report.call_alignment import aligned, moved_among
from harness.report.typed_diff import DiffLine, typed_diff_of
from harness.trace import Call, trace_of
from harness.transcript import AssistantTurn, Change, Effects, Outcome, Transcript, Turn, UserTurn, text_of
from harness.value import Json, NotJsonError, canonical, checked, decode

Kind: TypeAlias = Literal["added", "removed", "changed", "moved"]
Speaker: TypeAlias = Literal["user", "assistant"]


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """One place at which two values differ: its path (empty for the whole), both values, a note on look-alikes."""

    path: str
    before: str
    after: str
    note: str = ""


class CallChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call that is new, gone, elsewhere in the order, or made in another way; `before` and `after` are its ids."""

    kind: Kind
    name: str
    before: str | None = None
    after: str | None = None
    made: Json = None  # the arguments of a call that only one side has
    arguments: list[Place] = []
    result: list[Place] = []


class TextChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """What somebody says otherwise; null where only one side says anything. Excerpts, the words that differ in «»."""

    by: Speaker
    before: str | None
    after: str | None


class RowChange(msgspec.Struct, frozen=True):
    """A row of the world that the two conversations leave in different states."""

    table: str
    key: Json
    places: list[Place]


class Behaviour(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that changed; empty where nothing did."""

    calls: list[CallChange] = []
    texts: list[TextChange] = []
    end: list[Place] = []
    rows: list[RowChange] = []

    @property
    def changed(self) -> bool:
        """Whether anything did."""
        return bool(self.calls or self.texts or self.end or self.rows)


def behaviour_of(before: Transcript, after: Transcript) -> Behaviour:
    """What the second conversation does otherwise than the first."""
    return Behaviour(
        calls=list(_calls(trace_of(before).calls, trace_of(after).calls)),
        texts=[*_texts("user", before.turns, after.turns), *_texts("assistant", before.turns, after.turns)],
        end=_end(before, after),
        rows=list(_rows(before.effects, after.effects)),
    )


def places_of(before: Value, after: Value) -> list[Place]:
    """Every place at which two values differ."""
    return [_place(one) for one in typed_diff_of(before, after)]


def _place(line: DiffLine) -> Place:
    return Place(line.path, line.expected, line.actual, line.note)


def _calls(before: list[Call], after: list[Call]) -> Iterator[CallChange]:
    pairs = aligned(before, after)
    moved = moved_among(pairs)
    for one, other in pairs:
        match one, other:
            case Call(), Call():
                yield from _changed(one, other)
            case Call(), None:
                twin = moved.get(one.number)
                kind: Kind = "removed" if twin is None else "moved"
                yield CallChange(kind, one.name, one.id, twin.id if twin else None, made=_made(one))
            case None, Call() if all(other is not twin for twin in moved.values()):
                yield CallChange("added", other.name, None, other.id, made=_made(other))
            case _:
                pass


def _made(call: Call) -> Json:
    return call.raw if call.arguments is None else call.arguments


def _changed(one: Call, other: Call) -> Iterator[CallChange]:
    arguments = [] if equal(_made(one), _made(other)) else places_of(_made(one), _made(other))
    result = _result(one, other, same_call=not arguments)
    if arguments or result:
        yield CallChange("changed", one.name, one.id, other.id, arguments=arguments, result=result)


def _result(one: Call, other: Call, *, same_call: bool) -> list[Place]:
    """What the tool answers otherwise; of a call with other arguments, only whether it failed."""
    status = [_status(call) for call in (one, other)]
    if status[0] != status[1]:
        return [Place("", *status)]
    if not same_call or one.result == other.result:
        return []
    return places_of(_value_in(one.result), _value_in(other.result))


def _status(call: Call) -> str:
    if call.result is None:
        return "no result"
    return f"error: {call.result}" if call.is_error else "a result"


def _value_in(text: str | None) -> Value:
    if text is None:
        return MISSING
    try:
        value = decode(text)
    except NotJsonError:
        return text
    return value if isinstance(value, dict | list) else text


def _texts(by: Speaker, before: list[Turn], after: list[Turn]) -> Iterator[TextChange]:
    kind = AssistantTurn if by == "assistant" else UserTurn
    one, other = (
        [text for turn in turns if isinstance(turn, kind) and (text := text_of(turn))] for turns in (before, after)
    )
    for tag, start, stop, start_after, stop_after in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if tag != "equal":
            yield from _said_otherwise(by, one[start:stop], other[start_after:stop_after])


def _said_otherwise(by: Speaker, before: list[str], after: list[str]) -> Iterator[TextChange]:
    """Texts that stand in each other's place, from the end: the last is the answer."""
    while before and after:
        yield TextChange(by, *excerpts_of(before.pop(), after.pop()))
    yield from (TextChange(by, text, None) for text in before)
    yield from (TextChange(by, None, text) for text in after)


def _end(before: Transcript, after: Transcript) -> list[Place]:
    one, other = (_ended(transcript) for transcript in (before, after))
    return [] if one == other else [Place("", one, other)]


def _ended(transcript: Transcript) -> str:
    reason = f" ({transcript.error})" if transcript.error and transcript.outcome is not Outcome.COMPLETED else ""
    return f"{transcript.outcome}{reason}"


class _Row(msgspec.Struct, frozen=True):
    """A row's first and last state in a conversation; None: it is not there."""

    table: str
    key: Json
    first: Json
    last: Json


def _rows(before: Effects | None, after: Effects | None) -> Iterator[RowChange]:
    """Rows whose last states differ; one that a conversation leaves alone has there the state it began with.

    In worlds that began with other tables only what both conversations touched can be told apart.
    """
    one, other = (_last_states(effects) for effects in (before, after))
    places = dict.fromkeys([*one, *other])
    if before and after and before.initial != after.initial:
        yield RowChange("", None, [Place("", before.initial, after.initial, "the worlds began with other tables")])
        places = dict.fromkeys(place for place in one if place in other)
    for place in places:
        yield from _row(one.get(place), other.get(place))


def _row(before: _Row | None, after: _Row | None) -> Iterator[RowChange]:
    touched = before or after
    assert touched is not None  # noqa: S101  one of them touched it
    states = [row.last if row else touched.first for row in (before, after)]
    was, now = (MISSING if state is None else state for state in states)
    if places := places_of(was, now):
        yield RowChange(touched.table, touched.key, places)


def _last_states(effects: Effects | None) -> dict[bytes, _Row]:
    rows: dict[bytes, _Row] = {}
    for change in effects.changes if effects else ():
        place = canonical(checked([change.table, change.key]))
        rows[place] = _with(rows.get(place), change)
    return rows


def _with(row: _Row | None, change: Change) -> _Row:
    return _Row(change.table, change.key, row.first if row else change.before, change.after)
