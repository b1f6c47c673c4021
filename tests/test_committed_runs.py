"""The runs that the repository holds: whole, of the suite as it stands, and their reports what the judge says today."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli.judge import main
from harness.cli.suites.run_files import load_run, run_problems
from harness.files import load_suite

ROOT = Path(__file__).parent.parent
RUNS = sorted(path.parent for path in ROOT.glob("recordings/*/run.json"))
REPORTED = [directory for directory in RUNS if (directory / "report.json").exists()]


@pytest.mark.parametrize("directory", RUNS, ids=lambda path: path.name)
def test_a_committed_run_is_whole_and_of_its_suite(directory):
    run = load_run(directory)
    suite = load_suite(ROOT / "scenarios" / run.suite)

    assert list(map(str, run_problems(directory, suite))) == []
    assert run.selection.cases == [case.id for case in suite.cases]
    assert (run.counts.pending, run.ended_at is None) == (0, False)


@pytest.mark.parametrize("directory", REPORTED, ids=lambda path: path.name)
def test_its_report_is_what_the_judge_says(tmp_path, monkeypatch, directory):
    monkeypatch.chdir(ROOT)
    report = tmp_path / "report.json"

    ran = CliRunner().invoke(main, [str(directory), "--report", str(report), "--no-gate"])

    assert ran.exit_code == 0, ran.output
    assert (directory / "report.json").read_bytes() == report.read_bytes()


@pytest.mark.parametrize("directory", REPORTED, ids=lambda path: path.name)
def test_a_single_file_of_a_run_is_judged_by_its_case(monkeypatch, directory):
    monkeypatch.chdir(ROOT)
    whole = json.loads((directory / "report.json").read_bytes())["results"]
    named = [str(directory / f"{one['case']}.{one['trial']}.jsonl") for one in whole]

    ran = CliRunner().invoke(main, [*named, "--json", "--no-gate"])

    assert ran.exit_code == 0, ran.output
    assert [(one["case"], one["verdict"]) for one in json.loads(ran.stdout)["results"]] == [
        (one["case"], one["verdict"]) for one in whole
    ]
