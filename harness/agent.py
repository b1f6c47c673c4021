"""The agent loop: ask the model, execute the calls it proposes, hand the results back, until it stops.

The same loop runs live (a client of the wire) and in replay (`playback.py`); it knows neither. What the model or a
tool does wrong is data in the transcript: only a broken set-up raises.
"""

from collections.abc import Callable
from typing import Protocol

import msgspec

from harness.providers.dialect import Reading, Request
from harness.scenario import Tool
from harness.transcript import Effects, Outcome, Text, ToolCall, ToolResultTurn, Transcript, Turn, UserTurn
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


class _End(msgspec.Struct, frozen=True):
    outcome: Outcome
    error: str | None = None


def run(task: Task, model: Model, toolbox: Toolbox, *, seen: Callable[[Turn], None] = lambda _: None) -> Transcript:
    """The conversation from the first user turn to its end; `seen` is told of each turn as it is added."""
    conversation = _Conversation(task, model, toolbox, seen)
    for user in task.users:
        conversation.add(UserTurn([Text(user)]))
        end = conversation.answered()
        if end is not None:
            return Transcript(conversation.turns, end.outcome, end.error, toolbox.effects())
    return Transcript(conversation.turns, Outcome.COMPLETED, None, toolbox.effects())


class _Conversation:
    def __init__(self, task: Task, model: Model, toolbox: Toolbox, seen: Callable[[Turn], None]) -> None:
        self.turns: list[Turn] = []
        self._task = task
        self._model = model
        self._toolbox = toolbox
        self._seen = seen
        self._steps = 0

    def add(self, turn: Turn) -> None:
        self.turns.append(turn)
        self._seen(turn)

    def answered(self) -> _End | None:
        """Steps until the model has answered this user turn: None, or how the conversation ended before that."""
        pauses = 0
        while True:
            if self._steps == self._task.max_steps:
                return _End(Outcome.MAX_STEPS, f"the model went on after {self._task.max_steps} requests")
            reading = self._step()
            if reading.outcome is not None:
                return _End(reading.outcome, reading.error)
            pauses = pauses + 1 if reading.pauses else 0
            if pauses > MAX_PAUSES:
                return _End(Outcome.ERROR, f"the provider paused {pauses} times in a row")
            if not reading.turn.calls and not pauses:
                return None
            for call in reading.turn.calls:
                answer = self._toolbox.execute(call)
                self.add(ToolResultTurn(call.id, [Text(answer.text)], answer.is_error))

    def _step(self) -> Reading:
        self._steps += 1
        task = self._task
        reading = self._model.reply(Request(task.model, task.system, task.tools, task.params, list(self.turns)))
        self.add(reading.turn)
        return reading
