"""Runs compared, as one HTML page that needs no network and no script."""

from typing import NamedTuple

from harness.evidence.broken_text import told_of
from harness.evidence.comparison import Comparison, Duel, Entrant, Flip
from harness.evidence.comparison_text import (
    NOTE,
    changed_text,
    number_text,
    power_text,
    unpaired_text,
    verdicts_text,
)
from harness.evidence.gate_text import points, shown
from harness.evidence.pairs import Shift
from harness.judge.finding import Ruling
from harness.report.outline import interval_text, percent
from harness.report.pages import environment_of, inline
from harness.value import encode


class Row(NamedTuple):
    """One difference: where it stands between -100 and +100 points, and in words. Shares are of the plot's width."""

    name: str
    shift: Shift
    low: float
    mean: float
    high: float
    difference: str
    shown: str


class Part(NamedTuple):
    """Differences below one another."""

    title: str
    rows: list[Row]


def page_of_comparison(comparison: Comparison) -> bytes:
    """The page."""
    environment = environment_of("harness.evidence")
    environment.filters["percent"] = percent
    environment.filters["interval"] = interval_text
    environment.filters["number"] = number_text
    environment.filters["verdicts"] = verdicts_text
    environment.filters["told"] = told_of
    environment.filters["changed"] = changed_text
    environment.filters["reason"] = unpaired_text
    page = environment.get_template("compare.html").render(
        style=inline(environment, "page.css", "compare.css"),
        runs=comparison.runs,
        facts=[_facts_of(one) for one in comparison.runs],
        power=power_text,
        powers=any(map(power_text, comparison.runs)),
        costs=any(one.spent.cost is not None for one in comparison.runs),
        duels=[(one, _parts_of(one), _flips_of(one)) for one in comparison.duels],
        first=comparison.runs[0].name,
        note=NOTE,
        rules=comparison.semantics_version,
        others=_others,
    )
    return page.encode() + b"\n"


def _others(run: Entrant) -> int:
    return sum(count for ruling, count in run.verdict_counts.items() if ruling not in (Ruling.PASS, Ruling.FAIL))


def _facts_of(run: Entrant) -> list[tuple[str, str]]:
    origin = run.basis.origin
    facts = [("report", run.basis.report), ("recordings", run.basis.evidence)]
    if origin:
        named = [("provider", origin.provider), ("api", origin.api), ("model answered", origin.model_answered)]
        facts += [(name, value) for name, value in named if value]
        facts += [("request", encode(origin.request).decode()), ("agent", encode(origin.agent).decode())]
    return facts + [(f"hash of {name}", digest) for name, digest in run.basis.inputs.items()]


def _parts_of(duel: Duel) -> list[Part]:
    whole = {"all cases": duel.shift} if duel.shift else {}
    parts = [("Difference", whole), ("Dimensions", duel.dimensions), ("Variants", duel.variants)]
    return [Part(title, [_row(name, shift) for name, shift in shifts.items()]) for title, shifts in parts if shifts]


def _row(name: str, shift: Shift) -> Row:
    low, mean, high = ((1 + value) / 2 for value in (shift.low, shift.mean, shift.high))
    return Row(name, shift, low, mean, high, points(shift), shown(shift))


def _flips_of(duel: Duel) -> list[tuple[str, list[Flip]]]:
    return [(word, flips) for word, flips in (("down", duel.down), ("up", duel.up)) if flips]
