"""Parcels by number, as a table."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

Tables = dict[str, dict[str, Any]]
Answer = tuple[Tables, Any, bool]


def start(tables: Tables) -> Tables:
    return deepcopy(tables)


def call(state: Tables, name: str, arguments: dict[str, Any]) -> Answer:
    if name == "find_parcels":
        email = arguments.get("email")
        found = [row for row in state["parcels"]["rows"] if row["email"] == email]
        return state, {"parcels": found}, False
    after = deepcopy(state)
    wanted = arguments.get("parcel_id")
    parcel = next((row for row in after["parcels"]["rows"] if row["parcel_id"] == wanted), None)
    if parcel is None:
        return state, {"error": f"there is no parcel {wanted}"}, True
    if name == "track_parcel":
        return state, parcel, False
    if name == "report_lost":
        parcel["lost"] = True
        return after, {"reported": wanted}, False
    return state, {"error": f"no tool {name!r}"}, True
