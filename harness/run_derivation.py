"""What was said in a whole run: one conversation, or several as one transcript, so that none goes unjudged.

Sub-agents and agents side by side leave several conversations in one recording. What a run must not do, none of them
may do; what it must do, any of them may. Each turn stands once, an answer where its request stands among all
requests, and its results behind it.
"""

from typing import TypeAlias

import msgspec

from harness.derivation import (
    LEFT_OPEN,
    Conversation,
    conversation_of,
    conversations_of,
    effects_of,
    main_conversation_of,
)
from harness.recording import Recording
from harness.transcript import ENDED_WELL, AssistantTurn, Outcome, ToolCall, ToolResultTurn, Transcript, Turn

_Block: TypeAlias = list[Turn]


def run_of(recording: Recording) -> Conversation:
    """All that was said; raises `UnreadableAnswer` where no conversation can be found or read."""
    leaves = conversations_of(recording)
    if len(leaves) < 2:  # noqa: PLR2004
        return conversation_of(recording)
    told = [conversation_of(recording, leaf) for leaf in leaves]
    turns, ids = _numbered(_blocks(told))
    main = told[leaves.index(main_conversation_of(recording))]
    outcome, error = _ending(told, main, left_open=recording.end is not None)
    notes = [*dict.fromkeys(note for one in told for note in one.notes)]
    notes.append(f"{len(told)} conversations were judged as one run")
    whole = Transcript(turns, outcome, error, effects_of(recording, ids))
    return Conversation(whole, notes, [])


def _blocks(told: list[Conversation]) -> dict[int, _Block]:
    """The turns that came with each exchange, by its number: of the first conversation that holds it."""
    blocks: dict[int, _Block] = {}
    for one in told:
        own: dict[int, _Block] = {}
        for turn, exchange in zip(one.transcript.turns, one.exchanges, strict=True):
            own.setdefault(exchange, []).append(turn)
        blocks = own | blocks
    return blocks


def _numbered(blocks: dict[int, _Block]) -> tuple[list[Turn], dict[tuple[int, int], str]]:
    """The turns in the order of the exchanges, their calls numbered over the run; and each answered call's new id."""
    turns: list[Turn] = []
    places: dict[tuple[int, int], str] = {}
    calls = 0
    for number in sorted(blocks):
        ids: dict[str, str] = {}
        for turn in blocks[number]:
            if isinstance(turn, AssistantTurn):
                ids = {call.id: f"call_{calls + place}" for place, call in enumerate(turn.calls, 1)}
                places |= {(number, place): id_ for place, id_ in enumerate(ids.values())}
                calls += len(ids)
            turns.append(_renamed(turn, ids))
    return turns, places


def _renamed(turn: Turn, ids: dict[str, str]) -> Turn:
    match turn:
        case AssistantTurn():
            content = [
                msgspec.structs.replace(one, id=ids[one.id]) if isinstance(one, ToolCall) else one
                for one in turn.content
            ]
            return msgspec.structs.replace(turn, content=content)
        case ToolResultTurn():
            return msgspec.structs.replace(turn, tool_use_id=ids.get(turn.tool_use_id, turn.tool_use_id))
        case _:
            return turn


def _ending(told: list[Conversation], main: Conversation, *, left_open: bool) -> tuple[Outcome, str | None]:
    """How the run ended: as its longest conversation, unless that one ended well and another did not.

    Where the run came to its own end, none that it left with open calls broke off: it had what it wanted.
    """
    outcome, error = main.transcript.outcome, main.transcript.error
    if outcome not in ENDED_WELL:
        return outcome, error
    for number, one in enumerate(told, 1):
        ended, why = one.transcript.outcome, one.transcript.error
        if ended not in ENDED_WELL and not (left_open and why == LEFT_OPEN):
            return ended, f"conversation {number} of {len(told)}: {why or ended}"
    return outcome, error
