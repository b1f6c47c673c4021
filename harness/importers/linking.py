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
from harness.importers.found import Captured
from harness.importers.scrubbing import Scrubber
from harness.importers.tally import Tally, sum_of, tally_of_answer, tally_of_request
from harness.importers.traffic import api_of, host_of, kind_of_other, model_in, path_of
from harness.importers.writing import Draft, answer_of
from harness.providers.dialect import Dialect, Parts, dialect_of
from harness.providers.failure import FIRST_ERROR_STATUS
from harness.providers.sse import is_stream
from harness.recording import Api, Context, Exchange, context_of
from harness.transcript import AssistantTurn, text_of
from harness.value import Json, JsonObject, NotJsonError, canonical, decode, encode
from harness.wire.answers import answer_id_of
from harness.wire.facets import continued_answer

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

    @property
    def exchange(self) -> Exchange:
        return self.group.draft.exchanges[self.number]

    @property
    def answered(self) -> bool:
        return self.exchange.status < FIRST_ERROR_STATUS


class _Request(NamedTuple):
    """A request taken apart; `digests` are those of its first 0, 1, 2 … messages, chained."""

    dialect: Dialect
    parts: Parts
    body: JsonObject
    digests: list[bytes]


class Linker:
    """Takes captured exchanges in their order; `drafts` are the recordings so far, `seen` what they were to hold.

    `scrubber` makes the memory of one recording's secrets.
    """

    def __init__(self, scrubber: Callable[[], Scrubber], left_out: Counter[str], notes: Counter[str]) -> None:
        self._new_scrubber = scrubber
        self._left_out = left_out
        self._notes = notes
        self._groups: list[_Group] = []
        self._ends: dict[tuple[Api, bytes], list[_Place]] = {}
        self._answers: dict[str, _Place] = {}
        self._seen: list[Tally] = []
        self._forms: dict[bytes, bytes] = {}

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
            self._link(one, _Request(dialect, parts, body, self._digests_of(parts.messages)))
        except errors.UnreadableAnswer as error:
            self._left_out[f"a request that its API does not know: {error.subject}"] += 1

    def _link(self, one: Captured, request: _Request) -> None:
        parts, api = request.parts, request.dialect.api
        before, known = self._before(request)
        request.dialect.turns_of(parts.messages[known:])  # raises where a recording could not be derived
        group = before.group if before else self._group_of(request)
        context = _context_of(one, request, group)
        streamed = is_stream(one.answer) or (parts.params.get("stream") is True and not _is_json(one.answer))
        answer = answer_of(one, group.scrubber, streamed=streamed and bool(one.answer))
        exchange = Exchange(
            number=len(group.draft.exchanges),
            parent=before.number if before else None,
            context=context.hash,
            messages=group.scrubber.items(parts.messages[known:]),
            status=one.status,
            headers=group.scrubber.redactor.headers(restored(one.headers, one.answer, self._notes)),
            body=answer.body,
            base64=answer.base64,
            chunks=answer.chunks,
            complete=one.complete,
            at=one.at or times.created_in(one.answer) or times.UNKNOWN_TIME,
            ms=one.ms,
        )
        self._seen.append(tally_of_request(api, parts.messages[known:], goes_on=before is not None and before.answered))
        self._seen.append(tally_of_answer(api, one.status, one.answer))
        group.draft.client = group.draft.client or one.client
        self._keep(group, context, exchange, (api, request.digests[-1]))

    def _digests_of(self, messages: list[Json]) -> list[bytes]:
        """The chained digest of the first 0, 1, 2 … messages; a message seen before is a look-up."""
        digests = [hashlib.sha256().digest()]
        for message in messages:
            written = encode(message)
            if written not in self._forms:
                self._forms[written] = hashlib.sha256(canonical(message)).digest()
            digests.append(hashlib.sha256(digests[-1] + self._forms[written]).digest())
        return digests

    def _keep(self, group: _Group, context: Context, exchange: Exchange, end: tuple[Api, bytes]) -> None:
        group.draft.contexts.setdefault(context.hash, context)
        group.draft.exchanges.append(exchange)
        place = _Place(group, exchange.number)
        self._ends.setdefault(end, []).append(place)
        answer = answer_id_of(exchange)
        if answer:
            self._answers[answer] = place

    def _before(self, request: _Request) -> tuple[_Place | None, int]:
        """The exchange that a request goes on from, and how many of its messages that one holds."""
        continued = self._answers.get(continued_answer(request.parts.params))
        if continued is not None:
            return continued, 0
        for count in range(len(request.parts.messages) - 1, 0, -1):
            places = self._ends.get((request.dialect.api, request.digests[count]), [])
            before = _said_before(places, request.parts.messages[count:], request.dialect)
            if before is not None:
                return before, count
        return None, 0

    def _group_of(self, request: _Request) -> _Group:
        """A recording of its own, or that of the failed request which this one makes again."""
        places = self._ends.get((request.dialect.api, request.digests[-1]), [])
        if places and request.parts.messages and not places[-1].answered:
            return places[-1].group
        self._groups.append(_Group(Draft(), self._new_scrubber()))
        return self._groups[-1]


def _context_of(one: Captured, request: _Request, group: _Group) -> Context:
    """The context of a request; one that was met before in its recording is a look-up."""
    parts, scrubber = request.parts, group.scrubber
    host, path, model = host_of(one), path_of(one, request.dialect.api), model_in(one, request.body)
    key = encode([host, path, model, parts.system, parts.tools, parts.params])
    if key not in group.contexts:
        group.contexts[key] = context_of(
            api=request.dialect.api,
            host=scrubber.text(host),
            path=scrubber.text(path),
            model=scrubber.text(model),
            system=scrubber.items(parts.system),
            tools=scrubber.items(parts.tools),
            params=scrubber.fields(parts.params),
        )
    return group.contexts[key]


def _said_before(places: list[_Place], rest: list[Json], dialect: Dialect) -> _Place | None:
    """Which of the exchanges with one request these messages go on from: the last whose answer they repeat.

    None where they repeat another answer: a history that was edited is no continuation.
    """
    said = dialect.turns_of(rest)[:1] if places else []
    if not said or not isinstance(said[0], AssistantTurn):
        return places[-1] if places else None
    echo, ids = said[0], _ids_of(said[0])
    alike: _Place | None = None
    for place in reversed(places):
        turn = place.group.draft.reading_of(place.number).turn
        if _repeats(echo, turn):
            if _ids_of(turn) == ids:
                return place
            alike = alike or place
    return alike


def _ids_of(turn: AssistantTurn) -> list[str]:
    return [call.id for call in turn.calls]


def _repeats(echo: AssistantTurn, answer: AssistantTurn) -> bool:
    """Whether an answer comes back: its calls or the first of them; without calls, its text within the other's.

    Agents write thinking into the text, or leave text out; they do not change which tools were called.
    """
    names = [call.name for call in echo.calls]
    if names != [call.name for call in answer.calls][: len(names)]:
        return False
    said, told = text_of(echo).strip(), text_of(answer).strip()
    return bool(names) or said in told or told in said


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
