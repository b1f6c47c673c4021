"""How runs agree, in words: each run's score, the standard condition by condition, the cases that flip."""

from collections import Counter
from collections.abc import Iterator

from harness.evidence.broken_text import told_of
from harness.evidence.consistency import Consistency, Flip, FlipTrial
from harness.excerpt import shortened
from harness.judge.finding import Ruling
from harness.report.outline import Block, Heading, Line, Span, Style, Table, interval_text, percent

_MOST_FLIPS = 20
_LONGEST = 200
_STYLES: dict[Ruling, Style] = {Ruling.PASS: "good", Ruling.FAIL: "bad"}


def outline_of_consistency(consistency: Consistency) -> Iterator[Block]:
    """The blocks of a consistency check."""
    style: Style = "good" if consistency.holds else "bad"
    word = "meet" if consistency.holds else "do not meet"
    cases = f": {len(consistency.cases)} cases, each in every run"
    yield Line((Span(f"the runs {word} the standard", style), Span(cases)))
    yield from _runs(consistency)
    yield Heading("The standard")
    for one in consistency.standard:
        mark = Span("holds" if one.holds else "fails", "good" if one.holds else "bad")
        yield Line((mark, Span(f"  {one.needed}: "), Span(one.found, "strong")))
    yield from _powers(consistency)
    yield from _flips(consistency.flips)


def _runs(consistency: Consistency) -> Iterator[Block]:
    rows = []
    for number, run in enumerate(consistency.runs, 1):
        others = sum(count for ruling, count in run.verdict_counts.items() if ruling not in _STYLES)
        rows.append(
            (
                Span(f"{number}"),
                Span(run.run or "a report", code=True),
                Span(percent(run.accuracy), "strong"),
                Span(interval_text(run.accuracy_interval)),
                Span(str(run.verdict_counts.get(Ruling.PASS, 0)), "good"),
                Span(str(run.verdict_counts.get(Ruling.FAIL, 0)), "bad"),
                Span(str(others), "warn" if others else "dim"),
            )
        )
    yield Heading("Runs")
    columns = ("", "run", "accuracy", "95 % interval", "PASS", "FAIL", "others")
    yield Table(columns, frozenset({0, 2, 3, 4, 5, 6}), rows)


def _powers(consistency: Consistency) -> Iterator[Block]:
    if len(consistency.pass_power) > 1:
        told = ", ".join(f"pass^{one.k} {percent(one.value)}" for one in consistency.pass_power[:5])
        yield Heading("Over all trials of all runs")
        yield Line((Span(told),))


def _flips(flips: list[Flip]) -> Iterator[Block]:
    if flips:
        yield Heading(f"Cases that flip: {len(flips)}")
    for flip in flips[:_MOST_FLIPS]:
        yield Line((Span(flip.case, "strong", code=True), Span(": "), *_verdicts(flip.trials)))
        for message, runs in _broken(flip).items():
            yield Line((Span(f"run {runs}: ", "dim"), Span(shortened(message, _LONGEST))), 1)
    if len(flips) > _MOST_FLIPS:
        yield Line((Span(f"… {len(flips) - _MOST_FLIPS} more; the file holds all", "dim"),))


def _verdicts(trials: list[FlipTrial]) -> Iterator[Span]:
    counts: dict[int, Counter[Ruling]] = {}
    for one in trials:
        counts.setdefault(one.run, Counter())[one.verdict] += 1
    for run, rulings in counts.items():
        yield Span(" / " if run > 1 else "")
        several = rulings.total() > 1
        for place, (ruling, count) in enumerate(rulings.items()):
            yield Span(f"{', ' if place else ''}{f'{count} ' if several else ''}{ruling}", _STYLES.get(ruling, "warn"))


def _broken(flip: Flip) -> dict[str, str]:
    """Each promise that some trial broke, with the runs that broke it."""
    runs: dict[str, list[int]] = {}
    for one in flip.trials:
        for told in told_of(one.broken):
            runs.setdefault(str(told), []).append(one.run)
    return {told: ", ".join(map(str, sorted(set(numbers)))) for told, numbers in runs.items()}
