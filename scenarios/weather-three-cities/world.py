"""Weather readings by city and the warnings sent, as tables."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

Tables = dict[str, dict[str, Any]]
Answer = tuple[Tables, Any, bool]


def start(tables: Tables) -> Tables:
    return deepcopy(tables)


def call(state: Tables, name: str, arguments: dict[str, Any]) -> Answer:
    city = arguments.get("city")
    reading = next((row for row in state["readings"]["rows"] if row["city"] == city), None)
    if reading is None:
        return state, {"error": f"no station in {city!r}"}, True
    if name == "get_weather":
        return state, reading, False
    if name == "send_warning":
        after = deepcopy(state)
        after["warnings"]["rows"].append({"city": city, "text": arguments.get("text")})
        return after, {"sent": True}, False
    return state, {"error": f"no tool {name!r}"}, True
