"""A review in words: what it came to, what is left, and one result as a person reads it in a terminal."""

from collections.abc import Iterator

from harness.evidence.review import Part, Review, replaced_in
from harness.excerpt import counted, shortened, visible_of
from harness.report.outline import Line, Span, Style
from harness.report.report import Result
from harness.report.view import Card, Pair, View, Words, view_of

_LONGEST = 600
_WIDTH = 10
_FITS = {
    "same": "as expected", "differs": "differs", "missing": "not called", "extra": "not expected",
    "allowed": "not expected, and allowed", "unknown": "not judged",
}  # fmt: skip


def words_of(choice: str) -> str:
    """An answer as people say it: `model error`."""
    return choice.replace("_", " ")


def lines_of_review(review: Review) -> Iterator[Line]:
    """What a review came to: failures and passes apart, the judge's error rate, wrong goldens."""
    for name, part in (("failures", review.failures), ("sampled passes", review.passes)):
        answers = [f"{count} {words_of(choice)}" for choice, count in part.counts.items() if count]
        told = f": {', '.join(answers)}" if answers else ""
        yield _line(Span(f"{part.answered} of {part.asked} {name} answered", "strong"), Span(told))
        yield _line(Span(f"the judge: {rate_text(part)}"), level=1)
    style: Style = "bad" if review.golden_errors else "plain"
    yield _line(Span(f"golden errors: {review.golden_errors}", style))
    if review.earlier:
        yield _line(Span(f"kept aside, from before something was mended: {counted(len(review.earlier), 'answer')}"))
    if replaced := replaced_in(review):
        yield _line(Span(f"given anew by somebody else, and kept: {counted(len(replaced), 'answer')}"))
    if review.method == "assisted":
        count = sum(one.method == "assisted" for one in review.answers)
        yield _line(
            Span("assisted", "warn"), Span(f": {count} of {counted(len(review.answers), 'answer')} no person's")
        )


def rate_text(part: Part) -> str:
    """How often the judge was found wrong: `misjudged 0 of 12 (0.0 %, 95 % interval 0.0 to 24.3 %)`."""
    if part.misjudged is None or part.interval is None:
        return "nothing answered yet"
    low, high = 100 * part.interval.low, 100 * part.interval.high
    share = f"{100 * part.misjudged:.1f} %, 95 % interval {low:.1f} to {high:.1f} %"
    return f"misjudged {part.counts['judge_error']} of {part.answered} ({share})"


def _line(*spans: Span, level: int = 0) -> Line:
    return Line(spans, level)


def lines_of_result(result: Result, *, whole: bool) -> Iterator[Line]:
    """A result as the reviewer sees it: what was said and done, expected against actual, what was broken.

    Long texts are cut unless the `whole` is asked for.
    """
    view = view_of(result)
    for words in view.talk:
        yield from _talk(words, whole=whole)
    yield _line(Span(" "))
    yield from _calls(view)
    if view.expectation:
        yield _line(Span("expected".ljust(_WIDTH), "dim"), Span(view.expectation.replace("\n", " ")))
    for check in view.checks:
        if check.outcome == "fail":
            yield _line(Span("broken".ljust(_WIDTH), "bad"), Span(check.code, "bad"), Span(f" {check.message}"))
    for change in view.changes:
        fields = ", ".join(
            f"{name}: {before or 'nothing'} → {after or 'nothing'}" for name, before, after in change.fields
        )
        told = f"{change.table} {change.key} {change.how} by {change.call}: {fields}"
        yield _line(Span("changed".ljust(_WIDTH), "dim"), Span(_cut(told, whole=whole)))
    for warning in view.warnings:
        yield _line(Span("note".ljust(_WIDTH), "warn"), Span(warning))


def _talk(words: Words, *, whole: bool) -> Iterator[Line]:
    style: Style = "bad" if words.error else "strong" if words.who == "user" else "dim"
    first, *others = _cut(words.text, whole=whole).split("\n")
    yield _line(Span(words.who.ljust(_WIDTH), style), Span(first))
    for line in others:
        yield _line(Span(" " * _WIDTH), Span(line))


def _calls(view: View) -> Iterator[Line]:
    for pair in view.pairs:
        good = pair.fit in ("same", "allowed")
        yield _line(Span("expected".ljust(_WIDTH), "dim"), Span(_card(pair.golden) if pair.golden else "no such call"))
        actual = _card(pair.actual) if pair.actual else ""
        fit = Span(f"{'  ' if actual else ''}{_FITS[pair.fit]}", "good" if good else "bad")
        yield _line(Span("actual".ljust(_WIDTH), "dim"), Span(actual), fit)
        yield from _places(pair)


def _places(pair: Pair) -> Iterator[Line]:
    for path, expected, actual, note in pair.lines if pair.golden and pair.actual else []:
        told = f"{path or 'value'}: expected {expected}, got {actual}" + (f" ({note})" if note else "")
        yield _line(Span(" " * _WIDTH), Span(told, "bad"))


def _card(card: Card) -> str:
    arguments = card.raw if card.raw is not None else ", ".join(f"{name}={value}" for name, value, _ in card.args)
    return f"{card.name}({arguments})"


def _cut(text: str, *, whole: bool) -> str:
    return text if whole else visible_of(shortened(text, _LONGEST), keep="\n")
