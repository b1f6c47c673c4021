"""The recorded conversations as one tree of steps, and how far a request can walk it.

Conversations that begin alike share their beginning; branches part where they differ, so those that run at once
cannot mix. A request that goes on from an earlier one walks its new messages only.
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from harness.providers.dialect import dialect_of
from harness.recording import Api, Exchange, Recording, conversation_of
from harness.value import Json, encode
from harness.wire.answers import answer_id_of, spoken_in
from harness.wire.facets import continued_answer, fits, held_conversation
from harness.wire.meaning import Conversation, Edge, Reader, Step

_KEPT = 64  # conversations to go on from: more than agents run at once
_ENDS = {b",", b"]"}  # what follows a message in a list
_PLACEHOLDER = b"[secret:"


class Node:
    """A place in the tree: the exchanges whose request ends here, and the steps that lead on."""

    def __init__(self) -> None:
        self.exchanges: list[int] = []
        self.ways: dict[Edge, tuple[Step, Node]] = {}
        self._holed: list[tuple[Step, Node]] = []  # steps with placeholders, each of which stands for any string

    def grown_by(self, step: Step) -> "Node":
        """The node after this step, made where there is none."""
        if step.edge not in self.ways:
            self.ways[step.edge] = (step, Node())
            if _PLACEHOLDER in step.shape.key:
                self._holed.append(self.ways[step.edge])
        return self.ways[step.edge][1]

    def after(self, step: Step) -> "list[Node]":
        """The nodes that a sent step leads to: one, none, or several where placeholders leave it open."""
        equal = self.ways.get(step.edge)
        if equal is not None:
            return [equal[1]]
        return [
            node for own, node in self._holed if own.calls == step.calls and fits(own.shape.value, step.shape.value)
        ]

    def first_exchange(self) -> int | None:
        """The first exchange here or beyond, None in an empty tree."""
        waiting = deque([self])
        while waiting:
            node = waiting.popleft()
            if node.exchanges:
                return node.exchanges[0]
            waiting += [after for _, after in node.ways.values()]
        return None


class Walk(NamedTuple):
    """How far a request came: the nodes it reached, and the step that leads on from none of them (None: it got there).

    `skipped` counts the messages that the request did not say itself: the server has them.
    """

    nodes: list[Node]
    strayed: Step | None
    skipped: int


class _Place(NamedTuple):
    """Where a conversation stands, before the results at its end; `written` are the messages that led here."""

    nodes: list[Node]
    conversation: Conversation
    written: tuple[Api, bytes]


class Tree:
    """The conversations of a recording."""

    def __init__(self, recording: Recording, reader: Reader) -> None:
        self._recording = recording
        self._reader = reader
        self._roots: dict[tuple[Api, str], Node] = {}
        self._planted: list[_Place] = []
        self._kept: deque[_Place] = deque(maxlen=_KEPT)
        self._answers: dict[str, int] | None = None
        for exchange in recording.exchanges:
            self._plant(exchange)

    def walk(self, api: Api, messages: list[Json], continued: str | int) -> Walk | None:
        """Go as far as the messages lead; None where they go on from an answer that the recording does not know.

        `continued` is that answer, by its id or by its exchange's number; empty where the messages are all.
        """
        kept = continued != ""
        start = self._answered(api, continued) if kept else self._resumed(api, messages)
        if start is None:
            return None
        skipped = start.conversation.count if kept else 0
        rest = messages if kept else messages[start.conversation.count :]
        reached = self._go(start, api, rest, Node.after)
        if isinstance(reached, Walk):
            return reached._replace(skipped=skipped)
        if not kept:
            self._kept.append(reached._replace(written=(api, encode(messages)[:-1])))
        end = _along(reached.nodes, reached.conversation.waiting, Node.after)
        return end._replace(skipped=skipped)

    def _plant(self, exchange: Exchange) -> None:
        context = self._recording.contexts[exchange.context]
        api, continued = context.api, continued_answer(context.params)
        messages, parent = exchange.messages, exchange.parent
        if parent is not None and held_conversation(context.params):
            start = self._after(api, parent)
        elif not continued:
            start = self._beginning(api) if parent is None else self._planted[parent]
        else:
            start = self._answered(api, continued) or self._beginning(api, continued)
            if parent not in {None, self._number_of(continued)}:  # linked by what it says itself
                messages = conversation_of(self._recording, exchange)
        place = self._go(start, api, messages, _grow)
        assert isinstance(place, _Place)  # noqa: S101  a tree that grows has every way
        end = _along(place.nodes, place.conversation.waiting, _grow)
        end.nodes[0].exchanges.append(exchange.number)
        self._planted.append(place)

    def _beginning(self, api: Api, continued: str = "") -> _Place:
        """Where conversations begin; those that go on from an answer outside of the recording begin each there."""
        root = self._roots.setdefault((api, continued), Node())
        return _Place([root], Conversation(), (api, b"["))

    def _resumed(self, api: Api, messages: list[Json]) -> _Place:
        """The latest conversation walked before that the messages begin with."""
        written = encode(messages)
        for place in reversed(self._kept):
            api_then, before = place.written
            if api_then == api and written.startswith(before) and written[len(before) : len(before) + 1] in _ENDS:
                return place
        return self._beginning(api)

    def _answered(self, api: Api, answer: str | int) -> _Place | None:
        """The place after an answer; None where it is not in the recording and nothing goes on from it."""
        number = answer if isinstance(answer, int) else self._number_of(answer)
        if number is None:
            return self._beginning(api, f"{answer}") if (api, answer) in self._roots else None
        return self._after(api, number)

    def _after(self, api: Api, number: int) -> _Place:
        """The place after an exchange: its request's conversation, then its answer."""
        spoken = spoken_in(dialect_of(api), self._recording.exchanges[number])
        place = self._go(self._planted[number], api, spoken, _grow)
        assert isinstance(place, _Place)  # noqa: S101  a tree that grows has every way
        return place

    def _number_of(self, answer: str) -> int | None:
        """The exchange whose answer has this id."""
        if self._answers is None:
            self._answers = {answer_id_of(one): one.number for one in reversed(self._recording.exchanges)}
        number = self._answers.get(answer)
        return number if number is not None and number < len(self._planted) else None

    def _go(self, start: _Place, api: Api, messages: list[Json], step_to: "_Stepping") -> _Place | Walk:
        nodes, conversation = start.nodes, start.conversation.copy()
        for message in messages:
            walk = _along(nodes, conversation.steps_closed_by(self._reader.shapes_of(api, message)), step_to)
            if walk.strayed is not None:
                return walk
            nodes = walk.nodes
        return _Place(nodes, conversation, start.written)


_Stepping = Callable[[Node, Step], list[Node]]


def _grow(node: Node, step: Step) -> list[Node]:
    return [node.grown_by(step)]


def _along(nodes: list[Node], steps: Iterable[Step], step_to: _Stepping) -> Walk:
    for step in steps:
        after = [further for node in nodes for further in step_to(node, step)]
        if not after:
            return Walk(nodes, step, 0)
        nodes = after
    return Walk(nodes, None, 0)
