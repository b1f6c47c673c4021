"""Baselines: what they hold, why evidence gives none, and what proves one."""

import msgspec
import pytest
from evidence_samples import member, reviewed, sealed

from harness import errors
from harness.evidence.adjudication import adjudication_of
from harness.evidence.baseline import Baseline, Evidence, Named, baseline_of
from harness.evidence.consistency import consistency_of
from harness.evidence.documents import bytes_of_document, read_document
from harness.evidence.locking import problems_of
from harness.evidence.proof import Found, flaws_of
from harness.value import digest_of

DECIDED = {"reason": "a coin", "adjudicator": "ada", "method": "human", "decided_on": "2026-11-30"}


def evidence(*verdicts, decision=None, review=None, **facts):
    """The runs, a review of the first, and a decision where one is asked for."""
    members = [member(word, run) for word, run in zip(verdicts, ("one", "two", "three"), strict=False)]
    consistency = consistency_of(members)
    adjudication = adjudication_of(consistency, decision=decision, **{**DECIDED, **facts}) if decision else None
    reviews = [Named("review.json", review or reviewed(members[0]))]
    return Evidence(members, reviews, consistency, "consistency.json", adjudication, "adjudication.json")


def refusals(given, *, allow_assisted=False):
    return [(type(one), one.subject) for one in problems_of(given, allow_assisted=allow_assisted)]


SOUND = evidence("PPF", "PPF", "PPF")


def test_sound_evidence_gives_a_baseline():
    baseline = baseline_of(SOUND, locked_on="2026-11-30")

    assert refusals(SOUND) == []
    assert baseline.basis == SOUND.reviews[0].review.basis
    assert baseline.summary == SOUND.members[0].report.summary
    assert [(one.case, one.verdicts) for one in baseline.cases] == [
        ("fc-d1-001", [["PASS"]] * 3), ("fc-d2-002", [["PASS"]] * 3), ("fc-d3-003", [["FAIL"]] * 3),
    ]  # fmt: skip
    assert (baseline.assisted, baseline.agreed.holds, baseline.agreed.adjudication) == (False, True, None)


def test_the_canonical_report_is_the_one_that_was_reviewed_first():
    second = member("PPF", "two")
    given = evidence("PPF", "PPF", "PPF", review=reviewed(second))

    baseline = baseline_of(given, locked_on="2026-11-30")

    assert refusals(given) == []
    assert baseline.basis.run == "two"


REFUSED = {
    "an unreviewed failure": (
        {"review": reviewed(member("PPF", "one"), except_for={"fc-d3-003"})},
        [(errors.ReviewUnfinished, "failures without an answer: fc-d3-003, trial 1")],
    ),
    "an unreviewed pass of the sample": (
        {"review": reviewed(member("PPF", "one"), except_for={"fc-d1-001"})},
        [(errors.ReviewUnfinished, "sampled passes without an answer: fc-d1-001, trial 1")],
    ),
    "an assisted review": (
        {"review": reviewed(member("PPF", "one"), method="assisted")},
        [(errors.ReviewAssisted, "3 of 3 answers in review.json")],
    ),
    "a wrong golden": (
        {"review": reviewed(member("PPF", "one"), answers={"fc-d3-003": "golden_error"})},
        [(errors.GoldenWrong, "fc-d3-003")],
    ),
    "a wrong verdict": (
        {"review": reviewed(member("PPF", "one"), answers={"fc-d1-001": "judge_error"})},
        [(errors.JudgeWrong, "fc-d1-001")],
    ),
    "a review of another run": (
        {"review": reviewed(member("PPF", "four"))},
        [(errors.OtherEvidence, "the review is of a report that is none of the consistency check's")],
    ),
}


@pytest.mark.parametrize(("facts", "told"), REFUSED.values(), ids=REFUSED)
def test_a_review_that_does_not_carry_a_baseline_is_refused(facts, told):
    assert refusals(evidence("PPF", "PPF", "PPF", **facts)) == told


def test_all_that_is_wrong_is_said_at_once():
    review = reviewed(
        member("PFF", "one"), method="assisted", except_for={"fc-d1-001"}, answers={"fc-d2-002": "golden_error"}
    )

    kinds = [kind for kind, _ in refusals(evidence("PFF", "PPP", "PPF", review=review))]

    assert kinds == [errors.RunsInconsistent, errors.ReviewUnfinished, errors.GoldenWrong, errors.ReviewAssisted]


def test_inconsistent_runs_are_refused_with_the_condition_that_does_not_hold():
    [(kind, told)] = refusals(evidence("PPF", "PFF", "PPF"))

    assert kind is errors.RunsInconsistent
    assert told == "on at least 90 % of the cases all trials of all runs have one verdict: 2 of 3 (66.7 %)"


def test_a_decision_takes_inconsistent_runs_and_stands_in_the_baseline():
    given = evidence("PPF", "PFF", "PPF", decision="accept")

    baseline = baseline_of(given, locked_on="2026-11-30")

    assert refusals(given) == []
    assert (baseline.agreed.holds, baseline.agreed.decision, baseline.agreed.reason) == (False, "accept", "a coin")


