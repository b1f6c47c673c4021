"""How fc-judge ends and counts where some cases passed, some failed and some could not be judged."""

import json
from pathlib import Path

import pytest
from places import ASKED, CALLED

PASS, FAIL = {"assertions": [CALLED]}, {"assertions": [ASKED]}
ERROR = {"assertions": [CALLED], "end": "error"}
OPEN = {}


@pytest.mark.parametrize(
    ("cases", "code"),
    [
        pytest.param([PASS, PASS, PASS], 0, id="three-passed"),
        pytest.param([PASS, FAIL, FAIL], 1, id="two-of-three-failed"),
        pytest.param([PASS, PASS, ERROR], 6, id="one-broke"),
        pytest.param([FAIL, ERROR], 1, id="one-failed-and-one-broke"),
        pytest.param([PASS, OPEN], 6, id="one-expects-nothing"),
        pytest.param([ERROR], 6, id="all-broke"),
    ],
)
def test_failed_and_unjudged_end_differently(place, cases, code):
    for number, parts in enumerate(cases):
        place.fixture(f"case-{number}", **parts)

    assert place.run("fixtures").returncode == code


@pytest.mark.parametrize("cases", [[PASS], [FAIL], [ERROR]], ids=["passed", "failed", "broke"])
def test_a_file_that_cannot_be_read_goes_before_every_verdict(place, cases):
    for number, parts in enumerate(cases):
        place.fixture(f"case-{number}", **parts)
    (place.directory / "fixtures" / "torn.jsonl").write_text('{"type":')

    assert place.run("fixtures").returncode == 4
    assert place.run("fixtures", "--no-gate").returncode == 4


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["fixtures", "--jobs", "none"], id="an-option-without-sense"),
        pytest.param(["fixtures", "--wrong"], id="an-option-that-is-none"),
        pytest.param(["fixtures/no-such.jsonl"], id="a-fixture-that-is-missing"),
        pytest.param(["fixtures", "--expect", "no-such.yaml"], id="a-spec-that-is-missing"),
    ],
)
def test_a_command_that_cannot_be_followed_is_no_verdict(place, words):
    place.fixture("case", **PASS)

    assert place.run(*words).returncode == 2


def test_errors_stay_out_of_the_accuracy_and_in_sight(place):
    """Eight passed and two broke: that is neither 80 % nor 100 % of ten."""
    for number in range(10):
        place.fixture(f"t{number}", **(PASS if number < 8 else ERROR))

    told = place.run("fixtures").stdout.splitlines()[-1]
    summary = json.loads(place.run("fixtures", "--json").stdout)["summary"]

    assert told == "10 judged: 2 AGENT_ERROR, 8 PASS; accuracy 8/8 (100.0%)"
    assert (summary["accuracy"], summary["scored_count"], summary["result_count"]) == (1.0, 8, 10)
    assert summary["verdict_counts"]["AGENT_ERROR"] == 2
    assert summary["accuracy_interval"]["low"] < 0.7


def test_a_run_in_which_everything_broke_has_no_accuracy(place):
    place.fixture("case", **ERROR)

    done = place.run("fixtures", "--json")

    assert json.loads(done.stdout)["summary"]["accuracy"] is None
    assert place.run("fixtures").stdout.endswith("1 judged: 1 AGENT_ERROR; nothing scored\n")


FULL = Path("/dev/full")
FILES = ["--report", "--html", "--junit", "--markdown"]


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("option", FILES)
def test_a_file_that_cannot_be_written_costs_no_other_form_of_the_report(place, option):
    place.scenario("good")
    place.fixture("good", assertions=[CALLED])
    alone = place.run("fixtures", "--json")
    other = "--html" if option == "--report" else "--report"

    done = place.run("fixtures", "--json", option, FULL, other, "kept")

    error = json.loads(done.stderr)
    assert (done.returncode, done.stdout) == (2, alone.stdout)
    assert (error["code"], error["file"]) == ("NOT_WRITTEN", str(FULL))
    assert (place.directory / "kept").stat().st_size > 0


def test_a_directory_that_nobody_can_make_is_refused_before_anything_is_judged(place):
    place.scenario("good")
    place.fixture("good", assertions=[CALLED])

    done = place.run("fixtures", "--json", "--report", "/proc/nothing/report.json")

    assert (done.returncode, json.loads(done.stdout)["code"]) == (2, "NOT_WRITTEN")
