"""What the three commands share: a default action beside subcommands, errors as exit codes, completion."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from harness.cli.common import Door, colours
from harness.errors import PathNotFound, WrongOption
from harness.files import installed_version


class Oven(Door):
    default = "bake"


@click.group(cls=Oven, epilog="Examples:\n  oven cake        one cake\n")
def oven():
    """Bake."""


@oven.command("bake")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--json", "as_json", is_flag=True)
@click.option("--hot/--cold", default=None, help="How.")
def bake(paths, *, as_json, hot):
    """Bake things."""
    if "stop" in paths:
        raise KeyboardInterrupt
    for path in paths:
        if path.startswith("signal-"):
            signal.raise_signal(int(path.removeprefix("signal-")))
    if "claen" in paths:
        raise PathNotFound(file="claen")
    if "burnt" in paths:
        raise WrongOption("it is burnt", file="cake", nearest="crust")
    click.echo(f"bake {paths} {as_json} {hot}")


@oven.command()
@click.argument("name")
def clean(name):
    """Clean the oven."""
    click.echo(f"clean {name}")


def run(*arguments):
    return CliRunner().invoke(oven, arguments, prog_name="oven")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "bake () False None\n"),
        (["cake", "--hot"], "bake ('cake',) False True\n"),
        (["--json", "clean"], "bake ('clean',) True None\n"),
        (["./clean"], "bake ('./clean',) False None\n"),
        (["clean", "it"], "clean it\n"),
    ],
)
def test_a_word_is_a_subcommand_only_where_it_is_one(arguments, expected):
    result = run(*arguments)

    assert (result.exit_code, result.output) == (0, expected)


def test_a_mistyped_subcommand_is_told_with_those_that_are_there():
    result = run("claen")

    assert result.exit_code == 2
    assert result.output == (
        "claen: no such file or directory\n  nearest:  clean\n  next:     name a path, or a subcommand: clean\n"
    )


def test_the_version_is_said():
    result = run("--version")

    assert (result.exit_code, result.output) == (0, f"oven {installed_version()}\n")


def test_help_shows_the_default_action_the_subcommands_and_the_examples():
    result = run("--help")

    assert result.output == (
        "Usage: oven [OPTIONS] [PATHS]...\n\n  Bake things.\n\nOptions:\n  --json\n  --hot / --cold  How.\n"
        "  --version       Show the version and exit.\n"
        "  --help          Show this message and exit.\n\nSubcommands (oven NAME --help):\n  clean  Clean the oven.\n"
        "\nExamples:\n  oven cake        one cake\n"
    )


def test_a_wrong_option_names_the_nearest_and_the_command_as_it_was_typed():
    result = run("--hott")

    assert result.exit_code == 2
    assert "Usage: oven [OPTIONS] [PATHS]..." in result.output
    assert "No such option" in result.output
    assert "Did you mean" in result.output


def test_a_refusal_is_a_sentence_on_stderr_and_an_exit_code():
    result = run("burnt")

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "cake: it is burnt\n  nearest:  crust\n"


def test_a_refusal_is_an_object_on_stdout_for_programs():
    result = run("burnt", "--json")

    assert (result.exit_code, result.stderr) == (2, "")
    assert json.loads(result.stdout)["nearest"] == "crust"


def test_ctrl_c_is_an_interruption():
    assert run("stop").exit_code == 130


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_is_an_interruption_while_a_command_runs(number):
    before = signal.getsignal(number)

    result = run(f"signal-{int(number)}")

    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "interrupted; what was finished is kept\n"
    assert signal.getsignal(number) == before


def test_a_request_that_is_to_be_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        result = run(f"signal-{int(signal.SIGHUP)}")
    finally:
        signal.signal(signal.SIGHUP, before)

    assert result.exit_code == 0


def test_an_interruption_is_an_object_for_programs():
    result = run("stop", "--json")

    assert (result.exit_code, json.loads(result.stdout)["code"]) == (130, "INTERRUPTED")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("oven cl", ["plain,clean", "file,cl"]),
        ("oven --", ["plain,--json", "plain,--hot", "plain,--cold", "plain,--help"]),
        ("oven cake --h", ["plain,--hot", "plain,--help"]),
    ],
)
def test_the_shell_completes_subcommands_options_and_paths(words, expected):
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_door; test_door.oven(prog_name='oven')"
    variables = {"_OVEN_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}

    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True, check=True
    )

    assert set(expected) <= set(done.stdout.split())
    assert "plain,bake" not in done.stdout


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("CI", "true"), ("TERM", "dumb"), (None, "")])
def test_colour_is_for_terminals_that_want_it(monkeypatch, name, value):
    class Terminal:
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    if name:
        monkeypatch.setenv(name, value)

    assert colours(Terminal()) is (name is None)
    assert not colours(sys.__stdin__)
