"""What a run is never held to: a baseline that was edited, evidence that is broken; and what is said instead."""

import json
import os
import shutil
from pathlib import Path

import pytest
from evidence_project import answers_file, judge, record_run
from evidence_samples import sealed
from msgspec.structs import replace
from test_gated_run import BASELINE, judged
from test_lock_command import ALLOWED, RUNS, changed

from harness.cli.evidence.evidence_files import read_evidence, write_evidence
from harness.cli.suites.run_report import load_report
from harness.evidence.baseline import Baseline
from harness.report.writing import bytes_of


@pytest.fixture
def locked(project, tmp_path):
    judge("review", RUNS[0], "--answers", answers_file(tmp_path / "a.jsonl"), "--reviewer", "triage")
    judge("consistency", *RUNS, "--output", "recordings/consistency.json")
    assert judge(*ALLOWED).code == 0
    return project


def held(root, run="recordings/two", *words, baseline=BASELINE):
    return judged(root, run, "--baseline", baseline, *words)


def refusal(root):
    """The one refusal of a baseline, and that nothing else was said."""
    done = held(root, "recordings/two", "--json")
    assert done.stdout, done.stderr
    facts = json.loads(done.stdout)
    assert (done.returncode, facts["code"], facts["file"]) == (4, "BASELINE_UNPROVEN", str(BASELINE))
    assert f"fc-judge verify {BASELINE}" in facts["next"]
    return facts["message"]


EDITS = {
    "a verdict": (b'[["PASS"]', b'[["FAIL"]'),
    "the accuracy": (b'"accuracy":0.8', b'"accuracy":0.1'),
    "the date": (b'"lockedOn":"2026', b'"lockedOn":"2025'),
    "no date": (b'"lockedOn":"2026-11-30"', b'"lockedOn":"in autumn"'),
    "whether it was assisted": (b'"assisted":true', b'"assisted":false'),
    "a run's name": (b'"run":"two"', b'"run":"ten"'),
}


@pytest.mark.parametrize(("old", "new"), EDITS.values(), ids=EDITS)
def test_an_edited_baseline_is_refused(locked, old, new):
    changed(locked / BASELINE, old, new)

    assert "it was edited after it was locked" in refusal(locked)


UNREADABLE = {
    "a word that is no verdict": (b'[["PASS"]', b'[["PAST"]', "PASS"),
    "an unknown field": (b'"lockedOn"', b'"lokedOn"', "lockedOn"),
    "a missing field": (b'"assisted":true,', b"", None),
}


