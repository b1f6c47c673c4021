"""fc-judge verify: baselines proven from their runs, all evidence checked again, and nothing absent called passed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from evidence_project import ROOT, answers_file, judge
from test_lock_command import ALLOWED, RUNS, changed

from harness.cli.suites.run_report import load_report
from harness.report.writing import bytes_of

KINDS = ["case", "domain", "fixture", "review", "consistency", "adjudication", "baseline"]


@pytest.fixture
def locked(project, tmp_path):
    """The project with a baseline and all that it rests on, and one that it replaced."""
    judge("review", RUNS[0], "--answers", answers_file(tmp_path / "a.jsonl"), "--reviewer", "triage")
    judge("consistency", *RUNS, "--output", "recordings/consistency.json")
    assert [judge(*ALLOWED, "--date", date).code for date in ("2026-11-29", "2026-11-30")] == [0, 0]
    return project


def states(done):
    return dict(line.split("_validation=") for line in done.out.splitlines())


def test_a_line_a_kind_and_what_is_absent_is_not_passed(locked):
    done = judge("verify")

    assert done.out.splitlines() == [
        f"{kind}_validation={'absent' if kind == 'fixture' else 'passed'}" for kind in KINDS
    ]
    assert done.code == 6
    assert "recordings/consistency.json: the standard holds, so no decision is needed" in done.err
    assert locked.exists()


def test_without_any_evidence_everything_is_absent(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    done = judge("verify", "--json")

    assert (done.code, {one["state"] for one in done.json.values()}) == (6, {"absent"})


CHANGES = {
    "a golden": ("scenarios/parcels/cases.jsonl", b'"code": "K7-11"', b'"code": "K7-12"', {"case", "domain", "review", "consistency", "baseline"}),
    "a table": ("scenarios/parcels/world.json", b'"code": "K7-11"', b'"code": "K9-99"', {"case", "domain", "review", "consistency", "baseline"}),
    "a recording": ("recordings/two/fc-d1-003.1.jsonl", b"K9-99", b"K8-88", {"review", "consistency", "baseline"}),
    "a manifest": ("recordings/one/run.json", b'"requests":2', b'"requests":3', {"review", "consistency", "baseline"}),
    "an answer": ("recordings/one/review.json", b'"answer":"model_error"', b'"answer":"unclear"', {"review", "baseline"}),
    "a note": ("recordings/one/review.json", b'"note":""', b'"note":"x"', {"baseline"}),
    "the agreement": ("recordings/consistency.json", b'"agrees":false', b'"agrees":true', {"consistency", "baseline"}),
    "a verdict": ("recordings/baseline.json", b'[["PASS"]', b'[["FAIL"]', {"baseline"}),
    "the date": ("recordings/baseline.json", b'"lockedOn":"2026', b'"lockedOn":"2025', {"baseline"}),
    "whether it was assisted": ("recordings/baseline.json", b'"assisted":true', b'"assisted":false', {"baseline"}),
    "a review that is no JSON": ("recordings/one/review.json", b'"answers":[', b'"answers":[[', {"review", "baseline"}),
}  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "failed"), CHANGES.values(), ids=CHANGES)
def test_a_changed_byte_fails_what_rests_on_it(locked, file, old, new, failed):
    changed(locked / file, old, new)

    done = judge("verify")

    assert {kind for kind, state in states(done).items() if state == "failed"} == failed
    assert done.code == 4


def test_an_archived_baseline_that_was_changed_fails(locked):
    [archive] = (locked / "recordings/baseline_history").iterdir()
    changed(archive, b'"assisted":true', b'"assisted":false')

    done = judge("verify")

    assert states(done)["baseline"] == "failed"
    assert "an archived baseline was changed" in done.err


def test_a_golden_that_the_world_refuses_fails_the_domain(locked):
    changed(locked / "scenarios/parcels/world.py", b'parcel["code"] == arguments["code"]', b"False")

    done = judge("verify")

    assert states(done)["domain"] == "failed"
    assert "the world refuses golden call 0 (find_parcel)" in done.err


def test_a_check_that_fails_the_standard_needs_a_decision(project):
    judge("consistency", *RUNS[:2], "recordings/worse", "--output", "recordings/consistency.json")
    undecided = states(judge("verify"))
    judge("adjudicate", "recordings/consistency.json", "--decision", "accept", "--reason", "a coin", "--by", "ada", "--output", "recordings/a.json")  # fmt: skip

    decided = states(judge("verify"))

    assert (undecided["consistency"], undecided["adjudication"]) == ("passed", "failed")
    assert decided["adjudication"] == "passed"
    assert project.exists()


def test_a_baseline_is_proven_from_its_runs(locked):
    done = judge("verify", "recordings/baseline.json")

    assert done.code == 0
    assert done.out.startswith("proven: 3 of 3 runs are here, derived again from them; assisted: ")
    assert locked.exists()


@pytest.mark.parametrize("gone", [("one",), ("one", "two", "three")], ids=["one-run-gone", "no-run-there"])
def test_without_its_runs_a_baseline_is_held_against_its_files_and_called_unproven(locked, gone):
    shutil.copy(locked / "recordings/one/review.json", locked / "recordings/review-of-one.json")
    for run in gone:
        shutil.rmtree(locked / "recordings" / run)

    done = judge("verify", "recordings/baseline.json", "--json")

    assert (done.code, done.json["proven"], done.codes) == (6, False, [])
    assert done.json["extent"].startswith(f"{3 - len(gone)} of 3 runs are here, the rest checked by hash")
    lines = states(judge("verify"))
    assert [lines[kind] for kind in ("review", "consistency", "baseline")] == ["absent"] * 3


def test_a_baseline_whose_review_is_gone_is_not_proven(locked):
    (locked / "recordings/one/review.json").unlink()

    done = judge("verify", "recordings/baseline.json", "--json")

    assert (done.code, done.json["proven"], done.codes) == (4, False, ["BASELINE_UNPROVEN"])
    assert done.json["errors"][0]["message"] == "the review that the baseline was locked with is not there"


def can_isolate():
    """The words that take the network away, or None where this machine does not let a user do that."""
    for words in (["unshare", "--net"], ["unshare", "--map-root-user", "--net"]):
        if (
            shutil.which("unshare")
            and subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0
        ):
            return words
    return None


@pytest.mark.skipif(can_isolate() is None, reason="this machine makes no empty network namespace")
def test_everything_is_checked_where_there_is_no_network(locked):
    command = [*can_isolate(), sys.executable, "-m", "harness.cli.evidence.verify"]

    done = subprocess.run(
        command, cwd=locked, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout.count("=passed")) == (6, 6)


def test_make_verify_prints_the_seven_lines_and_installs_nothing():
    done = subprocess.run(["make", "-n", "verify"], cwd=ROOT, capture_output=True, text=True, check=True)

    assert "-m harness.cli.evidence.verify" in done.stdout
    assert "install" not in done.stdout


def test_a_baseline_of_report_files_is_proven_from_the_recordings_that_they_judged(project, tmp_path):
    reports = [project / f"{Path(run).name}.json" for run in RUNS]
    for run, report in zip(RUNS, reports, strict=True):
        report.write_bytes(bytes_of(load_report(Path(run)).report))
    review = ("--output", "recordings/review.json")
    judge("review", reports[0], "--answers", answers_file(tmp_path / "a.jsonl"), "--reviewer", "triage", *review)
    judge("consistency", *reports, "--output", "recordings/consistency.json")

    made = judge("lock", "--review", "recordings/review.json", *ALLOWED[3:], "--json")

    assert (made.code, [one["run"] for one in made.json["baseline"]["runs"]]) == (0, [None] * 3)
    assert judge("verify", "recordings/baseline.json").out.startswith("proven: 3 of 3 runs are here, derived again")
    assert set(states(judge("verify")).values()) == {"passed", "absent"}
