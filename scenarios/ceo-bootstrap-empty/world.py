"""A company without staff: agents hired and strategies approved, as tables."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

Tables = dict[str, dict[str, Any]]
Answer = tuple[Tables, Any, bool]


def start(tables: Tables) -> Tables:
    return deepcopy(tables)


def call(state: Tables, name: str, arguments: dict[str, Any]) -> Answer:
    after = deepcopy(state)
    agents, strategies = after["agents"]["rows"], after["strategies"]["rows"]
    if name == "hire_agent":
        agent = {"agent_id": f"agent-{len(agents) + 1}", **arguments}
        agents.append(agent)
        return after, {"hired": agent}, False
    if name == "approve_ceo_strategy":
        if strategies:
            return state, {"error": "the strategy is approved already"}, True
        strategies.append({"strategy_id": "strategy-1", **arguments})
        return after, {"approved": "strategy-1"}, False
    if name == "dismiss_agent":
        left = [agent for agent in agents if agent["agent_id"] != arguments.get("agent_id")]
        if len(left) == len(agents):
            return state, {"error": f"no agent {arguments.get('agent_id')!r}"}, True
        after["agents"]["rows"] = left
        return after, {"dismissed": arguments["agent_id"]}, False
    return state, {"error": f"no tool {name!r}"}, True