@pytest.mark.parametrize(("old", "new", "nearest"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_baseline_of_another_form_is_refused(locked, old, new, nearest):
    changed(locked / BASELINE, old, new)

    done = held(locked, "recordings/two", "--json")

    facts = json.loads(done.stdout)
    assert (done.returncode, facts["code"], facts["nearest"]) == (4, "BAD_EVIDENCE", nearest)


def resealed(root, **changes):
    """The baseline edited by one who makes its digest again."""
    write_evidence(root / BASELINE, sealed(replace(read_evidence(root / BASELINE, Baseline), **changes)))


def test_one_that_contradicts_itself_is_refused_whatever_its_digest(locked):
    resealed(locked, assisted=False)

    assert refusal(locked) == "assisted is not what the methods of the reviews and the decision say"


def test_one_that_the_review_beside_it_does_not_give_is_refused(locked):
    baseline = read_evidence(locked / BASELINE, Baseline)
    resealed(locked, reviews=[replace(baseline.reviews[0], mended=5)])

    assert refusal(locked) == "reviews is not what recordings/one/review.json says"


def test_one_that_the_consistency_check_beside_it_does_not_give_is_refused(locked):
    baseline = read_evidence(locked / BASELINE, Baseline)
    [first, *others] = baseline.cases
    resealed(locked, cases=[replace(first, case="fc-d1-000"), *others])

    assert refusal(locked) == "the verdicts are not those of the consistency check"


def test_one_that_the_report_in_the_runs_directory_does_not_give_is_refused(locked):
    (locked / "recordings/one/report.json").write_bytes(bytes_of(load_report(Path("recordings/one")).report))
    baseline = read_evidence(locked / BASELINE, Baseline)
    resealed(locked, summary=replace(baseline.summary, worst_tools=[], top_worst_tools=[]))

    assert refusal(locked) == "summary is not that of recordings/one/report.json"


RIVALS = {
    "a review": ("recordings/one/review.json", b'"note":""', b'"note":"x"', "the review"),
    "a check": ("recordings/consistency.json", b'"agrees":false', b'"agrees":true', "the consistency check"),
}


@pytest.mark.parametrize(("file", "old", "new", "name"), RIVALS.values(), ids=RIVALS)
def test_evidence_that_was_changed_since_is_not_what_it_was_locked_with(locked, file, old, new, name):
    changed(locked / file, old, new)

    assert refusal(locked) == f"{file} is not {name} that it was locked with"


def test_a_review_of_another_run_that_nobody_can_read_stands_in_no_ones_way(locked):
    shutil.copytree(locked / "recordings/two", locked / "recordings/new")
    (locked / "recordings/new/review.json").write_text('{"type":"review", …')

    assert held(locked).returncode == 0


def test_what_is_no_file_near_a_baseline_is_not_waited_for(locked):
    os.mkfifo(locked / "recordings/pipe.json")
    (locked / "recordings/nowhere.json").symlink_to("gone")

    assert held(locked).returncode == 0


def test_what_is_not_at_hand_is_taken_on_its_word_and_that_is_said(locked):
    kept = locked / "kept/baseline.json"
    kept.parent.mkdir()
    shutil.move(locked / BASELINE, kept)
    (locked / "recordings/one/review.json").unlink()
    (locked / "recordings/consistency.json").unlink()

    done = held(locked, baseline=kept)

    assert done.returncode == 0
    assert (
        "on its word: the review, the consistency check not at hand; fc-judge verify BASELINE proves it where they are"
        in done.stdout
    )


def test_a_baseline_of_evidence_at_hand_is_taken_without_a_word(locked):
    assert "on its word" not in held(locked).stdout


def test_a_baseline_that_is_older_than_the_digest_is_held_to_all_the_same(locked):
    raw = (locked / BASELINE).read_bytes()
    (locked / BASELINE).write_bytes(raw[: raw.index(b',\n"digest"')] + b"}\n")

    done, proof = held(locked), judge("verify", BASELINE)

    assert (done.returncode, proof.code) == (0, 0)
    assert "on its word: the digest of its content not at hand" in done.stdout
    assert "; no digest binds the date, which nothing else proves: fc-judge lock writes one\n" in proof.out


@pytest.fixture
def archived(locked):
    """A baseline that another has taken the place of, and whose review has gone on since."""
    assert judge(*ALLOWED, "--date", "2026-11-29").code == 0
    changed(locked / "recordings/one/review.json", b'"note":""', b'"note":"x"')
    [archive] = (locked / "recordings/baseline_history").iterdir()
    return archive.relative_to(locked)


def test_an_archived_baseline_is_held_to_as_it_was_kept(locked, archived):
    done = held(locked, baseline=archived)

    assert done.returncode == 0
    assert "on its word: the review, the consistency check not at hand" in done.stdout


def test_an_archived_baseline_that_was_changed_is_refused(locked, archived):
    changed(locked / archived, b'"assisted":true', b'"assisted":true ')

    done = held(locked, baseline=archived)

    assert (done.returncode, "an archived baseline was changed" in done.stderr) == (4, True)


def _gone(path):
    path.unlink()


def _edited(path):
    changed(path, b"K7-11", b"K7-12")


@pytest.mark.parametrize("harm", [_gone, _edited], ids=["missing", "edited"])
def test_of_a_run_that_is_no_evidence_nothing_is_said_about_meeting(locked, harm):
    harm(locked / "recordings/two/fc-d1-005.1.jsonl")

    done = held(locked)

    assert done.returncode == 4
    assert "not comparable: the run is no evidence as it lies here: recordings/two/fc-d1-005.1.jsonl" in done.stdout
    assert done.stdout.endswith("the run is not held to this baseline\n")
    assert "meet" not in done.stdout


def test_why_a_run_that_meets_its_baseline_ends_with_6_stands_below_the_verdict(locked):
    record_run(locked, "broken", wrong={7}, silent={3})

    done = held(locked, "recordings/broken")

    assert done.returncode == 6
    assert "the run meets the baseline\nexit code 6, not 0: 1 case broke off" in done.stdout
    assert "nothing is said of them: fc-d1-003" in done.stdout
    assert "next: mend what the report says of them" in done.stdout
    assert "exit code 6" not in held(locked, "recordings/broken", "--no-gate").stdout
