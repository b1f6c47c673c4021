"""Captured exchanges as recordings: scrubbed, linked to what they continue, one recording for each conversation.

A request goes on from the longest earlier conversation that it begins with, or from the answer that it names by id.
One that goes on from none begins a recording, unless it makes a failed one again.
"""

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from harness import errors
from harness.importers import times
from harness.importers.bodies import restored
from harness.importers.found import Captured, Span
from harness.importers.scrubbing import Scrubber
from harness.importers.tally import Tally, sum_of, tally_of_answer, tally_of_request
from harness.importers.traffic import api_of, host_of, kind_of_other, model_in, path_of
from harness.importers.writing import Draft, answer_of
from harness.providers.dialect import Dialect, Parts, dialect_of
from harness.providers.failure import FIRST_ERROR_STATUS
from harness.providers.sse import is_stream
from harness.recording import Api, Context, Exchange, context_of
from harness.transcript import AssistantTurn, ToolCall, Turn, text_of
from harness.value import Json, JsonObject, NotJsonError, canonical, decode, encode
from harness.wire.answers import answer_id_of, is_kept
from harness.wire.facets import continued_answer, held_conversation

_NAMES_ANSWERS = {"responses", "messages"}  # the APIs whose requests may name the answer that they go on from
_NO_REQUEST: JsonObject = {"messages": [], "input": []}


@dataclass(slots=True)
class _Group:
    """The exchanges of one recording, the memory of its secrets, and its contexts by what the requests said."""

    draft: Draft
    scrubber: Scrubber
    contexts: dict[bytes, Context] = field(default_factory=dict)


class _Place(NamedTuple):
    """An exchange in its recording."""

    group: _Group
    number: int
    span: Span

    @property
    def exchange(self) -> Exchange:
        return self.group.draft.exchanges[self.number]

    @property
    def answered(self) -> bool:
        return self.exchange.status < FIRST_ERROR_STATUS


class _Request(NamedTuple):
    """A request taken apart; `places` are those of its first 0, 1, 2 … messages among all beginnings."""

    dialect: Dialect
    parts: Parts
    body: JsonObject
    places: list[int]
    span: Span


class _Before(NamedTuple):
    """What a request goes on from, how many of its messages that one holds, and what the others say.

    `place` is None where it goes on from nothing.
    """

    place: _Place | None
    known: int
    turns: list[Turn]


class Linker:
    """Takes captured exchanges in their order; `drafts` are the recordings so far, `seen` what they were to hold.

    `scrubber` makes the memory of one recording's secrets.
    """

    def __init__(self, scrubber: Callable[[], Scrubber], left_out: Counter[str], notes: Counter[str]) -> None:
        self._new_scrubber = scrubber
        self._left_out = left_out
        self._notes = notes
        self._groups: list[_Group] = []
        self._ends: dict[tuple[Api, int], list[_Place]] = {}
        self._answers: dict[str, _Place] = {}
        self._held: dict[str, _Place] = {}  # the last answer of each conversation that the server holds
        self._seen: list[Tally] = []
        self._spelt: dict[tuple[int, bytes], int] = {}
        self._first: dict[int, tuple[Json, int] | None] = {}  # the only message at a place, until it has two
        self._meant: dict[tuple[int, bytes], int] = {}
        self._clean: dict[bytes, Context] = {}

    @property
    def seen(self) -> Tally:
        """What the exchanges held, by their own JSON."""
        return sum_of(self._seen)

    @property
    def drafts(self) -> list[Draft]:
        """The recordings, in order of their first exchanges."""
        return [group.draft for group in self._groups]

    def add(self, one: Captured) -> None:
        """Take one exchange; what is no exchange with a model is counted as left out."""
        body = _object_in(one.request)
        api = api_of(one, body)
        if api is None or not (one.answer or one.status):
            self._left_out[kind_of_other(one)] += 1
            return
        dialect = dialect_of(api)
        if not body:
            self._notes["an answer whose request was not kept"] += 1
        try:
            parts = dialect.parts_of(body or _NO_REQUEST)
            self._link(one, _Request(dialect, parts, body, self._places_of(parts.messages), one.span))
        except errors.UnreadableAnswer as error:
            self._left_out[f"a request that its API does not know: {error.subject}"] += 1

    def _link(self, one: Captured, request: _Request) -> None:
        parts, api = request.parts, request.dialect.api
        before, known, turns = self._before(request)
        group = before.group if before else self._group_of(request)
        context = self._context_of(one, request, group)
        fresh = parts.messages[known:]
        messages = group.scrubber.items(fresh)
        streamed = is_stream(one.answer) or (parts.params.get("stream") is True and not _is_json(one.answer))
        answer = answer_of(one, group.scrubber, streamed=streamed and bool(one.answer))
        exchange = Exchange(
            number=len(group.draft.exchanges),
            parent=before.number if before else None,
            context=context.hash,
            messages=messages,
            status=one.status,
            headers=group.scrubber.redactor.headers(restored(one.headers, one.answer, self._notes)),
            body=answer.body,
            base64=answer.base64,
            chunks=answer.chunks,
            complete=one.complete,
            at=one.at or times.created_in(one.answer) or times.UNKNOWN_TIME,
            ms=one.ms,
        )
        self._seen.append(tally_of_request(api, fresh, goes_on=before is not None and before.answered))
        self._seen.append(tally_of_answer(api, one.status, one.answer))
        group.draft.client = group.draft.client or one.client
        if messages is fresh:
            group.draft.said[exchange.number] = turns
        if one.unread:
            group.draft.unread[exchange.number] = one.unread
        group.draft.spans[exchange.number] = one.span
        self._keep(group, context, exchange, (api, request.places[-1]))

    def _places_of(self, messages: list[Json]) -> list[int]:
        """Where the first 0, 1, 2 … messages lead, the same for all spellings; what was met before is a look-up."""
        places = [0]
        for message in messages:
            written = (places[-1], encode(message))
            if written not in self._spelt:
                self._spelt[written] = self._new_place(places[-1], message)
            places.append(self._spelt[written])
        return places

    def _new_place(self, before: int, message: Json) -> int:
        """Where a new spelling leads; what the messages at a place mean is asked only where there are several."""
        new = len(self._spelt) + 1
        if before not in self._first:
            self._first[before] = (message, new)
            return new
        first = self._first[before]
        if first is not None:
            self._meant[before, _meaning_of(first[0])] = first[1]
            self._first[before] = None
        return self._meant.setdefault((before, _meaning_of(message)), new)

    def _keep(self, group: _Group, context: Context, exchange: Exchange, end: tuple[Api, int]) -> None:
        group.draft.contexts.setdefault(context.hash, context)
        group.draft.exchanges.append(exchange)
        place = _Place(group, exchange.number, group.draft.spans[exchange.number])
        self._ends.setdefault(end, []).append(place)
        answer = answer_id_of(exchange) if end[0] in _NAMES_ANSWERS else ""
        if answer:
            self._answers[answer] = place
        held = held_conversation(context.params)
        if held and is_kept(exchange):
            self._held[held] = place

    def _before(self, request: _Request) -> _Before:
        """What a request goes on from; raises `UnreadableAnswer` where a recording could not be derived."""
        messages, dialect = request.parts.messages, request.dialect
        params = request.parts.params
        continued = self._answers.get(continued_answer(params)) or self._held.get(held_conversation(params))
        if continued is not None:
            return _Before(continued, 0, dialect.turns_of(messages))
        for count in range(len(messages) - 1, 0, -1):
            places = _of_one_story(self._ends.get((dialect.api, request.places[count]), []), request.span)
            if places:
                turns = dialect.turns_of(messages[count:])
                before = _said_before(places, turns)
                if before is not None:
                    return _Before(before, count, turns)
        return _Before(None, 0, dialect.turns_of(messages))

    def _context_of(self, one: Captured, request: _Request, group: _Group) -> Context:
        """The context of a request; one that was met before in its recording, or held no secret, is a look-up."""
        parts, scrubber = request.parts, group.scrubber
        host, path, model = host_of(one), path_of(one, request.dialect.api), model_in(one, request.body)
        key = encode([request.dialect.api, host, path, model, parts.system, parts.tools, parts.params])
        known = group.contexts.get(key) or self._clean.get(key)
        if known is None:
            told: list[Json] = [host, path, model, parts.system, parts.tools, parts.params]
            said = scrubber.items(told)
            known = _context_of(request.dialect.api, *said)
            (self._clean if said is told else group.contexts)[key] = known
        return known

    def _group_of(self, request: _Request) -> _Group:
        """A recording of its own, or that of the failed request which this one makes again."""
        places = self._ends.get((request.dialect.api, request.places[-1]), [])
        places = [one for one in places if one.span.trace == request.span.trace]
        if places and request.parts.messages and not places[-1].answered:
            return places[-1].group
        self._groups.append(_Group(Draft(), self._new_scrubber()))
        return self._groups[-1]


