"""A trial that had ended and is asked again is told of for good: in the manifest, the report, the gate and the lock."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from loopback import plain
from recording_project import record
from suite_project import RUN, SuiteProject, answered, number_of, provider

from harness.cli.judge import main
from harness.cli.suites.run_files import run_problems
from harness.files import load_suite
from harness.raw_run import Again
from harness.transcript import Outcome

AGAIN = "asked again after it had ended: 1 trial (the first time: 1 completed)"
TWO = "fc-d1-002.1.jsonl"


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return SuiteProject(tmp_path)


@pytest.fixture
def rerolled(project, capsys):
    """The project with a run of which one answer was thrown away and asked for again."""
    with provider() as server:
        record(capsys, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN)
        (project.run / TWO).unlink()
        record(capsys, "--resume", RUN)
    return project


def judged(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


def test_an_ending_that_was_taken_away_stays_in_the_manifest(project, capsys):
    with provider() as server:
        record(capsys, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN)
        [_, before, *_] = project.manifest().trials
        (project.run / TWO).unlink()
        ran = record(capsys, "--resume", RUN)
        once_more = record(capsys, "--resume", RUN, "--json")

    assert project.manifest().earlier == [Again("fc-d1-002", 1, Outcome.COMPLETED, before.digest)]
    assert f"\n  {AGAIN}\n" in ran.out
    assert json.loads(once_more.out)["asked_again"] == {"completed": 1}
    assert run_problems(project.run, load_suite(project.suite)) == []


def test_an_ending_that_comes_back_before_it_is_asked_again_is_none(project, capsys):
    with provider() as server:
        record(capsys, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN)
        before = (project.run / "run.json").read_bytes()
        kept = (project.run / TWO).read_bytes()
        (project.run / TWO).unlink()
    lost = record(capsys, "--resume", RUN)
    said, problems = project.manifest().earlier, run_problems(project.run)
    (project.run / TWO).write_bytes(kept)

    record(capsys, "--resume", RUN)

    assert (lost.code, [one.case for one in said], problems) == (7, ["fc-d1-002"], [])
    assert project.manifest().earlier == []
    assert json.loads((project.run / "run.json").read_bytes())["trials"] == json.loads(before)["trials"]


def test_a_retry_of_what_had_no_answer_is_told_of_too(project, capsys):
    broken = {2}

    def answer(request):
        return plain({"error": {"message": "broke"}}, status=500) if number_of(request) in broken else answered(request)

    with provider(answer) as server:
        record(capsys, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN)
        broken.clear()
        record(capsys, "--resume", RUN, "--retry-errors")

    assert [(one.case, one.outcome) for one in project.manifest().earlier] == [("fc-d1-002", Outcome.ERROR)]


def test_every_form_of_the_report_says_so(rerolled, tmp_path):
    done = judged(rerolled.run, "--report", tmp_path / "r.json", *_forms(tmp_path))

    report = json.loads((tmp_path / "r.json").read_bytes())
    assert report["origin"]["asked_again"] == {"completed": 1}
    assert AGAIN in done.stdout
    for form in ("html", "junit", "markdown"):
        assert AGAIN in (tmp_path / f"r.{form}").read_text()


def _forms(home: Path):
    return [word for form in ("html", "junit", "markdown") for word in (f"--{form}", str(home / f"r.{form}"))]


def test_a_run_of_which_nothing_was_asked_again_says_nothing(project, capsys, tmp_path):
    with provider() as server:
        record(capsys, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN)

    judged(project.run, "--report", tmp_path / "r.json")

    assert "askedAgain" not in json.loads((project.run / "run.json").read_bytes())
    assert "asked_again" not in json.loads((tmp_path / "r.json").read_bytes())["origin"]


def test_an_ending_of_a_case_that_nobody_asked_is_a_contradiction(rerolled):
    path = rerolled.run / "run.json"
    path.write_bytes(
        path.read_bytes().replace(b'"askedAgain":[{"case":"fc-d1-002"', b'"askedAgain":[{"case":"fc-d9-002"')
    )

    problems = run_problems(rerolled.run)

    assert [str(one.subject) for one in problems] == ["case fc-d9-002, trial 1, was asked again, and not selected"]


def test_a_finished_run_keeps_every_byte_of_its_manifest(project, capsys):
    path = project.run / "run.json"
    with provider() as server:
        record(capsys, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN)
        path.write_bytes(path.read_bytes().replace(b'"timeout_s":5.0', b'"timeout_s": 5'))
        before = path.read_bytes(), path.stat().st_mtime_ns
        ran = record(capsys, "--resume", RUN)

    assert b'"timeout_s": 5' in before[0]
    assert (ran.code, (path.read_bytes(), path.stat().st_mtime_ns)) == (0, before)
