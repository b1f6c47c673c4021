"""A run held to a baseline: what stops it, what does not, and when the two cannot be compared at all."""

import msgspec
import pytest
from evidence_samples import INPUTS, ORIGIN, member, report, reviewed

from harness.evidence.baseline import Evidence, Named, baseline_of
from harness.evidence.consistency import consistency_of
from harness.evidence.gate import gate_of
from harness.evidence.locking import problems_of
from harness.report.statistics import mcnemar
from harness.transcript import Outcome
from harness.value import digest_of


def baseline(*verdicts):
    members = [member(word, run) for word, run in zip(verdicts, ("one", "two", "three"), strict=False)]
    review = Named("review.json", reviewed(members[0]))
    return baseline_of(Evidence(members, [review], consistency_of(members), "consistency.json"), locked_on="2026-11-30")


THREE = baseline("PPFF", "PPFF", "PFFF")


def test_a_run_as_good_as_the_baseline_passes():
    gate = gate_of(THREE, report("PPFF", run="new"))

    assert (gate.comparable, gate.passes, gate.reasons, gate.exit_code) == (True, True, [], 0)


def test_a_case_that_always_passed_and_now_always_fails_stops_the_run():
    gate = gate_of(THREE, report("FPFF", run="new"))

    assert gate.exit_code == 1
    assert gate.reasons == ["passed every trial of the baseline, and fails every one here: fc-d1-001"]
    [lost] = gate.regressions
    assert (lost.case, lost.lost, lost.passed_there, lost.scored_there, lost.passed_here) == (
        "fc-d1-001",
        True,
        3,
        3,
        0,
    )
    assert lost.broken[0].message == "order_id of get_order: expected W443, got W444"


def test_a_case_that_passes_one_of_two_new_trials_stops_nothing():
    gate = gate_of(THREE, report("PF PP FF FF", run="new"))

    assert gate.passes
    assert [one.case for one in gate.regressions] == ["fc-d1-001"]


def test_a_case_that_flipped_in_the_baseline_stops_nothing():
    gate = gate_of(THREE, report("PFFF", run="new"))

    assert gate.passes
    assert [(one.case, one.lost) for one in gate.regressions] == [("fc-d2-002", False)]


@pytest.mark.parametrize("verdicts", ["PFFF", "PF PP FF FF"], ids=["a-flaky-case", "one-trial-of-two"])
def test_strict_any_flip_down_stops_the_run(verdicts):
    gate = gate_of(THREE, report(verdicts, run="new"), strict=True)

    assert gate.exit_code == 1
    assert gate.reasons[0].startswith("passes less often than in the baseline (strict): fc-d")


def test_a_better_run_passes_and_says_what_got_better():
    gate = gate_of(THREE, report("PPPF", run="new"), strict=True)

    assert gate.exit_code == 0
    assert [(one.case, one.passed_there, one.passed_here) for one in gate.improvements] == [
        ("fc-d2-002", 2, 1),
        ("fc-d3-003", 0, 1),
    ]


def test_many_small_losses_stop_the_run_by_chance_alone():
    one = baseline("P" * 10 + "F" * 10)

    gate = gate_of(one, report("F" * 6 + "P" * 4 + "F" * 10, run="new"))

    assert gate.shift.test == "mcnemar"
    assert gate.shift.p == mcnemar(6, 0) < 0.05
    assert gate.reasons[-1] == "scores lower than the baseline beyond chance (p = 0.0312)"


def test_a_better_run_beyond_chance_is_stopped_by_nothing():
    gate = gate_of(baseline("F" * 10), report("P" * 10, run="new"))

    assert (gate.shift.shown, gate.passes) == ("higher", True)


def test_a_case_that_was_not_scored_is_no_regression_and_stays_in_sight():
    gate = gate_of(THREE, report("PPAF", run="new"))

    assert gate.passes
    assert (gate.regressions, gate.unscored) == ([], ["fc-d3-003"])


def test_a_case_that_always_passed_and_now_breaks_off_stops_the_run():
    gate = gate_of(THREE, report("APFF", run="new"))

    assert gate.exit_code == 1
    assert gate.reasons == ["passed every trial of the baseline, and has no verdict here: fc-d1-001"]


