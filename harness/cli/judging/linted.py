"""Expectations checked by themselves: suites, specs and fixtures below paths, with all remarks and their lines."""

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from harness import files
from harness.cli.common import say
from harness.cli.environment import environment
from harness.cli.judging.judged import (
    EXPECT,
    PROMPT,
    SUFFIX,
    Sources,
    apart,
    check_spec_name,
    domain_in,
    is_recording,
    is_spec_name,
)
from harness.cli.recording.prompt_secrets import secrets_in_suite
from harness.directories import files_below
from harness.errors import HarnessError, exit_code_of
from harness.excerpt import counted, visible_of
from harness.fixture_lines import fixture_of
from harness.judge.assertions import declared_outcomes
from harness.judge.constraint_spec import check_case, spec_of
from harness.judge.lint_assertions import blind_spots, expectations_of, lint_assertions
from harness.judge.lint_golden import lint_suite
from harness.judge.lint_spec import lint_spec
from harness.judge.remark import Flaw, Remark
from harness.repeats import check_keys
from harness.suite_problems import problems_of
from harness.trace import trace_of
from harness.value import JsonObject

SUITE = "suite.toml"
_SPECS = {".yaml", ".yml", ".json", ".toml"}


class Linted(msgspec.Struct, frozen=True):
    """One remark with its place, or an error that kept a file from being checked."""

    file: str
    line: int | None = None
    remark: Remark | None = None
    error: HarnessError | None = None


class Checked(msgspec.Struct):
    """What was looked at, and what was found."""

    looked_at: int = 0
    found: list[Linted] = []


def linted_paths(paths: list[Path], scenarios: Path) -> Checked:
    """All remarks on what these paths hold."""
    checked = Checked(found=[])
    for one in _parts_of(paths):
        checked.looked_at += 1
        try:
            checked.found += _remarks_on(one, scenarios)
        except HarnessError as error:
            checked.found.append(Linted(str(one), error=error))
    return checked


def _parts_of(paths: list[Path]) -> Iterator[Path]:
    """Suites, specs and fixtures: the paths themselves, and all below directories."""
    named = apart(paths)
    yield from named.files
    found = [*files_below(named.directories, SUITE, SUFFIX, ".yaml", ".yml", ".json", ".toml")]
    suites = [one.parent for one in found if one.name == SUITE]
    yield from suites
    others = [one for one in found if one.parent not in suites]
    yield from (one for one in others if one.name == EXPECT or _is_meant(one))
    yield from (one for one in others if one.suffix == SUFFIX and not _holds_recording(one))


def _is_meant(path: Path) -> bool:
    """Whether a scenario's file is meant as its spec."""
    return is_spec_name(path.name) and (path.parent / PROMPT).exists()


def _holds_recording(path: Path) -> bool:
    return is_recording(files.read_bytes(path))


def _remarks_on(path: Path, scenarios: Path) -> list[Linted]:
    if path.is_dir():
        return _on_suite(path)
    if path.suffix in _SPECS:
        return _on_spec(path)
    return _on_fixture(path, scenarios)


def _on_suite(directory: Path) -> list[Linted]:
    suite = files.load_suite(directory)
    found = [*problems_of(suite), *secrets_in_suite(suite, environment())]
    problems = [Linted(one.file or suite.cases_file, one.line, error=one) for one in found]
    if problems:
        return problems
    return [Linted(suite.cases_file, suite.lines[one.where.split()[0]], one) for one in lint_suite(suite)]


def _on_spec(path: Path) -> list[Linted]:
    if _is_meant(path):
        check_spec_name(path)
    file = str(path)
    spec, document = spec_of(files.read_bytes(path), file=file)
    if path.name == EXPECT:
        check_case(spec, document, file=file, scenario=path.resolve().parent.name)
    remarks = lint_spec(spec, document, file=file, domain=domain_in(path.parent))
    return [Linted(file, document.line(one.path), one) for one in remarks]


def _on_fixture(path: Path, scenarios: Path) -> list[Linted]:
    file = str(path)
    raw = files.read_bytes(path)
    fixture = fixture_of(raw, file=file)
    check_keys(raw, file=file)
    last = raw.rstrip(b"\n").count(b"\n") + 1
    sources = Sources(scenarios)
    domain = domain_in(scenarios / fixture.meta.fixture_id)
    name, origin = fixture.meta.fixture_id, fixture.meta.origin
    if (lost := sources.lost(name, origin)) is not None:
        lost.file, lost.line = file, 1
        raise lost
    expectation = sources.expectation(name, origin)
    if not fixture.assertions and expectation is None:
        message = f"nothing is expected of this fixture: fc-judge suggest {fixture.meta.fixture_id}"
        return [Linted(file, last, Remark(Flaw.NOTHING_EXPECTED, "assertions", message))]
    tools: dict[str, str] = {name: facts.effect for name, facts in domain.tools.items()}
    trace = trace_of(fixture.transcript, declared=declared_outcomes(fixture.assertions))
    remarks = lint_assertions(fixture.assertions, tools)
    remarks += blind_spots(trace, expectations_of(fixture.assertions, expectation), tools)
    return [Linted(file, last, one) for one in remarks]


def exit_code(checked: Checked) -> int:
    """4 where something is wrong, 6 where nothing was there to check, else 0: warnings break nothing.

    What keeps a file from being checked asks for its own.
    """
    wrong = [4 for one in checked.found if one.remark and one.remark.level == "error"]
    wrong += [one.error.exit_code for one in checked.found if one.error is not None]
    return exit_code_of(wrong) if wrong else 0 if checked.looked_at else 6


def print_remarks(checked: Checked) -> None:
    """A line a remark, then how many of each level."""
    remarks = [(one, one.remark) for one in checked.found if one.remark is not None]
    for one, remark in remarks:
        place = one.file if one.line is None else f"{one.file}:{one.line}"
        told = f"{place}: {remark.level}: {remark.flaw}: {remark.where}: {remark.message}"
        click.echo(visible_of(told))
    errors = [one.error for one in checked.found if one.error is not None]
    for error in errors:
        say(error)
    wrong = sum(remark.level == "error" for _, remark in remarks) + len(errors)
    warned = len(remarks) + len(errors) - wrong
    click.echo(f"{checked.looked_at} checked: {counted(wrong, 'error')}, {counted(warned, 'warning')}")


def json_of(checked: Checked) -> JsonObject:
    """All remarks and errors as one JSON value."""
    return {
        "checked": checked.looked_at,
        "remarks": [
            {
                "level": one.remark.level,
                "code": str(one.remark.flaw),
                "file": one.file,
                "line": one.line,
                "where": one.remark.where,
                "message": one.remark.message,
            }
            for one in checked.found
            if one.remark is not None
        ],
        "errors": [dict(one.error.facts()) for one in checked.found if one.error is not None],
    }
