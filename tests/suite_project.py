"""A project on the disk with one suite, a provider that answers each case by what it asks, and fc-record run on it."""

import json
import re
from pathlib import Path

from loopback import Loopback, plain
from recording_project import SYSTEM, TABLES, WORLD
from spoken import chat_body

from harness.cli.suites.run_files import load_run
from harness.files import load_journal

RUN = "nightly"
TOOL = {
    "name": "find_parcel",
    "description": "Find a parcel.",
    "effect": "read",
    "parameters": {
        "type": "object",
        "properties": {"code": {"type": "string", "x-ref": "parcels"}},
        "required": ["code"],
        "additionalProperties": False,
    },
}
TOML = """\
title = "Parcels"

[model]
provider = "local"
api = "chat"
name = "m-asked"
params = { max_tokens = 64, temperature = 0.2, seed = 7 }

[agent]
max_steps = 3
timeout_s = 5
retries = 0
"""
_CASE = re.compile(r"question (\d+)")


def case(number, **changes):
    made = {
        "id": f"fc-d1-{number:03}",
        "dimension": "D1",
        "category": "where",
        "instruction": f"Where is K7-11? This is question {number}.",
        "context": {"db_fixture": "standard", "notes": "One parcel, one look-up."},
        "golden": {"calls": [{"tool": "find_parcel", "params": {"code": "K7-11"}}], "order_sensitive": False},
        "negative": False,
        "skip": False,
        "skip_reason": None,
    }
    return {**made, **changes}


class SuiteProject:
    """A directory with scenarios/parcels/, and the runs that are made of it."""

    def __init__(self, root, *cases, toml=TOML):
        self.root = Path(root)
        self.suite = self.root / "scenarios/parcels"
        self.suite.mkdir(parents=True)
        self.run = self.root / "recordings" / RUN
        self.write("suite.toml", toml)
        self.write("system.txt", SYSTEM)
        self.write("tools.json", json.dumps([TOOL]))
        self.write("world.json", json.dumps(TABLES))
        self.write("world.py", WORLD)
        self.write("cases.jsonl", "".join(json.dumps(one) + "\n" for one in cases or map(case, range(1, 7))))

    def write(self, name, text):
        (self.suite / name).write_text(text)

    def names(self):
        """The files of the run."""
        return sorted(path.name for path in self.run.iterdir()) if self.run.exists() else []

    def manifest(self):
        return load_run(self.run)

    def outcomes(self):
        return {(one.case, one.trial): one.outcome and one.outcome.value for one in self.manifest().trials}

    def recording(self, case_id, trial=1):
        [recording] = load_journal(self.run / f"{case_id}.{trial}.jsonl").recordings
        return recording


def number_of(request):
    """Which question a request belongs to."""
    [user] = [message for message in request.json["messages"] if message["role"] == "user"]
    return int(_CASE.search(user["content"])[1])


def is_first(request):
    """Whether a request opens its conversation."""
    return request.json["messages"][-1]["role"] == "user"


def answered(request):
    """One call, then a sentence."""
    number = number_of(request)
    if is_first(request):
        return plain(chat_body(None, [(f"x{number}", "find_parcel", '{"code": "K7-11"}')]))
    return plain(chat_body(f"In Oslo, to question {number}."))


def provider(answer=answered):
    """A provider on loopback that answers each request by a function of it."""
    return Loopback(answer)
