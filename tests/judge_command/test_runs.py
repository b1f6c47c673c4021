"""fc-judge on runs of suites: the report told and written, and what is no evidence."""

import json

import pytest
from loopback import plain
from recording_project import record
from spoken import chat_body
from suite_project import RUN, SuiteProject, is_first, number_of, provider

from harness.report.reading import read_report


def answer(request):
    """The right parcel, but another one to question 2, and none that exists to question 3."""
    number = number_of(request)
    if not is_first(request):
        return plain(chat_body("In Oslo."))
    code = {2: "K9-99", 3: "K0-00"}.get(number, "K7-11")
    written = {5: '{"code":"K9-99","code":"K7-11"}'}.get(number, json.dumps({"code": code}))
    return plain(chat_body(None, [(f"x{number}", "find_parcel", written)]))


@pytest.fixture
def suite(tmp_path, capsys, monkeypatch):
    """A suite of six cases with one run."""
    project = SuiteProject(tmp_path)
    monkeypatch.chdir(tmp_path)
    with provider(answer) as server:
        done = record(capsys, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN)
    assert done.code == 0, done.err
    return project


def test_a_run_is_judged_by_its_suite(place, suite):
    done = place.run(suite.run, "--json")

    report = json.loads(done.stdout)
    codes = {one["case"]: one["taxonomy"] for one in report["results"] if one["verdict"] == "FAIL"}
    assert list(codes) == ["fc-d1-002", "fc-d1-003"]
    assert codes["fc-d1-003"] == ["PARAM_HALLUCINATED_ID"]
    assert (report["summary"]["verdict_counts"]["PASS"], report["summary"]["scored_count"]) == (4, 6)
    assert done.returncode == 1


def test_a_key_that_the_model_wrote_twice_is_noted(place, suite):
    done = place.run(suite.run, "--json")

    noted = {one["case"]: one["warnings"] for one in json.loads(done.stdout)["results"] if one["warnings"]}
    assert noted == {"fc-d1-005": ['find_parcel: key "code" stands twice: the last one counts']}


def test_a_run_is_told_with_its_failures(place, suite):
    done = place.run(suite.run)

    assert "fc-d1-002" in done.stdout
    assert "PARAM_HALLUCINATED_ID" in done.stdout
    assert done.returncode == 1


def test_all_forms_of_a_report_are_written_at_once(place, suite, tmp_path):
    names = {
        "--report": "out/report.json",
        "--html": "out/report.html",
        "--junit": "out/junit.xml",
        "--markdown": "out/report.md",
    }

    done = place.run(suite.run, *(word for pair in names.items() for word in pair), "--no-gate")

    report = read_report((tmp_path / "out/report.json").read_bytes(), file="report.json")
    assert [one.case for one in report.results] == [f"fc-d1-{number:03}" for number in range(1, 7)]
    assert b'failures="2"' in (tmp_path / "out/junit.xml").read_bytes()
    assert "fc-d1-002" in (tmp_path / "out/report.html").read_text()
    assert "4 of 6 scored" in (tmp_path / "out/report.md").read_text()
    assert done.returncode == 0


def test_the_report_on_stdout_is_the_one_in_the_file(place, suite, tmp_path):
    done = place.run(suite.run, "--json", "--report", "report.json")

    assert (tmp_path / "report.json").read_text() == done.stdout


@pytest.mark.usefixtures("suite")
def test_a_directory_of_runs_and_recordings_keeps_them_apart(place):
    place.fixture("lone", assertions=[{"kind": "tool_called", "name": "cancel"}])

    done = place.run("recordings", "fixtures")
    refused = place.run("recordings", "fixtures", "--report", "report.json")

    assert done.stdout.rstrip().splitlines()[-1] == "1 judged: 1 PASS; accuracy 1/1 (100.0%)"
    assert "fc-d1-001.1" not in done.stdout
    assert refused.returncode == 2
    assert "a report holds one run, or files without a run" in refused.stderr


def test_all_shows_every_finding_of_a_runs_cases(place, suite):
    done = place.run(suite.run, "--all")

    assert 'ok   calls[0].code: find_parcel.code is "K7-11"' in done.stdout
    assert done.returncode == 1


def test_a_file_that_was_changed_is_no_evidence(place, suite):
    path = suite.run / "fc-d1-001.1.jsonl"
    path.write_bytes(path.read_bytes().replace(b"In Oslo.", b"In Rome."))

    done = place.run(suite.run, "--no-gate")

    assert "fc-d1-001.1.jsonl" in done.stderr
    assert done.returncode == 4
