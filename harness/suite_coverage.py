"""What a suite's cases cover, as a Markdown page: dimensions, categories, tools, rules, rows and enum values."""

from collections import Counter
from collections.abc import Iterator
from typing import get_args

from harness.scenario import Tool
from harness.suite import Case, GoldenCall, Rule, Suite
from harness.suite_problems import marked_values
from harness.value import Json, JsonObject, canonical, encode

_RULES: tuple[Rule, ...] = get_args(Rule)


def coverage_of(suite: Suite) -> str:
    """The page: everything in it is counted from the suite, so that equal suites give equal pages."""
    sections = [
        f"# What {suite.id} covers\n",
        "Counted from the suite by `fc-judge lint --coverage`; not written by hand.\n",
        _section("Dimensions", _dimensions(suite)),
        _section("Categories", _categories(suite)),
        _section("Tools", _tools(suite)),
        _section("Rules for parameters", _rules(suite)),
        _section("Rows that goldens name", _rows(suite)),
        _section("Enum values that goldens hold", _enums(suite)),
    ]
    return "\n".join(section for section in sections if section)


def _section(title: str, rows: list[list[str]]) -> str:
    """A table under a title; the first row is its head, and one without further rows is left out."""
    if len(rows) < 2:  # noqa: PLR2004  the head alone says nothing
        return ""
    head, *body = [f"| {' | '.join(cell.replace('|', '&#124;') or '-' for cell in row)} |" for row in rows]
    line = "|" + " --- |" * len(rows[0])
    return "\n".join([f"## {title}\n", head, line, *body, ""])


def _dimensions(suite: Suite) -> list[list[str]]:
    head = ["dimension", "cases", "categories", "negative", "golden calls", "in order", "not judged", "skipped"]
    rows = [[name, *_counts(cases)] for name, cases in _by_dimension(suite).items()]
    return [head, *rows, ["all", *_counts(suite.cases)]]


def _by_dimension(suite: Suite) -> dict[str, list[Case]]:
    names = sorted({case.dimension for case in suite.cases})
    return {name: [case for case in suite.cases if case.dimension == name] for name in names}


def _counts(cases: list[Case]) -> list[str]:
    goldens = [case.golden for case in cases if case.golden]
    return list(
        map(
            str,
            [
                len(cases),
                len({case.category for case in cases}),
                sum(case.negative for case in cases),
                sum(len(golden.calls) for golden in goldens),
                sum(golden.order_sensitive for golden in goldens),
                len(cases) - len(goldens),
                sum(case.skip for case in cases),
            ],
        )
    )


def _categories(suite: Suite) -> list[list[str]]:
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in suite.cases:
        groups.setdefault((case.dimension, case.category), []).append(case)
    head = ["dimension", "category", "cases", "golden calls", "order", "negative", "allowed beside"]
    return [head, *([*key, *_category(cases, suite)] for key, cases in groups.items())]


def _category(cases: list[Case], suite: Suite) -> list[str]:
    ids = cases[0].id if len(cases) == 1 else f"{cases[0].id} … {cases[-1].id}"
    golden = cases[0].golden
    if golden is None:
        return [ids, "not judged", "", "", ""]
    calls = " → ".join(f"`{call.tool}`" for call in golden.calls) or "none"
    order = "yes" if golden.order_sensitive else ""
    return [ids, calls, order, "yes" if cases[0].negative else "", _allowed(golden.allowed_extra, suite)]


def _allowed(names: list[str] | None, suite: Suite) -> str:
    if names is None:
        return "the suite's default"
    if set(names) == {tool.name for tool in suite.tools if tool.effect == "read"}:
        return "every read"
    return ", ".join(f"`{name}`" for name in names) or "nothing"


def _tools(suite: Suite) -> list[list[str]]:
    dimensions = _by_dimension(suite)
    head = ["tool", "effect", *dimensions, "all", "allowed beside in"]
    return [head, *([f"`{tool.name}`", tool.effect, *_uses(tool, suite, dimensions)] for tool in suite.tools)]


def _uses(tool: Tool, suite: Suite, dimensions: dict[str, list[Case]]) -> Iterator[str]:
    """In how many cases a golden calls a tool: by dimension, in all; and in how many it is forgiven."""
    for cases in (*dimensions.values(), suite.cases):
        yield str(sum(any(call.tool == tool.name for call in _calls(case)) for case in cases))
    default = suite.config.judge.allowed_extra
    allowed = [case.golden.allowed_extra for case in suite.cases if case.golden]
    yield str(sum(tool.name in (default if names is None else names) for names in allowed))


def _calls(case: Case) -> list[GoldenCall]:
    return case.golden.calls if case.golden else []


def _rules(suite: Suite) -> list[list[str]]:
    dimensions = _by_dimension(suite)
    counts = {
        name: Counter(
            call.param_rules.get(param, "exact") for case in cases for call in _calls(case) for param in call.params
        )
        for name, cases in (*dimensions.items(), ("all", suite.cases))
    }
    return [["rule", *counts], *([f"`{rule}`", *(str(count[rule]) for count in counts.values())] for rule in _RULES)]


def _rows(suite: Suite) -> list[list[str]]:
    """Of each table that a tool's parameters refer to: which rows some golden names, and which none does."""
    parameters = {tool.name: tool.parameters for tool in suite.tools}
    named: dict[str, set[bytes]] = {}
    for call in (call for case in suite.cases for call in _calls(case)):
        for _, mark, table, value in marked_values(parameters.get(call.tool), call.params):
            if mark == "x-ref":
                named.setdefault(table, set()).add(canonical(value))
    rows = [["table", "rows", "named", "not named"]]
    for table in sorted(named):
        keys = _keys_of(suite.tables, table)
        missing = [str(key) for key in keys if canonical(key) not in named[table]]
        rows.append([f"`{table}`", str(len(keys)), str(len(keys) - len(missing)), ", ".join(missing)])
    return rows


def _keys_of(tables: JsonObject | None, name: str) -> list[Json]:
    table = (tables or {}).get(name)
    rows = table.get("rows") if isinstance(table, dict) else None
    key = str(table.get("key")) if isinstance(table, dict) else ""
    return [row.get(key) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _enums(suite: Suite) -> list[list[str]]:
    calls = [(call.tool, call.params) for case in suite.cases for call in _calls(case)]
    rows = [["parameter", "values, each with its number of golden calls"]]
    for tool in suite.tools:
        for path, values in _enums_in(tool.parameters):
            held = Counter(
                canonical(value) for name, params in calls if name == tool.name for value in _values_at(params, path)
            )
            told = ", ".join(f"{_text(value)} {held[canonical(value)]}" for value in values)
            rows.append([f"`{tool.name}.{'.'.join(path)}`", told])
    return rows


def _text(value: Json) -> str:
    return f"`{value if isinstance(value, str) else encode(value).decode()}`"


def _enums_in(schema: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[Json]]]:
    if not isinstance(schema, dict):
        return
    if isinstance(values := schema.get("enum"), list):
        yield path, values
    if isinstance(properties := schema.get("properties"), dict):
        for name, inner in properties.items():
            yield from _enums_in(inner, (*path, name))
    yield from _enums_in(schema.get("items"), path)


def _values_at(value: Json, path: tuple[str, ...]) -> Iterator[Json]:
    match value:
        case list():
            for item in value:
                yield from _values_at(item, path)
        case dict() if path and path[0] in value:
            yield from _values_at(value[path[0]], path[1:])
        case _:
            if not path:
                yield value
