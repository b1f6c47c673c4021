"""Whether a baseline's own parts agree: its digest, its figures with its cases, its reviews, its decision."""

from collections import Counter
from collections.abc import Iterator

import msgspec

from harness.evidence.adjudication import is_day
from harness.evidence.baseline import Agreed, Baseline, Reviewed, content_digest
from harness.evidence.consistency import AGREEMENT_PERCENT, FEWEST_RUNS, RunScore
from harness.evidence.review import CHOICES, FEWEST_PASSES, Part
from harness.judge.finding import Ruling
from harness.report.report import Borders, Summary
from harness.report.statistics import wilson
from harness.report.summary import summary_of
from harness.report.tally import Place, Places, Tally

_SCORED = (Ruling.PASS, Ruling.FAIL)
# What a summary says that verdicts alone give; the rest of it rests on findings, which a baseline does not hold.
_COUNTED = (
    "result_count", "case_count", "verdict_counts", "scored_count", "accuracy", "accuracy_interval", "dimensions",
    "variants", "trials",
)  # fmt: skip


def contradictions_of(baseline: Baseline) -> list[str]:
    """Everything in which a baseline contradicts itself; what it says of other files is not looked at."""
    found, unlisted, place = (
        [*_edited(baseline), *_miscounted(baseline)],
        list(_unlisted(baseline)),
        _canonical_place(baseline),
    )
    if unlisted or place is None:  # nothing adds up over cases that are not those of the runs
        return found + (unlisted or ["basis is of none of the runs"])
    told = [summary_of(Tally(places=_places_of(baseline, number))) for number in range(len(baseline.runs))]
    for number, (run, right) in enumerate(zip(baseline.runs, told, strict=True), 1):
        found += _differences_of_run(run, right, f"run {number}")
    found += _differences_of_summary(baseline.summary, told[place])
    found += _differences_of_agreement(baseline)
    for review in baseline.reviews:
        found += _differences_of_review(review, baseline, told)
    return found


def _edited(baseline: Baseline) -> Iterator[str]:
    if baseline.digest is not None and baseline.digest != content_digest(baseline):
        yield "its digest is not that of its content: it was edited after it was locked"
    if not is_day(baseline.locked_on):
        yield f"lockedOn is no date written YYYY-MM-DD: {baseline.locked_on}"
    methods = [*(one.method for one in baseline.reviews), baseline.agreed.method]
    if baseline.assisted != ("assisted" in methods):
        yield "assisted is not what the methods of the reviews and the decision say"


def _miscounted(baseline: Baseline) -> Iterator[str]:
    if baseline.manifests is not msgspec.UNSET and len(baseline.manifests) != len(baseline.runs):
        yield f"it has manifests of {len(baseline.manifests)} runs, not of {len(baseline.runs)}"
    if len({one.review for one in baseline.reviews}) < len(baseline.reviews):
        yield "a review stands twice"


def _unlisted(baseline: Baseline) -> Iterator[str]:
    """Cases that are not a list of each run's verdicts."""
    if not baseline.cases:
        yield "it holds no case"
    names = [one.case for one in baseline.cases]
    for name in sorted(name for name, count in Counter(names).items() if count > 1):
        yield f"case {name} stands twice"
    for one in baseline.cases:
        if len(one.verdicts) != len(baseline.runs):
            yield f"case {one.case} has verdicts of {len(one.verdicts)} runs, not of {len(baseline.runs)}"
        elif len({len(run) for run in one.verdicts}) > 1 or not one.verdicts[0]:
            yield f"case {one.case} has not the same trials in each run"
    if len({run.evidence for run in baseline.runs}) < len(baseline.runs):
        yield "two of the runs are the same recordings"


def _canonical_place(baseline: Baseline) -> int | None:
    """Which of the runs the basis is of."""
    basis = baseline.basis
    known = [(run.report, run.evidence, run.run) for run in baseline.runs]
    found = (basis.report, basis.evidence, basis.run)
    return known.index(found) if found in known else None


def _places_of(baseline: Baseline, number: int) -> Places:
    """One run's verdicts, counted as a report counts them."""
    places: Places = {}
    for one in baseline.cases:
        counts = Counter(one.verdicts[number])
        place = Place(one.dimension, one.group, one.variant)
        places.setdefault(place, {})[one.case] = tuple(counts[ruling] for ruling in Ruling)
    return places


