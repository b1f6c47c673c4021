"""fc-judge RUN --baseline FILE: a run held to a baseline at the door, and the exit code that it gets."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema_rs
import pytest
from evidence_project import ROOT, answering, answers_file, judge, record_run
from recording_project import start_recording
from suite_project import provider
from test_lock_command import ALLOWED, RUNS

from harness.cli.judging.gated import Held, codes_with, gate_on, held_by, taken, tell_gate
from harness.cli.schemas import schema_of
from harness.cli.suites.run_report import load_report
from harness.errors import BadEvidence, UnknownName, WrongOption
from harness.evidence.gate import ALLOWABLE, NEVER
from harness.report.reading import read_report
from harness.report.writing import bytes_of, head_in

BASELINE = Path("recordings/baseline.json")


@pytest.fixture
def locked(project, tmp_path):
    judge("review", RUNS[0], "--answers", answers_file(tmp_path / "a.jsonl"), "--reviewer", "triage")
    judge("consistency", *RUNS, "--output", "recordings/consistency.json")
    assert judge(*ALLOWED).code == 0
    return project


def held_to(run, codes=(1,), **options):
    """The exit codes of a run that is held to the baseline, and what was told."""
    report, out, held = load_report(Path(run)).report, io.StringIO(), Held(BASELINE, **options)
    gate = gate_on(head_in(report), report.results, taken(held, Path(run)), held)
    with redirect_stdout(out):
        tell_gate(gate, codes)
    return codes_with(gate, codes), out.getvalue()


@pytest.mark.usefixtures("locked")
def test_failures_that_the_baseline_has_too_stop_nothing():
    codes, told = held_to("recordings/two")

    assert codes == [0]
    assert "the run meets the baseline" in told


@pytest.mark.usefixtures("locked")
def test_a_worse_run_is_stopped_and_says_by_which_cases():
    codes, told = held_to("recordings/worse", codes=(1, 6))

    assert codes == [6, 1]
    assert "worse fc-d1-001: passed 3 of 3, now 0 of 1" in told
    assert (
        "does not meet the baseline: passed every trial of the baseline, and fails every one here: fc-d1-001, " in told
    )


@pytest.mark.usefixtures("locked")
@pytest.mark.parametrize(("strict", "codes"), [(False, [0]), (True, [1])], ids=["by-chance", "strict"])
def test_strict_takes_every_flip_down(strict, codes):
    assert held_to("recordings/three", strict=strict)[0] == codes


def test_a_run_of_another_policy_is_not_held_to_it(locked):
    with (locked / "scenarios/parcels/policy.md").open("a") as file:
        file.write("Be kind.\n")

    codes, told = held_to("recordings/two")

    assert codes == [4]
    assert "not comparable: policy differs: sha256:" in told


def test_a_changed_prompt_can_be_what_is_being_tried(locked):
    with (locked / "scenarios/parcels/system.txt").open("a") as file:
        file.write("Be brief.\n")

    assert held_to("recordings/two")[0] == [4]
    assert held_to("recordings/two", allowed=["prompt"])[0] == [0]


def asked_for(baseline="b.json", **options):
    return held_by(baseline, **{"strict": False, "allowed": (), "alone": True, **options})


def test_a_difference_of_no_such_name_names_the_nearest():
    with pytest.raises(UnknownName) as refused:
        asked_for(allowed=["promt"])

    assert refused.value.nearest == "prompt"


@pytest.mark.parametrize("name", NEVER)
def test_what_the_verdicts_rest_on_is_refused_with_the_reason_and_the_next_step(name):
    with pytest.raises(WrongOption, match=f"--allow-changed {name}: {NEVER[name]}, so that") as refused:
        asked_for(allowed=[name])

    assert refused.value.expected == ", ".join(ALLOWABLE)
    assert refused.value.command.startswith("lock a baseline of runs of its own")


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
    done = judged(locked, *words, "--baseline", BASELINE)

    assert done.returncode == code, done.stdout + done.stderr
    assert ("Against the baseline of 2026-11-30" in done.stdout) == (code != 2)


def judged(root, *words):
    """The command itself, in a process of its own."""
    command = [sys.executable, "-c", "from harness.cli.judge import main; main()", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def parts_of_junit(path):
    """The counts, and what is said of the whole run: each test case's name, how it ended, and with what words."""
    root = ET.fromstring(path.read_bytes())  # noqa: S314  our own
    whole = [one for one in root.iter("testcase") if one.get("classname") == "fc-judge.run"]
    said = [(one.get("name"), end.tag, end.get("message"), end.text) for one in whole for end in one]
    return {name: int(root.get(name)) for name in ("tests", "failures", "errors")}, said


def test_every_artifact_says_which_cases_the_gate_stopped_the_run_for(locked):
    words = ("--html", "g.html", "--junit", "g.xml", "--markdown", "g.md", "--report", "g.json")

    done = judged(locked, "recordings/worse", "--baseline", BASELINE, *words)
    alone = judged(locked, "recordings/worse", "--report", "alone.json")

    assert (done.returncode, alone.returncode) == (1, 1)
    counts, [(name, end, message, text)] = parts_of_junit(locked / "g.xml")
    assert (counts, name, end) == ({"tests": 13, "failures": 9, "errors": 0}, "baseline", "failure")
    assert "passed every trial of the baseline, and fails every one here: fc-d1-001, " in message
    assert "worse fc-d1-001: passed 3 of 3, now 0 of 1" in text
    page, summary = (locked / "g.html").read_text(), (locked / "g.md").read_text()
    assert 'Against the baseline of 2026-11-30: <b class="bad">does not meet it</b>' in page
    assert '<a class="mono" href="#case/fc-d1-001/1">fc-d1-001</a><span class="plain">: passed 3 of 3, now 0' in page
    assert summary.index("### Against the baseline of 2026-11-30: does not meet it") < summary.index("### Results")
    assert (locked / "g.json").read_bytes() == (locked / "alone.json").read_bytes()