def _context_of(api: Api, *facts: Json) -> Context:
    host, path, model, system, tools, params = facts
    assert isinstance(system, list)  # noqa: S101  scrubbing keeps the kind
    assert isinstance(tools, list)  # noqa: S101  as above
    assert isinstance(params, dict)  # noqa: S101  as above
    return context_of(
        api=api, host=f"{host}", path=f"{path}", model=f"{model}", system=system, tools=tools, params=params
    )


def _of_one_story(places: list[_Place], span: Span) -> list[_Place]:
    """The places that are of no other conversation than a span, those of its own trace last."""
    if not span.trace:
        return places
    told = [one for one in places if len({one.span.conversation, span.conversation} - {""}) < 2]  # noqa: PLR2004
    return sorted(told, key=lambda one: one.span.trace == span.trace)


def _said_before(places: list[_Place], turns: list[Turn]) -> _Place | None:
    """Which of the exchanges with one request these turns go on from: the last whose answer they repeat.

    None where they repeat another answer: a history that was edited is no continuation.
    """
    echo = turns[0] if turns else None
    if not isinstance(echo, AssistantTurn):
        return places[-1]
    said = echo.calls
    alike: _Place | None = None
    for place in reversed(places):
        turn = place.group.draft.reading_of(place.number).turn
        told = turn.calls
        if not _begins_with(told, said) or not (said or _is_within(text_of(echo), text_of(turn))):
            continue
        if [call.id for call in told] == [call.id for call in said]:
            return place
        alike = alike or place
    return alike


def _meaning_of(message: Json) -> bytes:
    return hashlib.sha256(canonical(message)).digest()


def _begins_with(told: list[ToolCall], said: list[ToolCall]) -> bool:
    """Whether an answer's calls come back, or the first of them: agents do not change which tools were called."""
    return [call.name for call in told[: len(said)]] == [call.name for call in said]


def _is_within(said: str, told: str) -> bool:
    """Whether one text is part of the other: agents write thinking into the text, or leave text out."""
    said, told = said.strip(), told.strip()
    return said in told or told in said


def _object_in(request: bytes) -> JsonObject:
    value = _decoded(request)
    return value if isinstance(value, dict) else {}


def _is_json(answer: bytes) -> bool:
    return _decoded(answer) is not None


def _decoded(raw: bytes) -> Json:
    try:
        return decode(raw.strip()) if raw else None
    except NotJsonError:
        return None
