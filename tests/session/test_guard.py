"""No connection leaves this machine while a replay runs, and each that was tried is said."""

import subprocess
import sys

import pytest

from harness.session.guard import Reach, is_this_machine, no_way_out

# In a process of its own: the guard of these tests would refuse first.
PROGRAM = """
import socket
from harness.errors import NotHermetic
from harness.session.guard import Reach, no_way_out

tried = []
def connect(address):
    try:
        socket.create_connection(address, timeout=0.01).close()
    except NotHermetic as error:
        return "refused " + error.found
    except OSError:
        return "let through"
    return "connected"

with socket.create_server(("127.0.0.1", 0)) as server:
    with no_way_out(Reach(frozenset({"192.0.2.9"})), tried.append):
        print(connect(("192.0.2.7", 9)), connect(("192.0.2.9", 9)), connect(server.getsockname()), sep=", ")
    print(connect(("192.0.2.7", 9)), tried, sep=", ")
"""


def test_other_machines_are_refused_while_a_replay_runs():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == [
        "refused 192.0.2.7, let through, connected",
        "let through, ['192.0.2.7']",
    ]


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("localhost", True),
        ("api.localhost", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("fe80::1%lo", False),
        ("localhost.example.test", False),
        ("10.0.0.1", False),
        ("api.example.test", False),
    ],
)
def test_loopback_is_this_machine(host, own):
    assert is_this_machine(host) is own


def test_guards_may_lie_inside_one_another():
    with no_way_out(Reach(), print), no_way_out(Reach(), print):
        pass
