"""What fc-record refuses of a suite before anything is asked."""

import json

import pytest
from recording_project import record
from suite_project import RUN, TOML, SuiteProject, case, provider


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return SuiteProject(tmp_path)


def run(capsys, server, *arguments):
    return record(capsys, "scenarios/parcels", "--base-url", server.url, *arguments)


def test_a_suite_with_problems_is_told_them_all_and_asks_nothing(project, capsys):
    wrong = {"calls": [{"tool": "find_parsel", "params": {}}], "order_sensitive": False}
    lines = [case(1), case(2, golden=wrong), case(4, dimension="D2")]
    project.write("cases.jsonl", "".join(json.dumps(one) + "\n" for one in lines))
    project.write("world.py", "def start(tables): raise KeyError('parcels')\n")

    with provider() as server:
        ran = run(capsys, server, "--run-id", RUN)

    assert ran.code == 4
    assert "cases.jsonl:2: fc-d1-002: golden call 0 (find_parsel): no such tool; did you mean find_parcel?" in ran.err
    assert "cases.jsonl:3: fc-d1-004: dimension D2 does not fit the id" in ran.err
    assert "the world cannot start: KeyError: 'parcels'" in ran.err
    assert (server.requests, project.names()) == ([], [])


def test_an_unknown_case_is_refused_with_the_nearest(project, capsys):
    with provider() as server:
        ran = run(capsys, server, "--case", "fc-d1-0002", "--json", "--run-id", RUN)

    [error] = json.loads(ran.out)["errors"]
    assert ran.code == 2
    assert (error["code"], error["nearest"]) == ("UNKNOWN_NAME", "fc-d1-002")
    assert (server.requests, project.names()) == ([], [])


WRONG = {
    "no model": ((), TOML.replace('name = "m-asked"\n', ""), "no model is named: --model NAME"),
    "no key": (("--provider", "openai", "--model", "m"), TOML, "OPENAI_API_KEY is not set"),
    "a run id of another form": (("--run-id", "Nightly 1.5"), TOML, "nearest:  nightly-1-5"),
    "a run to resume that is not there": (("--resume", "nightli"), TOML, "no such file or directory"),
    "an output file": (("--output", "x.jsonl"), TOML, "--output is not for a suite"),
    "both resume and run id": (("--resume", "a", "--run-id", "b"), TOML, "leave one of them out"),
    "another directory beside it": (("scenarios/parcels",), TOML, "a suite is recorded by itself"),
}


@pytest.mark.parametrize(("arguments", "toml", "told"), WRONG.values(), ids=WRONG)
def test_what_is_missing_or_makes_no_sense_is_refused(project, capsys, arguments, toml, told):
    project.write("suite.toml", toml)

    ran = record(
        capsys,
        "scenarios/parcels",
        *arguments,
        *(() if "openai" in arguments else ("--base-url", "http://127.0.0.1:9")),
    )

    assert ran.code == 2
    assert told in ran.err
    assert project.names() == []


def test_options_of_a_suite_are_refused_elsewhere(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    ran = record(capsys, "scenarios/other", "--trials", "2")

    assert (ran.code, ran.err.splitlines()[0]) == (
        2,
        "--trials is for a suite: a directory that holds suite.toml",
    )


@pytest.mark.parametrize("left", [[], [".run.json.x9y8.tmp"]], ids=["nothing", "half-a-file"])
def test_a_run_begins_in_a_directory_that_holds_nothing(tmp_path, monkeypatch, capsys, left):
    monkeypatch.chdir(tmp_path)
    project = SuiteProject(tmp_path, case(1))
    project.run.mkdir(parents=True)
    for name in left:
        (project.run / name).write_text("{")

    with provider() as server:
        ran = record(capsys, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN)

    assert (ran.code, project.names()) == (0, ["fc-d1-001.1.jsonl", "run.json"])


def test_no_run_begins_among_other_files_and_none_is_named_as_there(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    project = SuiteProject(tmp_path, case(1))
    project.run.mkdir(parents=True)
    (project.run / "notes.md").write_text("Mine.")

    begun = record(capsys, "scenarios/parcels", "--base-url", "http://127.0.0.1:9", "--run-id", RUN)
    resumed = record(capsys, "--resume", RUN)

    assert (begun.code, project.names()) == (2, ["notes.md"])
    assert "something else than a run is there: choose another --run-id" in begun.err
    assert resumed.code == 2
    assert resumed.err == (
        "recordings/nightly: no run was begun there, since it holds no run.json\n"
        "  next:     begin one: fc-record SUITE --run-id NAME\n"
    )


def test_a_number_that_is_too_long_is_named_by_line_and_path(project, capsys):
    golden = {"calls": [{"tool": "find_parcel", "params": {"code": ["LONG"]}}], "order_sensitive": False}
    lines = [json.dumps(case(1)), json.dumps(case(2, golden=golden)).replace('"LONG"', "7" * 4401)]
    project.write("cases.jsonl", "\n".join(lines) + "\n")

    ran = record(capsys, "scenarios/parcels", "--base-url", "http://127.0.0.1:9")

    place = "$.golden.calls[0].params.code[0]"
    assert ran.code == 4
    assert f"cases.jsonl:2: not JSON: {place}: a whole number of more than 4300 digits\n" in ran.err