def _differences_of_run(run: RunScore, right: Summary, name: str) -> Iterator[str]:
    for field in ("verdict_counts", "accuracy", "accuracy_interval"):
        if getattr(run, field) != getattr(right, field):
            yield f"{field} of {run.run or name} is not what its verdicts give"


def _differences_of_summary(summary: Summary, right: Summary) -> Iterator[str]:
    for field in _COUNTED:
        if getattr(summary, field) != getattr(right, field):
            yield f"summary.{field} is not what the cases give"
    if sum(summary.rungs.values()) != right.scored_count:
        yield "summary.rungs does not add up to the scored results"
    counts = {one.code: one.count for one in summary.top_failures}
    told = summary.taxonomy_counts
    if any(told.get(code) != count for code, count in counts.items()) or len(counts) != min(len(told), 5):
        yield "summary.top_failures is not what summary.taxonomy_counts gives"
    failed = right.verdict_counts[Ruling.FAIL]
    if any(not 0 < count <= failed for count in (*told.values(), *(one.count for one in summary.worst_tools))):
        yield "summary counts more failures than there are failed results"
    if summary.top_worst_tools != [one.tool for one in summary.worst_tools[:5]]:
        yield "summary.top_worst_tools is not what summary.worst_tools gives"


def _differences_of_agreement(baseline: Baseline) -> Iterator[str]:
    agreed = baseline.agreed
    rulings = [{ruling for run in one.verdicts for ruling in run} for one in baseline.cases]
    counted = [one for one in rulings if one != {Ruling.SKIP}]
    agreement = sum(len(one) == 1 for one in counted) / len(counted) if counted else None
    if agreed.agreement != agreement:
        yield "agreed.agreement is not what the cases give"
    # Whether the runs differ beyond chance, the fourth condition of the standard, their reports say.
    may_hold = (
        len(baseline.runs) >= FEWEST_RUNS
        and all(one <= {*_SCORED, Ruling.SKIP} for one in rulings)
        and 100 * (agreement or 0) >= AGREEMENT_PERCENT
    )
    if agreed.holds and not may_hold:
        yield "agreed.holds, and the verdicts do not meet the standard"
    yield from _differences_of_decision(agreed)


def _differences_of_decision(agreed: Agreed) -> Iterator[str]:
    fields = {name: getattr(agreed, name) for name in ("adjudication", "decision", "adjudicator", "method", "reason")}
    there = [name for name, one in fields.items() if one is not None and str(one).strip()]
    if agreed.holds and there:
        yield "the standard holds, and a decision stands there all the same"
    elif not agreed.holds and (len(there) < len(fields) or agreed.decision != "accept"):
        yield "the runs do not meet the standard, and no decision takes them"


def _differences_of_review(review: Reviewed, baseline: Baseline, told: list[Summary]) -> Iterator[str]:
    name = f"the review of {review.run or 'a report'}"
    known = [run.run for run in baseline.runs]
    if review.run not in known or (review is baseline.reviews[0] and review.run != baseline.basis.run):
        yield f"{name} is not of the run that it should be of"
        return
    place = _canonical_place(baseline) if review is baseline.reviews[0] else known.index(review.run)
    if review.golden_errors:
        yield f"{name} has wrong goldens, with which nothing is locked"
    parts = {Ruling.FAIL: review.failures, Ruling.PASS: review.passes}
    for ruling, part in parts.items():
        total = told[place or 0].verdict_counts[ruling] if review.run else part.total
        if not _adds_up(ruling, part, total):
            yield f"{name}: the counts of the {ruling} results do not add up to a finished review"
    answered = any(part.answered for part in parts.values())
    if (review.method is not None) != answered or bool(review.reviewers) != answered:
        yield f"{name} does not say who answered"


def _adds_up(ruling: Ruling, part: Part, total: int) -> bool:
    """Whether all that was asked is answered, and nothing was found wrong: with less nothing is locked."""
    asked = total if ruling is Ruling.FAIL else min(max(part.asked, FEWEST_PASSES), total)
    wrong = part.counts.get("judge_error", 0) + part.counts.get("golden_error", 0)
    return (
        (part.total, part.asked, part.answered) == (total, asked, asked)
        and ({*part.counts}, sum(part.counts.values()), wrong) == ({*CHOICES[ruling]}, asked, 0)
        and part.misjudged == (0 if asked else None)
        and part.interval == (Borders(*wilson(0, asked)) if asked else None)
    )
