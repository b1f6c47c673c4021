"""Where what a command says cannot go: a full disk, a terminal without the character, a pipe that is closed."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
FULL = Path("/dev/full")


def run(*words, **named):
    return subprocess.run([BIN / words[0], *words[1:]], cwd=ROOT, text=True, check=False, **named)


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [("fc-replay",), ("fc-judge", "fixtures"), ("fc-judge", "fixtures", "--json")])
def test_output_that_cannot_be_written_is_said_and_is_no_success(words):
    with FULL.open("w") as full:
        done = run(*words, stdout=full, stderr=subprocess.PIPE)

    assert done.returncode == 2
    assert "the output could not be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_character_that_the_terminal_lacks_is_escaped():
    environment = {"PYTHONIOENCODING": "latin-1", "PATH": str(BIN)}

    done = run("fc-replay", "show", "chinese-address-change", env=environment, capture_output=True)

    assert (done.returncode, "\\u676d\\u5dde" in done.stdout) == (0, True)


def test_a_reader_that_leaves_is_no_crash():
    command = f"{BIN}/fc-replay | head -1"

    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.stdout.count("\n") == 1
    assert "Traceback" not in done.stderr
