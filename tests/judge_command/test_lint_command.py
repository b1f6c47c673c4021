"""fc-judge lint from the outside: remarks with their lines, and how it ends."""

import json

import pytest
from places import CALLED, ROOT, Place
from suite_project import SuiteProject, case

KEY = "sk-ant-api03-" + "k3y" * 12
TOOL = {
    "name": "cancel",
    "parameters": {"type": "object", "properties": {"id": {"type": "integer", "x-ref": "orders"}}},
    "effect": "write",
}


def test_lint_says_what_is_wrong_with_an_expectation_and_where(place):
    spec = "must_call:\n  - tool: cancell\nmust_not_call:\n  - tool: cancel\n    args: {id: {gt: 5}}\n"
    place.scenario("case", **{"tools.json": json.dumps([TOOL]), "expect.yaml": spec})
    place.fixture("case", assertions=[CALLED, {"kind": "no_tool_called", "name": "cancel"}])

    done = place.run("lint", "scenarios", "fixtures")

    assert done.stdout.splitlines() == [
        "scenarios/case/expect.yaml:2: error: UNKNOWN_TOOL: must_call[0]: there is no tool cancell; did you mean cancel?",
        "fixtures/case.jsonl:5: error: CONTRADICTION: assertions[0] and assertions[1]: cancel must and must not be called",
        "2 checked: 2 errors, 0 warnings",
    ]
    assert done.returncode == 4


def test_lint_warns_of_what_is_not_seen_and_fails_nothing(place):
    place.scenario("case", **{"tools.json": json.dumps([TOOL])})
    place.fixture("case", assertions=[CALLED])

    done = place.run("lint", "fixtures", "--json")

    report = json.loads(done.stdout)
    assert [(one["level"], one["code"], one["line"]) for one in report["remarks"]] == [("warning", "BLIND", 5)]
    assert report["remarks"][0]["message"] == "a run passes also with one more cancel"
    assert done.returncode == 0


def test_lint_names_a_secret_that_fc_record_would_refuse_to_send(tmp_path, monkeypatch):
    project = SuiteProject(tmp_path, case(1), case(2, instruction=f"Where is it? My key is {KEY}."), case(3))
    project.write("system.txt", f"Use {KEY}.\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOP_TOKEN", "question 3")

    done = Place(tmp_path).run("lint", "scenarios", "--json")

    found = [(one["code"], one["file"], one["line"], one["message"]) for one in json.loads(done.stdout)["errors"]]
    says = "holds a secret ({}); it would be sent to the model and committed to git".format
    assert done.returncode == 2
    assert found == [
        ("SECRET_IN_PROMPT", "scenarios/parcels/system.txt", None, says("anthropic-key")),
        ("SECRET_IN_PROMPT", "scenarios/parcels/cases.jsonl", 2, says("anthropic-key")),
        ("SECRET_IN_PROMPT", "scenarios/parcels/cases.jsonl", 3, says("the value of SHOP_TOKEN")),
    ]
    assert KEY not in done.stdout


@pytest.mark.skipif(not (ROOT / "scenarios" / "retail").exists(), reason="no suite here")
def test_lint_finds_nothing_wrong_with_the_committed_suite(place):
    done = place.run("lint", ROOT / "scenarios" / "retail")

    assert done.stdout == "1 checked: 0 errors, 0 warnings\n"
    assert done.returncode == 0
