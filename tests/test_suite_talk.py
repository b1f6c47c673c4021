"""What a suite's run says while it goes on: lines for logs, a bar for people."""

import os
import pty

import pytest
from loopback import plain
from recording_project import record, start_recording
from suite_project import RUN, SuiteProject, answered, number_of, provider


def overloaded(request):
    if number_of(request) == 4:
        return plain({"error": {"message": "over[bold]loaded\x1b[2J"}}, status=529)
    return answered(request)


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return SuiteProject(tmp_path)


@pytest.mark.usefixtures("project")
def test_a_log_gets_a_line_a_trial(capsys):
    with provider(overloaded) as server:
        ran = record(capsys, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN, "--trials", "2")

    lines = ran.err.splitlines()
    assert lines[0] == f"nightly: parcels, 6 cases, 2 trials each, from m-asked at {server.url[7:]} (local, chat)"
    assert lines[1] == "[ 1/12] fc-d1-001: completed, 2 requests, 1 call"
    assert lines[4] == "[ 4/12] fc-d1-004: error (HTTP 529: over[bold]loaded\\x1b[2J), 1 request, 0 calls"
    assert lines[7] == "[ 7/12] fc-d1-001 (trial 2): completed, 2 requests, 1 call"
    assert lines[-1] == "next: fc-judge recordings/nightly"


def test_a_terminal_gets_a_bar_and_what_ended_badly(project):
    master, slave = pty.openpty()
    with provider(overloaded) as server:
        arguments = ("scenarios/parcels", "--base-url", server.url, "--run-id", RUN)
        process = start_recording(project.root, *arguments, TERM="xterm", COLUMNS="100", NO_COLOR="1", stderr=slave)
        os.close(slave)
        shown = _read(master)
        process.communicate()

    assert process.returncode == 0
    assert "6/6 1 ended badly" in shown
    assert "fc-d1-004: error (HTTP 529: over[bold]loaded\\x1b[2J), 1 request, 0 calls" in shown
    assert "fc-d1-001" not in shown


def _read(master):
    pieces = []
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(master)
    return b"".join(pieces).decode()


PINS = {
    "nothing": ((), True),
    "an order alone": (("--extra-body", '{"provider": {"order": ["Morph"]}}'), True),
    "one host and no other": (("--extra-body", '{"provider": {"order": ["Morph"], "allow_fallbacks": false}}'), False),
}


@pytest.mark.parametrize(("arguments", "warned"), PINS.values(), ids=PINS)
def test_a_run_over_openrouter_that_pins_no_host_is_told(project, capsys, arguments, warned):
    with provider() as server:
        words = ["--base-url", server.url, "--provider", "openrouter", "--model", "m", "--run-id", RUN]
        ran = record(capsys, "scenarios/parcels", *words, *arguments)

    assert ran.code == 0
    assert ("OpenRouter may send each request to another host" in ran.err) == warned
    assert ("provider" in project.manifest().asked.params) == bool(arguments)
