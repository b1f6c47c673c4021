"""fc-judge consistency, adjudicate, lock and verify on runs of fc-record: what they write, refuse and prove."""

import hashlib
import json
import shutil

import pytest
from evidence_project import answers_file, judge

RUNS = ("recordings/one", "recordings/two", "recordings/three")
CHECK = ("--consistency", "recordings/consistency.json")
LOCK = (
    "lock",
    "--review",
    "recordings/one/review.json",
    *CHECK,
    "--output",
    "recordings/baseline.json",
    "--date",
    "2026-11-30",
)
ALLOWED = (*LOCK, "--allow-assisted")
DECISION = (
    "--decision",
    "accept",
    "--reason",
    "one question is a coin",
    "--by",
    "ada",
    "--output",
    "recordings/adjudication.json",
)


@pytest.fixture
def evidence(project, tmp_path):
    """The project with a review of its first run and a check of its three."""
    assert judge("review", RUNS[0], "--answers", answers_file(tmp_path / "a.jsonl"), "--reviewer", "triage").code == 0
    assert judge("consistency", *RUNS, "--output", "recordings/consistency.json").code == 0
    return project


@pytest.fixture
def locked(evidence):
    """The project with a baseline."""
    assert judge(*ALLOWED).code == 0
    return evidence


def changed(path, old, new):
    """Replace the first `old` in a file."""
    raw = path.read_bytes()
    assert old in raw
    path.write_bytes(raw.replace(old, new, 1))


def test_consistency_states_the_standard_and_what_flips(project):
    done = judge("consistency", *RUNS)

    assert done.code == 0
    assert "the runs meet the standard: 12 cases, each in every run" in done.out
    assert "holds  on at least 90 % of the cases all trials of all runs have one verdict: 11 of 12 (91.7 %)" in done.out
    assert "fc-d1-008: PASS / PASS / FAIL" in done.out
    assert not (project / "recordings/consistency.json").exists()


def test_runs_that_do_not_agree_exit_1(project):
    done = judge("consistency", *RUNS[:2], "recordings/worse", "--output", "recordings/consistency.json", "--json")

    assert done.code == 1
    assert [one["rule"] for one in done.json["standard"] if not one["holds"]] == ["agreement"]
    assert json.loads((project / "recordings/consistency.json").read_bytes()) == done.json


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("runs", "code", "told"),
    [
        pytest.param(["recordings/one"], 2, "takes two", id="one-run"),
        pytest.param(["recordings/one", "recordings/one"], 4, "the same recordings", id="the-same-run-twice"),
        pytest.param(["recordings/one", "recordings/twice"], 4, "cases and trials are not the same", id="other-trials"),
        pytest.param(["recordings/one", "recordings/tow"], 2, "nearest:  recordings/two", id="no-such-run"),
        pytest.param(["recordings/one", "scenarios"], 4, "holds no run.json", id="no-run"),
        pytest.param(["recordings", "recordings/two"], 4, "nearest:  recordings/one", id="a-directory-of-runs"),
    ],
)
def test_what_cannot_be_held_together_says_why(runs, code, told):
    done = judge("consistency", *runs)

    assert done.code == code
    assert told in done.err


def test_a_sound_review_and_agreeing_runs_give_a_baseline(evidence):
    done = judge(*ALLOWED, "--json")

    baseline = json.loads((evidence / "recordings/baseline.json").read_bytes())
    assert (done.code, done.json) == (0, {"baseline": baseline, "errors": []})
    assert (baseline["type"], baseline["lockedOn"], baseline["assisted"]) == ("baseline", "2026-11-30", True)
    assert baseline["basis"]["inputs"].keys() == {"config", "prompt", "tools", "cases", "tables", "policy", "world"}
    assert baseline["basis"]["origin"]["model"] == "m-asked"
    assert [one["run"] for one in baseline["runs"]] == ["one", "two", "three"]


