"""The orders of a Chinese web shop, as a table."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

Tables = dict[str, dict[str, Any]]
Answer = tuple[Tables, Any, bool]


def start(tables: Tables) -> Tables:
    return deepcopy(tables)


def call(state: Tables, name: str, arguments: dict[str, Any]) -> Answer:
    after = deepcopy(state)
    wanted = arguments.get("order_id")
    order = next((row for row in after["orders"]["rows"] if row["order_id"] == wanted), None)
    if order is None:
        return state, {"error": "没有这个订单"}, True
    if name == "get_order":
        return state, order, False
    if order["status"] != "待发货":
        return state, {"error": "订单已发货，不能修改"}, True
    if name == "update_address":
        order["address"] = arguments.get("address")
        return after, {"order_id": wanted, "address": order["address"]}, False
    if name == "cancel_order":
        order["status"] = "已取消"
        return after, {"order_id": wanted, "status": order["status"]}, False
    return state, {"error": f"没有函数 {name!r}"}, True
