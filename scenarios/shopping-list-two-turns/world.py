"""A shopping list, as a table with one row an item."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

Tables = dict[str, dict[str, Any]]
Answer = tuple[Tables, Any, bool]


def start(tables: Tables) -> Tables:
    return deepcopy(tables)


def call(state: Tables, name: str, arguments: dict[str, Any]) -> Answer:
    after = deepcopy(state)
    item = arguments.get("item")
    rows = after["items"]["rows"]
    there = {"item": item} in rows
    if name == "add_item":
        if there:
            return state, {"error": f"{item!r} is on the list already"}, True
        rows.append({"item": item})
        return after, {"added": item}, False
    return state, {"error": f"no tool {name!r}"}, True
