"""Results that were told apart from their conversations, each given to the call that it answers, and to no other.

Ids of calls are unique in their conversation only: local models count from 0 in each. So a result goes to a call of
the span that it stands within, of its own trace, or of its own conversation where that is named.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from harness.importers.found import NO_SPAN, Ran, Span
from harness.importers.writing import Draft
from harness.recording import ToolRun, leaves_of
from harness.transcript import ToolCall

_Key = tuple[str, str, str]


class _Open(NamedTuple):
    """A call that may have a result told apart."""

    draft: Draft
    exchange: int
    position: int
    call: ToolCall
    span: Span


def add_runs(drafts: list[Draft], ran: list[Ran], left_out: Counter[str]) -> int:
    """Add the runs of tools that were told apart; how many of them no request carried."""
    calls = _calls_of(drafts) if ran else {}
    taken: set[tuple[int, int, int]] = set()
    last = {id(draft): {one.number for one in leaves_of(draft.recording)} for draft in drafts} if ran else {}
    unsent = 0
    for one in ran:
        fitting = next((calls[key] for key in _keys_of(one.call, one.span, one.span.parent) if key in calls), [])
        free = [call for call in fitting if _place_of(call) not in taken]
        found = _nearest(one, free)
        if found is None:
            left_out[_why_none(fitting, free)] += 1
            continue
        taken.add(_place_of(found))
        found.draft.tools.append(_run_of(found, one))
        unsent += found.exchange in last[id(found.draft)]
    for draft in drafts if ran else []:
        draft.tools.sort(key=lambda run: (run.exchange, run.position))
    return unsent


def _calls_of(drafts: list[Draft]) -> dict[_Key, list[_Open]]:
    calls: dict[_Key, list[_Open]] = {}
    for one in (one for draft in drafts for one in _open_in(draft)):
        for key in _keys_of(one.call.id, one.span, one.span.id):
            calls.setdefault(key, []).append(one)
    return calls


def _open_in(draft: Draft) -> Iterator[_Open]:
    told = {(run.exchange, run.position) for run in draft.tools}
    for exchange in draft.exchanges:
        span = draft.spans.get(exchange.number, NO_SPAN)
        for position, call in enumerate(draft.reading_of(exchange.number).turn.calls):
            if (exchange.number, position) not in told:
                yield _Open(draft, exchange.number, position, call, span)


def _keys_of(call: str, span: Span, around: str) -> list[_Key]:
    """What a call and its result share: the span of the call, else their trace, else their conversation."""
    within = [("span", f"{span.trace} {around}", call)] if around else []
    named = [("conversation", span.conversation, call)] if span.conversation else []
    return [*within, ("trace", span.trace, call), *named]


def _place_of(one: _Open) -> tuple[int, int, int]:
    return id(one.draft), one.exchange, one.position


def _nearest(ran: Ran, calls: list[_Open]) -> _Open | None:
    """The call that a result answers; None where nothing tells two conversations apart.

    Spans tell it by what is beside what; inside one conversation the last call before the result is the one.
    """
    if not calls:
        return None
    best = max(_nearness(ran, one) for one in calls)
    near = [one for one in calls if _nearness(ran, one) == best]
    if any(one.draft is not near[0].draft for one in near):
        return None
    before = [one for one in near if one.span.at <= ran.span.at]
    latest = max((one.span.at for one in before), default=min(one.span.at for one in near))
    return next(one for one in near if one.span.at == latest)


def _nearness(ran: Ran, one: _Open) -> tuple[bool, bool]:
    """Called by the tool's name, beside the call's span."""
    return ran.name == one.call.name, ran.span.parent == one.span.parent


def _why_none(fitting: list[_Open], free: list[_Open]) -> str:
    if free:
        return "a result that fits calls of several conversations"
    return "a further result of a call" if fitting else "a result of a call that is not in the file"


def _run_of(found: _Open, ran: Ran) -> ToolRun:
    return ToolRun(
        exchange=found.exchange,
        position=found.position,
        call=found.call.id,
        name=found.call.name,
        arguments=found.call.arguments,
        result=ran.result,
        error=ran.failed,
        at=found.draft.exchanges[found.exchange].at,
        ms=0.0,
    )
