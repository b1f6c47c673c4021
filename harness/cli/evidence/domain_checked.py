"""Domains checked by themselves: tools, tables and the world that stands behind them, of suites and of scenarios."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness import files
from harness.errors import BadScenario, HarnessError
from harness.judge.domain import ToolFacts, facts_of
from harness.scenario import Scenario, Tool
from harness.schema import check_schema
from harness.suite import CASES, Case, Suite
from harness.transcript import ToolCall
from harness.user_code import load_world
from harness.value import Json, JsonObject, NotJsonError, canonical, decode
from harness.world import Sandbox, World


class Desk(NamedTuple):
    """A domain: its tools, its tables, its world, and the directory that they are in."""

    directory: Path
    tools: list[Tool]
    tables: JsonObject
    world: World | None

    def sandbox(self, world: World) -> Sandbox:
        """A fresh start of the world."""
        return Sandbox(self.tools, world, self.tables, directory=str(self.directory))

    def problem(self, sentence: str, name: str) -> BadScenario:
        """A refusal about one of the domain's files."""
        return BadScenario(sentence, file=str(self.directory / name))


def domain_problems(scenarios: Path) -> tuple[int, list[HarnessError]]:
    """How many domains there are below a directory, and everything that is wrong with them."""
    found: list[HarnessError] = []
    directories = [path for path in sorted(scenarios.iterdir()) if path.is_dir()] if scenarios.is_dir() else []
    domains = [path for path in directories if (path / "tools.json").exists()]
    for path in domains:
        try:
            found += _problems_in(path)
        except HarnessError as error:
            found.append(error)
    return len(domains), found


def _problems_in(path: Path) -> Iterator[HarnessError]:
    suite = files.load_suite(path) if (path / CASES).exists() else None
    scenario = _scenario_of(suite) if suite else files.load_scenario(path)
    desk = Desk(path, scenario.tools, scenario.tables or {}, load_world(scenario))
    yield from _tool_problems(desk)
    yield from _table_problems(desk)
    if desk.world is None:
        yield desk.problem("tools without a world or stubs answer nothing", "tools.json")
        return
    start = list(_start_problems(desk, desk.world))
    yield from start
    if suite and not start:
        for case in suite.cases:
            yield from _golden_problems(case, suite, desk, desk.world)


def _scenario_of(suite: Suite) -> Scenario:
    return suite.scenario_of(suite.cases[0]).model_copy(update={"id": suite.id})


def _tool_problems(desk: Desk) -> Iterator[HarnessError]:
    names = [tool.name for tool in desk.tools]
    for tool in desk.tools:
        if names.count(tool.name) > 1:
            yield desk.problem(f"tool {tool.name} stands twice", "tools.json")
        try:
            check_schema(tool.parameters, tool=tool.name)
        except HarnessError as error:
            error.file = str(desk.directory / "tools.json")
            yield error
            continue
        unknown = _tables_named(tool.parameters) - desk.tables.keys() if desk.tables else set()
        for table in sorted(unknown):
            yield desk.problem(
                f"tool {tool.name} refers to table {table}, which world.json does not hold", "tools.json"
            )


def _tables_named(schema: Json) -> set[str]:
    """The tables that a schema's parameters refer to, at any depth."""
    inner = list(schema.values()) if isinstance(schema, dict) else schema if isinstance(schema, list) else []
    named = {name for one in inner for name in _tables_named(one)}
    if isinstance(schema, dict) and isinstance(name := schema.get("x-ref"), str):
        named.add(name)
    return named


def _table_problems(desk: Desk) -> Iterator[HarnessError]:
    for name, table in desk.tables.items():
        key = table.get("key") if isinstance(table, dict) else None
        rows = table.get("rows") if isinstance(table, dict) else None
        if not isinstance(key, str) or not isinstance(rows, list):
            yield desk.problem(f"table {name} is no key with rows", "world.json")
            continue
        keys = [canonical(row[key]) for row in rows if isinstance(row, dict) and key in row]
        if len(keys) < len(rows):
            yield desk.problem(f"table {name} has rows without {key}", "world.json")
        for one in sorted(one for one, count in Counter(keys).items() if count > 1):
            yield desk.problem(f"table {name} holds {one.decode()} twice", "world.json")


def _start_problems(desk: Desk, world: World) -> Iterator[HarnessError]:
    """A start that fails, or does not give the same twice."""
    try:
        first, second = (desk.sandbox(world).effects().initial for _ in range(2))
    except HarnessError as error:
        yield error
        return
    if first != second:
        yield desk.problem("start gives another state the second time", "world.py")


def _golden_problems(case: Case, suite: Suite, desk: Desk, world: World) -> Iterator[HarnessError]:
    """Golden calls that the world refuses, ids handed on from call to call as the marks say."""
    if case.golden is None:
        return
    facts = {tool.name: facts_of(tool) for tool in desk.tools}
    sandbox, issued = desk.sandbox(world), dict[str, Json]()
    for number, call in enumerate(case.golden.calls):
        arguments = {**call.params, **_handed_on(facts.get(call.tool), issued)}
        answer = sandbox.execute(ToolCall(f"call_{number + 1}", call.tool, arguments))
        if answer.is_error:
            sentence = f"{case.id}: the world refuses golden call {number} ({call.tool}): {answer.text}"
            yield BadScenario(sentence, file=suite.cases_file, line=suite.lines[case.id])
        issued.update(_issued_by(facts.get(call.tool), answer.text))


def _handed_on(tool: ToolFacts | None, issued: dict[str, Json]) -> JsonObject:
    takes = tool.takes if tool else {}
    return {param: issued[kind] for param, kind in takes.items() if kind in issued}


def _issued_by(tool: ToolFacts | None, text: str) -> dict[str, Json]:
    if tool is None or tool.issues is None:
        return {}
    try:
        result = decode(text)
    except NotJsonError:
        return {}
    return {tool.issues: result[tool.issues]} if isinstance(result, dict) and tool.issues in result else {}
