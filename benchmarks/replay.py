"""What replay costs: 1,000 fixtures checked and played, one long fixture, the start of the commands.

    python benchmarks/replay.py [COUNT]

Everything is written to a temporary directory and measured as a user runs it: whole processes, CPU time of one core.
"""

import compileall
import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

Row = tuple[str, str, str]
Fields = dict[str, Any]

BIN = Path(sys.executable).parent
TURNS = 10
LONG = 60
STARTS = 15
REPEATS = 3

TOOL_NAMES = ("get_order", "search_policy", "check_eligibility", "create_refund", "escalate_to_human")
SYSTEM = "You work for the customer service of shop {}. " + "Look an order up before you change it. " * 12
RESULT = {"order_id": 0, "item": "ceramic lamp", "total": 89.99, "status": "delivered", "note": "left with a neighbour"}
# Bytes of an answer's text and of a result: the means of 54 public runs of airline agents (tau-bench).
LONG_TEXT, LONG_RESULT = 235, 755


def tools_of(number: int) -> list[Fields]:
    """The tools of one shop; no two shops share a schema."""
    properties = {
        "order_id": {"type": "integer", "description": f"Number of the order in shop {number}.", "x-ref": "orders"},
        "reason": {"type": "string", "enum": ["damaged", "late", "wrong item"]},
        "amount": {"type": "number", "minimum": 0},
    }
    return [
        {
            "name": name,
            "description": f"{name.replace('_', ' ').capitalize()}: what shop {number} knows about it today.",
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": ["order_id"],
                "additionalProperties": False,
            },
            "effect": "read",
        }
        for name in TOOL_NAMES
    ]


def digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def tool_digest(tool: Fields) -> str:
    properties = {
        name: {key: value for key, value in schema.items() if not key.startswith("x-")}
        for name, schema in tool["parameters"]["properties"].items()
    }
    sent = {
        "name": tool["name"],
        "description": tool["description"],
        "parameters": tool["parameters"] | {"properties": properties},
    }
    return digest(json.dumps(sent, sort_keys=True, separators=(",", ":")))


def turns_of(number: int, count: int, *, sizes: tuple[int, int] = (0, 0)) -> list[Fields]:
    """A user, then calls with their results in turn, then an answer; `sizes` are the least bytes of text and result."""
    turns: list[Fields] = [{"role": "user", "content": [text(f"Refund order {number}, it arrived damaged.")]}]
    ledger = {"input": 3456, "cache_read": 0, "cache_creation": 0, "output": 123}
    said = text("I look at the order and at what the rules say about it.".ljust(sizes[0], "."))
    for step in range(1, count // 2):
        arguments = {"order_id": number, "reason": "damaged", "amount": 89.99}
        call = {"type": "toolCall", "id": f"call_{step}", "name": TOOL_NAMES[step % 5], "arguments": arguments}
        turns.append({"role": "assistant", "content": [said, call], "tokenLedger": ledger, "stopReason": "toolUse"})
        result = json.dumps(RESULT | {"order_id": number, "step": step}).ljust(sizes[1])
        turns.append({"role": "toolResult", "toolUseId": f"call_{step}", "content": [text(result)], "isError": False})
    answer = text(f"Order {number} is refunded: 89.99 EUR.")
    return [*turns, {"role": "assistant", "content": [answer], "tokenLedger": ledger, "stopReason": "stop"}]


def text(words: str) -> Fields:
    return {"type": "text", "text": words}


def write_pair(directory: Path, number: int, turns: list[Fields]) -> Path:
    """One scenario and its fixture; returns the fixture's path."""
    name, system, tools = f"refund-{number}", SYSTEM.format(number), tools_of(number)
    user = turns[0]["content"][0]["text"]
    scenario = directory / "scenarios" / name
    scenario.mkdir(parents=True)
    (scenario / "system.txt").write_text(system)
    (scenario / "user.txt").write_text(user)
    (scenario / "tools.json").write_text(json.dumps(tools, indent=1))
    (scenario / "scenario.toml").write_text(f'title = "Refund {number}"\n\n[model]\nprovider = "local"\napi = "chat"\n')
    meta = {
        "type": "meta", "formatVersion": 1, "fixtureId": name, "scenario": f"Refund {number}",
        "recordedAt": "2026-01-01T00:00:00Z", "provider": "local", "api": "chat", "model": "m",
        "systemPromptHash": digest(system), "userMessageHash": digest(user),
        "toolHashes": {tool["name"]: tool_digest(tool) for tool in tools},
    }  # fmt: skip
    assertions = [
        {"kind": "tool_called", "name": "search_policy", "order": 0},
        {"kind": "message_contains_substring", "role": "assistant", "substring": "89.99"},
        {"kind": "tool_call_arg_matches", "name": "create_refund", "arg_path": "reason", "matches_regex": "^damaged$"},
    ]
    lines = [meta, *({"type": "turn", "turnIndex": index} | turn for index, turn in enumerate(turns))]
    lines.append({"type": "assertions", "assertions": assertions})
    path = directory / "fixtures" / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in lines))
    return path


