"""A project on the disk with one scenario, and fc-record run in it."""

import json
import os
import subprocess
import sys
from pathlib import Path

from harness.cli.record import main
from harness.files import load_fixture, load_journal

SYSTEM = "You look after parcels. Use the tools.\n"
USER = "Where is K7-11?"
TOOL = {
    "name": "find_parcel",
    "description": "Find a parcel.",
    "effect": "read",
    "parameters": {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]},
}
TABLES = {"parcels": {"key": "code", "rows": [{"code": "K7-11", "place": "Oslo", "asked": 0}]}}
WORLD = '''\
"""Parcels that count how often they were asked for."""


def start(tables):
    return tables


def call(state, name, arguments):
    for parcel in state["parcels"]["rows"]:
        if parcel["code"] == arguments["code"]:
            parcel["asked"] += 1
            return state, {"place": parcel["place"]}, False
    return state, {"error": "no such parcel"}, True
'''
TOML = """\
title = "A parcel is found"

[model]
provider = "local"
api = "{api}"
name = "m-asked"
stream = {stream}
params = {{ max_tokens = 64, temperature = 0 }}

[agent]
max_steps = 4
timeout_s = 5
retries = 0
"""


class Ran:
    """What a run of fc-record gave."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


class Project:
    """A directory with scenarios/find-parcel/, and all that is written into it."""

    def __init__(self, root, *, api="chat", stream=False):
        self.root = Path(root)
        self.scenario = self.write("scenarios/find-parcel/system.txt", SYSTEM).parent
        self.write("scenarios/find-parcel/user.txt", USER)
        self.write("scenarios/find-parcel/tools.json", json.dumps([TOOL]))
        self.write("scenarios/find-parcel/world.json", json.dumps(TABLES))
        self.write("scenarios/find-parcel/world.py", WORLD)
        self.write("scenarios/find-parcel/scenario.toml", TOML.format(api=api, stream=str(stream).lower()))
        self.recording = self.root / "recordings/find-parcel.jsonl"
        self.fixture = self.root / "fixtures/find-parcel.jsonl"
        self.partial = self.root / "recordings/find-parcel.jsonl.partial"

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def files(self):
        """Every file with its bytes, but those of the scenario as it was made and what Python keeps."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and "__pycache__" not in path.parts and self.scenario not in path.parents
        }

    def loaded(self):
        """The recording and the fixture."""
        [recording] = load_journal(self.recording).recordings
        return recording, load_fixture(self.fixture)

    def journal(self, path=None):
        return load_journal(path or self.partial)


def record(capsys, *arguments):
    """Run fc-record in this process."""
    capsys.readouterr()
    try:
        main(list(map(str, arguments)), prog_name="fc-record")
        code = 0
    except SystemExit as end:
        code = end.code or 0
    shown = capsys.readouterr()
    return Ran(code, shown.out, shown.err)


def start_recording(root, *arguments, stderr=subprocess.PIPE, **variables):
    """Start fc-record in a process of its own."""
    command = [
        sys.executable,
        "-c",
        "from harness.cli.record import main; main(prog_name='fc-record')",
        *map(str, arguments),
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), **variables}
    return subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True)
