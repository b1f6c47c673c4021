"""fc-record for a suite: its options, every problem at once, the run, and what to do with it."""

from pathlib import Path
from typing import Any

import click

from harness.cli.common import print_json, say
from harness.cli.environment import environment, now
from harness.cli.recording.endpoints import Options
from harness.cli.suites.suite_plan import SuiteOptions, SuitePlan, suite_plan_of
from harness.errors import HarnessError, PathNotFound, WrongOption, exit_code_of

CONFIG = "suite.toml"
_FOREIGN = ("output", "title", "fixture_id", "system_prompt_file", "user_message_file")


def suite_among(paths: tuple[str, ...], named: dict[str, Any]) -> Path | None:
    """The suite's directory where one was named; raises `WrongOption` where the rest of the line does not fit."""
    if not paths and named["resume"]:
        paths = (_suite_to_resume(named),)
    suites = [path for path in paths if (Path(path) / CONFIG).is_file()]
    said = [name for name, value in SuiteOptions._field_defaults.items() if named[name] not in (value, None)]
    if not suites:
        if said:
            raise WrongOption(f"{_flag(said[0])} is for a suite: a directory that holds {CONFIG}")
        return None
    if len(paths) > 1:
        raise WrongOption("a suite is recorded by itself", found=", ".join(paths), expected=suites[0])
    foreign = [name for name in _FOREIGN if named[name] is not None]
    if foreign:
        raise WrongOption(f"{_flag(foreign[0])} is not for a suite, whose run makes recordings and no fixtures")
    if named["resume"] and named["run_id"]:
        raise WrongOption("--resume goes on with a run, --run-id begins one; leave one of them out")
    if named["retry_errors"] and not named["resume"]:
        raise WrongOption("--retry-errors is for a run that is there: add --resume ID")
    return Path(suites[0])


def _suite_to_resume(named: dict[str, Any]) -> str:
    """The suite of the run that goes on, where none was named."""
    from harness.cli.suites.resumed import run_named, suite_of_run

    suite = suite_of_run(run_named(named["resume"], Path(named["recordings"])), Path(named["scenarios_dir"]))
    if not (suite / CONFIG).is_file():
        absent = PathNotFound(file=str(suite / CONFIG))
        absent.mend = "name the suite's directory: fc-record SUITE --resume ID"
        raise absent
    return str(suite)


def _flag(name: str) -> str:
    flags = {"cases": "--case", "title": "--scenario"}
    return flags.get(name, f"--{name.replace('_', '-')}")


def record_suite(directory: Path, named: dict[str, Any], *, as_json: bool) -> int:
    """Record a suite; the exit code is 0 where every trial has its file, whatever came of it."""
    plan, problems = _planned(directory, named)
    if plan is None:
        return _refused(problems, as_json=as_json)
    return _recorded(plan, as_json=as_json)


def _planned(directory: Path, named: dict[str, Any]) -> tuple[SuitePlan | None, list[HarnessError]]:
    options = Options(**{name: named[name] for name in Options._fields if name not in {"recordings", "fixtures"}})
    options = options._replace(recordings=Path(named["recordings"]), fixtures=Path(named["fixtures"]))
    asked = SuiteOptions(**{name: named[name] for name in SuiteOptions._fields})
    source = directory if directory.name not in {"", ".."} else directory.resolve()
    return suite_plan_of(source, options, asked, environment(), time=now())


def _refused(problems: list[HarnessError], *, as_json: bool) -> int:
    if as_json:
        print_json({"run": None, "errors": [problem.facts() for problem in problems]})
    else:
        for problem in problems:
            say(problem)
    return exit_code_of([problem.exit_code for problem in problems])


def _recorded(plan: SuitePlan, *, as_json: bool) -> int:
    from harness.cli.suites.suite_run import recorded_suite
    from harness.cli.suites.suite_talk import json_of, lines_of, next_lines, progress

    try:
        run = recorded_suite(plan, progress())
    except HarnessError as error:
        return _refused([error], as_json=as_json)
    if as_json:
        print_json({**json_of(run, plan.directory), "errors": []})
    else:
        click.echo("\n".join(lines_of(run, plan.directory)))
        click.echo("\n".join(next_lines(run, plan.directory)), err=True)
    return 0