def test_a_run_that_meets_its_baseline_passes_a_test_of_its_own(locked):
    judged(locked, "recordings/two", "--baseline", BASELINE, "--junit", "g.xml", "--html", "g.html")

    counts, [(name, end, message, text)] = parts_of_junit(locked / "g.xml")
    assert (counts["failures"], name, end, message) == (2, "baseline", "system-out", None)
    assert text.startswith("Against the baseline of 2026-11-30: meets it\n")
    assert '<b class="good">meets it</b>' in (locked / "g.html").read_text()


def test_a_run_that_cannot_be_held_is_an_error_in_every_artifact(locked):
    with (locked / "scenarios/parcels/policy.md").open("a") as file:
        file.write("Be kind.\n")

    done = judged(locked, "recordings/two", "--baseline", BASELINE, "--junit", "g.xml", "--html", "g.html")

    assert done.returncode == 4
    counts, said = parts_of_junit(locked / "g.xml")
    assert (counts["errors"], [(name, end) for name, end, _, _ in said]) == (
        2, [("evidence", "error"), ("baseline", "error")],
    )  # fmt: skip
    assert said[1][2].startswith("policy differs: sha256:")
    assert '<b class="warn">cannot be held to it</b>' in (locked / "g.html").read_text()


def test_json_is_one_document_with_the_gate_in_it(locked):
    done = judged(locked, "recordings/worse", "--baseline", BASELINE, "--json")

    document = json.loads(done.stdout)
    assert [one["case"] for one in document["gate"]["regressions"]][:2] == ["fc-d1-001", "fc-d1-002"]
    assert (done.returncode, document["gate"]["passes"], done.stderr) == (1, False, "")
    assert jsonschema_rs.validator_for(schema_of("gate")).is_valid(document)


@pytest.mark.parametrize("spaced", [False, True], ids=["as-written", "spaced-otherwise"])
def test_such_a_document_is_still_the_report_of_its_run(locked, spaced):
    done = judged(locked, "recordings/worse", "--baseline", BASELINE, "--json")

    raw = json.dumps(json.loads(done.stdout), indent=1).encode() if spaced else done.stdout.encode()

    assert bytes_of(read_report(raw, file="g.json")) == bytes_of(load_report(locked / "recordings/worse").report)


def test_a_baseline_that_cannot_be_read_is_said_before_anything_is_judged(locked):
    (locked / BASELINE).write_bytes(b"{}")

    done = judged(locked, "recordings/two", "--baseline", BASELINE)

    assert (done.returncode, done.stdout) == (4, "")


CHANGED = "scenarios/parcels/cases.jsonl is not what the run was recorded with"


def test_every_artifact_says_that_a_golden_was_written_anew_since(locked):
    cases = locked / "scenarios/parcels/cases.jsonl"
    cases.write_bytes(cases.read_bytes().replace(b"K7-11", b"K7-12"))

    done = judged(locked, "recordings/two", "--html", "g.html", "--junit", "g.xml", "--markdown", "g.md")

    assert done.returncode == 4
    _, [(name, end, message, _)] = parts_of_junit(locked / "g.xml")
    assert (name, end) == ("evidence", "error")
    assert CHANGED in message
    assert CHANGED in (locked / "g.html").read_text()
    assert "is not what the run was recorded with" in (locked / "g.md").read_text()


def test_a_file_that_is_no_baseline_says_so(locked):
    (locked / BASELINE).write_bytes((locked / "recordings/consistency.json").read_bytes())

    with pytest.raises(BadEvidence, match="another kind of file"):
        held_to("recordings/two")


def test_a_page_says_of_which_cases_a_gate_that_is_met_says_nothing(locked):
    record_run(locked, "silent", "--retries", "0", wrong={3, 7}, silent={8})

    done = judged(locked, "recordings/silent", "--baseline", BASELINE, "--html", "g.html")

    page = (locked / "g.html").read_text()
    assert done.returncode == 6
    assert '<b class="good">meets it, where cases have a verdict</b>' in page
    assert "1 case broke off or could not be judged, and nothing is said of them</span>" in page


@pytest.mark.parametrize("options", [[], ["--allow-changed", "again"]], ids=["unsaid", "said"])
def test_a_case_that_is_asked_until_it_passes_does_not_meet_it_unsaid(locked, options):
    wrong = {1, 2, 3, 4, 5}
    with provider(answering(wrong)) as server:
        start_recording(locked, "scenarios/parcels", "--base-url", server.url, "--run-id", "new").communicate()
        first = judged(locked, "recordings/new", "--baseline", BASELINE)
        wrong.clear()
        for number in range(1, 6):
            (locked / f"recordings/new/fc-d1-00{number}.1.jsonl").unlink()
        start_recording(locked, "--resume", "new").communicate()

    done = judged(locked, "recordings/new", "--baseline", BASELINE, *options)

    told = "asked again after it had ended: 5 trials (the first time: 5 completed)"
    assert (first.returncode, done.returncode) == (1, 0 if options else 4)
    assert done.stdout.count(told) == 2  # of the report, and of the gate
