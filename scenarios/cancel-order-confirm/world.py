"""The bicycle shop: orders, and the actions that wait for a confirmation, as tables."""

from __future__ import annotations

from copy import deepcopy
from typing import Any
from zlib import crc32

Tables = dict[str, dict[str, Any]]
Answer = tuple[Tables, Any, bool]


def start(tables: Tables) -> Tables:
    return deepcopy(tables)


def call(state: Tables, name: str, arguments: dict[str, Any]) -> Answer:
    if name == "request_cancel":
        return request_cancel(state, arguments)
    if name == "confirm_action":
        return confirm(state, arguments)
    return state, {"error": f"no tool {name!r}"}, True


def request_cancel(state: Tables, arguments: dict[str, Any]) -> Answer:
    order = row_of(state, "orders", arguments.get("order_id"))
    if order is None:
        return state, {"error": "no such order"}, True
    if order["status"] != "pending":
        return state, {"error": f"the order is {order['status']}"}, True
    after = deepcopy(state)
    rows = after["actions"]["rows"]
    # Not a plain counter: an id that the model makes up must not happen to be the right one.
    mark = crc32(f"{order['order_id']} {len(rows)}".encode())
    action = {"action_id": f"cancel-{mark:08x}", "order_id": order["order_id"], "status": "open"}
    rows.append(action)
    return after, {"action_id": action["action_id"], "status": "waiting for confirmation"}, False


def confirm(state: Tables, arguments: dict[str, Any]) -> Answer:
    after = deepcopy(state)
    action = row_of(after, "actions", arguments.get("action_id"))
    if action is None or action["status"] != "open":
        return state, {"error": "no open action has this action_id"}, True
    order = row_of(after, "orders", action["order_id"])
    if order is None or order["status"] != "pending":
        return state, {"error": "the order can no longer be cancelled"}, True
    action["status"], order["status"] = "confirmed", "cancelled"
    return after, {"status": "confirmed", "order": order}, False


def row_of(state: Tables, table: str, key: object) -> dict[str, Any] | None:
    name = state[table]["key"]
    return next((row for row in state[table]["rows"] if row[name] == key), None)