def test_a_run_without_one_scored_case_does_not_pass():
    gate = gate_of(THREE, report("AAAA", run="new"))

    assert gate.exit_code == 1
    assert gate.reasons == [
        "no case was scored in both: there is nothing to hold to the baseline",
        "passed every trial of the baseline, and has no verdict here: fc-d1-001",
    ]


OTHER = {
    "model": {"origin": msgspec.structs.replace(ORIGIN, model="m-2")},
    "provider": {"origin": msgspec.structs.replace(ORIGIN, provider="openai")},
    "request": {"origin": msgspec.structs.replace(ORIGIN, request={"temperature": 1})},
    "agent": {"origin": msgspec.structs.replace(ORIGIN, agent={})},
    **{name: {"inputs": {**INPUTS, name: digest_of(b"other")}} for name in INPUTS},
    "complete": {"complete": False},
}


@pytest.mark.parametrize(("name", "facts"), OTHER.items(), ids=OTHER)
def test_a_run_of_another_evaluation_is_not_comparable_and_does_not_pass(name, facts):
    gate = gate_of(THREE, report("PPFF", run="new", **facts))

    assert (gate.comparable, gate.passes, gate.exit_code) == (False, False, 4)
    assert [one.name for one in gate.obstructions] == [name]


def test_a_run_without_some_cases_is_not_comparable():
    gate = gate_of(THREE, report("PPF", run="new"))

    assert [(one.name, one.reason) for one in gate.obstructions] == [
        ("selection", "1 of the baseline's 4 cases are not in the run")
    ]
    assert gate_of(THREE, report("PPF", run="new"), allowed=["selection"]).exit_code == 0


def test_another_judge_is_not_comparable():
    changed = msgspec.structs.replace(report("PPFF", run="new"), semantics_version=99)

    assert [one.name for one in gate_of(THREE, changed).obstructions] == ["judge"]


@pytest.mark.parametrize("name", ["model", "prompt", "tools", "request"])
def test_what_is_being_tried_may_differ_where_that_is_said(name):
    gate = gate_of(THREE, report("FPFF", run="new", **OTHER[name]), allowed=[name])

    assert (gate.comparable, gate.exit_code) == (True, 1)
    assert [(one.name, one.allowed) for one in gate.obstructions] == [(name, True)]


@pytest.mark.parametrize("name", ["cases", "tables", "policy", "complete"])
def test_what_the_verdicts_rest_on_may_never_differ(name):
    assert gate_of(THREE, report("PPFF", run="new", **OTHER[name]), allowed=[name]).exit_code == 4


AGAIN = msgspec.structs.replace(ORIGIN, asked_again={Outcome.COMPLETED: 2, Outcome.TIMEOUT: 1})
TOLD = "asked again after it had ended: 3 trials (the first time: 2 completed, 1 timeout)"


def test_a_run_whose_answers_were_asked_for_again_is_held_to_nothing_unless_that_is_said():
    gate = gate_of(THREE, report("PPPP", run="new", origin=AGAIN))
    allowed = gate_of(THREE, report("PPPP", run="new", origin=AGAIN), allowed=["again"])

    assert (gate.exit_code, [(one.name, one.reason) for one in gate.obstructions]) == (4, [("again", TOLD)])
    assert (allowed.exit_code, [(one.name, one.allowed) for one in allowed.obstructions]) == (0, [("again", True)])


def test_a_trial_that_had_no_answer_may_be_asked_again_and_that_is_told():
    origin = msgspec.structs.replace(ORIGIN, asked_again={Outcome.ERROR: 1, Outcome.TIMEOUT: 1})

    gate = gate_of(THREE, report("PPFF", run="new", origin=origin))

    assert (gate.exit_code, [(one.name, one.allowed) for one in gate.obstructions]) == (0, [("again", True)])


def test_no_baseline_is_of_a_run_whose_answers_were_asked_for_again():
    members = [member("PPFF", "one", origin=AGAIN), member("PPFF", "two")]
    evidence = Evidence(members, [Named("r.json", reviewed(members[0]))], consistency_of(members), "consistency.json")

    found = [str(one.subject) for one in problems_of(evidence, allow_assisted=True)]

    assert f"what was answered may not be asked again until it passes: {TOLD}" in found


def test_a_seed_of_its_own_is_no_difference():
    origin = msgspec.structs.replace(ORIGIN, request={"temperature": 0.2, "seed": 99})

    assert gate_of(THREE, report("PPFF", run="new", origin=origin)).obstructions == []
