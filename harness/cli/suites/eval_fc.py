"""One evaluation from end to end, for `make eval-fc`: record a suite, check the run, judge it offline, report.

Settings come from the environment or `.env`, so that one line in a Makefile is enough:
EVAL_MODE=1 says that a live model may be asked; EVAL_PROVIDER, EVAL_MODEL, EVAL_API, EVAL_BASE_URL, EVAL_PARAMS
(`temperature=0 seed=7`), EVAL_EXTRA_BODY, EVAL_TRIALS, EVAL_CONCURRENCY stand for the options of fc-record;
EVAL_RESUME names a run to go on with.
"""

import shlex
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import click

from harness import errors, files
from harness.cli.common import Door, say
from harness.cli.environment import environment, now
from harness.cli.suites.run_files import run_problems
from harness.cli.suites.suite_plan import default_id
from harness.report.reading import read_report
from harness.suite import Suite

REPORT = "report.json"
_OPTIONS = {
    "EVAL_PROVIDER": "--provider",
    "EVAL_MODEL": "--model",
    "EVAL_API": "--api",
    "EVAL_BASE_URL": "--base-url",
    "EVAL_EXTRA_BODY": "--extra-body",
    "EVAL_TRIALS": "--trials",
    "EVAL_CONCURRENCY": "--concurrency",
}


class Evaluation(Door):
    """The door of `python -m harness.cli.suites.eval_fc`."""

    default = "evaluate"


@click.group(cls=Evaluation)
def main() -> None:
    """Record, check, judge and report a suite."""


@main.command("evaluate")
@click.argument("suite", type=click.Path())
@click.argument("cases", nargs=-1, metavar="[CASE]...")
@click.option("--recordings", type=click.Path(), default="recordings", show_default=True, help="Where runs go.")
def evaluate(suite: str, cases: tuple[str, ...], *, recordings: str) -> None:
    """Record, check, judge and report a suite; 0 whatever the score."""
    variables = environment()
    directory = Path(suite)
    _check_mode(variables)
    loaded = files.load_suite(directory)
    run = _run_of(loaded, variables, Path(recordings))
    try:
        _call("fc-record", suite, *_words(cases, variables), *_naming(run, variables), "--recordings", recordings)
    except SystemExit as end:
        if end.code == errors.UsageError.exit_code:
            _say_settings(variables)
        raise
    _check(run, loaded)
    report = run / REPORT
    _call("fc-judge", str(run), "--suite", suite, "--report", str(report), "--no-gate")
    read_report(files.read_bytes(report), file=str(report))
    click.echo(f"raw_run={run}\nreport_path={report}\neval_fc=passed")


def _check_mode(variables: Mapping[str, str]) -> None:
    if variables.get("EVAL_MODE", "").strip() != "1":
        sentence = "EVAL_MODE is not 1: an evaluation asks a live model, which may cost money"
        raise errors.WrongOption(sentence, expected="EVAL_MODE=1 in the environment or in .env")


def _run_of(suite: Suite, variables: Mapping[str, str], recordings: Path) -> Path:
    """The run's directory; raises `WrongOption` where nobody says which model is to be asked."""
    if resumed := variables.get("EVAL_RESUME"):
        return recordings / resumed
    said = suite.config.model
    model = variables.get("EVAL_MODEL") or said.name
    local = variables.get("EVAL_BASE_URL") or said.base_url
    if not model:
        raise errors.WrongOption("no model is named: EVAL_MODEL=NAME, or name in [model] of suite.toml")
    if not (variables.get("EVAL_PROVIDER") or said.provider or local):
        raise errors.WrongOption("no provider is named: EVAL_PROVIDER=NAME, or provider in [model] of suite.toml")
    return recordings / default_id(suite.id, model, now())


def _words(cases: tuple[str, ...], variables: Mapping[str, str]) -> list[str]:
    """The options of fc-record that the settings stand for."""
    named = [word for case in cases for word in ("--case", case)]
    named += [word for name, flag in _OPTIONS.items() if variables.get(name) for word in (flag, variables[name])]
    return named + [word for param in shlex.split(variables.get("EVAL_PARAMS", "")) for word in ("--param", param)]


def _say_settings(variables: Mapping[str, str]) -> None:
    """Where each option came from that fc-record may have refused: nobody typed one."""
    flags = {**_OPTIONS, "EVAL_PARAMS": "--param", "EVAL_RESUME": "--resume"}
    given = [f"{flag} is {name}" for name, flag in flags.items() if variables.get(name)]
    if given:
        click.echo(f"  settings: {', '.join(given)}, in the environment or in .env", err=True)


def _naming(run: Path, variables: Mapping[str, str]) -> list[str]:
    return ["--resume" if variables.get("EVAL_RESUME") else "--run-id", run.name]


def _call(command: str, *words: str) -> None:
    """Run one of the commands, its results on stderr: stdout is for the three lines; ends as it ends."""
    scripts = Path(sysconfig.get_path("scripts"))
    with subprocess.Popen([str(scripts / command), *words], stdout=sys.stderr.fileno()) as running:  # noqa: S603
        # Ctrl-C goes to the command, too, which keeps what is finished: wait for it. SIGTERM is handed on.
        stops = {signal.SIGINT: lambda *_: None, signal.SIGTERM: lambda number, _: running.send_signal(number)}
        before = {one: signal.signal(one, stop) for one, stop in stops.items()}
        try:
            code = running.wait()
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)
    if code:
        sys.exit(code)


def _check(run: Path, suite: Suite) -> None:
    problems = run_problems(run, suite)
    for problem in problems:
        say(problem)
    if problems:
        sys.exit(errors.InputError.exit_code)


if __name__ == "__main__":
    main(prog_name="eval-fc")