def cpu_of(command: list[str | Path], directory: Path) -> float:
    """CPU seconds of a process that is kept on one core and must end with 0."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*on_one_core(), *command], cwd=directory, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def on_one_core() -> list[str]:
    """A command that keeps another on one core, where the system has one."""
    if not hasattr(os, "sched_getaffinity"):
        return []
    return ["taskset", "-c", str(min(os.sched_getaffinity(0)))]


def many(count: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for number in range(count):
            write_pair(directory, number, turns_of(number, TURNS))
        check = min(cpu_of([BIN / "fc-replay", "check", "--no-derive"], directory) for _ in range(REPEATS))
        played = min(cpu_of([BIN / "fc-replay"], directory) for _ in range(REPEATS))
    of = f"{count} fixtures of {TURNS} turns"
    return [
        (f"{of}: check --no-derive, CPU of the whole process", f"{check:.2f} s", "<= 1 s"),
        (f"{of}: replay and judge, CPU of the whole process", f"{played:.2f} s", "<= 3 s"),
    ]


def long_one() -> list[Row]:
    rows: list[Row] = []
    for sizes, promised in (((LONG_TEXT, LONG_RESULT), "<= 1.5 x"), ((0, 0), "")):
        with tempfile.TemporaryDirectory() as name:
            directory = Path(name)
            path = write_pair(directory, 1, turns_of(1, LONG, sizes=sizes))
            ratio, held = path.stat().st_size / held_in(path), held_in(path) / LONG
            spent = spent_on(path, directory)
        of = f"{LONG} messages of {held:.0f} bytes"
        rows += [
            (f"{of}: size against text, arguments, results", f"{ratio:.2f} x", promised),
            (f"{of}: replay and judge, beyond process start", f"{spent * 1000:.1f} ms", "<= 100 ms"),
        ]
    return rows


def spent_on(path: Path, directory: Path) -> float:
    """Seconds for the first replay in a process that has imported what it needs."""
    from harness.cli.replaying.neighbours import Places
    from harness.cli.replaying.played import Settings
    from harness.cli.replaying.replayed import replayed_paths

    settings = Settings("recorded", Places(directory / "scenarios", directory / "recordings"), "0")
    started = time.perf_counter()
    (outcome,) = replayed_paths([path], settings)
    spent = time.perf_counter() - started
    assert outcome.errors == []
    return spent


def held_in(path: Path) -> int:
    """Bytes of all text, arguments and results in a fixture."""
    total = 0
    for line in path.read_text().splitlines():
        for block in json.loads(line).get("content", []):
            held = block["text"] if block["type"] == "text" else json.dumps(block["arguments"], separators=(",", ":"))
            total += len(held.encode())
    return total


def wall_of(command: list[str | Path]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def starts() -> list[Row]:
    """Both are started in turn, so that whatever else the machine does slows down both."""
    rows = []
    for name in ("fc-record", "fc-replay", "fc-judge"):
        pairs = [(wall_of([sys.executable, "-c", "pass"]), wall_of([BIN / name, "--help"])) for _ in range(STARTS)]
        bare, spent = (statistics.median(one) for one in zip(*pairs, strict=True))
        rows.append((f"{name} --help against bare python ({bare * 1000:.0f} ms)", f"{spent / bare:.1f} x", "<= 5 x"))
    return rows


def compile_once() -> None:
    """Some images forbid Python to keep bytecode; an installed package has it."""
    import harness

    assert compileall.compile_dir(Path(harness.__file__).parent, quiet=1)


if __name__ == "__main__":
    compile_once()
    amount = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    table = [("what", "measured", "promised"), *many(amount), *long_one(), *starts()]
    width = max(len(what) for what, _, _ in table)
    for what, measured, promised in table:
        print(f"{what:<{width}}  {measured:>9}  {promised}")
