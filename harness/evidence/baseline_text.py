"""A baseline in words: what was locked, on whose word, and what later runs are held to."""

from collections.abc import Iterator

from harness.evidence.baseline import Agreed, Baseline, Reviewed
from harness.evidence.review_text import rate_text
from harness.excerpt import counted
from harness.judge.finding import Ruling
from harness.report.outline import Line, Span, interval_text, percent
from harness.value import encode


def lines_of_baseline(baseline: Baseline) -> Iterator[Line]:
    """What a baseline says, in a few lines."""
    summary, origin = baseline.summary, baseline.basis.origin
    passed = summary.verdict_counts.get(Ruling.PASS, 0)
    score = f"{passed} of {summary.scored_count} scored; 95 % interval {interval_text(summary.accuracy_interval)}"
    yield _line(Span(f"accuracy {percent(summary.accuracy)}", "strong"), Span(f" = {score}"))
    if origin is not None:
        request = encode(origin.request).decode()
        yield _line(
            Span(f"model {origin.model or 'unknown'}, provider {origin.provider or 'unknown'}, request {request}")
        )
    runs = ", ".join(run.run or "a report" for run in baseline.runs)
    yield _line(Span(f"locked on {baseline.locked_on}: {counted(len(baseline.cases), 'case')}, runs {runs}"))
    for one in baseline.reviews:
        yield from _reviewed(one)
    reviewed = {one.run for one in baseline.reviews}
    others = [run.run for run in baseline.runs if run.run and run.run not in reviewed]
    if others:
        yield _line(
            Span(f"not reviewed: {', '.join(others)}; they count for how surely a case passes, not for the score")
        )
    yield _line(Span(_agreed(baseline.agreed)))
    if baseline.assisted:
        yield _line(Span("assisted", "warn"), Span(": not every answer or decision was a person's"))


def _line(*spans: Span, level: int = 0) -> Line:
    return Line(spans, level)


def _reviewed(one: Reviewed) -> Iterator[Line]:
    who = ", ".join(one.reviewers) or "nobody"
    mended = f", {counted(one.mended, 'error')} mended before" if one.mended else ""
    yield _line(
        Span(f"review of {one.run or 'the report'} by {who} ({one.method}): {one.golden_errors} golden errors{mended}")
    )
    yield _line(Span(f"failures: {rate_text(one.failures)}"), level=1)
    yield _line(Span(f"passes: {rate_text(one.passes)}"), level=1)


def _agreed(agreed: Agreed) -> str:
    cases = f"all runs agree on {percent(agreed.agreement)} of the cases"
    if agreed.holds:
        return f"consistency: the standard holds; {cases}"
    return f"consistency: the standard does not hold ({cases}); taken by {agreed.adjudicator}: {agreed.reason}"
