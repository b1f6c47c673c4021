"""fc-judge RUN --baseline FILE: a run held to a baseline at the door, and the exit code that it gets."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from evidence_project import ROOT, answers_file, judge
from test_lock_command import ALLOWED, RUNS

from harness.cli.judging.gated import Held, gated, held_by
from harness.cli.suites.run_report import load_report
from harness.errors import BadEvidence, UnknownName, WrongOption
from harness.report.writing import head_in

BASELINE = Path("recordings/baseline.json")


@pytest.fixture
def locked(project, tmp_path):
    judge("review", RUNS[0], "--answers", answers_file(tmp_path / "a.jsonl"), "--reviewer", "triage")
    judge("consistency", *RUNS, "--output", "recordings/consistency.json")
    assert judge(*ALLOWED).code == 0
    return project


def held_to(run, codes=(1,), *, as_json=False, **options):
    """The exit codes of a run that is held to the baseline, and what was told."""
    report, out, err = load_report(Path(run)).report, io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        codes = gated(codes, head_in(report), report.results, Held(BASELINE, **options), as_json=as_json)
    return codes, out.getvalue(), err.getvalue()


@pytest.mark.usefixtures("locked")
def test_failures_that_the_baseline_has_too_stop_nothing():
    codes, told, _ = held_to("recordings/two")

    assert codes == [0]
    assert "the run meets the baseline" in told


@pytest.mark.usefixtures("locked")
def test_a_worse_run_is_stopped_and_says_by_which_cases():
    codes, told, _ = held_to("recordings/worse", codes=(1, 6))

    assert codes == [6, 1]
    assert "worse fc-d1-001: passed 3 of 3, now 0 of 1" in told
    assert (
        "does not meet the baseline: passed every trial of the baseline, and fails every one here: fc-d1-001, " in told
    )


@pytest.mark.usefixtures("locked")
@pytest.mark.parametrize(("strict", "codes"), [(False, [0]), (True, [1])], ids=["by-chance", "strict"])
def test_strict_takes_every_flip_down(strict, codes):
    assert held_to("recordings/three", strict=strict)[0] == codes


@pytest.mark.usefixtures("locked")
def test_json_stands_beside_the_report_and_not_in_it():
    codes, out, err = held_to("recordings/worse", as_json=True)

    assert (codes, out) == ([1], "")
    assert [one["case"] for one in json.loads(err)["regressions"]][:2] == ["fc-d1-001", "fc-d1-002"]


def test_a_run_of_another_policy_is_not_held_to_it(locked):
    with (locked / "scenarios/parcels/policy.md").open("a") as file:
        file.write("Be kind.\n")

    codes, told, _ = held_to("recordings/two")

    assert codes == [4]
    assert "not comparable: policy differs: sha256:" in told


def test_a_changed_prompt_can_be_what_is_being_tried(locked):
    with (locked / "scenarios/parcels/system.txt").open("a") as file:
        file.write("Be brief.\n")

    assert held_to("recordings/two")[0] == [4]
    assert held_to("recordings/two", allowed=["prompt"])[0] == [0]


def asked_for(baseline="b.json", **options):
    return held_by(baseline, **{"strict": False, "allowed": (), "alone": True, **options})


def test_what_the_verdicts_rest_on_is_never_tried():
    with pytest.raises(UnknownName) as refused:
        asked_for(allowed=["promt"])

    assert refused.value.nearest == "prompt"
    with pytest.raises(UnknownName):
        asked_for(allowed=["cases"])


@pytest.mark.parametrize(
    "options",
    [{"baseline": None, "strict": True}, {"baseline": None, "allowed": ["prompt"]}, {"alone": False}],
    ids=["strict-alone", "allowed-alone", "with-another-gate"],
)
def test_options_that_do_not_go_together_are_refused(options):
    with pytest.raises(WrongOption):
        asked_for(**options)


def test_without_a_baseline_nothing_is_held():
    assert asked_for(baseline=None) is None


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(["recordings/two"], 0, id="as-good"),
        pytest.param(["recordings/worse"], 1, id="worse"),
        pytest.param(["recordings/worse", "--no-gate"], 0, id="worse-without-a-gate"),
        pytest.param(["recordings/three", "--strict"], 1, id="strict"),
        pytest.param(["recordings/twice"], 0, id="better"),
        pytest.param(["recordings"], 2, id="several-runs"),
        pytest.param(["recordings/two", "--fail-under", "50"], 2, id="two-gates"),
    ],
)
def test_the_command_exits_as_the_gate_says(locked, words, code):
    command = [sys.executable, "-c", "from harness.cli.judge import main; main()", *words, "--baseline", str(BASELINE)]

    done = subprocess.run(
        command, cwd=locked, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )

    assert done.returncode == code, done.stdout + done.stderr
    assert ("Against the baseline of 2026-11-30" in done.stdout) == (code != 2)


def test_a_file_that_is_no_baseline_says_so(locked):
    (locked / BASELINE).write_bytes((locked / "recordings/consistency.json").read_bytes())

    with pytest.raises(BadEvidence, match="another kind of file"):
        held_to("recordings/two")