def test_the_report_is_bound_by_the_hash_of_its_file(locked):
    from harness.cli.suites.run_report import load_report
    from harness.report.writing import bytes_of

    raw = bytes_of(load_report(locked / "recordings/one").report)

    baseline = json.loads((locked / "recordings/baseline.json").read_bytes())
    assert baseline["basis"]["report"] == f"sha256:{hashlib.sha256(raw).hexdigest()}"


def test_the_same_evidence_gives_the_same_bytes(locked):
    before = (locked / "recordings/baseline.json").read_bytes()
    (locked / "recordings/baseline.json").unlink()

    judge(*ALLOWED)

    assert (locked / "recordings/baseline.json").read_bytes() == before


def test_each_refusal_has_its_own_code_and_nothing_is_written(evidence, tmp_path):
    wrong = answers_file(tmp_path / "b.jsonl", fc_d1_003="golden_error", fc_d1_001="judge_error", fc_d1_007="")
    (evidence / "recordings/one/review.json").unlink()
    judge("review", RUNS[0], "--answers", wrong, "--reviewer", "triage")
    judge("consistency", *RUNS[:2], "recordings/worse", "--output", "recordings/consistency.json")

    done = judge(*LOCK, "--json")

    assert done.codes == ["RUNS_INCONSISTENT", "REVIEW_UNFINISHED", "GOLDEN_WRONG", "JUDGE_WRONG", "REVIEW_ASSISTED"]
    assert done.code == 2
    assert not (evidence / "recordings/baseline.json").exists()


@pytest.mark.usefixtures("evidence")
def test_an_assisted_review_alone_is_refused_with_what_to_do():
    done = judge(*LOCK)

    assert done.code == 2
    assert "not a person's: 12 of 12 answers in recordings/one/review.json" in done.err
    assert "say --allow-assisted; the baseline then says so" in done.err


def test_a_run_that_is_not_there_is_named(evidence):
    shutil.rmtree(evidence / "recordings/two")

    done = judge(*ALLOWED)

    assert done.code == 2
    assert "recordings/two: no such file or directory" in done.err


@pytest.mark.usefixtures("evidence")
def test_a_date_is_a_day():
    done = judge(*ALLOWED, "--date", "yesterday")

    assert (done.code, "YYYY-MM-DD" in done.err) == (2, True)


def test_a_baseline_that_would_be_replaced_is_kept_byte_for_byte_first(locked):
    before = (locked / "recordings/baseline.json").read_bytes()

    done = judge(*ALLOWED, "--date", "2026-11-29")

    archive = locked / f"recordings/baseline_history/12_cases_{hashlib.sha256(before).hexdigest()}.json"
    assert archive.read_bytes() == before
    assert f"the baseline before is kept: {archive.relative_to(locked)}" in done.err
    assert json.loads((locked / "recordings/baseline.json").read_bytes())["lockedOn"] == "2026-11-29"


def test_the_same_baseline_again_archives_nothing(locked):
    assert judge(*ALLOWED).code == 0
    assert not (locked / "recordings/baseline_history").exists()


@pytest.mark.parametrize("how", ["the archive holds something else", "what stands there cannot be read"])
def test_a_place_that_cannot_be_vacated_safely_is_not(locked, how):
    place = locked / "recordings/baseline.json"
    before = place.read_bytes()
    if how.startswith("the archive"):
        archive = locked / f"recordings/baseline_history/12_cases_{hashlib.sha256(before).hexdigest()}.json"
        archive.parent.mkdir()
        archive.write_text("{}")
    else:
        place.write_bytes(b'{"type":"baseline"}')
        before = place.read_bytes()

    done = judge(*ALLOWED, "--date", "2026-11-29")

    assert done.code == 4
    assert "the old baseline is not safe, so it stays where it is" in done.err
    assert place.read_bytes() == before


