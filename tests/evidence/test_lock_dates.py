"""What a baseline is never locked with: a day to come or before its runs, and one review counted twice."""

import shutil

import pytest
from evidence_project import judge
from evidence_samples import sealed
from msgspec.structs import replace
from test_lock_command import ALLOWED, evidence, locked

from harness.cli.evidence.evidence_files import read_evidence, write_evidence
from harness.evidence.baseline import Baseline

__all__ = ["evidence", "locked"]
BASELINE = "recordings/baseline.json"


@pytest.mark.parametrize(
    ("day", "told"),
    [
        ("9999-12-31", "nothing is locked on a day to come"),
        ("2026-10-31", "before its runs were made: the last ended at 2026-11-01T"),
    ],
    ids=["to come", "before the runs"],
)
def test_a_baseline_is_of_a_day_between_its_runs_and_today(evidence, day, told):
    done = judge(*ALLOWED, "--date", day)

    assert done.code == 2
    assert told in done.err
    assert not (evidence / BASELINE).exists()


def test_the_day_of_the_last_run_is_one(evidence):
    done = judge(*ALLOWED, "--date", "2026-11-01")

    assert done.code == 0
    assert judge("verify", BASELINE).code == 0
    assert evidence.exists()


def resealed(root, **changes):
    """The baseline edited by one who makes its digest again."""
    write_evidence(root / BASELINE, sealed(replace(read_evidence(root / BASELINE, Baseline), **changes)))


@pytest.mark.parametrize("gone", [(), ("three",)], ids=["all runs there", "a run gone"])
def test_verify_sees_a_day_before_the_runs(locked, gone):
    resealed(locked, locked_on="2026-10-31")
    for run in gone:
        shutil.rmtree(locked / "recordings" / run)

    done = judge("verify", BASELINE, "--json")

    assert done.code == 4
    assert done.json["errors"][0]["message"].startswith("locked on 2026-10-31, before its runs were made")


@pytest.mark.parametrize("copied", [False, True], ids=["one file", "a copy of it"])
def test_a_review_is_not_counted_twice(evidence, copied):
    again = "recordings/one/review.json"
    if copied:
        again = "recordings/copy.json"
        shutil.copy(evidence / "recordings/one/review.json", evidence / again)

    done = judge(*ALLOWED, "--review", again, "--json")

    assert (done.code, done.codes) == (4, ["BAD_EVIDENCE"])
    assert done.json["errors"][0]["file"] == again


def test_a_baseline_in_which_a_review_stands_twice_contradicts_itself(locked):
    [review] = read_evidence(locked / BASELINE, Baseline).reviews
    resealed(locked, reviews=[review, review])

    done = judge("verify", BASELINE, "--json")

    assert "a review stands twice" in [one["message"] for one in done.json["errors"]]
