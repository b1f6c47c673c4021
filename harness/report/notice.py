"""What is said of a run beside its results, and is no part of its report: every view for people shows it first."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from harness.report.outline import Block, Heading, Line, Span

MOST = 20


class Notice(NamedTuple):
    """One thing that decides about the whole run: `name` as JUnit lists it, `verdict` in a few words, then why.

    `style` is good where it passes, bad where it fails, and warn where it cannot be said.
    """

    name: str
    title: str
    style: Literal["good", "bad", "warn"]
    verdict: str
    reasons: Sequence[str]
    lines: Sequence[Line]


def notice_of_problems(sentences: Sequence[str]) -> Notice | None:
    """What makes a run no evidence, such as inputs that are no longer those it was recorded with; None: nothing."""
    if not sentences:
        return None
    lines = [line for sentence in sentences[:MOST] for line in _lines_of(sentence)]
    if len(sentences) > MOST:
        lines.append(Line((Span(f"… {len(sentences) - MOST} more", "dim"),)))
    firsts = [sentence.partition("\n")[0] for sentence in sentences]
    return Notice("evidence", "What does not fit the run", "warn", "it is no evidence as it lies here", firsts, lines)


def _lines_of(sentence: str) -> Iterator[Line]:
    for number, text in enumerate(sentence.split("\n")):
        yield Line((Span(text.strip()),), min(number, 1))


def blocks_of(notices: Sequence[Notice]) -> Iterator[Block]:
    """The notices as blocks of an outline; the results come below a heading of their own."""
    for one in notices:
        yield Heading(f"{one.title}: {one.verdict}")
        yield from one.lines
    if notices:
        yield Heading("Results")
