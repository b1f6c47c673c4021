"""A run's manifest is believed of the model, the provider and the params only as far as its recordings say the same."""

import json

import pytest
from recording_project import record
from suite_project import RUN, SuiteProject, provider

from harness.cli.judge import main
from harness.cli.suites.run_files import run_problems
from harness.files import load_suite

MANIFEST = f"recordings/{RUN}/run.json"
EDITED = {
    "model": (lambda it: it.update(model="m-better"), "model", "m-asked", "m-better"),
    "provider": (lambda it: it["asked"].update(provider="openai"), "asked.provider", "local", "openai"),
    "api": (lambda it: it["asked"].update(api="responses"), "asked.api", "chat", "responses"),
    "temperature": (lambda it: it["asked"]["params"].update(temperature=0), "asked.params.temperature", "0.2", "0"),
    "seed": (lambda it: it["asked"]["params"].update(seed=8), "asked.params.seed", "7", "8"),
}


@pytest.fixture
def recorded(tmp_path, monkeypatch, capsys):
    """A project with a run of two trials a case."""
    monkeypatch.chdir(tmp_path)
    project = SuiteProject(tmp_path)
    with provider() as server:
        record(capsys, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN, "--trials", "2")
    return project


def rewritten(project, change):
    manifest = json.loads((project.run / "run.json").read_bytes())
    change(manifest)
    (project.run / "run.json").write_text(json.dumps(manifest))


def problems_in(project):
    facts = [one.facts() for one in run_problems(project.run, load_suite(project.suite))]
    return [(one["code"], one["message"], one["expected"], one["found"]) for one in facts]


@pytest.mark.parametrize(("change", "name", "expected", "found"), EDITED.values(), ids=EDITED)
def test_a_manifest_that_says_otherwise_than_its_recordings_is_told_once(recorded, change, name, expected, found):
    rewritten(recorded, change)

    problems = problems_in(recorded)

    assert problems == [("BAD_RUN", f"the manifest says another {name} than the recordings", expected, found)]


def test_later_trials_with_seeds_of_their_own_fit_the_manifest(recorded):
    assert problems_in(recorded) == []
    assert {one["seed"] for one in params_of(recorded, 2)} == {8}


def params_of(project, trial):
    return [context.params for context in project.recording("fc-d1-001", trial).contexts.values()]


def test_another_spelling_of_a_number_is_no_other_param(recorded):
    rewritten(recorded, lambda it: it["asked"]["params"].update(max_tokens=64.0))

    assert problems_in(recorded) == []


def test_a_param_that_no_recording_names_is_not_compared(recorded):
    rewritten(recorded, lambda it: it["asked"]["params"].update(max_output_tokens=64))

    assert problems_in(recorded) == []


def test_the_judge_does_not_take_an_edited_model(recorded, capsys):
    rewritten(recorded, lambda it: it.update(model="m-better"))

    with pytest.raises(SystemExit) as ended:
        main([f"recordings/{RUN}"])

    said = capsys.readouterr().err
    assert ended.value.code == 4
    assert said.count("the manifest says another model than the recordings") == 1
    assert MANIFEST in said
