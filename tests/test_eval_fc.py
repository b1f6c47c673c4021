"""make eval-fc's door: three lines and 0 whatever the score, and no request where something is missing or broken."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from loopback import plain
from spoken import chat_body
from suite_project import TOML, SuiteProject, answered, number_of, provider

from harness.cli.suites.eval_fc import _OPTIONS
from harness.cli.suites.run_files import run_problems
from harness.files import load_suite
from harness.report.reading import read_report

ROOT = Path(__file__).parent.parent
NO_MODEL = TOML.replace('name = "m-asked"\n', "").replace('provider = "local"\n', "")


@pytest.fixture
def project(tmp_path):
    return SuiteProject(tmp_path)


def evaluate(project, *cases, **variables):
    known = {name: value for name, value in os.environ.items() if not name.startswith("EVAL_")}
    return subprocess.run(
        [sys.executable, "-m", "harness.cli.suites.eval_fc", "scenarios/parcels", *cases],
        cwd=project.root,
        env={**known, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_an_evaluation_ends_well_whatever_the_score(project):
    def half_right(request):
        match number_of(request):
            case 1:
                return plain(chat_body("I do not know."))
            case 2:
                return plain({"error": {"message": "overloaded"}}, status=500)
            case _:
                return answered(request)

    with provider(half_right) as server:
        ran = evaluate(
            project, EVAL_MODE="1", EVAL_BASE_URL=server.url, EVAL_TRIALS="2", EVAL_PARAMS="top_p=0.5 seed=3"
        )

    raw_run, report_path, passed = ran.stdout.splitlines()
    run = project.root / raw_run.removeprefix("raw_run=")
    report = read_report((project.root / report_path.removeprefix("report_path=")).read_bytes(), file="report.json")
    assert (ran.returncode, passed) == (0, "eval_fc=passed"), ran.stderr
    assert report.summary.verdict_counts == {"PASS": 8, "FAIL": 2, "SKIP": 0, "AGENT_ERROR": 2, "NOT_JUDGED": 0}
    assert report.origin.request == {"max_tokens": 64, "temperature": 0.2, "seed": 3, "top_p": 0.5}
    assert run_problems(run, load_suite(project.suite)) == []


def test_one_case_by_settings_in_a_file(project):
    with provider() as server:
        (project.root / ".env").write_text(f"EVAL_MODE=1\nEVAL_BASE_URL='{server.url}'\nEVAL_MODEL=m-2\n")
        ran = evaluate(project, "fc-d1-003")

    assert (ran.returncode, ran.stdout.count("\n")) == (0, 3)
    assert {number_of(request) for request in server.requests} == {3}
    assert server.requests[0].json["model"] == "m-2"


def test_a_stopped_evaluation_goes_on(project):
    with provider() as server:
        settings = {"EVAL_MODE": "1", "EVAL_BASE_URL": server.url}
        run = project.root / evaluate(project, **settings).stdout.splitlines()[0].removeprefix("raw_run=")
        (run / "fc-d1-002.1.jsonl").unlink()
        server.requests.clear()
        ran = evaluate(project, **settings, EVAL_RESUME=run.name)

    assert ran.returncode == 0, ran.stderr
    assert {number_of(request) for request in server.requests} == {2}


REFUSED = {
    "no mode": ((), {"EVAL_MODE": "0"}, TOML, "EVAL_MODE is not 1"),
    "no model": ((), {}, NO_MODEL, "no model is named: EVAL_MODEL=NAME"),
    "no provider": (
        (),
        {"EVAL_MODEL": "m", "EVAL_BASE_URL": ""},
        NO_MODEL,
        "no provider is named: EVAL_PROVIDER=NAME",
    ),
    "an unknown case": (("fc-d1-0002",), {}, TOML, "nearest:  fc-d1-002"),
}


@pytest.mark.parametrize(("cases", "settings", "toml", "told"), REFUSED.values(), ids=REFUSED)
def test_what_is_missing_is_named_before_anything_is_asked(project, cases, settings, toml, told):
    project.write("suite.toml", toml)

    with provider() as server:
        ran = evaluate(project, *cases, **{"EVAL_MODE": "1", "EVAL_BASE_URL": server.url, **settings})

    assert (ran.returncode, ran.stdout) == (2, "")
    assert told in ran.stderr
    assert server.requests == []


def test_a_broken_suite_is_told_before_anything_is_asked(project):
    project.write("tools.json", "[")

    with provider() as server:
        ran = evaluate(project, EVAL_MODE="1", EVAL_BASE_URL=server.url)

    assert (ran.returncode, ran.stdout) == (4, "")
    assert "scenarios/parcels/tools.json:1: not JSON" in ran.stderr
    assert server.requests == []


def test_a_runner_that_fails_is_no_evaluation(project):
    with provider(lambda _: plain({"error": "no such key"}, status=401)) as server:
        ran = evaluate(project, EVAL_MODE="1", EVAL_BASE_URL=server.url)

    assert (ran.returncode, ran.stdout) == (7, "")
    assert not (project.root / "recordings").exists() or not list((project.root / "recordings").iterdir())


def test_the_makefile_runs_it():
    recipe = (ROOT / "Makefile").read_text()

    assert "eval-fc: $(READY)\n\t@$(BIN)/python -m harness.cli.suites.eval_fc $(SUITE) $(CASE)\n" in recipe


@pytest.mark.parametrize(
    ("name", "value", "flag"),
    [
        ("EVAL_TRIALS", "x", "--trials"),
        ("EVAL_CONCURRENCY", "0", "--concurrency"),
        ("EVAL_EXTRA_BODY", "x", "--extra-body"),
        ("EVAL_PARAMS", "seed", "--param"),
    ],
)
def test_a_setting_that_is_refused_is_named(project, name, value, flag):
    with provider(answered) as server:
        ran = evaluate(project, EVAL_MODE="1", **{name: value})

    assert (ran.returncode, ran.stdout, server.requests) == (2, "", [])
    assert f"settings: {flag} is {name}, in the environment or in .env" in ran.stderr


def test_what_a_page_says_of_the_settings_is_what_is_read():
    page = (ROOT / "docs/domains.md").read_text("utf-8")

    assert {name for name in [*_OPTIONS, "EVAL_MODE", "EVAL_PARAMS", "EVAL_RESUME"] if name not in page} == set()
