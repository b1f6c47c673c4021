"""What a baseline says of a run, in words."""

from collections.abc import Iterator, Sequence

from harness.evidence.broken_text import lines_of_broken
from harness.evidence.gate import Gate, Moved
from harness.evidence.pairs import Shift
from harness.excerpt import counted
from harness.report.outline import Block, Heading, Line, Span

_MOST = 20
_PROOF = "fc-judge verify BASELINE proves it where they are"
_TESTS = {"mcnemar": "exact McNemar", "bootstrap": "paired bootstrap"}


def outline_of_gate(gate: Gate) -> Iterator[Block]:
    """The blocks of a gate: comparable or not and why, what got worse and better, the verdict."""
    yield Heading(f"Against the baseline of {gate.locked_on}")
    if gate.assisted:
        yield _line(Span("assisted", "warn"), Span(": the baseline rests on answers or a decision that no person gave"))
    if gate.unproven:
        yield _line(Span("on its word", "warn"), Span(f": {', '.join(gate.unproven)} not at hand; {_PROOF}"))
    for one in gate.obstructions:
        word = Span("allowed", "dim") if one.allowed else Span("not comparable", "bad")
        yield _line(word, Span(f": {one.reason}"))
    if gate.shift is not None:
        yield _line(*spans_of_shift(gate.shift, first="the baseline", second="this run"))
    yield from _cases("worse", gate.regressions)
    yield from _cases("better", gate.improvements)
    if gate.unscored:
        told = f"{counted(len(gate.unscored), 'case')} scored in the baseline and not here: {_names(gate.unscored)}"
        yield _line(Span(told, "warn"))
    yield from _verdict(gate)


def _verdict(gate: Gate) -> Iterator[Line]:
    if not gate.comparable:
        yield _line(Span("the run is not held to this baseline", "bad"))
    elif gate.passes:
        where = Span("where both have a verdict, " if gate.unscored else "")
        yield _line(where, Span("the run meets the baseline", "good"))
    for reason in gate.reasons:
        yield _line(Span("does not meet the baseline", "bad"), Span(f": {reason}"))


def lines_of_ending(gate: Gate) -> Iterator[Line]:
    """Why a run that meets its baseline ends with 6 all the same, and what to do about that."""
    known = len(gate.unjudged) - len({*gate.unjudged} & {*gate.unscored})
    cases = f"{counted(len(gate.unjudged), 'case')} broke off or could not be judged, and nothing is said of them"
    yield _line(Span("exit code 6, not 0", "warn"), Span(f": {cases}: {_names(gate.unjudged)}"))
    if known:
        yield _line(
            Span(f"of these, {known} had no verdict in the baseline either, or have one in another trial"), level=1
        )
    yield _line(
        Span("next: mend what the report says of them, and record the run again; where they are to be expected, "),
        Span("let your script take 6 for met (1 is worse), since --no-gate takes a worse run, too"),
        level=1,
    )


def _names(cases: Sequence[str]) -> str:
    return ", ".join(cases[:_MOST]) + (" …" if len(cases) > _MOST else "")


def spans_of_shift(shift: Shift, *, first: str, second: str) -> Iterator[Span]:
    """Both shares, the difference with its interval, what may be said of it, the test and its p."""
    yield Span(f"{second} {100 * shift.second:.1f} %, {first} {100 * shift.first:.1f} %", "strong")
    yield Span(f" over {counted(shift.case_count, 'case')}: {points(shift)}, ")
    yield Span(shown(shift), "plain" if shift.shown == "no difference shown" else "strong")
    yield Span(f" ({_TESTS[shift.test]}, p = {shift.p:.4f})")


def points(shift: Shift) -> str:
    """The difference in percentage points with its interval: `-12.5 points (95 % interval -20.8 to -4.2)`."""
    return f"{100 * shift.mean:+.1f} points (95 % interval {100 * shift.low:+.1f} to {100 * shift.high:+.1f})"


def shown(shift: Shift) -> str:
    """What may be said of the difference."""
    return shift.shown if shift.shown == "no difference shown" else f"scores {shift.shown}"


def _cases(word: str, moved: list[Moved]) -> Iterator[Line]:
    for one in moved[:_MOST]:
        there, here = f"{one.passed_there} of {one.scored_there}", f"{one.passed_here} of {one.scored_here}"
        style = Span(word, "bad" if word == "worse" else "good")
        yield _line(style, Span(" "), Span(one.case, "strong", code=True), Span(f": passed {there}, now {here}"))
        yield from lines_of_broken(one.broken) if word == "worse" else ()
    if len(moved) > _MOST:
        yield _line(Span(f"… {len(moved) - _MOST} more {word}", "dim"))


def _line(*spans: Span, level: int = 0) -> Line:
    return Line(spans, level)
