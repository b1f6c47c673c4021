"""Baselines that contradict themselves: every part that was edited is found without a look at any other file."""

import pytest
from evidence_samples import member, reviewed, sealed
from msgspec.structs import replace

from harness.evidence.adjudication import adjudication_of
from harness.evidence.baseline import Evidence, Named, baseline_of
from harness.evidence.coherence import contradictions_of
from harness.evidence.consistency import consistency_of
from harness.judge.finding import Ruling
from harness.report.report import Borders


def locked(*verdicts, method="human"):
    """The baseline of three runs, and a decision where they do not meet the standard."""
    members = [member(word, run) for word, run in zip(verdicts, ("one", "two", "three"), strict=True)]
    check = consistency_of(members)
    said = {"reason": "a coin", "adjudicator": "ada", "method": method, "decided_on": "2026-11-30"}
    decision = None if check.holds else adjudication_of(check, decision="accept", **said)
    reviews = [Named("review.json", reviewed(members[0]))]
    return baseline_of(Evidence(members, reviews, check, "c.json", decision, "a.json"), locked_on="2026-11-30")


AGREED = locked("PPFP", "PPFP", "PPFP")
DECIDED = locked("PPFP", "PFFP", "PPFP")
SEVERAL = locked("PP PF FF", "PP PF FF", "PP FP FF")
UNSCORED = locked("PPAS", "PPAS", "PPFS", method="assisted")


@pytest.mark.parametrize(
    "baseline", [AGREED, DECIDED, SEVERAL, UNSCORED], ids=["agreed", "decided", "trials", "broken"]
)
def test_what_lock_makes_contradicts_itself_nowhere(baseline):
    assert contradictions_of(baseline) == []


def test_a_file_that_is_older_than_the_digest_contradicts_nothing():
    assert contradictions_of(replace(AGREED, digest=None)) == []


def edited(baseline=AGREED, **changes):
    return replace(baseline, **changes)


def with_case(number, baseline=AGREED, **changes):
    cases = list(baseline.cases)
    cases[number] = replace(cases[number], **changes)
    return replace(baseline, cases=cases)


def with_run(number, **changes):
    runs = list(AGREED.runs)
    runs[number] = replace(runs[number], **changes)
    return replace(AGREED, runs=runs)


def with_review(**changes):
    return replace(AGREED, reviews=[replace(AGREED.reviews[0], **changes)])


def with_summary(**changes):
    return replace(AGREED, summary=replace(AGREED.summary, **changes))


ALL = [[Ruling.PASS]] * 3
FAILURES = AGREED.reviews[0].failures
EDITS = {
    "no such day": (edited(locked_on="2026-02-31"), "lockedOn is no date"),
    "a date in other words": (edited(locked_on="20261130"), "lockedOn is no date"),
    "whether it was assisted": (edited(assisted=True), "assisted is not"),
    "no case": (edited(cases=[]), "it holds no case"),
    "a case twice": (edited(cases=[*AGREED.cases, AGREED.cases[0]]), "case fc-d1-001 stands twice"),
    "a case less": (edited(cases=AGREED.cases[1:]), "summary.result_count is not"),
    "a run less in a case": (with_case(0, verdicts=ALL[1:]), "has verdicts of 2 runs, not of 3"),
    "a trial more in a case": (with_case(0, verdicts=[[Ruling.PASS] * 2, *ALL[1:]]), "not the same trials in each run"),
    "a verdict in all runs": (with_case(2, verdicts=ALL), "verdict_counts of one is not what its verdicts give"),
    "a verdict in one run": (with_case(2, verdicts=[*ALL[:1], *AGREED.cases[2].verdicts[1:]]), "agreed.agreement is not"),
    "a dimension": (with_case(0, dimension="D9"), "summary.dimensions is not what the cases give"),
    "a scenario": (with_case(0, variant="way 1"), "summary.variants is not what the cases give"),
    "the accuracy": (with_summary(accuracy=1.0), "summary.accuracy is not"),
    "the interval": (with_summary(accuracy_interval=Borders(0.1, 0.2, 4.0)), "summary.accuracy_interval is not"),
    "the counts": (with_summary(verdict_counts={Ruling.PASS: 4}), "summary.verdict_counts is not"),
    "the rungs": (with_summary(rungs={"none": 9}), "summary.rungs does not add up"),
    "the failures by code": (with_summary(taxonomy_counts={}), "summary.top_failures is not"),
    "the worst tools": (with_summary(top_worst_tools=["x"]), "summary.top_worst_tools is not"),
    "a run's score": (with_run(1, accuracy=1.0), "accuracy of two is not what its verdicts give"),
    "a run twice": (with_run(1, evidence=AGREED.runs[0].evidence), "two of the runs are the same recordings"),
    "the report": (edited(basis=replace(AGREED.basis, report=AGREED.basis.evidence)), "basis is of none of the runs"),
    "the run": (edited(basis=replace(AGREED.basis, run="ten")), "basis is of none of the runs"),
    "the reviewed run": (with_review(run="two"), "the review of two is not of the run"),
    "a reviewed run of no name": (with_review(run="ten"), "the review of ten is not of the run"),
    "who reviewed": (with_review(reviewers=[]), "does not say who answered"),
    "wrong goldens": (with_review(golden_errors=1), "has wrong goldens"),
    "fewer failures": (with_review(failures=replace(FAILURES, total=0, asked=0)), "the counts of the FAIL results"),
    "an answer": (with_review(failures=replace(FAILURES, answered=0)), "the counts of the FAIL results"),
    "a wrong verdict": (
        with_review(failures=replace(FAILURES, counts={**FAILURES.counts, "judge_error": 1, "model_error": 0})),
        "the counts of the FAIL results",
    ),
    "the error rate": (with_review(failures=replace(FAILURES, misjudged=0.5)), "the counts of the FAIL results"),
    "the agreement": (edited(agreed=replace(AGREED.agreed, agreement=0.9)), "agreed.agreement is not"),
    "a standard that holds": (
        edited(DECIDED, agreed=replace(DECIDED.agreed, holds=True)),
        "agreed.holds, and the verdicts do not meet the standard",
    ),
    "no decision": (edited(DECIDED, agreed=replace(DECIDED.agreed, adjudication=None)), "no decision takes them"),
    "a decision against": (edited(DECIDED, agreed=replace(DECIDED.agreed, decision="reject")), "no decision takes them"),
    "a reason without words": (edited(DECIDED, agreed=replace(DECIDED.agreed, reason=" ")), "no decision takes them"),
    "a decision on nothing": (
        edited(agreed=replace(AGREED.agreed, decision="accept")),
        "the standard holds, and a decision stands there",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("baseline", "told"), EDITS.values(), ids=EDITS)
def test_an_edit_contradicts_the_rest_even_where_the_digest_was_made_again(baseline, told):
    found = contradictions_of(sealed(baseline))

    assert [one for one in found if told in one], found
    assert not [one for one in found if "digest" in one]


@pytest.mark.parametrize("baseline", [one for one, _ in EDITS.values()], ids=EDITS)
def test_an_edit_shows_at_once_by_the_digest(baseline):
    assert contradictions_of(baseline)[0] == "its digest is not that of its content: it was edited after it was locked"


def test_a_date_alone_is_bound_by_the_digest():
    assert contradictions_of(edited(locked_on="2025-11-30")) == [
        "its digest is not that of its content: it was edited after it was locked"
    ]
