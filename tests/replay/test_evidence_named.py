"""What fixtures are called on the command line, and what is said where none is called so."""

import json
import shutil
from pathlib import Path

import pytest
from replay_door import run

from harness.cli.evidence.evidence_named import evidence_named
from harness.errors import NothingRecorded, PathNotFound, ScenarioNamed


@pytest.mark.usefixtures("project")
def test_a_misspelt_id_is_told_with_the_nearest_one():
    code, out = run("refnd", "--json")

    facts = json.loads(out)
    assert (code, facts["code"], facts["nearest"]) == (2, "PATH_NOT_FOUND", "refund")


@pytest.mark.parametrize("arguments", [(), ("refund",), ("check",)], ids=["all", "an id", "check"])
def test_before_anything_was_recorded_the_scenarios_are_named(project, arguments):
    shutil.rmtree(project / "fixtures")

    code, out = run(*arguments, "--json")

    facts = json.loads(out)
    assert (code, facts["code"], facts["next"]) == (2, "NOTHING_RECORDED", "fc-record scenarios/refund")


@pytest.mark.usefixtures("project")
def test_a_scenario_is_answered_with_its_fixture():
    code, out = run("scenarios/refund", "--json")

    assert (code, json.loads(out)["next"]) == (2, "fc-replay refund")


def test_a_scenario_without_fixture_is_to_be_recorded(project):
    (project / "fixtures" / "refund.jsonl").unlink()

    with pytest.raises(ScenarioNamed) as refused:
        evidence_named(Path("scenarios/refund"), "fc-judge")

    assert refused.value.command == "fc-record scenarios/refund"


@pytest.mark.usefixtures("project")
def test_a_path_is_held_against_its_neighbours_only():
    with pytest.raises(PathNotFound) as refused:
        evidence_named(Path("fixtures/refnd.jsonl"), "fc-judge")

    assert refused.value.nearest == "fixtures/refund.jsonl"


def test_several_scenarios_are_listed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c"):
        (tmp_path / "scenarios" / name).mkdir(parents=True)
        (tmp_path / "scenarios" / name / "system.txt").write_text("Help.")

    with pytest.raises(NothingRecorded) as refused:
        evidence_named(Path("a"), "fc-judge")

    assert refused.value.command == "fc-record scenarios/a (there are also b, c)"
