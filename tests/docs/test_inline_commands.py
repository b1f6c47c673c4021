"""Commands and names in the middle of a sentence: each could be typed as it stands, each file and function is there."""

import inspect
import re
import shlex
from contextlib import suppress

import click
import pytest
from pages import PAGES, ROOT

import harness
from harness.cli.judge import main as judge
from harness.cli.record import main as record
from harness.cli.replay import main as replay
from harness.providers.dialect import Dialect

DOORS = {"fc-judge": judge, "fc-record": record, "fc-replay": replay}
LIBRARY = (ROOT / "docs/library.md").read_text("utf-8")


def inline_commands():
    """The commands of our own that stand between single backticks, by page; a mere name is none."""
    for page in PAGES:
        prose = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
        for written in dict.fromkeys(re.findall(r"`(fc-(?:judge|record|replay) [^`]+)`", prose)):
            yield pytest.param(" ".join(written.split()), id=f"{page.name}:{' '.join(written.split())}")


@pytest.mark.parametrize("line", [*inline_commands()])
def test_a_command_in_a_sentence_can_be_typed(line):
    name, *words = shlex.split(line)
    door = DOORS[name]
    is_named = bool(words) and words[0] in door.commands
    command = door.commands[words[0] if is_named else door.default]

    context = click.Context(command, info_name=name, resilient_parsing=len(words) <= 1)
    with suppress(click.exceptions.Exit):  # --help ends here
        command.parse_args(context, words[1:] if is_named else words)

    assert context.args == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_file_of_ours_that_a_page_names_is_there(page):
    named = re.findall(r"`((?:benchmarks|harness|tests)/[\w/.-]+)`", page.read_text("utf-8"))

    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_page_on_providers_names_what_a_dialect_offers():
    page = (ROOT / "docs/providers.md").read_text("utf-8")
    offered = {name for name, _ in inspect.getmembers(Dialect, inspect.isfunction) if not name.startswith("_")}

    assert set(re.findall(r"^\| `(\w+)\(", page, re.MULTILINE)) == offered


def test_the_library_page_names_every_function_and_no_other():
    functions = {name for name in harness.__all__ if inspect.isfunction(getattr(harness, name))}
    table = LIBRARY.partition("|---|---|")[2].partition("\n\n")[0]

    assert set(re.findall(r"`(\w+)\(", table)) - {"judge"} == functions


@pytest.mark.parametrize("name", harness.__all__)
def test_every_public_name_says_what_it_is(name):
    assert inspect.getdoc(getattr(harness, name))
