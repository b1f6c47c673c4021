"""Which recorded answer a request gets: decided by its conversation and its context, never by nearness.

Among the exchanges with an equal conversation a request gets

1. the first unused whose context is equal too, in recorded order;
2. else, where all unused ones have one and the same context, the first of them, and the facets that differ are said;
3. else nothing. Several contexts to choose from are an error, never a guess.
"""

import threading
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, TypeAlias

from harness.providers.dialect import Parts
from harness.recording import Api, Exchange, Recording
from harness.value import Json, JsonObject, encode
from harness.wire.answers import is_kept, pieces_of
from harness.wire.facets import Facet, Facets, continued_answer, facets_of, held_conversation
from harness.wire.meaning import Reader, Rules, Step
from harness.wire.tree import Node, Tree, Walk

_RETRIED = {408, 409, 429}
_SERVER_ERROR = 500
_NO_RULES = Rules()

Reason: TypeAlias = Literal["conversation", "exhausted", "ambiguous", "form", "unknown_answer"]


class Asked(NamedTuple):
    """A request taken apart. `retries` is how often the client has sent it before, None where it does not say."""

    api: Api
    body: JsonObject
    parts: Parts
    retries: int | None = None


class Found(NamedTuple):
    """The exchange that answers, and the facets of its context that the request does not share."""

    exchange: Exchange
    differing: list[Facet]


class Missed(NamedTuple):
    """Why nothing answers.

    `conversation`: nothing recorded goes this way · `exhausted`: the equal ones are used, or the recorded
    conversation ends here · `ambiguous`: several contexts to choose from · `form`: recorded plain and asked as a
    stream, or the other way round · `unknown_answer`: it goes on from an answer that is not in the recording.

    `step` is the first sent step that differs (None: the request stops short), `expected` the recorded one in its
    place, `skipped` the messages before the request's own. `nearest` explains and decides nothing.
    """

    reason: Reason
    nearest: Exchange | None = None
    step: Step | None = None
    expected: Step | None = None
    skipped: int = 0


