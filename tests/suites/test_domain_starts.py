"""Domains whose world cannot start, or starts otherwise each time: said, and the next is looked at."""

import json

import pytest

from harness.cli.evidence.domain_checked import domain_problems

CALL = "def call(state, name, arguments):\n    return state, {}, False\n"
STARTS = {
    "ends the process": ("import sys\ndef start(tables):\n    sys.exit(0)\n", "the world cannot start: SystemExit: 0"),
    "ends it at import": ("import sys\nsys.exit(0)\n", "cannot load world: SystemExit: 0"),
    "gives nothing": ("def start(tables):\n    return None\n", "start must return the state"),
    "counts": (
        "N = []\ndef start(tables):\n    N.append(1)\n    return {'n': {'key': None, 'rows': list(N)}}\n",
        "start gives another state the second time",
    ),
}


@pytest.mark.parametrize(("text", "said"), STARTS.values(), ids=STARTS.keys())
def test_a_start_that_is_none_is_told_of_its_own_domain(tmp_path, text, said):
    for name, world in (("bad", text), ("good", "def start(tables):\n    return tables\n")):
        directory = tmp_path / name
        directory.mkdir()
        for file in ("system.txt", "user.txt"):
            (directory / file).write_text("Hello.\n")
        (directory / "tools.json").write_text(json.dumps([{"name": "ask"}]))
        (directory / "world.py").write_text(world + CALL)

    count, [problem] = domain_problems(tmp_path)

    assert count == 2
    assert problem.subject.startswith(said)
    assert problem.file == str(tmp_path / "bad" / "world.py")
