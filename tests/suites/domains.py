"""A domain of `scenarios/`, read the way its files stand on disk and without the harness."""

import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace

from jsonschema_rs import validator_for

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def domain_of(name):
    """Return the world, tables, tools (by name), schema validators and cases of a domain, and its texts."""
    directory = SCENARIOS / name
    tools = {tool["name"]: tool for tool in json.loads((directory / "tools.json").read_bytes())}
    return SimpleNamespace(
        world=world_of(directory / "world.py"),
        tables=json.loads((directory / "world.json").read_bytes()),
        tools=tools,
        validators={
            name: validator_for(tool["parameters"], offline=True, validate_formats=True) for name, tool in tools.items()
        },
        cases=[json.loads(line) for line in (directory / "cases.jsonl").read_bytes().splitlines()],
        system=(directory / "system.txt").read_text(),
        policy=(directory / "policy.md").read_text(),
    )


def world_of(path):
    spec = importlib.util.spec_from_file_location(f"world_of_{path.parent.name.replace('-', '_')}", path)
    world = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(world)
    return world


def marked(schema, mark):
    """Yield the path and value of each `mark` on a property of a schema, nested ones too."""
    for name, part in schema.get("properties", {}).items():
        if mark in part:
            yield (name, part[mark])
        yield from ((f"{name}.{path}", value) for path, value in marked(part, mark))


def objects_in(schema):
    """Yield every object schema, the outermost first."""
    if schema.get("type") == "object":
        yield schema
        for part in schema["properties"].values():
            yield from objects_in(part)


def keys_of(tables, table):
    return [row[tables[table]["key"]] for row in tables[table]["rows"]]


def outcome_of(domain, case):
    """Return the last state and the errors of a case's golden calls, run in a fresh world.

    A parameter that takes an id gets the newest one that an earlier call issued.
    """
    state, issued, errors = domain.world.start(domain.tables), {}, []
    for call in case["golden"]["calls"]:
        tool = domain.tools[call["tool"]]
        takes = dict(marked(tool["parameters"], "x-takes"))
        arguments = call["params"] | {name: issued[id_] for name, id_ in takes.items()}
        state, result, is_error = domain.world.call(state, call["tool"], arguments)
        errors += [(call["tool"], result)] if is_error else []
        if "x-issues" in tool:
            issued[tool["x-issues"]] = result[tool["x-issues"]]
    return state, errors
