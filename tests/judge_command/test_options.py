"""Options that mean nothing for what is there, or name what is not there, are refused: none is ignored."""

import json

import pytest
from click.testing import CliRunner
from places import CALLED

from harness.cli.judge import main as judge
from harness.cli.record import main as record
from harness.cli.replay import main as replay

DOORS = {"fc-judge": judge, "fc-replay": replay, "fc-record": record}


def run(line):
    door, *words = ["" if word == "''" else word for word in line.split()]
    return CliRunner().invoke(DOORS[door], words)


@pytest.fixture
def here(place, tmp_path, monkeypatch):
    """Two fixtures and their scenarios, a suite, and a run of it that was never asked anything."""
    for name in ("good", "other"):
        place.scenario(name)
        place.fixture(name, assertions=[CALLED])
    tool = {"name": "cancel", "description": "", "parameters": {"type": "object", "properties": {}}}
    case = {
        "id": "fc-d1-001", "dimension": "D1", "category": "c", "instruction": "Cancel.", "golden": None,
        "context": {"db_fixture": "standard", "notes": "n"}, "negative": False, "skip": True, "skip_reason": "later",
    }  # fmt: skip
    place.scenario(
        "desk", **{"suite.toml": "", "cases.jsonl": json.dumps(case) + "\n", "tools.json": json.dumps([tool])}
    )
    (tmp_path / "mine.yaml").write_text("must_call: [{tool: cancel}]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


WRITING = ["--html", "--junit", "--markdown", "--report"]


@pytest.mark.parametrize("option", WRITING)
def test_a_directory_that_is_not_there_is_made_and_said(here, option):
    done = run(f"fc-judge fixtures {option} reprots/night/out")

    assert done.exit_code == 0
    assert f"new directory: reprots (for {option})\n" in done.stderr
    assert (here / "reprots/night/out").is_file()


def test_a_directory_is_said_once_for_all_options_and_not_where_it_is(here):
    (here / "there").mkdir()

    done = run("fc-judge fixtures --html new/a --junit new/b --report there/c")

    assert done.stderr == "new directory: new (for --html, --junit)\n"


@pytest.mark.usefixtures("here")
def test_what_cannot_be_written_is_said_before_anything_is_judged():
    done = run("fc-judge fixtures --html fixtures/good.jsonl/out.html")

    assert (done.exit_code, done.stdout) == (2, "")
    assert "fixtures/good.jsonl is no directory" in done.stderr


ABSENT = {
    "fc-judge fixtures --scenarios scenarois": "scenarios",
    "fc-judge fixtures --expect mne.yaml": "mine.yaml",
    "fc-judge fixtures --suite scenarios/dsk": "scenarios/desk",
    "fc-judge recordings --baseline basline.json": None,
    "fc-judge lint fixtures --scenarios scenarois": "scenarios",
    "fc-judge compare a b --suite scenarios/dsk": "scenarios/desk",
    "fc-judge verify --fixtures fixturs": "fixtures",
    "fc-judge lock --output o --consistency c.json --review r.json": None,
    "fc-replay --scenarios scenarois": "scenarios",
    "fc-replay --recordings nope": None,
    "fc-replay check --scenarios scenarois": "scenarios",
    "fc-replay check --recordings nope": None,
    "fc-record scenarios/good --system-prompt-file sytem.txt": None,
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("line", "nearest"), ABSENT.items(), ids=str)
def test_an_option_that_names_nothing_is_refused_with_the_nearest_name(line, nearest):
    error = CliRunner().invoke(DOORS[line.split()[0]], line.split()[1:]).stderr

    assert run(line).exit_code == 2
    assert "no such file or directory" in error
    assert (f"nearest:  {nearest}\n" in error) == (nearest is not None)


@pytest.mark.usefixtures("here")
def test_a_default_place_need_not_be_there():
    assert run("fc-replay check --no-derive").exit_code == 3


EMPTY = {
    "fc-replay ''": "an argument is empty",
    "fc-replay check ''": "an argument is empty",
    "fc-judge fixtures ''": "an argument is empty",
    "fc-judge fixtures --expect ''": "--expect is empty",
    "fc-judge fixtures --report=": "--report is empty",
    "fc-record scenarios/desk --resume ''": "--resume is empty",
    "fc-record scenarios/desk --resume=": "--resume is empty",
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("line", "told"), EMPTY.items(), ids=str)
def test_an_empty_word_is_a_variable_that_is_not_set(line, told):
    done = run(line)

    assert done.exit_code == 2
    assert f"{told}: is a variable not set?" in done.stderr


NUMBERS = [
    *(f"fc-judge fixtures --fail-under {number}" for number in ("nan", "inf", "-inf", "-1", "101")),
    *(f"fc-judge merge a.json --fail-under {number}" for number in ("nan", "inf")),
    *(f"fc-record scenarios/good --timeout {number}" for number in ("nan", "inf", "0", "-1")),
]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("line", NUMBERS)
def test_a_number_that_bounds_nothing_is_refused(line):
    done = run(line)

    assert done.exit_code == 2
    assert "Invalid value for" in done.stderr


def test_a_timeout_without_end_is_refused_in_a_file_too(here):
    (here / "scenarios" / "good" / "scenario.toml").write_text("[agent]\ntimeout_s = inf\n")

    done = run("fc-replay good")

    assert done.exit_code == 4
    assert "agent.timeout_s" in done.stdout


UNMEANT = {
    "fc-judge fixtures --suite scenarios/desk": "--suite says by which suite a run is judged",
    "fc-judge recordings/first --expect mine.yaml": "--expect is for files",
    "fc-judge recordings/first fixtures --expect mine.yaml": "--expect is for files",
    "fc-judge recordings/first fixtures --suite scenarios/desk": "--suite says by which suite a run is judged",
    "fc-judge fixtures --no-gate --fail-under 50": "leave one of them out",
    "fc-judge fixtures --strict": "--strict and --allow-changed say",
    "fc-judge fixtures --json --markdown -": "--json and --markdown would write to one place",
    "fc-judge fixtures --html page --report page": "--report and --html would write to one place",
    "fc-judge lint --coverage --json scenarios/desk": "leave --json out",
    "fc-judge review recordings/first --status --answers mine.yaml": "--status and --answers: a review is done in one",
}


@pytest.mark.parametrize(("line", "told"), UNMEANT.items(), ids=str)
def test_an_option_without_meaning_for_what_is_there_is_refused(here, line, told):
    (here / "recordings" / "first").mkdir(parents=True)
    (here / "recordings" / "first" / "run.json").write_text("{}")

    done = run(line)

    assert done.exit_code == 2
    assert told in done.output


OUTPUTS = [
    "fc-judge fixtures --report fixtures/good.jsonl",
    "fc-judge fixtures/good.jsonl --html fixtures/other.jsonl",
    "fc-judge fixtures --markdown link.md",
    "fc-judge fixtures --expect mine.yaml --junit mine.yaml",
    "fc-judge fixtures --report scenarios/good/system.txt",
    "fc-judge merge report.json --report report.json",
    "fc-judge compare report.json other.json --output report.json",
    "fc-record export har recordings/one.jsonl -o fixtures/good.jsonl",
]


@pytest.mark.parametrize("line", OUTPUTS)
def test_no_report_is_written_over_evidence(here, line):
    (here / "link.md").symlink_to("fixtures/good.jsonl")
    (here / "report.json").write_text("{}")
    before = {path: path.read_bytes() for path in sorted(here.rglob("*")) if path.is_file()}

    done = run(line)

    told = done.stderr + str(done.exception)
    assert "would write over evidence" in told
    assert done.exit_code == 2 or line.startswith("fc-record")
    assert {path: path.read_bytes() for path in sorted(here.rglob("*")) if path.is_file()} == before


def test_a_report_may_replace_one_that_was_written_before(here):
    place = here / "report.json"

    codes = [run("fc-judge fixtures --report report.json").exit_code for _ in range(2)]

    assert codes == [0, 0]
    assert json.loads(place.read_bytes())["complete"] is True