def test_a_decision_takes_runs_that_do_not_agree(evidence):
    judge("consistency", *RUNS[:2], "recordings/worse", "--output", "recordings/consistency.json")
    refused = judge(*ALLOWED)
    decided = judge("adjudicate", "recordings/consistency.json", *DECISION)

    done = judge(*ALLOWED, "--adjudication", "recordings/adjudication.json")

    assert (refused.code, decided.code, done.code) == (1, 0, 0)
    assert decided.out == "accepted by ada: one question is a coin\n"
    assert (
        "the standard does not hold (all runs agree on 50.0 % of the cases); taken by ada: one question is a coin"
        in done.out
    )
    assert judge("verify", "recordings/baseline.json").code == 0
    assert json.loads((evidence / "recordings/adjudication.json").read_bytes())["flips"] == [
        "fc-d1-001", "fc-d1-002", "fc-d1-004", "fc-d1-005", "fc-d1-006", "fc-d1-009",
    ]  # fmt: skip


@pytest.mark.usefixtures("evidence")
def test_a_decision_about_other_runs_is_refused():
    judge("consistency", *RUNS[:2], "recordings/worse", "--output", "recordings/consistency.json")
    judge("adjudicate", "recordings/consistency.json", *DECISION)
    judge("consistency", *RUNS[1:], "recordings/worse", "--output", "recordings/consistency.json")

    done = judge(*ALLOWED, "--adjudication", "recordings/adjudication.json", "--json")

    assert done.codes[0] == "OTHER_EVIDENCE"
    assert done.json["errors"][0]["message"] == "the decision was made about other runs"


@pytest.mark.usefixtures("evidence")
def test_where_the_standard_holds_nothing_is_decided():
    done = judge("adjudicate", "recordings/consistency.json", *DECISION)

    assert (done.code, "there is nothing to decide" in done.err) == (2, True)


@pytest.mark.usefixtures("evidence")
@pytest.mark.parametrize("words", [["--reason", "  "], ["--by", " "]], ids=["no-reason", "no-name"])
def test_a_decision_says_who_and_why(words):
    done = judge("adjudicate", "recordings/consistency.json", *DECISION, *words)

    assert (done.code, "a decision says who made it and why" in done.err) == (2, True)


def test_a_secret_in_the_reason_of_a_decision_is_not_written(project, monkeypatch):
    monkeypatch.setenv("DESK_PASSWORD", "hunter2-hunter2")
    judge("consistency", *RUNS[:2], "recordings/worse", "--output", "recordings/consistency.json")

    judge("adjudicate", "recordings/consistency.json", *DECISION, "--reason", "see hunter2-hunter2")

    assert json.loads((project / "recordings/adjudication.json").read_bytes())["reason"] == "see [secret:value:1]"


OUTSIDE = {
    "--review": "recordings/one/review.json",
    "--consistency": "recordings/consistency.json",
    "--adjudication": "recordings/adjudication.json",
}


@pytest.mark.parametrize("option", OUTSIDE)
def test_evidence_that_verify_would_not_find_again_is_refused_with_the_command_that_mends_it(evidence, option):
    judge("consistency", *RUNS[:2], "recordings/worse", "--output", "recordings/consistency.json")
    judge("adjudicate", "recordings/consistency.json", *DECISION)
    shutil.move(evidence / OUTSIDE[option], evidence / "kept.json")
    given = {**OUTSIDE, option: "kept.json"}
    words = [word for pair in given.items() for word in pair]
    lock = ("lock", *words, "--output", "recordings/baseline.json", "--allow-assisted")

    refused = judge(*lock)

    assert (refused.code, (evidence / "recordings/baseline.json").exists()) == (2, False)
    assert "kept.json: not below recordings, where verify looks for what a baseline was locked with" in refused.err
    assert "next:     mv kept.json recordings/kept.json, and lock with that" in refused.err
    shutil.move(evidence / "kept.json", evidence / "recordings/kept.json")
    assert judge(*(word.replace("kept.json", "recordings/kept.json") for word in lock)).code == 0
    assert judge("verify", "recordings/baseline.json").code == 0


def test_a_copy_below_the_recordings_is_enough(evidence):
    shutil.copy(evidence / "recordings/one/review.json", evidence / "kept.json")

    assert judge("lock", "--review", "kept.json", *ALLOWED[3:]).code == 0
    assert judge("verify", "recordings/baseline.json").code == 0
