"""Consistency: which runs may be held together, how they agree, and what the standard asks."""

import msgspec
import pytest
from evidence_samples import INPUTS, ORIGIN, member

from harness import errors
from harness.evidence.adjudication import adjudication_of, check_adjudication
from harness.evidence.consistency import consistency_of
from harness.evidence.documents import bytes_of_document, read_document
from harness.value import digest_of


def three(*verdicts, **facts):
    return consistency_of(
        [member(word, run, **facts) for word, run in zip(verdicts, ("one", "two", "three"), strict=False)]
    )


def conditions(consistency):
    return {one.rule: one.holds for one in consistency.standard}


def test_runs_that_agree_meet_the_standard():
    consistency = three("PPFPS", "PPFPS", "PPFPS")

    assert consistency.holds
    assert conditions(consistency) == {"runs": True, "judged": True, "agreement": True, "drift": True}
    assert (consistency.agreement, consistency.flips) == (1.0, [])


@pytest.mark.parametrize(
    ("verdicts", "broken"),
    [
        pytest.param(["PPF", "PPF"], {"runs"}, id="two-runs-only"),
        pytest.param(["PPF", "PPF", "PPA"], {"judged", "agreement"}, id="a-trial-that-was-not-judged"),
        pytest.param(["PPN", "PPN", "PPN"], {"judged"}, id="never-judged"),
        pytest.param(["PPF", "PPP", "PPF"], {"agreement"}, id="a-flip-in-three-cases"),
        pytest.param(["S", "S", "S"], {"agreement", "drift"}, id="nothing-but-skipped-cases"),
        pytest.param(["P" * 100, "P" * 90 + "F" * 10, "P" * 100], {"drift"}, id="all-flips-go-one-way"),
    ],
)  # fmt: skip
def test_the_standard_says_which_condition_does_not_hold(verdicts, broken):
    consistency = three(*verdicts)

    assert {one.rule for one in consistency.failed} == broken
    assert not consistency.holds


@pytest.mark.parametrize(
    ("flips", "holds"), [pytest.param(2, True, id="18-of-20"), pytest.param(3, False, id="17-of-20")]
)
def test_nine_cases_in_ten_must_agree_and_the_border_counts(flips, holds):
    # As many flips up as down, so that only agreement is asked.
    first, second = "P" * 20, "P" * (20 - flips) + "F" * flips

    consistency = three(first, second, first)

    assert conditions(consistency)["agreement"] is holds
    assert consistency.standard[2].needed == "on at least 90 % of the cases all trials of all runs have one verdict"
    assert consistency.standard[2].found == f"{20 - flips} of 20 ({100 * (20 - flips) / 20:.1f} %)"


def test_a_flip_shows_what_each_trial_broke():
    [flip] = three("PP PP", "PP PF", "PP PP").flips

    assert flip.case == "fc-d2-002"
    assert [(one.run, one.trial, one.verdict) for one in flip.trials] == [
        (1, 1, "PASS"), (1, 2, "PASS"), (2, 1, "PASS"), (2, 2, "FAIL"), (3, 1, "PASS"), (3, 2, "PASS"),
    ]  # fmt: skip
    assert [one.code for one in flip.trials[3].broken] == ["PARAM_WRONG_VALUE"]
    assert flip.trials[3].broken[0].message == "order_id of get_order: expected W443, got W444"


def test_pass_power_counts_each_trial_of_each_run():
    consistency = three("PF", "PF", "PP")

    assert [(one.k, round(one.value, 4), one.case_count) for one in consistency.pass_power] == [
        (1, 0.6667, 2), (2, 0.5, 2), (3, 0.5, 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("other", "told"),
    [
        pytest.param(
            {"origin": msgspec.structs.replace(ORIGIN, model="m-2")}, "model: m-asked there, m-2 here", id="model"
        ),
        pytest.param(
            {"origin": msgspec.structs.replace(ORIGIN, request={"temperature": 1})}, "request: ", id="request"
        ),
        pytest.param({"origin": msgspec.structs.replace(ORIGIN, agent={"max_steps": 2})}, "agent: ", id="agent"),
        *(
            pytest.param({"inputs": {**INPUTS, name: digest_of(b"other")}}, f"{name}: sha256", id=f"input-{name}")
            for name in INPUTS
        ),
        pytest.param({"complete": False}, "two: not all its cases are judged", id="stopped"),
        pytest.param({"verdicts": "PPP"}, "cases and trials", id="another-selection"),
        pytest.param({"verdicts": "P PP"}, "cases and trials", id="other-trials"),
    ],
)
def test_runs_of_two_evaluations_are_not_held_together(other, told):
    other = {"verdicts": "PF", **other}

    with pytest.raises(errors.NotComparable, match=told):
        consistency_of([member("PF", "one"), member(other.pop("verdicts"), "two", **other)])


def test_each_run_may_have_a_seed_of_its_own():
    origins = [msgspec.structs.replace(ORIGIN, request={"temperature": 0.2, "seed": seed}) for seed in (1, 2, 3)]
    runs = zip(("one", "two", "three"), origins, strict=True)

    assert consistency_of([member("PF", run, origin=origin) for run, origin in runs]).holds


def test_a_run_is_no_second_run_of_itself():
    with pytest.raises(errors.OtherEvidence, match="the same recordings"):
        consistency_of([member("PF", "one"), member("PF", "two"), member("PF", "one")])


def test_the_same_runs_give_the_same_bytes_that_read_back():
    one, other = (bytes_of_document(three("PPFA", "PFFA", "PPFP")) for _ in range(2))

    assert one == other
    assert bytes_of_document(read_document(one, type(three("P")), file="c.json")) == one


DECIDED = {"decision": "accept", "reason": "one case is a coin", "adjudicator": "ada", "method": "human", "decided_on": "2026-11-30"}  # fmt: skip


def test_a_decision_is_bound_to_the_runs_it_is_about():
    consistency = three("PPF", "PFF", "PPF")

    decision = adjudication_of(consistency, **DECIDED)

    check_adjudication(decision, consistency, file="a.json")
    assert decision.consistency == digest_of(bytes_of_document(consistency))
    assert (decision.failed, decision.flips) == (["agreement"], ["fc-d2-002"])


def test_a_decision_about_other_runs_is_refused():
    decision = adjudication_of(three("PPF", "PFF", "PPF"), **DECIDED)

    with pytest.raises(errors.OtherEvidence, match="about other runs"):
        check_adjudication(decision, three("PPF", "PPF", "PFF"), file="a.json")


def test_a_decision_that_was_rewritten_is_refused():
    consistency = three("PPF", "PFF", "PPF")
    decision = msgspec.structs.replace(adjudication_of(consistency, **DECIDED), flips=[])

    with pytest.raises(errors.BadEvidence, match="other conditions"):
        check_adjudication(decision, consistency, file="a.json")


def test_where_the_standard_holds_there_is_nothing_to_decide():
    with pytest.raises(errors.NothingToAdjudicate):
        adjudication_of(three("PF", "PF", "PF"), **DECIDED)
