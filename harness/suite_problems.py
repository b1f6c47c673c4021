"""What is wrong with a suite beyond its form: names, goldens against schemas and tables, variants. All at once."""

from collections import Counter
from collections.abc import Iterator
from itertools import product

from harness import errors
from harness.excerpt import counted
from harness.nearest import nearest_of
from harness.scenario import Tool
from harness.schema import refusals_of
from harness.suite import Case, Golden, GoldenCall, Suite
from harness.value import Json, JsonObject, canonical

_SAME_IN_ALL_VARIANTS = ("dimension", "category", "context", "golden", "negative", "skip", "skip_reason")


def problems_of(suite: Suite) -> list[errors.BadCase]:
    """Every break of the rules for cases, in the order of the file; empty for a sound suite."""
    found = [
        *(_at(suite, case, problem) for case in suite.cases for problem in _case_problems(suite, case)),
        *_repeated_instructions(suite),
        *_broken_numbering(suite),
        *_broken_variants(suite),
        *(
            errors.BadCase(f"[judge] allowed_extra: {problem}", file=f"{suite.directory}/suite.toml")
            for problem in _whitelist_problems(suite, suite.config.judge.allowed_extra)
        ),
    ]
    return sorted(found, key=lambda problem: (problem.file or "", problem.line or 0))


def _at(suite: Suite, case: Case, problem: str) -> errors.BadCase:
    return errors.BadCase(f"{case.id}: {problem}", file=suite.cases_file, line=suite.lines[case.id])


def _case_problems(suite: Suite, case: Case) -> Iterator[str]:
    if case.id[4] != case.dimension[1]:
        yield f"dimension {case.dimension} does not fit the id"
    if case.skip and case.skip_reason is None:
        yield "a skipped case says why in skip_reason"
    if not case.skip and case.skip_reason is not None:
        yield "skip_reason is null where nothing is skipped"
    if case.golden is None:
        return
    yield from _negative_problems(case, case.golden)
    yield from _whitelist_problems(suite, case.golden.allowed_extra or [])
    for index, call in enumerate(case.golden.calls):
        for problem in _call_problems(suite, call):
            yield f"golden call {index} ({call.tool}): {problem}"


def _negative_problems(case: Case, golden: Golden) -> Iterator[str]:
    if case.negative and golden.calls:
        yield "a negative case has no golden calls"
    if not case.negative and not golden.calls and golden.allowed_extra is None:
        yield "without golden calls the case is negative, or allowed_extra says which reads are welcome"


def _whitelist_problems(suite: Suite, names: list[str]) -> Iterator[str]:
    effects = {tool.name: tool.effect for tool in suite.tools}
    for name, count in Counter(names).items():
        if count > 1:
            yield f"allowed_extra names {name} twice"
        if name not in effects:
            yield f"allowed_extra names {name}, which is no tool{_meant(name, suite)}"
        elif effects[name] != "read":
            yield f"allowed_extra names {name}, which does not only read"


def _meant(name: str, suite: Suite) -> str:
    near = nearest_of(name, [tool.name for tool in suite.tools])
    return f"; did you mean {near}?" if near else ""


def _call_problems(suite: Suite, call: GoldenCall) -> Iterator[str]:
    tool = next((one for one in suite.tools if one.name == call.tool), None)
    if tool is None:
        yield f"no such tool{_meant(call.tool, suite)}"
        return
    refusals = refusals_of(tool.parameters, call.params, tool=tool.name)
    for refusal in refusals:
        yield f"{refusal.path}: {refusal.message}" if refusal.path else refusal.message
    for name in call.param_rules:
        if name not in call.params:
            yield f"param_rules names {name}, which is not among the params"
    if not refusals:
        yield from _mark_problems(suite, tool, call.params)


def _mark_problems(suite: Suite, tool: Tool, params: JsonObject) -> Iterator[str]:
    for path, mark, name, value in marked_values(tool.parameters, params):
        if mark == "x-takes" and value in ("", None):
            yield f"{path} is empty"
        if mark == "x-ref" and not _held(suite.tables, name, value):
            yield f"{path}: {value!r} is in no row of table {name}"


def marked_values(schema: Json, value: Json, path: str = "") -> Iterator[tuple[str, str, str, Json]]:
    """Each value that a schema marks with `x-ref` or `x-takes`: its path, the mark, what the mark names, the value."""
    if not isinstance(schema, dict):
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from marked_values(schema.get("items"), item, f"{path}[{index}]")
    for mark in ("x-ref", "x-takes"):
        if isinstance(name := schema.get(mark), str) and not isinstance(value, list):
            yield path, mark, name, value
    properties = schema.get("properties")
    if isinstance(value, dict) and isinstance(properties, dict):
        for key, item in value.items():
            yield from marked_values(properties.get(key), item, f"{path}.{key}".removeprefix("."))


def _held(tables: JsonObject | None, name: str, value: Json) -> bool:
    table = (tables or {}).get(name)
    if not isinstance(table, dict) or not isinstance(rows := table.get("rows"), list):
        return False
    key = table.get("key")
    return any(isinstance(row, dict) and canonical(row.get(str(key))) == canonical(value) for row in rows)


def _repeated_instructions(suite: Suite) -> Iterator[errors.BadCase]:
    first: dict[str, str] = {}
    for case in suite.cases:
        folded = case.instruction.strip().casefold()
        if folded in first:
            yield _at(suite, case, f"the instruction is that of {first[folded]}")
        first.setdefault(folded, case.id)


def _broken_numbering(suite: Suite) -> Iterator[errors.BadCase]:
    """Ids count 001, 002 … in each dimension, in the order of the file."""
    counts: Counter[str] = Counter()
    for case in suite.cases:
        dimension, number = case.id[:5], int(case.id[-3:])
        counts[dimension] += 1
        if number != counts[dimension]:
            yield _at(suite, case, f"the next id here is {dimension}-{counts[dimension]:03}")
            counts[dimension] = number


def _broken_variants(suite: Suite) -> Iterator[errors.BadCase]:
    """Where the suite names variants, each category has one case a variant, and only id and instruction differ."""
    wanted = len(suite.config.variants)
    if not wanted:
        return
    groups: dict[str, list[Case]] = {}
    for case in suite.cases:
        groups.setdefault(case.category, []).append(case)
    for category, cases in groups.items():
        if len(cases) != wanted:
            yield _uneven(suite, category, cases)
        for case, name in product(cases[1:], _SAME_IN_ALL_VARIANTS):
            if getattr(case, name) != getattr(cases[0], name):
                yield _at(suite, case, f"{name} differs from that of {cases[0].id}, a variant of the same question")


def _uneven(suite: Suite, category: str, cases: list[Case]) -> errors.BadCase:
    """A category that is not asked once in each of the suite's ways."""
    variants = suite.config.variants
    sentence = f"category {category} has {counted(len(cases), 'case')}, and one a variant makes {len(variants)}"
    problem = _at(suite, cases[-1], sentence)
    if missing := variants[len(cases) :]:
        problem.mend = f"add the same question asked in the other ways ({', '.join(missing)}), a line each"
    else:
        problem.mend = f"give the cases beyond the first {len(variants)} a category of their own"
    problem.mend += f"; or name other variants, or none, in {suite.directory}/suite.toml"
    return problem
