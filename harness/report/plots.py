"""What the plots of a report's page show: bars with their intervals, as numbers and words."""

from collections.abc import Iterator
from typing import NamedTuple

from harness.judge.finding import Ruling
from harness.report.outline import interval_text, percent
from harness.report.report import Head, Score, Summary

_WORST = 12
_NOTES = {
    "Highest rung": "scored cases that hold at least this rung; a case holds only rungs that its expectations check",
    "What fails": "failed results that hold the code",
    "Worst tools": "failed results with a broken promise about the tool",
    "Repeated trials": "pass^k: the chance that k trials of a case all pass",
}


class Bar(NamedTuple):
    """A bar: `share` of the full width, an interval where there is one, `filter` what a click looks for."""

    label: str
    share: float
    text: str
    filter: str = ""
    low: float | None = None
    high: float | None = None


class Plot(NamedTuple):
    """Bars below one another; `scored` ones are shares, the others counts."""

    title: str
    bars: list[Bar]
    scored: bool = False

    @property
    def note(self) -> str:
        """What the bars count, where that is not plain."""
        return _NOTES.get(self.title, "")


def plots_of(head: Head) -> list[Plot]:
    """All plots that have something to show."""
    summary = head.summary
    plots = [
        Plot("Dimensions", _scores("dimension", summary.dimensions), scored=True),
        Plot("Variants", _scores("variant", summary.variants), scored=True),
        Plot("Highest rung", list(_rungs(summary)), scored=True),
        Plot("Repeated trials", list(_trials(summary)), scored=True),
        Plot("What fails", _counted("code", _codes(summary))),
        Plot("Worst tools", _counted("tool", [(one.tool, one.count) for one in summary.worst_tools])),
    ]
    return [plot for plot in plots if plot.bars]


def verdict_bars(summary: Summary) -> list[Bar]:
    """One bar in pieces: the share of each verdict that there is."""
    whole = summary.result_count
    counts = summary.verdict_counts.items()
    return [Bar(ruling, count / whole, str(count), f"verdict:{ruling}") for ruling, count in counts if count]


def _scores(kind: str, scores: dict[str, Score]) -> list[Bar]:
    return [_score(kind, name, score) for name, score in scores.items()]


def _score(kind: str, name: str, score: Score) -> Bar:
    borders = score.accuracy_interval
    if score.accuracy is None or borders is None:
        return Bar(name, 0, f"{percent(None)} of {score.result_count} scored", f"{kind}:{name}")
    passed = score.verdict_counts[Ruling.PASS]
    text = f"{percent(score.accuracy)} ({passed} of {score.scored_count}; {interval_text(borders)})"
    return Bar(name, score.accuracy, text, f"{kind}:{name}", borders.low, borders.high)


def _rungs(summary: Summary) -> Iterator[Bar]:
    scored = summary.scored_count
    holding = scored - summary.rungs["none"]
    if holding:
        for rung, count in summary.rungs.items():
            if rung != "none":
                yield Bar(rung, holding / scored, f"{holding} of {scored}", f"rung:{rung}")
                holding -= count


def _trials(summary: Summary) -> Iterator[Bar]:
    for power in summary.trials.pass_power:
        yield Bar(f"pass^{power.k}", power.value, f"{percent(power.value)} (over {power.case_count} cases)")


def _codes(summary: Summary) -> list[tuple[str, int]]:
    counts = sorted(summary.taxonomy_counts.items(), key=lambda item: -item[1])
    return [(code.value, count) for code, count in counts]


def _counted(kind: str, counts: list[tuple[str, int]]) -> list[Bar]:
    most = max((count for _, count in counts), default=1)
    return [Bar(name, count / most, str(count), f"{kind}:{name}") for name, count in counts[:_WORST]]
