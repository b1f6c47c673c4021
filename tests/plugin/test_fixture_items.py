"""Fixtures as test items: collected when asked for, replayed and judged."""

import hashlib
import json

import pytest

pytest_plugins = ["pytester"]

SYSTEM, USER = "You greet.\n", "hi"
LEDGER = {"input": None, "cache_read": None, "cache_creation": None, "output": None}


def fixture_lines(substring):
    lines = [
        {
            "type": "meta", "formatVersion": 1, "fixtureId": "greeting", "scenario": "A greeting", "recordedAt": "2026-11-30T00:00:00Z",
            "systemPromptHash": "sha256:" + hashlib.sha256(SYSTEM.encode()).hexdigest(),
        },
        {"type": "turn", "turnIndex": 0, "role": "user", "content": [{"type": "text", "text": USER}]},
        {"type": "turn", "turnIndex": 1, "role": "assistant", "content": [{"type": "text", "text": "Hello"}], "tokenLedger": LEDGER, "stopReason": "stop"},
        {"type": "assertions", "assertions": [{"kind": "message_contains_substring", "role": "assistant", "substring": substring}]},
    ]  # fmt: skip
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.fixture
def project(pytester):
    """A project with one scenario and a test of its own; `write` gives it a fixture that expects a substring."""
    pytester.makepyfile(test_own="def test_own():\n    pass\n")
    pytester.makepyprojecttoml('[tool.pytest]\nminversion = "9"\ntestpaths = ["."]\n')
    for name, text in (("scenarios/greeting/system.txt", SYSTEM), ("scenarios/greeting/user.txt", USER)):
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(substring, *arguments):
        (pytester.path / "fixtures").mkdir(exist_ok=True)
        (pytester.path / "fixtures" / "greeting.jsonl").write_text(fixture_lines(substring))
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)

    return run


def test_fixtures_are_no_tests_unless_asked_for(project):
    project("Hello").assert_outcomes(passed=1)


@pytest.mark.parametrize("arguments", [(), ("test_own.py",), (".",), ("test_own.py", "fixtures")])
def test_fixtures_are_replayed_and_judged_when_asked_for(project, arguments):
    project("Hello", "--fc-fixtures", *arguments).assert_outcomes(passed=2)


def test_a_fixture_whose_expectation_fails_says_what_fc_replay_says(project):
    result = project("Bye", "--fc-fixtures")

    result.assert_outcomes(passed=1, failed=1)
    assert "TEXT_MISSING" in "\n".join(result.outlines)


@pytest.mark.parametrize(
    "part", ["import sys; sys.exit({0!r})", "def build():\n    raise SystemExit({0!r})"], ids=["import", "build"]
)
def test_a_prompt_builder_that_ends_the_process_fails_its_fixture_and_tells_no_secret(
    project, pytester, monkeypatch, part
):
    monkeypatch.setenv("SHOP_TOKEN", "t0p-s3cret-value")
    home = pytester.path / "scenarios" / "greeting"
    (home / "scenario.toml").write_text('prompt = "prompts:build"\n')
    (home / "prompts.py").write_text(part.format("no shop at t0p-s3cret-value"))

    result = project("Hello", "--fc-fixtures")

    result.assert_outcomes(passed=1, failed=1)
    assert "BAD_SCENARIO" in "\n".join(result.outlines)
    assert "t0p-s3cret" not in "\n".join(result.outlines + result.errlines)