def test_a_decision_against_the_runs_is_kept_to():
    assert refusals(evidence("PPF", "PFF", "PPF", decision="reject")) == [(errors.RunsRejected, "a coin")]


def test_a_decision_about_other_runs_counts_nothing():
    other = evidence("PPF", "PPF", "PFF", decision="accept").adjudication

    [(kind, _)] = refusals(evidence("PPF", "PFF", "PPF")._replace(adjudication=other))

    assert kind is errors.OtherEvidence


def test_a_decision_of_no_day_counts_nothing():
    given = evidence("PPF", "PFF", "PPF", decision="accept", decided_on="some day")

    assert refusals(given) == [(errors.BadEvidence, "decidedOn is no date")]


def test_a_consistency_check_of_other_reports_is_refused():
    kinds = [
        kind for kind, _ in refusals(SOUND._replace(members=[member("PPF", run) for run in ("one", "two", "four")]))
    ]

    assert kinds == [errors.OtherEvidence]


def test_what_was_assisted_is_locked_only_where_that_is_allowed_and_then_said():
    given = evidence("PPF", "PFF", "PPF", decision="accept", method="assisted")

    assert refusals(given) == [(errors.ReviewAssisted, "the decision in adjudication.json")]
    assert refusals(given, allow_assisted=True) == []
    assert baseline_of(given, locked_on="2026-11-30").assisted


def found(given, baseline=None, **changes):
    whole = Found(
        "baseline.json",
        baseline or baseline_of(given, locked_on="2026-11-30"),
        given.reviews,
        given.consistency,
        given.consistency_file,
        given.adjudication,
        given.adjudication_file,
        list(given.members),
    )
    return whole._replace(**changes)


def flaws(given, **changes):
    return [one.subject for one in flaws_of(found(given, **changes))]


DECIDED_EVIDENCE = evidence("PPF", "PFF", "PPF", decision="accept")
BASELINE = baseline_of(SOUND, locked_on="2026-11-30")


def test_a_baseline_is_proven_from_its_runs():
    assert flaws(SOUND) == []
    assert flaws(DECIDED_EVIDENCE) == []


def test_a_baseline_is_proven_by_hashes_where_the_runs_are_not_there():
    assert flaws(SOUND, members=[None] * 3) == []
    assert flaws(DECIDED_EVIDENCE, members=[DECIDED_EVIDENCE.members[0], None, None]) == []


CHANGED = {
    "a verdict": {"cases": [msgspec.structs.replace(BASELINE.cases[0], verdicts=[["FAIL"]] * 3), *BASELINE.cases[1:]]},
    "a run": {"runs": [msgspec.structs.replace(BASELINE.runs[0], accuracy=1.0), *BASELINE.runs[1:]]},
    "the report": {"basis": msgspec.structs.replace(BASELINE.basis, report=digest_of(b"other"))},
    "the review": {"reviews": [msgspec.structs.replace(BASELINE.reviews[0], review=digest_of(b"other"))]},
    "the consistency": {"agreed": msgspec.structs.replace(BASELINE.agreed, consistency=digest_of(b"other"))},
}


def by_hash(changed):
    """What can be found for a baseline: the evidence that it names."""
    reviews = [one for one in SOUND.reviews if digest_of(bytes_of_document(one.review)) == changed.reviews[0].review]
    held = changed.agreed.consistency == BASELINE.agreed.consistency
    return {"reviews": reviews, "consistency": SOUND.consistency if held else None}


@pytest.mark.parametrize("runs", [pytest.param(True, id="with-the-runs"), pytest.param(False, id="without-them")])
@pytest.mark.parametrize("changes", CHANGED.values(), ids=CHANGED)
def test_a_baseline_that_was_changed_is_not_proven(changes, runs):
    changed = msgspec.structs.replace(BASELINE, **changes)
    members = list(SOUND.members) if runs else [None] * 3

    assert flaws(SOUND, baseline=changed, members=members, **by_hash(changed)) != []


def test_a_summary_that_was_changed_is_found_with_the_runs_alone():
    summary = msgspec.structs.replace(BASELINE.summary, taxonomy_counts={}, top_failures=[])
    changed = sealed(msgspec.structs.replace(BASELINE, summary=summary))

    assert flaws(SOUND, baseline=changed, members=[None] * 3) == []
    assert flaws(SOUND, baseline=changed) == ["summary is not what the evidence gives"]


def test_a_run_that_gives_another_report_is_found():
    other = member("PFF", "one")

    assert flaws(SOUND, members=[other, None, None]) == ["one gives another report than was locked"]


def test_a_baseline_reads_back_as_it_was_written():
    raw = bytes_of_document(BASELINE)

    assert read_document(raw, Baseline, file="b.json") == BASELINE
    assert raw == bytes_of_document(baseline_of(SOUND, locked_on="2026-11-30"))
