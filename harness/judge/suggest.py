"""Assertions that hold on a trace, for a person to choose from."""

from collections.abc import Iterable, Iterator

from harness.fixture import (
    Assertion,
    MessageContainsSubstring,
    NoToolCalled,
    OutcomeIs,
    ToolCallArgMatches,
    ToolCalled,
    TraceMaxTurns,
)
from harness.judge.assertions import finding_of
from harness.judge.finding import Status
from harness.trace import Call, Trace
from harness.transcript import Outcome
from harness.value import Json

_EXCERPT = 60
_LONGEST = 60
_SPECIAL = frozenset(r"\^$.|?*+()[]{}")


def suggestions_of(trace: Trace, offered: Iterable[str] = ()) -> list[Assertion]:
    """Every suggested assertion, tried on the trace first; `offered` are the tools that could have been called."""
    whole = Trace(trace.calls, trace.turns, trace.outcome, trace.error, trace.effects, complete=True)
    candidates = dict.fromkeys(_candidates(trace, offered))
    return [one for one in candidates if finding_of(one, "suggested", whole).outcome is Status.PASS]


def _candidates(trace: Trace, offered: Iterable[str]) -> Iterator[Assertion]:
    names = list(dict.fromkeys(call.name for call in trace.calls))
    for name in names:
        count = sum(call.name == name for call in trace.calls)
        yield ToolCalled(name, min_count=count, max_count=count)
    if len(trace.calls) > 1:
        yield from (ToolCalled(call.name, order=call.number) for call in trace.calls)
    yield from (NoToolCalled(name) for name in offered if name not in names)
    for call in trace.calls:
        yield from _argument_patterns(call)
    answers = [text.strip() for text in trace.texts("assistant") if text.strip()]
    if answers:
        yield MessageContainsSubstring("assistant", answers[-1].split("\n", 1)[0][:_EXCERPT].strip())
    yield TraceMaxTurns(len(trace.turns))
    if trace.outcome is not Outcome.COMPLETED:
        yield OutcomeIs(trace.outcome)


def _argument_patterns(call: Call) -> Iterator[Assertion]:
    if call.arguments is None:
        return
    for path, text in _strings_at(call.arguments):
        if len(text) <= _LONGEST:
            yield ToolCallArgMatches(call.name, path, f"^{_quoted(text)}$")


def _strings_at(value: Json, path: str = "") -> Iterator[tuple[str, str]]:
    """Each string with the dotted path that leads to it; a key that holds a dot cannot be named and is left out."""
    match value:
        case str():
            yield path, value
        case dict():
            for key, item in value.items():
                if key and "." not in key:
                    yield from _strings_at(item, f"{path}.{key}" if path else key)
        case list():
            for index, item in enumerate(value):
                yield from _strings_at(item, f"{path}.{index}" if path else str(index))
        case _:
            pass


def _quoted(text: str) -> str:
    """The text as a pattern that finds it and nothing else."""
    return "".join(f"\\{character}" if character in _SPECIAL else character for character in text)
