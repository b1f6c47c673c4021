"""A fixture's turns in the order in which the agent loop makes them, each with its line.

The loop appends results in the order of the calls; an imported fixture may hold them in the order in which they came.
"""

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import NamedTuple

from harness.fixture import Fixture
from harness.transcript import (
    AssistantTurn,
    Text,
    ToolCall,
    ToolResultTurn,
    Transcript,
    Turn,
    UserTurn,
    results_after,
    text_of,
)
from harness.value import canonical

FIRST_TURN_LINE = 2


class Taped(NamedTuple):
    """One recorded turn and its line in the file."""

    turn: Turn
    line: int


class TapedCall(NamedTuple):
    """One recorded call and its result, None where the run ended before it; the lines are those of their turns."""

    call: ToolCall
    line: int
    result: ToolResultTurn | None
    result_line: int


class Tape(NamedTuple):
    """What was recorded, as the loop is to make it again."""

    id: str
    file: str
    recorded: Transcript
    turns: list[Taped]
    calls: list[TapedCall]

    @property
    def answers(self) -> int:
        """How many answers of the model were recorded."""
        return sum(isinstance(one.turn, AssistantTurn) for one in self.turns)

    @property
    def users(self) -> list[str]:
        """What the user said, turn by turn."""
        return [text_of(one.turn) for one in self.turns if isinstance(one.turn, UserTurn)]


def tape_of(fixture: Fixture, *, file: str) -> Tape:
    """The tape of a fixture; each call is paired with its result inside its own turn, since ids repeat."""
    turns: list[Taped] = []
    calls: list[TapedCall] = []
    recorded = fixture.transcript.turns
    for index, turn in enumerate(recorded):
        if isinstance(turn, ToolResultTurn):
            continue  # taped with its call
        line = index + FIRST_TURN_LINE
        turns.append(Taped(turn, line))
        if isinstance(turn, AssistantTurn):
            pairs = list(_paired(turn.calls, recorded, index))
            turns += [Taped(pair.result, pair.result_line) for pair in pairs if pair.result]
            calls += pairs
    return Tape(fixture.meta.fixture_id, file, fixture.transcript, turns, calls)


def _paired(calls: list[ToolCall], recorded: list[Turn], index: int) -> Iterator[TapedCall]:
    line = index + FIRST_TURN_LINE
    results: dict[str, deque[tuple[int, ToolResultTurn]]] = defaultdict(deque)
    for position, result in results_after(recorded, index):
        results[result.tool_use_id].append((position, result))
    for call in calls:
        waiting = results[call.id]
        if not waiting:
            yield TapedCall(call, line, None, line)
        else:
            position, result = waiting.popleft()
            yield TapedCall(call, line, result, position + FIRST_TURN_LINE)


def said(turn: Turn) -> str:
    """A turn in one line for a message."""
    match turn:
        case UserTurn():
            return f"user: {text_of(turn)}"
        case ToolResultTurn():
            return f"{'error' if turn.is_error else 'result'} of {turn.tool_use_id}: {text_of(turn)}"
        case AssistantTurn():
            return f"assistant: {' '.join(map(_block_said, turn.content))}"


def _block_said(block: object) -> str:
    match block:
        case Text():
            return block.text
        case ToolCall():
            return call_said(block)
        case _:
            return f"[{type(block).__name__.lower()}]"


def call_said(call: ToolCall) -> str:
    """A call in one line: its name and its arguments as JSON, or as the text that was none."""
    written = canonical(call.arguments).decode() if call.arguments is not None else call.raw_arguments
    return f"{call.name}({written})"
