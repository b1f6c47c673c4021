"""Conversations of which a part could not be read: none of them passes for a whole one.

A request that was cut is a recording of its own, since nothing tells what it goes on from. It may be any earlier
conversation of its trace, so that these are not known to have ended where they seem to.
"""

from harness.importers.writing import Draft
from harness.transcript import Outcome


def mark_breaks(drafts: list[Draft]) -> None:
    """Give each conversation that may be longer than what was read of it an end that says so."""
    last: dict[str, int] = {}
    for draft in drafts:
        for number, why in draft.unread.items():
            span = draft.spans[number]
            last[span.trace] = max(span.at, last.get(span.trace, 0))
            draft.outcome, draft.error = Outcome.INCOMPLETE, why
    for draft in drafts:
        if draft.outcome is None and _is_before(draft, last):
            draft.outcome, draft.error = Outcome.INCOMPLETE, "a later call of the same trace could not be read"


def _is_before(draft: Draft, last: dict[str, int]) -> bool:
    """Whether a conversation of a known trace, well so far, ends before what could not be read there."""
    number = len(draft.exchanges) - 1
    span = draft.spans.get(number)
    if span is None or not span.trace or span.at > last.get(span.trace, -1):
        return False
    return draft.reading_of(number).outcome is None
