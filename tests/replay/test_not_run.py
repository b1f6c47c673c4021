"""A replay by recorded results says that today's tools were not run, where there are any."""

import json

import pytest
from click.testing import CliRunner

from harness.cli.replay import main

NOTE = "tool results were the recorded ones (1 with tools at hand, not run): --tools compare runs them\n"


def said(*arguments):
    return CliRunner().invoke(main, list(arguments)).stderr


@pytest.mark.parametrize("arguments", [(), ("refund",), ("--all",)], ids=str)
def test_it_is_said_once_on_stderr(project, arguments):
    (project / "scenarios" / "refund" / "stubs.json").write_text(json.dumps({}))

    assert said(*arguments) == NOTE


@pytest.mark.parametrize("arguments", [("--json",), ("--tools", "compare")], ids=str)
def test_it_is_not_said_to_programs_or_where_they_ran(project, arguments):
    (project / "scenarios" / "refund" / "stubs.json").write_text(json.dumps({}))

    assert NOTE not in said(*arguments)
