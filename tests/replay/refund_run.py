"""Fixtures and scenarios written as their files are, for tests."""

import hashlib
import json

from harness.fixture_lines import fixture_of

SYSTEM = "You refund orders. Call each function once.\n"
USER = "Refund order #4021, it arrived damaged."
LEDGER = {"input": 10, "cache_read": 0, "cache_creation": None, "output": 5}

GET_ORDER = {
    "name": "get_order",
    "description": "Look up one order.",
    "parameters": {
        "type": "object",
        "properties": {"order_id": {"type": "integer"}},
        "required": ["order_id"],
        "additionalProperties": False,
    },
}
CREATE_REFUND = {
    "name": "create_refund",
    "description": "Pay money back.",
    "parameters": {
        "type": "object",
        "properties": {"order_id": {"type": "integer"}, "amount": {"type": "number"}},
        "required": ["order_id", "amount"],
        "additionalProperties": False,
    },
    "effect": "write",
}
TOOLS = [GET_ORDER, CREATE_REFUND]


def digest(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def tool_digest(tool):
    """Hash a tool as it is sent. These schemas hold no number and no non-ASCII key, so sorted JSON is canonical."""
    sent = {key: tool[key] for key in ("name", "description", "parameters")}
    return digest(json.dumps(sent, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


def meta(name="refund", **fields):
    return {
        "type": "meta",
        "formatVersion": 1,
        "fixtureId": name,
        "scenario": "Refund of a damaged item",
        "recordedAt": "2026-11-30T04:00:00Z",
        "systemPromptHash": digest(SYSTEM),
    } | fields


def user(text=USER):
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def says(*blocks, stop=None):
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    turn = {"role": "assistant", "content": content, "tokenLedger": LEDGER}
    return turn | ({"stopReason": stop} if stop else {})


def call(number, name, **arguments):
    return {"type": "toolCall", "id": f"call_{number}", "name": name, "arguments": arguments}


def result(number, text, **fields):
    return {"role": "toolResult", "toolUseId": f"call_{number}", "content": [{"type": "text", "text": text}]} | fields


def refund_turns():
    """A whole run: an order is looked up, then refunded, then the user is told."""
    return [
        user(),
        says(call(1, "get_order", order_id=4021)),
        result(1, '{"order_id":4021,"total":89.99}'),
        says("It is eligible.", call(2, "create_refund", order_id=4021, amount=89.99)),
        result(2, '{"refund_id":"refund-1","amount":89.99}'),
        says("I refunded 89.99 EUR."),
    ]


def line(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def lines(turns=None, *, assertions=(), head=None, tail=()):
    """List the lines of a fixture; `tail` stands between the turns and the assertions."""
    numbered = [{"type": "turn", "turnIndex": index} | turn for index, turn in enumerate(turns or refund_turns())]
    last = {"type": "assertions", "assertions": list(assertions)}
    return [line(one) for one in [head or meta(), *numbered, *tail, last]]


def fixture(turns=None, **parts):
    head = parts.get("head") or meta()
    return fixture_of(b"".join(lines(turns, **parts)), file=f"fixtures/{head['fixtureId']}.jsonl")


HASHES = {tool["name"]: tool_digest(tool) for tool in TOOLS}
HEAD = meta(toolHashes=HASHES, agentVersion="0.1.0", userMessageHash=digest(USER))
HOLDS = [{"kind": "tool_called", "name": "create_refund", "max_count": 1}]


def ended(outcome, error=None):
    return {"type": "end", "outcome": outcome, "error": error}


def write_scenario(directory, *, system=SYSTEM, users=(USER,), tools=TOOLS, **texts):
    """Write a scenario's files; `texts` are further ones, `world_py` for `world.py`."""
    directory.mkdir(parents=True, exist_ok=True)
    directory.joinpath("system.txt").write_bytes(system.encode())
    for number, text in enumerate(users, 1):
        name = "user.txt" if number == 1 else f"user.{number}.txt"
        directory.joinpath(name).write_bytes(text.encode())
    directory.joinpath("tools.json").write_text(json.dumps(tools))
    for name, text in texts.items():
        directory.joinpath(name.replace("_", ".")).write_bytes(text.encode())
    return directory
