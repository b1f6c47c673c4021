"""What was done: the tool calls of a transcript in order, each with its result, and how the conversation ended."""

from collections.abc import Collection
from itertools import islice
from typing import Literal, TypeAlias

import msgspec

from harness.transcript import (
    AssistantTurn,
    Effects,
    Outcome,
    ToolCall,
    ToolResultTurn,
    Transcript,
    Turn,
    UserTurn,
    text_of,
)
from harness.value import JsonObject

Role: TypeAlias = Literal["user", "assistant", "toolResult"]

_ENDED_WELL = frozenset({Outcome.COMPLETED, Outcome.REFUSED})
_ENDED_BY_AN_ERROR = frozenset({Outcome.ERROR, Outcome.TIMEOUT, Outcome.MAX_STEPS})
_ROLES: dict[Role, type] = {"user": UserTurn, "assistant": AssistantTurn, "toolResult": ToolResultTurn}


class Call(msgspec.Struct, frozen=True, gc=False):
    """One call: `number` counts over the trace, `position` inside its turn, both from 0.

    `arguments` is None where the model wrote no JSON object; `raw` is then its text. `result` is None where the
    conversation ended before the tool answered.
    """

    number: int
    turn: int
    position: int
    id: str
    name: str
    arguments: JsonObject | None
    raw: str | None = None
    result: str | None = None
    is_error: bool = False

    @property
    def succeeded(self) -> bool:
        """Whether the tool answered, and not with an error."""
        return self.result is not None and not self.is_error


class Trace(msgspec.Struct, frozen=True):
    """The calls of one conversation. `complete`: nothing more could have come, so what is not there is missing."""

    calls: list[Call]
    turns: list[Turn]
    outcome: Outcome = Outcome.COMPLETED
    error: str | None = None
    effects: Effects | None = None
    complete: bool = True

    @property
    def agent_error(self) -> bool:
        """Whether the run broke before it could be scored."""
        return not self.complete and self.outcome in _ENDED_BY_AN_ERROR

    def texts(self, role: Role) -> list[str]:
        """The text of each turn of a role, in order."""
        kind = _ROLES[role]
        return [text_of(turn) for turn in self.turns if isinstance(turn, kind)]

    def texts_before(self, turn: int, role: Role) -> list[str]:
        """The text of each turn of a role that stands before turn `turn`."""
        kind = _ROLES[role]
        return [text_of(one) for one in self.turns[:turn] if isinstance(one, kind)]


def trace_of(transcript: Transcript, *, declared: Collection[Outcome] = ()) -> Trace:
    """The trace of a transcript; it is complete where it ended well or as `declared` says it should."""
    calls: list[Call] = []
    turns = transcript.turns
    for index, turn in enumerate(turns):
        if type(turn) is AssistantTurn:
            proposed = turn.calls
            if proposed:
                _add_calls(calls, proposed, turns, index)
    outcome = transcript.outcome
    complete = outcome in _ENDED_WELL or outcome in declared
    return Trace(calls, turns, outcome, transcript.error, transcript.effects, complete)


def _add_calls(calls: list[Call], proposed: list[ToolCall], turns: list[Turn], index: int) -> None:
    """The calls of turn `index` with their results; ids pair inside the turn, equal ones in written order."""
    results: dict[str, list[ToolResultTurn]] = {}
    for turn in islice(turns, index + 1, None):
        if type(turn) is not ToolResultTurn:
            break
        results.setdefault(turn.tool_use_id, []).append(turn)
    for position, call in enumerate(proposed):
        mine = results.get(call.id)
        text, is_error = None, False
        if mine:
            answer = mine.pop(0)
            text = answer.content[0].text if len(answer.content) == 1 else text_of(answer)
            is_error = answer.is_error
        number = len(calls)
        calls.append(
            Call(number, index, position, call.id, call.name, call.arguments, call.raw_arguments, text, is_error)
        )
