"""docs/any-language.md: every command and option that it shows is there."""

import re
import shlex
from pathlib import Path

import click
import pytest

from harness.cli.judge import main as judge
from harness.cli.proxied import UPSTREAMS
from harness.cli.record import main as record
from harness.cli.replay import main as replay
from harness.wire.drift import CATEGORIES

PAGE = (Path(__file__).parents[2] / "docs/any-language.md").read_text("utf-8")
DOORS = {"fc-judge": judge, "fc-record": record, "fc-replay": replay}
LINES = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("fc-")])
def test_a_command_can_be_typed_as_shown(line):
    name, *words = shlex.split(line)
    door = DOORS[name]
    command = door.commands.get(words[0], door.commands[door.default])

    context = click.Context(command, info_name=name)
    command.parse_args(context, words[1:] if words[0] in door.commands else words)

    assert not context.args


def test_every_upstream_is_named():
    assert [name for name in UPSTREAMS if f"`{name}`" not in PAGE] == []


def test_the_category_is_one():
    assert re.findall(r"--allow ([A-Z_]+)", PAGE) == ["UNPLAYED"]
    assert "UNPLAYED" in CATEGORIES
