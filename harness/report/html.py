"""A report as one HTML page that needs no network: plots, a list to search, and each case with its evidence."""

from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from harness.excerpt import visible_of
from harness.judge.finding import Ruling
from harness.raw_run import asked_again_text
from harness.report.notice import Notice
from harness.report.outline import interval_text, percent
from harness.report.pages import environment_of, in_script, inline
from harness.report.plots import Bar, plots_of, verdict_bars
from harness.report.report import UNFINISHED, Head, Report, Result, Summary
from harness.report.view import entry_of, view_of
from harness.report.writing import head_in
from harness.value import encode

_TITLE = "fc-judge report"
_KEPT = "!~*'()"  # what `encodeURIComponent` leaves as it is, beside what Python does


def html_of(report: Report) -> bytes:
    """The report as a page."""
    return b"".join(html_chunks(head_in(report), report.results))


def html_chunks(head: Head, results: Iterable[Result], notices: Sequence[Notice] = ()) -> Iterator[bytes]:
    """As `html_of`, one result at a time; what is said of the whole run comes first."""
    environment = environment_of()
    environment.filters["link"] = _link
    summary = head.summary
    page = environment.get_template("page.html").generate(
        title=_TITLE,
        head=head,
        unfinished=UNFINISHED,
        asked_again=asked_again_text(head.origin.asked_again if head.origin else {}),
        notices=notices,
        style=inline(environment, "page.css"),
        script=inline(environment, "detail.js", "page.js"),
        accuracy=percent(summary.accuracy) if summary.scored_count else "no score",
        accuracy_note=_accuracy_note(summary),
        counts_note=f"{summary.result_count} results of {summary.case_count} cases, {summary.usage.call_count} calls",
        verdicts=list(_side_by_side(verdict_bars(summary))),
        plots=plots_of(head),
        about=[*_about(head)],
        rows=_rows(results),
    )
    for chunk in page:
        yield chunk.encode()


def _link(case: str) -> str:
    """The page's own address of a case, as its script writes it."""
    return f"#case/{quote(visible_of(case), safe=_KEPT)}/1"


def _rows(results: Iterable[Result]) -> Iterator[str]:
    """Two lines a result."""
    for result in results:
        yield in_script(entry_of(result))
        yield in_script(view_of(result))


def _accuracy_note(summary: Summary) -> str:
    if summary.accuracy_interval is None:
        return "nothing was scored"
    passed = summary.verdict_counts[Ruling.PASS]
    return (
        f"accuracy: {passed} of {summary.scored_count} scored; 95 % interval {interval_text(summary.accuracy_interval)}"
    )


def _side_by_side(bars: list[Bar]) -> Iterator[Bar]:
    """The bars as pieces of one: `low` is where each starts."""
    start = 0.0
    for bar in bars:
        yield bar._replace(low=start)
        start += bar.share


def _about(head: Head) -> Iterator[tuple[str, str]]:
    origin = head.origin
    if origin:
        for name in ("provider", "api", "model", "model_answered"):
            value: str | None = getattr(origin, name)
            if value:
                yield name.replace("_", " "), value
        for name, facts in (("request", origin.request), ("agent", origin.agent)):
            if facts:
                yield name, encode(facts).decode()
    yield "rules of the judge", f"version {head.semantics_version}"
    if head.shard:
        yield "part", f"{head.shard.index} of {head.shard.count}"
    for name, digest in head.inputs.items():
        yield f"hash of {name}", digest
