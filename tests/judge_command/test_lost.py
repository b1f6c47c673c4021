"""Expectations that are not where they were: said, and never green."""

import json

import pytest
from click.testing import CliRunner
from places import ASKED
from recorded_run import chat_answer, recorded

from harness.cli.judge import main as judge
from harness.cli.replay import main as replay
from harness.recording_lines import lines_of_recording

SPEC = "must_call: [{tool: cancel}]\n"
HOLDS = {"kind": "no_tool_called", "name": "ask"}
DOORS = {"fc-judge": judge, "fc-replay": replay}


def run(line):
    door, *words = line.split()
    return CliRunner().invoke(DOORS[door], words)


@pytest.fixture
def here(place, tmp_path, monkeypatch):
    """A fixture that holds by its own assertion and fails by its scenario's spec."""
    place.scenario("case", **{"expect.yaml": SPEC})
    place.fixture("case", assertions=[HOLDS], calls=(), origin="scenario")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_spec_of_the_scenario_counts(here):
    assert run("fc-judge fixtures").exit_code == 1
    assert (here / "scenarios").is_dir()


def _another_directory(here, monkeypatch):
    (here / "work").mkdir()
    monkeypatch.chdir(here / "work")
    return "../fixtures"


def _renamed(here, _=None):
    (here / "scenarios" / "case").rename(here / "scenarios" / "cases")
    return "fixtures"


def _link_to_nothing(here, _):
    (here / "scenarios" / "case").rename(here / "elsewhere")
    (here / "scenarios" / "case").symlink_to("gone")
    return "fixtures"


LOST = {"another directory": _another_directory, "renamed": _renamed, "a link to nothing": _link_to_nothing}


@pytest.mark.parametrize("lose", LOST.values(), ids=LOST)
def test_a_fixture_whose_scenario_is_lost_is_stale_and_not_judged(here, monkeypatch, lose):
    path = lose(here, monkeypatch)

    done = run(f"fc-judge {path}")

    assert done.exit_code == 3
    assert f"{path}/case.jsonl:1: there is no scenarios/case/, of which this was recorded" in done.stderr
    assert done.stdout.splitlines() == [
        "NOT_JUDGED   case  (1 of 2 checks could not be judged; holds up to selection)",
        "  ok   assertions[0] no_tool_called ask: ask was not called",
        "  ?    expect: the scenario is not there, so that nobody knows what it expects",
        "1 judged: 1 NOT_JUDGED, 1 without their scenario; nothing scored",
    ]


@pytest.mark.parametrize("options", ["", "--no-gate", "--fail-under 0", "--jobs 2", "--json"])
def test_no_option_makes_a_lost_scenario_green(here, options):
    _renamed(here)

    assert run(f"fc-judge fixtures {options}").exit_code == 3


def test_what_fails_by_itself_still_fails(here, place):
    place.fixture("case", assertions=[ASKED], calls=(), origin="scenario")
    _renamed(here)

    done = run("fc-judge fixtures --json")

    assert [one["verdict"] for one in json.loads(done.stdout)["results"]] == ["FAIL"]
    assert done.exit_code == 3


@pytest.mark.parametrize("origin", ["test:tests/test_a.py::test_b", "proxy:openai", "import:har"])
def test_what_no_scenario_made_needs_none(here, place, origin):
    place.fixture("case", assertions=[HOLDS], calls=(), origin=origin)
    _renamed(here)

    assert run("fc-judge fixtures").exit_code == 0


def test_a_spec_on_the_command_line_stands_for_a_lost_one(here):
    _renamed(here)
    (here / "mine.yaml").write_text("must_not_call: [cancel]\n")

    assert run("fc-judge fixtures --expect mine.yaml").exit_code == 0


def test_lint_and_replay_say_it_too(here):
    _renamed(here)

    for line in ("fc-judge lint fixtures", "fc-replay fixtures", "fc-replay check fixtures"):
        done = run(line)

        assert done.exit_code == 3, line
        assert "there is no scenarios/case/, of which this was recorded" in done.output


@pytest.mark.parametrize("line", ["fc-judge recordings", "fc-replay recordings"])
def test_a_recording_whose_scenario_is_lost_is_stale(here, line):
    (here / "recordings").mkdir()
    recording, _ = recorded("chat", [chat_answer("Done.")])
    (here / "recordings" / "two-lamps.jsonl").write_bytes(lines_of_recording(recording))

    done = run(line)

    assert done.exit_code == 3
    assert "recordings/two-lamps.jsonl: there is no scenarios/two-lamps/, of which this was recorded" in done.output


COMMANDS = ["fc-judge fixtures", "fc-judge lint scenarios", "fc-judge lint fixtures", "fc-replay", "fc-replay check"]


@pytest.mark.parametrize("name", ["expect.yml", "Expect.yaml", "expected.yaml", "expectations.yaml", "expect.json"])
@pytest.mark.parametrize("line", COMMANDS)
def test_a_spec_that_is_called_otherwise_is_refused(here, line, name):
    (here / "scenarios" / "case" / "expect.yaml").rename(here / "scenarios" / "case" / name)

    done = run(line)

    assert done.exit_code == 4
    assert f"scenarios/case/{name}: nothing reads this file: it is not called so" in done.output
    assert f"next:     mv scenarios/case/{name} scenarios/case/expect.yaml" in done.output


@pytest.mark.parametrize("line", COMMANDS[:4])
def test_a_spec_that_is_a_link_to_nothing_is_refused(here, line):
    (here / "scenarios" / "case" / "expect.yaml").unlink()
    (here / "scenarios" / "case" / "expect.yaml").symlink_to("gone.yaml")

    done = run(line)

    assert done.exit_code == 4
    assert "scenarios/case/expect.yaml: a link to what is not there" in done.output
