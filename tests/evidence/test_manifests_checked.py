"""A run's manifest as evidence: held against the recordings by every command, and bound by a baseline for the rest."""

import json
import shutil

import pytest
from evidence_project import judge, record_run
from test_gated_run import judged
from test_lock_command import ALLOWED, RUNS, changed
from test_verify_command import locked, states

from harness.value import digest_of

__all__ = ["locked"]


@pytest.fixture
def planted(project):
    """A run in which one trial was taken from another model's run, its digest written into the manifest."""
    record_run(project, "large", "--model", "m-large", wrong={3, 7})
    source, target = project / "recordings/large", project / "recordings/two"
    name = "fc-d1-003.1.jsonl"
    raw = (source / name).read_bytes()
    before = digest_of((target / name).read_bytes())
    (target / name).write_bytes(raw)
    changed(target / "run.json", before.encode(), digest_of(raw).encode())
    return project


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "recordings/one", "recordings/two"),
        ("consistency", *RUNS),
        ("review", "recordings/two", "--status"),
    ],
    ids=lambda words: words[0],
)
def test_every_command_refuses_a_run_that_holds_a_trial_of_another_one(planted, words):
    done = judge(*words, "--json")

    assert (done.code, done.json["code"]) == (4, "BAD_RUN")
    assert planted.exists()


def test_fc_judge_refuses_it_as_well(planted):
    done = judged(planted, "recordings/two", "--no-gate")

    assert done.returncode == 4
    assert "the manifest says another model than the recordings" in done.stderr


def test_verify_sees_a_broken_run_that_nothing_names(planted):
    line = judge("verify", "--json").json["review_validation"]

    assert (line["state"], {one["code"] for one in line["errors"]}) == ("failed", {"BAD_RUN"})
    assert planted.exists()


def test_verify_sees_a_manifest_that_cannot_be_read(project):
    (project / "recordings/worse/run.json").write_bytes(b"{")

    line = judge("verify", "--json").json["review_validation"]

    assert [one["file"] for one in line["errors"]] == ["recordings/worse/run.json"]


RECORDED = {
    "the host": ("asked.host", lambda run: run["asked"].update(host="api.example.com")),
    "the redaction": ("redaction", lambda run: run.update(redaction="none")),
}


@pytest.mark.parametrize(("name", "change"), RECORDED.values(), ids=RECORDED)
def test_what_the_recordings_say_too_is_held_against_them(project, name, change):
    edited(project, change)

    line = judge("verify", "--json").json["review_validation"]

    assert [one["message"] for one in line["errors"]] == [f"the manifest says another {name} than the recordings"]


UNPROVEN = {
    "the id": lambda run: run.update(id="ten"),
    "the versions": lambda run: run["versions"].update(python="2.7.18"),
    "the beginning": lambda run: run.update(startedAt="2020-01-01T00:00:00.000Z"),
    "the end": lambda run: run.update(endedAt="2020-01-01T00:00:00.000Z"),
    "the order": lambda run: run["trials"].reverse(),
}


def edited(root, change):
    path = root / "recordings/two/run.json"
    run = json.loads(path.read_bytes())
    change(run)
    path.write_text(json.dumps(run))


@pytest.mark.parametrize("change", UNPROVEN.values(), ids=UNPROVEN)
def test_what_no_recording_says_is_bound_by_the_baseline(locked, change):
    edited(locked, change)

    done = judge("verify")

    assert states(done)["baseline"] == "failed"
    assert "run.json of two is not what it was when the baseline was locked" in done.err


def test_it_is_bound_also_where_another_run_is_gone(locked):
    shutil.rmtree(locked / "recordings/three")
    edited(locked, UNPROVEN["the versions"])

    done = judge("verify", "recordings/baseline.json", "--json")

    assert [one["message"] for one in done.json["errors"]] == [
        "run.json of two is not what it was when the baseline was locked"
    ]


def test_a_baseline_that_binds_no_manifest_says_so(locked):
    path = locked / "recordings/baseline.json"
    baseline = json.loads(path.read_bytes())
    del baseline["manifests"], baseline["digest"]
    path.write_text(json.dumps(baseline))

    done = judge("verify", "recordings/baseline.json")

    assert done.code == 0
    assert "no digest binds the manifests" in done.out
    assert ALLOWED
