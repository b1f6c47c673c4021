"""fc-judge verify and committed reports: each is what its run gives when it is judged again, wherever it lies."""

import json
import shutil

import pytest
from evidence_project import judge
from test_lock_command import changed

from harness.cli.suites.run_report import load_report
from harness.errors import BadReport
from harness.report.reading import read_report
from harness.report.writing import bytes_of

REPORT = "recordings/one/report.json"


@pytest.fixture
def reported(project):
    """The project with the report of its first run."""
    (project / REPORT).write_bytes(bytes_of(load_report(project / "recordings/one").report))
    return project


def review_line(done):
    return done.json["review_validation"]


def failed():
    """The errors of the review line."""
    done = judge("verify", "--json")
    line = review_line(done)
    assert (done.code, line["state"]) == (4, "failed")
    return [(one["code"], one["file"], one["message"]) for one in line["errors"]]


def test_a_report_that_its_run_gives_is_counted(reported):
    line = review_line(judge("verify", "--json"))

    assert line["errors"] == []
    assert line["notes"] == [
        "5 runs held against their recordings",
        "1 report judged again from the recordings, with the same result",
    ]
    assert line["state"] == "absent"  # no review
    assert reported.exists()


def test_a_report_that_another_program_spaced_is_the_same_report(reported):
    path = reported / REPORT
    path.write_text(json.dumps(json.loads(path.read_bytes()), indent=1))

    assert review_line(judge("verify", "--json"))["errors"] == []


EDITS = {
    "a finding": (b'"message":"', b'"message":"so ', "findings of fc-d1-001, trial 1"),
    "a text": (b"question 2.", b"question 9.", "trace of fc-d1-002, trial 1"),
    "the model": (b'"model":"m-asked"', b'"model":"m-other"', "origin"),
}


@pytest.mark.parametrize(("old", "new", "told"), EDITS.values(), ids=EDITS)
def test_an_edited_report_that_adds_up_is_not_what_the_run_gives(reported, old, new, told):
    changed(reported / REPORT, old, new)

    sentence = f"the run, judged again, does not give this report: {told}"
    assert failed() == [("OTHER_EVIDENCE", REPORT, sentence)]


def test_a_report_of_another_run_names_the_verdict_that_differs(reported):
    (reported / REPORT).write_bytes(bytes_of(load_report(reported / "recordings/three").report))

    [(_, _, message)] = failed()

    assert message.endswith("fc-d1-008, trial 1, is FAIL there and PASS here")


def test_a_report_that_does_not_add_up_is_unreadable(reported):
    changed(reported / REPORT, b'"verdict":"FAIL"', b'"verdict":"PASS"')

    [(code, file, _)] = failed()

    assert (code, file) == ("BAD_REPORT", REPORT)


def test_a_report_that_nobody_can_read_is_known_by_its_name(reported):
    path = reported / "recordings/nightly.report.json"
    path.write_bytes((reported / REPORT).read_text().encode("utf-16"))

    assert [(code, file) for code, file, _ in failed()] == [("BAD_REPORT", "recordings/nightly.report.json")]


def test_a_row_that_stands_twice_is_refused(reported):
    path = reported / REPORT
    report = json.loads(path.read_bytes())
    report["results"].insert(0, report["results"][0])
    path.write_text(json.dumps(report))

    assert failed() == [("BAD_REPORT", REPORT, "fc-d1-001, trial 1, stands twice")]


def test_a_report_beside_the_runs_is_known_by_its_recordings(reported):
    shutil.move(reported / REPORT, reported / "recordings/nightly.json")
    assert review_line(judge("verify", "--json"))["errors"] == []
    changed(reported / "recordings/nightly.json", b"question 2.", b"question 9.")

    [(_, file, _)] = failed()

    assert file == "recordings/nightly.json"


def test_a_report_whose_run_is_not_here_is_not_passed_and_that_is_said(reported):
    shutil.move(reported / REPORT, reported / "recordings/nightly.json")
    shutil.rmtree(reported / "recordings/one")

    line = review_line(judge("verify", "--json"))

    assert (line["state"], line["errors"], line["notes"]) == (
        "absent", [],
        ["4 runs held against their recordings",
         "recordings/nightly.json: its run is not here, so it was not judged again"],
    )  # fmt: skip


def test_a_run_that_is_no_evidence_is_said_once_of_its_report_and_its_review(reported):
    judge("review", "recordings/one", "--status")
    (reported / "empty.jsonl").touch()
    judge("review", "recordings/one", "--answers", "empty.jsonl", "--reviewer", "ada")
    changed(reported / "recordings/one/fc-d1-003.1.jsonl", b"K9-99", b"K8-88")

    assert [code for code, _, _ in failed()] == ["BAD_RUN"]


def test_a_row_that_stands_twice_is_refused_by_the_reader(reported):
    raw = (reported / REPORT).read_bytes().split(b"\n")
    raw.insert(1, raw[1])

    with pytest.raises(BadReport, match="fc-d1-001, trial 1, stands twice"):
        read_report(b"\n".join(raw), file="r.json")
