"""What is wrong with a command line is an object under --json, whichever command it is, and a sentence elsewhere."""

import json

import pytest
from click.testing import CliRunner

from harness.cli.judge import main as fc_judge
from harness.cli.record import main as fc_record
from harness.cli.replay import main as fc_replay

DOORS = {"fc-judge": fc_judge, "fc-record": fc_record, "fc-replay": fc_replay}
COMMANDS = {
    f"{door} {name}": (door, [] if name == main.default else [name], command)
    for door, main in DOORS.items()
    for name, command in main.commands.items()
}
SPEAKING = {name: one[:2] for name, one in COMMANDS.items() if any("--json" in param.opts for param in one[2].params)}
SILENT = COMMANDS.keys() - SPEAKING.keys()


def run(door, *words):
    return CliRunner().invoke(DOORS[door], words, prog_name=door)


def refused(door, *words):
    """The exit code, what stands on stderr, and the facts."""
    done = run(door, *words)
    return done.exit_code, done.stderr, json.loads(done.stdout)


@pytest.mark.parametrize("words", [("--json", "--qqqqq"), ("--qqqqq", "--json")], ids=["before", "after"])
@pytest.mark.parametrize(("door", "name"), SPEAKING.values(), ids=SPEAKING)
def test_an_unknown_option_is_an_object(door, name, words):
    code, err, facts = refused(door, *name, *words)

    assert (code, err) == (2, "")
    assert facts == {
        "code": "WRONG_OPTION", "message": "No such option '--qqqqq'.", "file": None, "line": None,
        "expected": None, "found": None, "nearest": None, "next": f"{' '.join([door, *name])} --help",
    }  # fmt: skip


def test_every_command_speaks_json():
    assert list(SILENT) == []


WRONG = {
    "a missing option": (("fc-judge", "lock", "--json"), "Missing"),
    "a missing argument": (("fc-judge", "--json"), "Missing argument 'PATH...'."),
    "a missing argument of a subcommand": (("fc-judge", "merge", "--json"), "Missing argument"),
    "a value out of range": (
        ("fc-judge", "x", "--fail-under", "101", "--json"),
        "Invalid value for '--fail-under': 101.0 is not in the range 0<=x<=100.",
    ),
    "a value of another kind": (
        ("fc-record", "x", "--json", "--trials", "many"),
        "Invalid value for '--trials': 'many' is not a valid integer range.",
    ),
    "a share that is none": (
        ("fc-judge", "x", "--shard", "3/2", "--json"),
        "Invalid value for '--shard': '3/2' is not I/N",
    ),
    "an option without its value": (("fc-judge", "x", "--json", "--report"), "Option '--report' requires an argument."),
    "an argument too many": (("fc-judge", "suggest", "a", "b", "--json"), "Got unexpected extra argument (b)"),
}


@pytest.mark.parametrize(("words", "message"), WRONG.values(), ids=WRONG)
def test_whatever_is_wrong_with_the_line_is_an_object(words, message):
    code, err, facts = refused(*words)

    assert (code, err, facts["code"]) == (2, "", "WRONG_OPTION")
    assert facts["message"].startswith(message)
    assert facts["next"].endswith("--help")


def test_the_nearest_option_and_the_known_values_are_named():
    mistyped = refused("fc-replay", "--scenarois", "x", "--json")[2]
    unknown = refused("fc-replay", "--tools", "dead", "--json")[2]

    assert mistyped["nearest"] == "--scenarios"
    assert unknown["expected"] == "recorded, compare, live"


def test_a_path_that_is_not_there_is_an_object():
    code, err, facts = refused("fc-judge", "x", "--expect", "no-such.yaml", "--json")

    assert (code, err) == (2, "")
    assert (facts["code"], facts["file"]) == ("PATH_NOT_FOUND", "no-such.yaml")


def test_an_option_is_not_taken_for_the_value_of_another():
    code, err, facts = refused("fc-record", "scenarios/x", "--resume", "--json")

    assert (code, err, facts["code"]) == (2, "", "WRONG_OPTION")
    assert facts["message"] == "--resume has no value: --json is an option"


def test_the_word_of_another_program_asks_for_nothing():
    done = run("fc-record", "proxy", "--qqqqq", "--", "agent", "--json")

    assert (done.exit_code, done.stdout) == (2, "")
    assert "No such option '--qqqqq'" in done.stderr
