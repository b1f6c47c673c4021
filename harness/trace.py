"""What was done: the tool calls of a transcript in order, each with its result, and how the conversation ended."""

from collections.abc import Collection, Sequence
from typing import Literal, TypeAlias

import msgspec

from harness.transcript import (
    ENDED_WELL,
    AssistantTurn,
    Effects,
    Outcome,
    Text,
    ToolCall,
    ToolResultTurn,
    Transcript,
    Turn,
    UserTurn,
    text_of,
)
from harness.value import JsonObject

Role: TypeAlias = Literal["user", "assistant", "toolResult"]

ENDED_BY_AN_ERROR = (Outcome.ERROR, Outcome.TIMEOUT, Outcome.MAX_STEPS)
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
        return not self.complete and self.outcome in ENDED_BY_AN_ERROR

    def texts(self, role: Role) -> list[str]:
        """The text of each turn of a role, in order."""
        kind = _ROLES[role]
        return [said_in(turn) for turn in self.turns if type(turn) is kind]

    def texts_before(self, turn: int, role: Role) -> list[str]:
        """The text of each turn of a role that stands before turn `turn`."""
        kind = _ROLES[role]
        return [said_in(one) for one in self.turns[:turn] if type(one) is kind]


def trace_of(transcript: Transcript, *, declared: Collection[Outcome] = ()) -> Trace:
    """The trace of a transcript; it is complete where it ended well or as `declared` says it should."""
    calls: list[Call] = []
    turns = transcript.turns
    for index, turn in enumerate(turns):
        if type(turn) is AssistantTurn:
            proposed = [block for block in turn.content if type(block) is ToolCall]
            if proposed:
                _add_calls(calls, proposed, _answers(proposed, turns, index), index)
    outcome = transcript.outcome
    complete = outcome in ENDED_WELL or outcome in declared
    return Trace(calls, turns, outcome, transcript.error, transcript.effects, complete)


def said_in(turn: Turn) -> str:
    """All text of a turn; most turns hold one block."""
    if len(turn.content) == 1:
        block = turn.content[0]
        return block.text if type(block) is Text else ""
    return text_of(turn)


def _answers(proposed: list[ToolCall], turns: list[Turn], index: int) -> Sequence[ToolResultTurn | None]:
    """The result of each call of turn `index`; ids pair inside the turn, equal ones in written order."""
    results: list[ToolResultTurn] = []
    for position in range(index + 1, len(turns)):
        turn = turns[position]
        if type(turn) is not ToolResultTurn:
            break
        results.append(turn)
    if len(results) == len(proposed) == 1 and results[0].tool_use_id == proposed[0].id:
        return results
    waiting: dict[str, list[ToolResultTurn]] = {}
    for result in results:
        waiting.setdefault(result.tool_use_id, []).append(result)
    return [mine.pop(0) if (mine := waiting.get(call.id)) else None for call in proposed]


def _add_calls(
    calls: list[Call], proposed: list[ToolCall], answers: Sequence[ToolResultTurn | None], index: int
) -> None:
    for position, call in enumerate(proposed):
        answer = answers[position]
        text, is_error = (None, False) if answer is None else (said_in(answer), answer.is_error)
        number, raw = len(calls), call.raw_arguments
        calls.append(Call(number, index, position, call.id, call.name, call.arguments, raw, text, is_error))
