"""A small shop for tests: orders, refunds and a log behind five tools, and conversations played in it."""

from copy import deepcopy

from conversations import call, conversation

from harness.judge.domain import domain_from
from harness.scenario import Tool
from harness.transcript import AssistantTurn, Outcome, Text, ToolCall, ToolResultTurn, Transcript, UserTurn
from harness.world import Sandbox

TABLES = {
    "orders": {
        "key": "order_id",
        "rows": [
            {"order_id": 7, "item": "lamp", "total": 89.5, "status": "delivered"},
            {"order_id": 8, "item": "shelf", "total": 129, "status": "shipped"},
        ],
    },
    "refunds": {"key": "refund_id", "rows": []},
    "log": {"key": "entry", "rows": []},
}


def tool(name, effect="read", **parameters):
    """A tool whose parameters are all required, with nothing else allowed."""
    schema = {"type": "object", "properties": parameters, "required": [*parameters], "additionalProperties": False}
    return Tool(name=name, parameters=schema, effect=effect)


ORDER = {"type": "integer", "x-ref": "orders"}
TOOLS = [
    tool("get_order", order_id=ORDER),
    tool("search_policy", query={"type": "string"}),
    tool("check_eligibility", order_id=ORDER),
    tool("create_refund", "write", order_id=ORDER, amount={"type": "number"}),
    tool("cancel_order", "write", order_id=ORDER),
    tool("escalate_to_human", "write", reason={"type": "string"}),
]
DOMAIN = domain_from(TOOLS, TABLES)


class Shop:
    """The world: refunds up to the order's total, cancellations, escalations that only go to the log."""

    def start(self, tables):
        return deepcopy(tables)

    def call(self, state, name, arguments):
        order = next((row for row in state["orders"]["rows"] if row["order_id"] == arguments.get("order_id")), None)
        if "order_id" in arguments and order is None:
            return state, "no such order", True
        if name == "create_refund":
            return self._refund(state, order, arguments["amount"])
        if name == "cancel_order":
            order["status"] = "cancelled"
        if name == "escalate_to_human":
            state["log"]["rows"].append({"entry": len(state["log"]["rows"]), "text": arguments["reason"]})
        return state, "ok", False

    def _refund(self, state, order, amount):
        if amount > order["total"]:
            return state, "too much", True
        rows = state["refunds"]["rows"]
        rows.append(
            {"refund_id": f"R{len(rows) + 1}", "order_id": order["order_id"], "amount": amount, "status": "created"}
        )
        return state, rows[-1], False


def played(
    *turns, user="Refund order 7, it arrived damaged.", answer="Done.", tables=TABLES, outcome=Outcome.COMPLETED
):
    """The transcript of calls that were really executed in the shop."""
    sandbox = Sandbox(TOOLS, Shop(), tables)
    said = [UserTurn([Text(user)])]
    number = 0
    for turn in turns:
        calls, results = [], []
        for name, arguments, _ in turn if isinstance(turn, list) else [turn]:
            number += 1
            made = ToolCall(f"call_{number}", name, arguments)
            given = sandbox.execute(made)
            calls.append(made)
            results.append(ToolResultTurn(made.id, [Text(given.text)], given.is_error))
        said += [AssistantTurn(calls), *results]
    said.append(AssistantTurn([Text(answer)]))
    return Transcript(said, outcome, None, sandbox.effects())


__all__ = ["DOMAIN", "ORDER", "TABLES", "TOOLS", "Shop", "call", "conversation", "played", "tool"]
