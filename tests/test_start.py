"""Ctrl-C before a command is there at all, and readers that leave before it is done."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
COMMANDS = pytest.mark.parametrize("name", ["fc-judge", "fc-record", "fc-replay"])


@COMMANDS
def test_ctrl_c_during_the_first_imports_is_one_line(tmp_path, name):
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n")

    done = subprocess.run(
        [BIN / name], env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@COMMANDS
def test_ctrl_c_during_later_imports_is_one_line(tmp_path, name):
    (tmp_path / "msgspec.py").write_text("raise KeyboardInterrupt\n")

    done = subprocess.run(
        [BIN / name, "fixtures"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (130, "", 1)
    assert done.stderr.startswith("interrupted")


@pytest.mark.parametrize("words", ["fc-replay", "fc-replay --help", "fc-judge fixtures --json"])
def test_a_reader_that_leaves_ends_the_command_as_it_ends_others(words):
    read, write = os.pipe()
    os.close(read)
    name, *rest = words.split()

    done = subprocess.run([BIN / name, *rest], cwd=ROOT, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)

    assert (done.returncode, done.stderr) == (141, "")
