"""fc-record beside code of the user's own that does what it should not."""

import json
from pathlib import Path

import pytest
from loopback import Loopback, plain
from recording_project import SYSTEM, WORLD, Project, record, start_recording
from spoken import chat_body

SECRET = "FAKE-SECRET-21"
ANSWERS = plain(chat_body(calls=[("x1", "find_parcel", '{"code": "K7-11"}')])), plain(chat_body("It is in Oslo."))
LEAVES = "import sys; sys.exit(0)"


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOP_TOKEN", SECRET)
    return Project(tmp_path)


def recorded(capsys):
    with Loopback(*ANSWERS) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)
    return ran, server.requests


def world(project, at_call):
    head, call, body = WORLD.partition("def call(state, name, arguments):\n")
    project.write("scenarios/find-parcel/world.py", f"{head}{call}    {at_call}\n{body}")


def prompt(project, text):
    project.write("scenarios/find-parcel/prompt.py", text)
    toml = (project.scenario / "scenario.toml").read_text()
    (project.scenario / "scenario.toml").write_text('prompt = "prompt:build"\n' + toml)


def test_a_tool_that_ends_the_process_is_recorded_as_one_that_failed(project, capsys):
    world(project, LEAVES)

    ran, _ = recorded(capsys)

    assert ran.code == 0, ran.err
    [run] = project.loaded()[0].tools
    assert (run.result, run.error) == ("tool find_parcel failed: SystemExit: 0", True)


@pytest.mark.parametrize("text", [LEAVES, f"def build():\n    {LEAVES}"], ids=["import", "build"])
def test_a_prompt_builder_that_ends_the_process_is_refused_before_the_first_request(project, capsys, text):
    prompt(project, text)

    ran, requests = recorded(capsys)

    assert (ran.code, requests, project.files()) == (4, [], {})
    assert "SystemExit: 0" in ran.err


@pytest.mark.parametrize("text", [LEAVES, f"def start(tables):\n    {LEAVES}"], ids=["import", "start"])
def test_a_world_that_ends_the_process_is_refused_before_the_first_request(project, capsys, text):
    project.write("scenarios/find-parcel/world.py", text)

    ran, requests = recorded(capsys)

    assert (ran.code, requests, project.files()) == (4, [], {})
    assert "SystemExit: 0" in ran.err


DOES = {
    "raised": f"raise ValueError('no shop at {SECRET}')",
    "result": f"return state, {{'k': '{SECRET}'}}, False",
    "key": f"return state, {{'{SECRET}': 1}}, False",
    "row": f"state['parcels']['rows'].append({{'code': '{SECRET}', 'v': '{SECRET}'}}); return state, {{}}, False",
    "table": f"state['{SECRET}'] = {{'key': 'a', 'rows': [{{'a': 1}}]}}; return state, {{}}, False",
}


@pytest.mark.parametrize("at_call", DOES.values(), ids=DOES.keys())
def test_a_secret_in_what_a_world_does_is_not_recorded(project, capsys, at_call):
    world(project, at_call)

    ran, _ = recorded(capsys)

    assert ran.code == 0, ran.err
    assert [name for name, raw in project.files().items() if SECRET.encode() in raw] == []
    assert SECRET not in ran.out + ran.err


def test_a_secret_in_a_prompt_that_drifted_is_not_told(project, capsys):
    prompt(project, f"def build():\n    return {SYSTEM + SECRET!r}")

    ran, _ = recorded(capsys)

    assert ran.code == 3
    assert "SECRET-21" not in ran.out + ran.err


def test_what_a_world_prints_is_no_part_of_the_result(project):
    world(project, "import os; print('foreign'); os.system('echo foreign')")

    with Loopback(*ANSWERS) as server:
        process = start_recording(project.root, "scenarios/find-parcel", "--base-url", server.url, "--json")
        out, err = process.communicate()

    assert process.returncode == 0, err
    assert json.loads(out)["errors"] == []
    assert err.count("foreign\n") == 2


def test_a_world_that_goes_elsewhere_is_recorded_where_the_command_was_called(project, capsys):
    world(project, "import os; os.chdir('/')")

    ran, _ = recorded(capsys)

    assert ran.code == 0, ran.err
    assert sorted(project.files()) == ["fixtures/find-parcel.jsonl", "recordings/find-parcel.jsonl"]
    assert Path.cwd() == project.root
