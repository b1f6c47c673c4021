"""Short ways to write a conversation down: who called what, and what came back."""

from harness.trace import trace_of
from harness.transcript import (
    AssistantTurn,
    Outcome,
    Text,
    ToolCall,
    ToolResultTurn,
    Transcript,
    UserTurn,
)

FAILED = "failed"


def call(name, /, *, result="ok", **arguments):
    """A call with its result; `result=FAILED` makes it an error, `result=None` leaves it unanswered."""
    return name, arguments, result


def unreadable(name, raw):
    """A call whose arguments are no JSON object."""
    return name, raw, FAILED


def conversation(*turns, user="Please.", outcome=Outcome.COMPLETED, error=None, effects=None, answer="Done."):
    """A transcript: each of `turns` is one call or a list of calls that were made in one answer; then the answer."""
    said = [UserTurn([Text(user)])]
    number = 0
    for turn in turns:
        calls, results = [], []
        for name, arguments, result in turn if isinstance(turn, list) else [turn]:
            number += 1
            readable = isinstance(arguments, dict)
            calls.append(
                ToolCall(f"call_{number}", name, arguments if readable else None, None if readable else arguments)
            )
            if result is not None:
                results.append(ToolResultTurn(f"call_{number}", [Text(result)], result == FAILED))
        said += [AssistantTurn(calls), *results]
    if answer is not None:
        said.append(AssistantTurn([Text(answer)]))
    return Transcript(said, outcome, error, effects)


def trace(*turns, declared=(), **rest):
    """The trace of a conversation."""
    return trace_of(conversation(*turns, **rest), declared=declared)
