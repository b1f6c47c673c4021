"""Pipes and devices where a file is meant: refused by name, and never waited for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from suite_project import SuiteProject

BIN = Path(sys.executable).parent
_PATIENCE_S = 60

LINES = {
    "judged": ["fc-judge", "{}"],
    "judged as one of several": ["fc-judge", "scenarios", "{}"],
    "a baseline": ["fc-judge", "recordings/nightly", "--baseline", "{}"],
    "constraints": ["fc-judge", "whole.jsonl", "--expect", "{}"],
    "merged": ["fc-judge", "merge", "{}"],
    "compared": ["fc-judge", "compare", "{}", "{}"],
    "decided on": ["fc-judge", "adjudicate", "{}", "--decision", "accept", "--reason", "x", "--by", "me", "--output", "o"],
    "replayed": ["fc-replay", "{}"],
    "shown": ["fc-replay", "show", "{}"],
    "exported": ["fc-record", "export", "har", "{}"],
    "imported": ["fc-record", "import", "har", "{}"],
    "a prompt": ["fc-record", "--scenario", "t", "--fixture-id", "t", "--system-prompt-file", "{}", "--user-message-file", "{}"],
}  # fmt: skip


@pytest.fixture
def place(tmp_path):
    root = SuiteProject(tmp_path).root
    os.mkfifo(root / "pipe.jsonl")
    (root / "whole.jsonl").write_text('{"type":"meta"}\n')
    run = root / "recordings/nightly"
    run.mkdir(parents=True)
    (run / "run.json").write_text("{}")
    return root


def run(place, words):
    return subprocess.run(
        [BIN / words[0], *words[1:]],
        cwd=place,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_PATIENCE_S,
    )


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
@pytest.mark.parametrize("name", ["pipe.jsonl", "/dev/zero"])
def test_a_pipe_or_a_device_is_refused_by_name(place, line, name):
    if line == LINES["a baseline"]:
        (place / "recordings/nightly/run.json").unlink()

    done = run(place, [word.format(name) for word in line])

    assert done.returncode in {2, 4}
    assert "Traceback" not in done.stderr


def test_the_refusal_says_what_it_is_and_what_to_do(place):
    done = run(place, ["fc-judge", "merge", "pipe.jsonl"])

    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == (
        "pipe.jsonl: no file: a pipe, a socket or a device, which is never read\n"
        "  next:     write what comes out of it into a file, and name that\n"
    )


@pytest.mark.parametrize("line", ["fc-judge /dev/stdin < whole.jsonl", "cat whole.jsonl | fc-judge /dev/stdin"])
def test_what_the_shell_has_opened_is_read(place, line):
    words = line.replace("fc-judge", str(BIN / "fc-judge"))

    done = subprocess.run(["bash", "-c", words], cwd=place, capture_output=True, text=True, check=False)

    assert done.stderr.startswith("/dev/stdin:1: Object missing required field `fixtureId`")
