"""fc-replay beside a world that leaves threads behind: the command ends all the same, with the code that it has."""

import subprocess
import sys
from pathlib import Path

import pytest
from refund_run import write_scenario

WORLD = """
{at_import}
def start(tables):
    return {{"refunds": {{"key": "order_id", "rows": []}}}}


def call(state, name, arguments):
    {at_call}
    if name == "get_order":
        return state, {{"order_id": 4021, "total": 89.99}}, False
    return state, {{"refund_id": "refund-1", "amount": 89.99}}, False
"""


def replayed(project, **said):
    parts = {"at_import": "", "at_call": "pass"} | said
    write_scenario(project / "scenarios/refund", world_py=WORLD.format(**parts))
    words = [Path(sys.executable).parent / "fc-replay", "--tools", "compare"]
    return subprocess.run(words, cwd=project, capture_output=True, text=True, check=False)


THREADS = """import threading, time
def spin():
    while True:
        time.sleep(0.01)
threading.Thread(target=spin, name="poller").start()"""
POOL = """from concurrent.futures import ThreadPoolExecutor
ThreadPoolExecutor(1).submit(int)"""


@pytest.mark.parametrize(("after", "code"), [("", 0), ("raise RuntimeError", 3)], ids=["good", "stale"])
def test_a_thread_that_never_ends_does_not_hold_the_command(project, after, code):
    done = replayed(project, at_import=THREADS, at_call=after or "pass")

    assert done.returncode == code
    assert done.stdout.endswith("\n")
    assert "\n1 checked: " in done.stdout
    assert done.stderr.endswith(
        "ended without a thread that a scenario's code began and does not end: 'poller'\n"
        "  next:     end it, or begin it with daemon=True\n"
    )


def test_threads_that_end_with_the_interpreter_are_waited_for_without_a_word(project):
    done = replayed(project, at_import=POOL)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("end", "code"), [("'a sentence'", 1), ("None", 0), ("4", 4)])
def test_a_command_that_such_a_thread_held_ends_as_it_said(end, code):
    said = f"{THREADS}\nimport sys, types\nfrom harness.cli import start\n"
    said += f"sys.modules['harness.cli.judge'] = types.SimpleNamespace(main=lambda: sys.exit({end}))\nstart.judge()\n"

    done = subprocess.run([sys.executable, "-c", said], capture_output=True, check=False, timeout=60)

    assert done.returncode == code
    assert b"ended without a thread" in done.stderr
