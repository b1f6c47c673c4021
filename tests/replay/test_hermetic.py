"""Replay is offline: no SDK, no HTTP client, no connection, also where there is no network at all."""

import json
import shutil
import subprocess
import sys

import pytest
from refund_run import lines, write_scenario

# Runs the command in this process, then says which of these were imported and which connections were tried.
PROBE = """
import json, sys
tried = []
sys.addaudithook(lambda event, _: tried.append(event) if event.startswith("socket.") else None)
from harness.cli.replay import main
code = None
try:
    main(sys.argv[1:])
except SystemExit as end:
    code = end.code
names = ["openai", "anthropic", "httpx", "httpx2", "http.client", "urllib3", "requests", "asyncio", "ssl"]
print(json.dumps({"code": code, "imported": [name for name in names if name in sys.modules], "tried": tried}), file=sys.stderr)
"""
EXPECT = "must_call:\n  - tool: create_refund\n    args: {order_id: 4021}\n"
WORLD = """
def start(tables):
    return {}

def call(state, name, arguments):
    return state, "ok", False
"""
ACTIONS = {
    "replay": [],
    "compare": ["--tools", "compare"],
    "check": ["check"],
    "show": ["show", "refund"],
    "help": ["--help"],
}


@pytest.fixture
def project(tmp_path):
    write_scenario(tmp_path / "scenarios" / "refund", expect_yaml=EXPECT, world_py=WORLD)
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "fixtures" / "refund.jsonl").write_bytes(b"".join(lines()))
    return tmp_path


def probed(project, *command):
    done = subprocess.run([*command], cwd=project, capture_output=True, text=True, check=True)
    return json.loads(done.stderr.splitlines()[-1])


@pytest.mark.parametrize("arguments", ACTIONS.values(), ids=ACTIONS)
def test_no_sdk_and_no_http_client_is_imported_and_no_socket_is_touched(project, arguments):
    seen = probed(project, sys.executable, "-c", PROBE, *arguments)

    assert seen["imported"] == []
    assert seen["tried"] == []
    assert seen["code"] in {0, 3}


def namespace():
    """Return a command that runs another where there is no network, or None."""
    for command in (["unshare", "-n"], ["unshare", "-rn"]):
        if (
            shutil.which("unshare")
            and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
        ):
            return command
    return None


def test_replay_needs_no_network(project):
    command = namespace()
    if command is None:
        pytest.skip("this machine makes no empty network namespace")

    done = subprocess.run(
        [*command, sys.executable, "-c", "from harness.cli.replay import main; main()"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert (done.returncode, done.stdout) == (
        0,
        "PASS         refund  (1 check passed; holds up to arguments)\n1 checked: 1 PASS\n",
    )


def test_starting_the_command_loads_click_and_the_standard_library_only():
    code = "import sys, harness.cli.replay; print(sorted({name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = set(json.loads(done.stdout.replace("'", '"')))
    assert loaded - {"_distutils_hack", "sitecustomize", "__main__"} <= {"click", "harness"}
