"""A report as blocks for people to read: what a terminal, a plain log and Markdown each draw in their own way."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from harness.excerpt import counted, shortened
from harness.judge.finding import Code, Finding, Ruling, Status
from harness.raw_run import asked_again_text
from harness.report.report import UNFINISHED, Borders, Head, Place, Result, Score, Summary, Trials
from harness.report.tally import FIRST_CASES, Hits
from harness.report.typed_diff import DiffLine

Style: TypeAlias = Literal["plain", "good", "bad", "warn", "dim", "strong"]

_MOST_ROWS = 20  # of a table
_MOST_FINDINGS = 12  # of one case
_MOST_ALIKE = 3  # of them with one code
_LONGEST = 300  # characters of one sentence
_SHOWN = {Ruling.FAIL: 20, Ruling.AGENT_ERROR: 10, Ruling.NOT_JUDGED: 10, Ruling.SKIP: 10}
_PLURALS = {
    Ruling.FAIL: "failures", Ruling.AGENT_ERROR: "broken runs", Ruling.NOT_JUDGED: "unjudged", Ruling.SKIP: "skipped",
}  # fmt: skip
_STYLES: dict[Ruling, Style] = {
    Ruling.PASS: "good", Ruling.FAIL: "bad", Ruling.AGENT_ERROR: "warn", Ruling.NOT_JUDGED: "warn", Ruling.SKIP: "dim",
}  # fmt: skip


class Span(NamedTuple):
    """A piece of text; `code` marks names and values, which Markdown sets apart."""

    text: str
    style: Style = "plain"
    code: bool = False


class Heading(NamedTuple):
    """The title of what follows."""

    text: str


class Line(NamedTuple):
    """One line; `level` is how deep it stands below the last line of level 0."""

    spans: tuple[Span, ...]
    level: int = 0


class Table(NamedTuple):
    """Rows under column names; columns in `right` stand at the right edge."""

    columns: tuple[str, ...]
    right: frozenset[int]
    rows: Sequence[tuple[Span, ...]]


class Diff(NamedTuple):
    """The places in which one call, or one value, is not what was expected."""

    lines: tuple[DiffLine, ...]


Block: TypeAlias = Heading | Line | Table | Diff


def outline_of(head: Head, results: Iterable[Result]) -> Iterator[Block]:
    """The blocks of a report: totals, tables, then every case that did not pass, up to a number of each kind.

    The results are passed over once; those that are shown are held.
    """
    summary = head.summary
    if not head.complete:
        yield _line(Span("INCOMPLETE", "warn"), Span(f": {UNFINISHED}"))
    if again := asked_again_text(head.origin.asked_again if head.origin else {}):
        yield _line(Span(again, "warn"))
    yield from _totals(summary)
    yield from _parts("Dimensions", summary.dimensions)
    yield from _parts("Variants", summary.variants)
    yield from _rungs(summary)
    chosen = _chosen(results)
    yield from _worst(summary, chosen.failing)
    for ruling in _SHOWN:
        yield from _cases(ruling, chosen.shown[ruling], summary.verdict_counts[ruling], several=summary.trials.most > 1)


def _line(*spans: Span, level: int = 0) -> Line:
    return Line(spans, level)


def percent(share: float | None) -> str:
    """A share for people: `92.9 %`, or `none` where nothing was scored."""
    return "none" if share is None else f"{100 * share:.1f} %"


def interval_text(borders: Borders | None) -> str:
    """`84.3 to 96.9 %`, or nothing."""
    return "" if borders is None else f"{100 * borders.low:.1f} to {100 * borders.high:.1f} %"


def _totals(summary: Summary) -> Iterator[Line]:
    counts = [Span(f"{count} {ruling}", _STYLES[ruling]) for ruling, count in summary.verdict_counts.items() if count]
    spans = [Span("1 result" if summary.result_count == 1 else f"{summary.result_count} results", "strong")]
    for span in counts:
        spans += [Span(", "), span]
    yield Line(tuple(spans))
    passed = summary.verdict_counts[Ruling.PASS]
    accuracy = Span(f"accuracy {percent(summary.accuracy)}", "strong")
    if summary.accuracy_interval is None:
        yield _line(accuracy, Span(": nothing was scored"))
    else:
        sure = f" = {passed} of {summary.scored_count} scored; 95 % interval {interval_text(summary.accuracy_interval)}"
        yield _line(accuracy, Span(sure))
    yield from _trials(summary.trials, summary.case_count)


def _trials(trials: Trials, cases: int) -> Iterator[Line]:
    if trials.most > 1:
        powers = "".join(f", pass^{one.k} {percent(one.value)}" for one in trials.pass_power[1:5])
        several = f"{trials.fewest} to {trials.most}" if trials.fewest < trials.most else str(trials.most)
        yield _line(Span(f"{several} scored trials of {cases} cases: pass@1 {percent(trials.pass_at_1)}{powers}"))


def _parts(title: str, scores: dict[str, Score]) -> Iterator[Block]:
    if scores:
        others = [ruling for ruling in (Ruling.SKIP, Ruling.AGENT_ERROR, Ruling.NOT_JUDGED) if _any(scores, ruling)]
        rulings = [Ruling.PASS, Ruling.FAIL, *others]
        rows = [_part(name, score, rulings) for name, score in scores.items()]
        yield Heading(title)
        columns = ("", "accuracy", "95 % interval", *rulings)
        yield from _table(columns, frozenset(range(1, len(columns))), rows)


def _any(scores: dict[str, Score], ruling: Ruling) -> bool:
    return any(score.verdict_counts[ruling] for score in scores.values())


def _part(name: str, score: Score, rulings: Sequence[Ruling]) -> tuple[Span, ...]:
    counts = [score.verdict_counts[ruling] for ruling in rulings]
    styled = [
        Span(str(count), _STYLES[ruling] if count else "dim") for ruling, count in zip(rulings, counts, strict=True)
    ]
    accuracy, interval = Span(percent(score.accuracy), "strong"), Span(interval_text(score.accuracy_interval))
    return Span(name, code=True), accuracy, interval, *styled


def _rungs(summary: Summary) -> Iterator[Block]:
    if any(count for rung, count in summary.rungs.items() if rung != "none"):
        yield Heading("Highest rung held, of the scored results")
        rows = [(Span(rung), Span(str(count))) for rung, count in summary.rungs.items()]
        yield from _table(("rung", "results"), frozenset({1}), rows)


def _worst(summary: Summary, failing: dict[Code, Hits]) -> Iterator[Block]:
    codes = sorted(summary.taxonomy_counts.items(), key=lambda item: -item[1])
    named = [(code.value, count, failing[code].cases) for code, count in codes]
    tools = [(one.tool, one.count, one.cases) for one in summary.worst_tools]
    for title, column, rows in (("What fails", "code", named), ("Worst tools", "tool", tools)):
        if rows:
            yield Heading(title)
            cells = [
                (Span(name, code=True), Span(str(count)), Span(_listed(cases, count))) for name, count, cases in rows
            ]
            yield from _table((column, "results", "cases"), frozenset({1}), cells)


def _listed(cases: Sequence[str], count: int) -> str:
    return ", ".join(cases) + (" …" if len(cases) == FIRST_CASES and count > FIRST_CASES else "")


def _table(columns: tuple[str, ...], right: frozenset[int], rows: Sequence[tuple[Span, ...]]) -> Iterator[Block]:
    yield Table(columns, right, rows[:_MOST_ROWS])
    if len(rows) > _MOST_ROWS:
        yield _line(Span(f"… {len(rows) - _MOST_ROWS} more rows", "dim"))


class _Chosen(NamedTuple):
    """Of each kind that did not pass, the first results, which are shown; and the first cases that hold each code.

    A report's own summary names cases for the most frequent codes only.
    """

    shown: dict[Ruling, list[Result]]
    failing: dict[Code, Hits]


def _chosen(results: Iterable[Result]) -> _Chosen:
    chosen = _Chosen({ruling: [] for ruling in _SHOWN}, {})
    for result in results:
        held = chosen.shown.get(result.verdict)
        if held is not None and len(held) < _SHOWN[result.verdict]:
            held.append(result)
        if result.verdict is Ruling.FAIL:
            for code in result.taxonomy:
                chosen.failing.setdefault(code, Hits()).add(1, [result.case])
    return chosen


def _cases(ruling: Ruling, results: list[Result], count: int, *, several: bool) -> Iterator[Block]:
    if results:
        yield Heading(_PLURALS[ruling].capitalize())
    for result in results:
        name = f"{result.case}, trial {result.trial}" if several else result.case
        yield _line(
            Span(ruling, _STYLES[ruling]), Span(" "), Span(name, "strong", code=True), Span(f": {result.reason}")
        )
        yield from _broken_promises(result)
    if count > len(results):
        yield _line(Span(f"… {count - len(results)} more {_PLURALS[ruling]}; the report file holds all", "dim"))


def _broken_promises(result: Result) -> Iterator[Block]:
    wanted = {Ruling.FAIL: Status.FAIL, Ruling.NOT_JUDGED: Status.NOT_JUDGED}.get(result.verdict)
    findings = [(number, one) for number, one in enumerate(result.findings) if one.outcome is wanted]
    places = {place.finding: place for place in result.diff}
    several, rest = _of_each_code(findings)
    for number, finding in several[:_MOST_FINDINGS]:
        yield _promise(finding)
        yield from _diff(places.get(number))
    for code, count in rest.items():
        yield _line(Span(f"… {count} more {code}", "dim"), level=1)
    if len(several) > _MOST_FINDINGS:
        yield _line(Span(f"… {counted(len(several) - _MOST_FINDINGS, 'more finding')}", "dim"), level=1)
    for warning in result.warnings[:_MOST_FINDINGS]:
        yield _line(Span("note", "warn"), Span(f": {shortened(warning, _LONGEST)}"), level=1)


def _of_each_code(findings: list[tuple[int, Finding]]) -> tuple[list[tuple[int, Finding]], Counter[Code]]:
    """The findings, of many with one code the first few: a run-away agent hides nothing else; and how many are left."""
    counts = Counter(one.code for _, one in findings if one.code)
    shown: list[tuple[int, Finding]] = []
    seen: Counter[Code] = Counter()
    for number, one in findings:
        if one.code is None or counts[one.code] <= _MOST_ALIKE + 1 or seen[one.code] < _MOST_ALIKE:
            shown.append((number, one))
            seen.update([one.code] if one.code else [])
    return shown, counts - seen


def _promise(finding: Finding) -> Line:
    code = [Span(finding.code, "bad", code=True), Span(" ")] if finding.code else []
    return _line(*code, Span(shortened(finding.message or finding.check, _LONGEST)), level=1)


def _diff(place: Place | None) -> Iterator[Diff]:
    if place is not None:
        yield Diff(tuple(place.lines))
