"""The agent loop: ask the model, execute the calls it proposes, hand the results back, until it stops.

The same loop runs live (a client of the wire) and in replay (`playback.py`); it knows neither. What the model or a
tool does wrong is data in the transcript: only a broken set-up raises.
"""

from collections.abc import Callable
from typing import Protocol

import msgspec

from harness.providers.dialect import Reading, Request
from harness.scenario import Tool
from harness.transcript import (
    Effects,
    Outcome,
    StopReason,
    Text,
    ToolCall,
    ToolResultTurn,
    Transcript,
    Turn,
    UserTurn,
)
from harness.value import JsonObject
from harness.world import Answer

MAX_PAUSES = 8


class Model(Protocol):
    """Whatever answers: a live provider, a recorded transcript, a script."""

    def reply(self, request: Request) -> Reading:
        """The answer to the conversation so far."""


class Toolbox(Protocol):
    """Whatever executes calls: a sandbox with a world, recorded results, or both compared."""

    def execute(self, call: ToolCall) -> Answer:
        """The answer to one call. Calls come in written order, each turn's before the next."""

    def effects(self) -> Effects | None:
        """What the calls did to the world so far; None where there is no world."""


class Task(msgspec.Struct, frozen=True):
    """What the agent is to do: `users` are said one after the other, each when the model has answered the last."""

    model: str
    system: str
    users: list[str]
    tools: list[Tool]
    params: JsonObject
    max_steps: int


def run(task: Task, model: Model, toolbox: Toolbox, *, seen: Callable[[Turn], None] = lambda _: None) -> Transcript:
    """The conversation from the first user turn to its end; `seen` is told of each turn as it is added."""
    turns: list[Turn] = []
    steps = pauses = 0

    def add(turn: Turn) -> None:
        turns.append(turn)
        seen(turn)

    def ended(outcome: Outcome, error: str | None = None) -> Transcript:
        return Transcript(turns, outcome, error, toolbox.effects())

    for user in task.users:
        add(UserTurn([Text(user)]))
        while True:
            if steps == task.max_steps:
                return ended(Outcome.MAX_STEPS, f"the model went on after {task.max_steps} requests")
            steps += 1
            reading = model.reply(Request(task.model, task.system, task.tools, task.params, list(turns)))
            add(reading.turn)
            if reading.outcome is not None:
                return ended(reading.outcome, reading.error)
            pauses = pauses + 1 if _pauses(reading) else 0
            if pauses > MAX_PAUSES:
                return ended(Outcome.ERROR, f"the provider paused {pauses} times in a row")
            if not reading.turn.calls and not pauses:
                break
            for call in reading.turn.calls:
                answer = toolbox.execute(call)
                add(ToolResultTurn(call.id, [Text(answer.text)], answer.is_error))
    return ended(Outcome.COMPLETED)


_PAUSE: StopReason = "pause"


def _pauses(reading: Reading) -> bool:
    """Whether the provider only took a break: its content goes back unchanged and it goes on."""
    return reading.turn.stop_reason == _PAUSE and not reading.turn.calls
