"""Which call of the model a tool's execution belongs to: by answer and position, never by name or order of arrival."""

import threading
from contextvars import ContextVar
from typing import NamedTuple

from harness.transcript import ToolCall
from harness.value import Json, JsonObject, canonical

# The answer that this thread or task read last; tasks that it starts see it too.
_HEARD: ContextVar[tuple[int, int] | None] = ContextVar("heard", default=None)


class Place(NamedTuple):
    """A call's identity: the exchange whose answer proposed it, and its position there."""

    exchange: int
    position: int


class _Proposed(NamedTuple):
    place: Place
    call: ToolCall


class Proposals:
    """The calls that answers proposed and no tool has executed yet; threads and tasks may ask at once."""

    def __init__(self) -> None:
        self._open: list[_Proposed] = []
        self._own: dict[int, int] = {}
        self._lock = threading.Lock()
        self.last: int | None = None

    def hear(self, exchange: int, calls: list[ToolCall]) -> None:
        """Note an answer, in the context of whoever read it."""
        with self._lock:
            self._open += [_Proposed(Place(exchange, position), call) for position, call in enumerate(calls)]
            self._own.setdefault(exchange, len(calls))
            self.last = exchange
        _HEARD.set((id(self), exchange))

    def claim(self, name: str, arguments: JsonObject) -> tuple[Place, ToolCall | None] | None:
        """The call that an execution answers: one of the answer read last in this thread or task, else of any.

        Arguments tell equal names apart; an agent may change them, so the name is enough where no other fits better.
        An execution that no answer proposed gets a place behind its last answer's calls; None before any answer.
        """
        heard = _HEARD.get()
        mine = heard[1] if heard is not None and heard[0] == id(self) else None
        wanted = canonical(arguments)
        with self._lock:
            fitting = [one for one in self._open if one.call.name == name]
            if fitting:
                best = max(fitting, key=lambda one: _fitness(one, mine, wanted))
                self._open.remove(best)
                return best.place, best.call
            after = mine if mine is not None else self.last
            if after is None:
                return None
            self._own[after] += 1
            return Place(after, self._own[after] - 1), None


def _fitness(one: _Proposed, mine: int | None, wanted: bytes) -> tuple[bool, bool, int, int]:
    """The own answer of this reader first, then equal arguments, then the latest answer, then the earliest position."""
    given: Json = one.call.arguments
    is_equal = given is not None and canonical(given) == wanted
    return one.place.exchange == mine, is_equal, one.place.exchange, -one.place.position
