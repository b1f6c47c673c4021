"""A support desk for golden tests: reads, requests that issue an action id, and what takes one."""

import json

from conversations import FAILED, call, trace
from shop import tool

from harness.judge.domain import domain_from
from harness.judge.engine import judge
from harness.judge.golden import golden_holds
from harness.suite import Golden, JudgeConfig

ORDER = {"type": "string", "x-ref": "orders"}
ACTION = {"type": "string", "minLength": 1, "x-takes": "action_id"}
PLACE = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "zip": {"type": "string"}},
    "required": ["city", "zip"],
    "additionalProperties": False,
}


def issuing(name, **parameters):
    """A write whose result holds an action id."""
    return tool(name, "write", **parameters).model_copy(update={"issues": "action_id"})


TOOLS = [
    tool("get_order", order_id=ORDER),
    tool("get_user", user_id={"type": "string", "x-ref": "users"}),
    tool("find", query={"type": "string"}, page={"type": "integer"}).model_copy(
        update={
            "parameters": {
                "type": "object",
                "properties": {"query": {"type": "string"}, "page": {"type": "integer"}, "tags": {"type": "array"}},
                "required": ["query"],
                "additionalProperties": False,
            }
        }
    ),
    issuing("request_cancel", order_id=ORDER, reason={"type": "string", "enum": ["late", "mistake"]}),
    issuing("request_move", order_id=ORDER, place=PLACE),
    tool("confirm", "confirm", action_id=ACTION),
    tool("abort", "confirm", action_id=ACTION),
    tool("note", "write", text={"type": "string"}, day={"type": "string"}),
]
TABLES = {
    "orders": {"key": "order_id", "rows": [{"order_id": "W1"}, {"order_id": "W2"}]},
    "users": {"key": "user_id", "rows": [{"user_id": "U1"}]},
}
DOMAIN = domain_from(TOOLS, TABLES)

LOOK = call("get_order", order_id="W1")
CONFIRM = {"tool": "confirm", "params": {"action_id": "A1"}, "param_rules": {"action_id": "any"}}
CANCEL = {"tool": "request_cancel", "params": {"order_id": "W1", "reason": "late"}}


def want(name, rules=None, **params):
    """A golden call."""
    return {"tool": name, "params": params, "param_rules": rules or {}}


def asked(name, action="A1", **arguments):
    """A request that issued an action."""
    return call(name, result=json.dumps({"action_id": action, "status": "pending"}), **arguments)


def cancelled(action="A1", **changes):
    """The cancellation that `CANCEL` wants, done."""
    return asked("request_cancel", action, **({"order_id": "W1", "reason": "late"} | changes))


def confirmed(action="A1", name="confirm", result="ok"):
    """An action taken."""
    return call(name, action_id=action, result=result)


def judged(wanted, turns, *, config=None, domain=DOMAIN, ordered=False, reads=None, **rest):
    """The verdict of golden calls on a conversation."""
    golden = Golden.model_validate({"calls": wanted, "order_sensitive": ordered, "allowed_extra": reads})
    expectation = golden_holds(golden, JudgeConfig.model_validate(config or {}), domain)
    return judge(trace(*turns, **rest), [("golden", expectation)])


def codes_of(verdict):
    """What failed, in order."""
    return [str(one.code) for one in verdict.failures]


__all__ = [
    "CANCEL", "CONFIRM", "DOMAIN", "FAILED", "LOOK", "TABLES", "TOOLS",
    "asked", "call", "cancelled", "codes_of", "confirmed", "judged", "want",
]  # fmt: skip
