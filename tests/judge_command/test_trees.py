"""Every command that reads a directory reads all of it, or says what it could not."""

import os

import pytest
from click.testing import CliRunner
from places import ASKED

from harness.cli.judge import main as judge
from harness.cli.replay import main as replay

COMMANDS = {
    "judge": (judge, []),
    "lint": (judge, ["lint"]),
    "replay": (replay, []),
    "check": (replay, ["check"]),
}


def run(name, *arguments):
    main, words = COMMANDS[name]
    return CliRunner().invoke(main, [*words, *arguments])


@pytest.fixture
def here(place, tmp_path, monkeypatch):
    """A place that commands are run in; beside its fixtures lies one that fails."""
    place.fixture("bad", assertions=[ASKED])
    (tmp_path / "fixtures").rename(tmp_path / "elsewhere")
    (tmp_path / "fixtures").mkdir()
    place.scenario("bad")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_a_fixture_behind_a_link_is_read(here, name):
    (here / "fixtures" / "more").symlink_to("../elsewhere")

    done = run(name, "fixtures/more", "fixtures")

    assert done.stdout.splitlines()[-1].startswith(("1 judged: ", "1 checked: "))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_pipe_among_fixtures_is_never_opened(here, name):
    os.mkfifo(here / "fixtures" / "bad.jsonl")

    done = run(name, "fixtures")

    assert done.exit_code == 4
    assert "fixtures/bad.jsonl: no file: a pipe, a socket or a device, which is never read" in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_that_is_a_link_to_nothing_is_unreadable_wherever_it_stands(here, name):
    (here / "scenarios" / "bad" / "tools.json").symlink_to("gone.json")
    (here / "fixtures" / "more").symlink_to("../elsewhere")
    (here / "scenarios" / "bad" / "expect.yaml").write_text("must_call: [{tool: ask}]")

    done = run(name, "fixtures")

    assert done.exit_code == 4
    assert "scenarios/bad/tools.json: a link to what is not there" in done.output
