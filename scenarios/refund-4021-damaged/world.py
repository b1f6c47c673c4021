"""The shop behind the refund: orders, policies, refunds and escalations, as tables."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

Tables = dict[str, dict[str, Any]]
Answer = tuple[Tables, Any, bool]


def start(tables: Tables) -> Tables:
    return deepcopy(tables)


def call(state: Tables, name: str, arguments: dict[str, Any]) -> Answer:
    tool = {
        "get_order": get_order,
        "search_policy": search_policy,
        "check_eligibility": check_eligibility,
        "create_refund": create_refund,
        "escalate_to_human": escalate_to_human,
    }.get(name)
    if tool is None:
        return state, {"error": f"no tool {name!r}"}, True
    return tool(state, arguments)


def get_order(state: Tables, arguments: dict[str, Any]) -> Answer:
    order = order_of(state, arguments)
    if order is None:
        return state, {"error": "no such order"}, True
    return state, order, False


def search_policy(state: Tables, arguments: dict[str, Any]) -> Answer:
    asked = str(arguments.get("query", "")).lower()
    found = [row["rule"] for row in state["policies"]["rows"] if row["topic"] in asked]
    return state, {"rules": found}, False


def check_eligibility(state: Tables, arguments: dict[str, Any]) -> Answer:
    order = order_of(state, arguments)
    if order is None:
        return state, {"error": "no such order"}, True
    days = order["days_since_delivery"]
    return state, {"order_id": order["order_id"], "eligible": days is not None and days <= 30}, False


def create_refund(state: Tables, arguments: dict[str, Any]) -> Answer:
    order = order_of(state, arguments)
    if order is None:
        return state, {"error": "no such order"}, True
    amount = arguments.get("amount")
    if amount != order["total"]:
        return state, {"error": f"refused: the total of the order is {order['total']}"}, True
    after = deepcopy(state)
    refunds = after["refunds"]["rows"]
    refund = {
        "refund_id": f"refund-{len(refunds) + 1}",
        "order_id": order["order_id"],
        "amount": amount,
        "status": "created",
    }
    refunds.append(refund)
    return after, refund, False


def escalate_to_human(state: Tables, arguments: dict[str, Any]) -> Answer:
    after = deepcopy(state)
    rows = after["escalations"]["rows"]
    rows.append({"escalation_id": f"escalation-{len(rows) + 1}", "reason": arguments.get("reason")})
    return after, {"queued": rows[-1]["escalation_id"]}, False


def order_of(state: Tables, arguments: dict[str, Any]) -> dict[str, Any] | None:
    wanted = arguments.get("order_id")
    return next((row for row in state["orders"]["rows"] if row["order_id"] == wanted), None)
