"""What fc-record takes for a scenario, and what it says is to be done next."""

import json

import pytest
from loopback import Loopback, plain
from recording_project import Project, record
from spoken import chat_body


def test_an_id_is_the_scenario_of_that_name(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    with Loopback(plain(chat_body("Yes."))) as server:
        ran = record(capsys, "find-parcel", "--base-url", server.url)

    assert ran.code == 0, ran.err
    assert project.fixture.exists()


def test_a_directory_of_scenarios_names_what_is_in_it(tmp_path, monkeypatch, capsys):
    Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    ran = record(capsys, "scenarios", "--base-url", "http://127.0.0.1:9")

    assert ran.code == 2
    assert ran.err == (
        "scenarios: this directory holds scenarios; name those that are to be recorded\n"
        "  found:    find-parcel\n  next:     fc-record scenarios/find-parcel\n"
    )


@pytest.mark.parametrize("word", ["find-parcl", "scenarios/find-parcl"])
def test_a_scenario_that_is_not_there_is_told_with_the_nearest(tmp_path, monkeypatch, capsys, word):
    Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    ran = record(capsys, word)

    assert ran.code == 2
    assert f"{word}: no such file or directory\n  nearest:  scenarios/find-parcel\n" in ran.err


def test_a_mistyped_subcommand_is_told(tmp_path, monkeypatch, capsys):
    Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    ran = record(capsys, "nwe", "x")

    assert ran.err.startswith(
        "nwe: no such file or directory\n  nearest:  new\n  next:     name a path, or a subcommand: new,"
    )


NEXT = {
    "they hold": ({"kind": "outcome", "is": "completed"}, "next: fc-replay find-parcel\n"),
    "they fail": (
        {"kind": "tool_called", "name": "find_parcel"},
        "the kept assertions do not hold any more\nnext: fc-judge fixtures/find-parcel.jsonl\n",
    ),
}


@pytest.mark.parametrize(("assertion", "said"), NEXT.values(), ids=NEXT.keys())
def test_what_was_kept_says_what_is_next(tmp_path, monkeypatch, capsys, assertion, said):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)
    project.write("fixtures/find-parcel.jsonl", json.dumps({"type": "assertions", "assertions": [assertion]}) + "\n")

    with Loopback(plain(chat_body("Yes."))) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert ran.err.endswith(f"model: Yes.\n{said}")


def test_what_expect_yaml_says_is_judged_next(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)
    project.write("scenarios/find-parcel/expect.yaml", "calls: []\n")

    with Loopback(plain(chat_body("Yes."))) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert ran.err.endswith("next: fc-judge fixtures/find-parcel.jsonl\n")
