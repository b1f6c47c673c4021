"""A place to run fc-judge in: fixtures, scenarios, and the command from the outside."""

import json
import os
import subprocess
import sys
from pathlib import Path

from harness.value import canonical, digest_of

ROOT = Path(__file__).parents[2]
HASH = "sha256:" + "a" * 64
ORDERS = {"orders": {"key": "id", "rows": [{"id": 1, "state": "open"}]}}
CANCELLED = {
    "call": "call_1",
    "table": "orders",
    "key": 1,
    "before": {"id": 1, "state": "open"},
    "after": {"id": 1, "state": "void"},
}


def lines(name, *, assertions=(), calls=("cancel",), end=None, state=None, origin="test:t"):
    """The lines of a fixture whose one answer makes these calls."""
    blocks = [
        {"type": "toolCall", "id": f"call_{n}", "name": call, "arguments": {"id": 1}} for n, call in enumerate(calls, 1)
    ]
    ledger = {"input": 1, "cache_read": 0, "cache_creation": 0, "output": 1}
    turns = [
        {"role": "user", "content": [{"type": "text", "text": "Cancel order 1."}]},
        {"role": "assistant", "content": blocks or [{"type": "text", "text": "No."}], "tokenLedger": ledger},
        *(
            {"role": "toolResult", "toolUseId": block["id"], "content": [{"type": "text", "text": "ok"}]}
            for block in blocks
        ),
    ]
    return [
        {
            "type": "meta",
            "fixtureId": name,
            "scenario": "t",
            "recordedAt": "2026-01-01T00:00:00Z",
            "systemPromptHash": HASH,
            "origin": origin,
        },
        *({"type": "turn", "turnIndex": index} | turn for index, turn in enumerate(turns)),
        *([{"type": "state", "initial": digest_of(canonical(ORDERS)), "changes": state}] if state is not None else []),
        *([{"type": "end", "outcome": end}] if end else []),
        {"type": "assertions", "assertions": list(assertions)},
    ]


CALLED = {"kind": "tool_called", "name": "cancel"}
ASKED = {"kind": "tool_called", "name": "ask"}


class Place:
    """A directory with fixtures/ and scenarios/, and the command run in it."""

    def __init__(self, directory):
        self.directory = directory

    def fixture(self, name, **parts):
        path = self.directory / "fixtures" / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(line) + "\n" for line in lines(name, **parts)))
        return path

    def scenario(self, name, **texts):
        directory = self.directory / "scenarios" / name
        directory.mkdir(parents=True, exist_ok=True)
        for file, text in {"system.txt": "Help.", "user.txt": "Cancel order 1.", **texts}.items():
            (directory / file).write_text(text)

    def run(self, *arguments):
        command = [sys.executable, "-c", "from harness.cli.judge import main; main()", *map(str, arguments)]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "random"}
        return subprocess.run(command, cwd=self.directory, env=environment, capture_output=True, text=True, check=False)
