"""Evidence that lies where what a baseline was locked with should, and is not it: it is never taken for nothing there."""

import json
import shutil

import pytest
from evidence_project import answers_file, judge
from test_gate_refusals import held, refusal
from test_lock_command import ALLOWED, DECISION, RUNS

RUNS_THAT_DIFFER = (*RUNS[:2], "recordings/worse")
ADJUDICATED = (*ALLOWED, "--adjudication", "recordings/adjudication.json")


@pytest.fixture
def decided(project, tmp_path):
    """A baseline of runs that do not meet the standard, with the decision that takes them."""
    judge("review", RUNS[0], "--answers", answers_file(tmp_path / "a.jsonl"), "--reviewer", "triage")
    judge("consistency", *RUNS_THAT_DIFFER, "--output", "recordings/consistency.json")
    assert judge("adjudicate", "recordings/consistency.json", *DECISION).code == 0
    assert judge(*ADJUDICATED).code == 0
    return project


def test_a_decision_turned_to_reject_is_not_what_the_baseline_was_locked_with(decided):
    done = judge(
        "adjudicate", "recordings/consistency.json", "--decision", "reject", "--reason", "no", "--by", "ada",
        "--output", "recordings/adjudication.json",
    )  # fmt: skip

    assert done.code == 0
    assert refusal(decided) == "recordings/adjudication.json is not the decision that it was locked with"


def test_a_decision_that_rejects_what_the_bound_one_takes_is_seen_beside_it(decided):
    done = judge(
        "adjudicate", "recordings/consistency.json", "--decision", "reject", "--reason", "no", "--by", "ben",
        "--output", "recordings/second.json",
    )  # fmt: skip

    line = judge("verify", "--json").json["adjudication_validation"]

    assert done.code == 0
    assert refusal(decided) == "recordings/second.json rejects the runs that recordings/adjudication.json takes"
    assert [(one["file"], one["message"]) for one in line["errors"]] == [
        ("recordings/second.json", "another decision on the same runs says accept: recordings/adjudication.json")
    ]


def test_a_baseline_that_lies_elsewhere_sees_what_lies_in_its_runs_directory(decided):
    other = (decided / "recordings/worse/review.json", decided / "recordings/one/review.json")
    judge("review", "recordings/worse", "--answers", "/dev/null", "--reviewer", "triage")
    shutil.move(*other)
    shutil.move(decided / "recordings/baseline.json", decided / "kept.json")

    done = held(decided, baseline="kept.json")

    assert done.returncode == 4
    assert "recordings/one/review.json is not the review that it was locked with" in done.stderr


FILES = {
    "recordings/adjudication.json": "the decision",
    "recordings/consistency.json": "the consistency check",
    "recordings/one/review.json": "the review",
}
HARMS = {
    "cut": lambda raw: raw[:-20],
    "not JSON from its first byte": lambda raw: b"x" + raw,
    "UTF-16": lambda raw: raw.decode().encode("utf-16"),
    "another type": lambda raw: raw.replace(b'{"type":"', b'{"type":"x', 1),
    "a byte order mark": lambda raw: b"\xef\xbb\xbf" + raw,
    "nothing": lambda _: b"",
}


@pytest.mark.parametrize(("file", "name"), FILES.items(), ids=FILES.values())
@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_what_cannot_be_read_stands_in_the_way(decided, file, name, harm):
    path = decided / file
    path.write_bytes(harm(path.read_bytes()))

    assert refusal(decided) == f"{file} cannot be read, and {name} that it was locked with is not at hand"


def test_a_check_of_other_runs_in_its_place_stands_in_the_way(decided):
    check = json.loads((decided / "recordings/consistency.json").read_bytes())
    check["runs"] = [{**one, "evidence": "sha256:" + f"{number}" * 64} for number, one in enumerate(check["runs"])]
    (decided / "recordings/consistency.json").write_text(json.dumps(check))

    assert "recordings/consistency.json is not the consistency check that it was locked with" in refusal(decided)


@pytest.mark.parametrize(("file", "name"), FILES.items(), ids=FILES.values())
def test_only_where_nothing_lies_it_is_taken_on_its_word(decided, file, name):
    (decided / file).unlink()

    done = held(decided)

    assert done.returncode == 0
    assert f"on its word: {name} not at hand" in done.stdout


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_verify_calls_a_baseline_that_cannot_be_read_failed_and_not_absent(decided, harm):
    path = decided / "recordings/baseline.json"
    path.write_bytes(harm(path.read_bytes()))

    line = judge("verify", "--json").json["baseline_validation"]

    assert line["state"] == "failed"
    assert [one["file"] for one in line["errors"]] == ["recordings/baseline.json"]