class Matching:
    """The exchanges of one recording, each handed out once; threads may ask at once.

    `scrub` takes secrets out of what is sent, as it was done when the recording was made.
    """

    def __init__(
        self,
        recording: Recording,
        *,
        rules: Rules = _NO_RULES,
        scrub: Callable[[Json], Json] = lambda value: value,
    ) -> None:
        self._exchanges = recording.exchanges
        self._reader = Reader(rules, scrub)
        self._tree = Tree(recording, self._reader)
        self._facets = {digest: facets_of(self._reader, one) for digest, one in recording.contexts.items()}
        self._sent: dict[bytes, Facets] = {}
        self._held: dict[str, int] = {}  # the last answer of each conversation that the server holds
        self._given = [0] * len(recording.exchanges)
        self._lock = threading.Lock()

    def find(self, asked: Asked, *, repeats: bool = False) -> Found | Missed:
        """The answer to a request, which then counts as given.

        With `repeats` the last equal one answers again where no more were recorded.
        """
        with self._lock:
            return self._found(asked, repeats=repeats)

    def given(self) -> set[int]:
        """The numbers of the exchanges that were handed out."""
        return {number for number, count in enumerate(self._given) if count}

    def _found(self, asked: Asked, *, repeats: bool) -> Found | Missed:
        held = held_conversation(asked.parts.params)
        continued = continued_answer(asked.parts.params) or self._held.get(held, "")
        walk = self._tree.walk(asked.api, asked.parts.messages, continued)
        if walk is None:
            return Missed("unknown_answer")
        if walk.strayed is not None:
            return self._strayed(walk, walk.strayed)
        here = sorted(number for node in walk.nodes for number in node.exchanges)
        found = self._chosen(here, asked, repeats=repeats) if here else self._stopped_short(walk)
        if held and isinstance(found, Found) and is_kept(found.exchange):
            self._held[held] = found.exchange.number
        return found

    def unplayed(self) -> list[Exchange]:
        """The exchanges that could have been handed out and were not."""
        return [one for one in self._exchanges if not self._given[one.number] and _can_be_given(one)]

    def facets(self, exchange: Exchange) -> Facets:
        """A recorded context as it is compared."""
        return self._facets[exchange.context]

    def facets_of_parts(self, parts: Parts) -> Facets:
        """A request's context as it is compared."""
        key = encode([parts.system, parts.tools, parts.params, parts.model])
        if key not in self._sent:
            self._sent[key] = facets_of(self._reader, parts)
        return self._sent[key]

    def _chosen(self, here: list[int], asked: Asked, *, repeats: bool) -> Found | Missed:
        facets = self.facets_of_parts(asked.parts)
        usable = [number for number in here if _can_be_given(self._exchanges[number])]
        equal = [number for number in usable if not self.facets(self._exchanges[number]).differing(facets)]
        if equal:
            number = self._next_of(equal, asked.retries)
            if number is None and not repeats:
                return self._exhausted(equal[-1])
            return self._give(equal[-1] if number is None else number, [])
        unused = [number for number in usable if not self._given[number]]
        if not unused:
            return self._exhausted(here[-1])
        contexts = {self.facets(self._exchanges[number]).keys for number in unused}
        first = self._exchanges[unused[0]]
        if len(contexts) > 1:
            return Missed("ambiguous", first)
        if self.facets(first).streams != facets.streams:
            return Missed("form", first)
        return self._give(unused[0], self.facets(first).differing(facets))

    def _next_of(self, equal: list[int], retries: int | None) -> int | None:
        """The exchange whose turn it is: one that failed after several tries stands for each of them."""
        used = [number for number in equal if self._given[number]]
        unused = [number for number in equal if not self._given[number]]
        last = self._exchanges[used[-1]] if used else None
        if last is not None and retries != 0 and is_retried(last.status) and self._given[last.number] < last.attempts:
            return last.number
        return unused[0] if unused else None

    def _give(self, number: int, differing: list[Facet]) -> Found:
        self._given[number] += 1
        return Found(self._exchanges[number], differing)

    def _exhausted(self, number: int) -> Missed:
        return Missed("exhausted", self._exchanges[number])

    def _strayed(self, walk: Walk, step: Step) -> Missed:
        ways = [way for node in walk.nodes for way in node.ways.values() if way[1].first_exchange() is not None]
        ends_here = any(node.exchanges for node in walk.nodes)
        if not ways and (step.shape.by_model if ends_here else walk.skipped):
            return Missed("exhausted", self._last_at(walk.nodes), step, None, walk.skipped)
        expected, node = max(ways, key=lambda way: _nearness(way[0], step), default=(None, walk.nodes[0]))
        return Missed("conversation", self._first_of(node), step, expected, walk.skipped)

    def _stopped_short(self, walk: Walk) -> Missed:
        ways = [way for node in walk.nodes for way in node.ways.values()]
        expected, node = ways[0] if ways else (None, walk.nodes[0])
        return Missed("conversation", self._first_of(node), None, expected, walk.skipped)

    def _first_of(self, node: Node) -> Exchange | None:
        number = node.first_exchange()
        return None if number is None else self._exchanges[number]

    def _last_at(self, nodes: list[Node]) -> Exchange | None:
        numbers = [number for node in nodes for number in node.exchanges]
        return self._exchanges[max(numbers)] if numbers else None


def retries_of(headers: Mapping[str, str]) -> int | None:
    """How often the client sent a request before, as both SDKs say it."""
    count = headers.get("x-stainless-retry-count", "")
    return int(count) if count.isdecimal() else None


def _can_be_given(exchange: Exchange) -> bool:
    """Whole answers, and the beginning of a stream that was left: never half a body as a whole one."""
    return exchange.complete or (exchange.chunks is not None and bool(pieces_of(exchange)))


def is_retried(status: int) -> bool:
    """Whether an SDK asks again after an answer of this status."""
    return status in _RETRIED or status >= _SERVER_ERROR


def _nearness(own: Step, sent: Step) -> tuple[bool, bool, float]:
    one, other = own.shape.key, sent.shape.key
    shorter = min(len(one), len(other))
    start = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    end = next((at for at in range(shorter - start) if one[-1 - at] != other[-1 - at]), shorter - start)
    same_kind = own.shape.is_result == sent.shape.is_result
    return same_kind, own.shape.role == sent.shape.role, (start + end) / max(len(one), len(other), 1)
