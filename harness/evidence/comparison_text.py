"""Runs compared, in words: a row a run, then each against the first, with its parts and every flip."""

from collections.abc import Iterator

from harness.evidence.broken_text import lines_of_broken
from harness.evidence.comparison import Comparison, Duel, Entrant, Flip, Standing
from harness.evidence.gate_text import points, shown, spans_of_shift
from harness.evidence.pairs import Shift
from harness.evidence.unpaired import Unpaired
from harness.excerpt import counted
from harness.judge.finding import Ruling
from harness.report.outline import Block, Heading, Line, Span, Table, interval_text, percent

_MOST = 20
_SCORED = (Ruling.PASS, Ruling.FAIL)
NOTE = "the interval is a bootstrap's, the test decides; p of the parts is not corrected for their number"


def outline_of_comparison(comparison: Comparison) -> Iterator[Block]:
    """The blocks of a comparison."""
    yield Heading("Runs")
    yield _runs(comparison.runs)
    for run in comparison.runs:
        if run.changed:
            yield _line(Span(changed_text(run), "warn"))
    first = comparison.runs[0].name
    for duel in comparison.duels:
        yield from _duel(duel, first)


def changed_text(run: Entrant) -> str:
    """Which inputs of a run are no longer those that it was recorded with."""
    return f"{run.name}: recorded with other inputs than it is judged by now: {', '.join(run.changed)}"


def _runs(runs: list[Entrant]) -> Table:
    costs, powers = any(one.spent.cost is not None for one in runs), any(map(power_text, runs))
    columns = ["run", "model", "accuracy", "95 % interval", "PASS", "FAIL", "others", "turns", "calls", "tokens in"]
    columns += ["out", *(["cost"] if costs else []), *(["pass^k"] if powers else [])]
    rows = [(*_run(one), *_more(one, costs=costs, powers=powers)) for one in runs]
    return Table(tuple(columns), frozenset(range(2, len(columns))), rows)


def _more(one: Entrant, *, costs: bool, powers: bool) -> Iterator[Span]:
    if costs:
        yield Span("unknown" if one.spent.cost is None else f"{one.spent.cost:.6f}")
    if powers:
        yield Span(power_text(one))


def power_text(one: Entrant) -> str:
    """How surely a case passes every time, where a run tried its cases several times: `pass^3 66.7 %`."""
    powers = one.trials.pass_power
    return f"pass^{powers[-1].k} {percent(powers[-1].value)}" if powers else ""


def _run(one: Entrant) -> tuple[Span, ...]:
    others = sum(count for ruling, count in one.verdict_counts.items() if ruling not in _SCORED)
    spent = one.spent
    return (
        Span(one.name, "strong", code=True),
        Span((one.basis.origin.model if one.basis.origin else None) or "unknown"),
        Span(percent(one.accuracy), "strong"),
        Span(interval_text(one.accuracy_interval)),
        Span(str(one.verdict_counts.get(Ruling.PASS, 0)), "good"),
        Span(str(one.verdict_counts.get(Ruling.FAIL, 0)), "bad"),
        Span(str(others), "warn" if others else "dim"),
        *(Span(number_text(value)) for value in (spent.turns, spent.calls, spent.tokens_in, spent.tokens_out)),
    )


def number_text(value: float | None) -> str:
    """A mean for people; `unknown` where nothing was reported."""
    return "unknown" if value is None else f"{value:.1f}"


def _duel(duel: Duel, first: str) -> Iterator[Block]:
    yield Heading(f"{duel.name} against {first}")
    if duel.shift is None:
        yield _line(Span("not compared: no case was scored in both with the same expectation", "warn"))
    else:
        yield _line(*spans_of_shift(duel.shift, first=first, second=duel.name))
        yield _line(Span(f"{duel.shift.down} down, {duel.shift.up} up, of {counted(duel.shift.case_count, 'case')}"))
    for one in duel.differences:
        yield _line(Span("differs", "dim"), Span(f" in {one}"))
    if duel.unpaired:
        total = sum(len(one.cases) for one in duel.unpaired)
        yield _line(Span(f"{counted(total, 'case')} not paired", "warn"))
    for group in duel.unpaired:
        more = f" … {len(group.cases) - _MOST} more" if len(group.cases) > _MOST else ""
        told = f"{unpaired_text(group, first=first, second=duel.name)}: {', '.join(group.cases[:_MOST])}{more}"
        yield _line(Span(told), level=1)
    yield from _parts("Dimensions", duel.dimensions)
    yield from _parts("Variants", duel.variants)
    yield from _flips("down", duel.down)
    yield from _flips("up", duel.up)


def unpaired_text(group: Unpaired, *, first: str, second: str) -> str:
    """Why cases are not paired: `12 not scored in b (10 AGENT_ERROR, 2 SKIP)`."""
    why = group.why.replace("the first run", first).replace("the second run", second)
    verdicts = ", ".join(f"{count} {ruling}" for ruling, count in group.verdicts.items())
    return f"{len(group.cases)} {why}" + (f" ({verdicts})" if verdicts else "")


def _parts(title: str, parts: dict[str, Shift]) -> Iterator[Block]:
    if parts:
        yield Heading(title)
        columns = ("", "cases", "first", "second", "difference", "down", "up", "p", "")
        yield Table(columns, frozenset(range(1, 8)), [_part(name, shift) for name, shift in parts.items()])
        yield _line(Span(NOTE, "dim"))


def _part(name: str, shift: Shift) -> tuple[Span, ...]:
    return (
        Span(name, code=True),
        Span(str(shift.case_count)),
        Span(percent(shift.first)),
        Span(percent(shift.second)),
        Span(points(shift)),
        Span(str(shift.down), "bad" if shift.down else "dim"),
        Span(str(shift.up), "good" if shift.up else "dim"),
        Span(f"{shift.p:.4f}"),
        Span(shown(shift), "dim" if shift.shown == "no difference shown" else "strong"),
    )


def _flips(word: str, flips: list[Flip]) -> Iterator[Block]:
    if flips:
        yield Heading(f"Cases that go {word}: {len(flips)}")
    for one in flips[:_MOST]:
        about = " ".join(part for part in (one.dimension, one.variant) if part)
        moved = f": {verdicts_text(one.first)} → {verdicts_text(one.second)}" + (f"  ({about})" if about else "")
        yield _line(Span(one.case, "strong", code=True), Span(moved))
        yield from lines_of_broken((one.second if word == "down" else one.first).broken)
    if len(flips) > _MOST:
        yield _line(Span(f"… {len(flips) - _MOST} more; the file holds all", "dim"))


def verdicts_text(standing: Standing) -> str:
    """`PASS`, or with several trials `2 of 3 passed`; trials that were not scored are named."""
    if len(standing.verdicts) == 1:
        return standing.verdicts[0]
    scored = [one for one in standing.verdicts if one in _SCORED]
    others = [one for one in standing.verdicts if one not in _SCORED]
    return ", ".join([f"{scored.count(Ruling.PASS)} of {len(scored)} passed", *others])


def _line(*spans: Span, level: int = 0) -> Line:
    return Line(spans, level)
