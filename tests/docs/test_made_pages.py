"""What the pages say of the code is made from it, or held against it: formats, exit codes, errors, judge codes."""

import importlib
import re

import click
import pytest
from pages import ROOT, blocks_of, missing_in

from harness.cli.judge import main as judge
from harness.cli.record import main as record
from harness.cli.replay import main as replay
from harness.errors import base

DOORS = {"fc-judge": judge, "fc-record": record, "fc-replay": replay}
EXIT_CODES = (ROOT / "docs/exit-codes.md").read_text("utf-8")
HELPS = {
    f"{name} {command.name}": command.epilog or door.epilog
    for name, door in DOORS.items()
    for command in door.commands.values()
}


def script(name, monkeypatch):
    """A script of docs/, which imports its neighbours."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    return importlib.import_module(name)


def test_what_is_made_from_the_code_is_current(monkeypatch):
    """Write it anew with `make docs`."""
    made = script("write", monkeypatch).made_files()

    assert [path.name for path, content in made.items() if path.read_bytes() != content] == []


def test_the_front_page_says_in_text_what_its_picture_shows(monkeypatch):
    said = "\n".join(script("picture", monkeypatch).printed())
    (block,) = [block for block in blocks_of(ROOT / "README.md") if "STALE" in block.text]

    assert missing_in(said, block.text) == []


def codes_in(text):
    """The exit codes of a help's sentence."""
    told = re.search(r"Exit codes: (.*?)(?:\n\n|\.\s|\Z)", text, re.DOTALL)
    return {int(code) for code in re.findall(r"(?:^|; |\n)(\d+(?: \d+)*)", told[1]) for code in code.split()}


def test_every_exit_code_that_a_help_names_stands_in_the_table():
    table = {int(code) for code in re.findall(r"^\| \*\*(\d+)\*\* \|", EXIT_CODES, re.MULTILINE)}
    named = {code for text in HELPS.values() if text for code in codes_in(text)}

    assert {0, 1, 2, 3, 4, 5, 6, 7, 130} <= named | {130}
    assert named <= table
    assert table == {0, 1, 2, 3, 4, 5, 6, 7, 70, 130, 141}


def kinds_of(kind):
    return [kind, *(one for below in kind.__subclasses__() for one in kinds_of(below))]


def test_every_code_that_a_refusal_can_have_stands_in_the_table():
    table = re.findall(r"^\| `(\w+)` \| \d+ \| .* \|$", EXIT_CODES, re.MULTILINE)
    abstract = {
        "ERROR", "USAGE", "BAD_INPUT", "EVIDENCE", "STALE", "DIVERGED", "UNFINISHED", "LIVE_CALL",
    }  # fmt: skip
    codes = {kind.code for kind in kinds_of(base.HarnessError) if kind.__module__.startswith("harness.")}

    assert codes - abstract == set(table)


def test_every_fact_of_a_refusal_is_named():
    told = EXIT_CODES.partition("With `--json`, a refusal is")[2].partition("`code` is one of these")[0]
    facts = {fact for kind in kinds_of(base.HarnessError) for fact in kind("x").facts()}

    assert facts <= set(re.findall(r'"(\w+)"', told))


def test_the_order_of_exit_codes_is_the_one_that_holds():
    told = re.search(r"first of ([\d, ]+) is the exit code", EXIT_CODES)[1]

    assert [int(code) for code in told.split(", ")] == [*base._PRECEDENCE]


@pytest.mark.parametrize("option", ["--fail-under", "--no-gate", "--json"])
def test_the_options_that_change_an_exit_code_are_there(option):
    names = {name for one in judge.commands["judge"].params if isinstance(one, click.Option) for name in one.opts}

    assert (option in names, option in EXIT_CODES) == (True, True)
