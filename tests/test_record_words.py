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


def test_a_new_scenario_says_who_is_asked(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    with Loopback(plain(chat_body("Yes."))) as server:
        new = record(capsys, "new", "weather", "--provider", "local", "--base-url", server.url, "--model", "m")
        ran = record(capsys, "scenarios/weather")

    assert new.err == "next: write over the prompts, then fc-record scenarios/weather\n"
    assert ran.code == 0, ran.err
    assert (tmp_path / "scenarios/weather/scenario.toml").read_text() == (
        'title = "Weather"\n\n# Who is asked; the options of fc-record win.\n[model]\nprovider = "local"\n'
        f'# api = "chat"\nname = "m"\nbase_url = "{server.url}"\n'
        "params = { max_tokens = 256, temperature = 0 }\n\n[agent]\nmax_steps = 8\n"
    )


def test_a_new_scenario_that_names_nobody_is_told_the_missing_options(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    record(capsys, "new", "weather")
    ran = record(capsys, "scenarios/weather")

    assert ran.code == 2
    assert ran.err.startswith("no provider is named: --provider NAME")
    assert "  next:     add --provider NAME --model NAME, or --base-url http://127.0.0.1:8080" in ran.err


def test_whoever_was_asked_by_options_is_named_when_it_is_to_be_recorded_again(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    record(capsys, "new", "weather")

    with Loopback(plain(chat_body("Yes."))) as server:
        first = record(capsys, "scenarios/weather", "--base-url", server.url, "--model", "m")
    again = record(capsys, "scenarios/weather")

    assert (first.code, again.code) == (0, 2)
    command = f"fc-record scenarios/weather --base-url {server.url} --model m"
    assert f"  next:     {command} (who was asked the last time)\n" in again.err


def test_a_server_on_this_machine_is_recorded_as_local(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)
    toml = (project.scenario / "scenario.toml").read_text()
    (project.scenario / "scenario.toml").write_text(toml.replace('"local"', '"openai"'))

    with Loopback(plain(chat_body("Yes."))) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    recording, fixture = project.loaded()
    assert ran.code == 0, ran.err
    assert (recording.header.provider, fixture.meta.provider) == ("local", "local")


def test_local_without_an_address_says_how_to_name_one(tmp_path, monkeypatch, capsys):
    Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    ran = record(capsys, "scenarios/find-parcel", "--provider", "local")

    assert (
        "say --base-url URL\n  next:     add --base-url http://127.0.0.1:8080 (where your server listens)\n" in ran.err
    )


def test_a_second_fixture_of_a_scenario_is_a_copy_of_it(tmp_path, monkeypatch, capsys):
    Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    ran = record(capsys, "scenarios/find-parcel", "--output", "fixtures/find-parcel-stream.jsonl")

    assert ran.code == 2
    assert "by which it is replayed\n  expected: find-parcel.jsonl\n  found:    find-parcel-stream.jsonl\n" in ran.err
    assert "cp -r scenarios/find-parcel scenarios/find-parcel-stream\n" in ran.err


def test_a_new_scenario_is_told_to_a_program(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    ran = record(capsys, "new", "weather-oslo", "--model", "m", "--base-url", "http://127.0.0.1:9", "--json")

    home = "scenarios/weather-oslo"
    names = [".gitattributes", "scenario.toml", "stubs.json", "system.txt", "tools.json", "user.txt"]
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out) == {
        "scenario": home,
        "files": [f"{home}/{name}" for name in names],
        "next": f"write over the prompts, then fc-record {home}",
    }


def test_an_export_into_a_file_is_told_to_a_program(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)
    with Loopback(plain(chat_body("Yes."))) as server:
        record(capsys, "find-parcel", "--base-url", server.url)

    ran = record(capsys, "export", "vcr", str(project.recording), "--json", "-o", "out.yaml")
    beside = record(capsys, "export", "vcr", str(project.recording), "--json")

    assert (ran.code, json.loads(ran.out)) == (
        0,
        {"file": "out.yaml", "recordings": 1, "left_out": {"when an exchange was": 1}},
    )
    assert (beside.code, json.loads(beside.out)["code"]) == (2, "WRONG_OPTION")
    assert (tmp_path / "out.yaml").exists()
