"""fc-judge lint from the outside: remarks with their lines, and how it ends."""

import json

import pytest
from places import CALLED, ROOT

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


@pytest.mark.skipif(not (ROOT / "scenarios" / "retail").exists(), reason="no suite here")
def test_lint_finds_nothing_wrong_with_the_committed_suite(place):
    done = place.run("lint", ROOT / "scenarios" / "retail")

    assert done.stdout == "1 checked: 0 errors, 0 warnings\n"
    assert done.returncode == 0
