"""fc-judge: what was done, judged by fixed rules; offline, deterministic, no model involved."""

import sys
from pathlib import Path

import click

from harness.cli.common import Door, colours, print_json

EXAMPLES = """\
Examples:
  fc-judge fixtures                       every fixture by its assertions and its scenario's expect.yaml
  fc-judge fixtures/refund.jsonl --all    one fixture, every finding
  fc-judge recordings --expect my.yaml    recordings by a constraint spec of your own
  fc-judge suggest refund                 assertions that hold on fixtures/refund.jsonl, to choose from
  fc-judge lint scenarios fixtures        what is wrong with the expectations, and what they do not see

Exit codes: 0 all passed; 1 something failed; 2 usage; 4 unreadable input; 6 something was not judged, or nothing was.
"""

PATH = click.Path(path_type=Path)


class Judge(Door):
    """The door of fc-judge."""

    default = "judge"


@click.group(cls=Judge, epilog=EXAMPLES)
def main() -> None:
    """Judge fixtures and recordings."""


@main.command("judge")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PATH)
@click.option("--expect", metavar="FILE", type=PATH, help="Judge by this constraint spec, and by nothing else.")
@click.option("--scenarios", type=PATH, default="scenarios", show_default=True, help="Where the scenarios are.")
@click.option("--all", "every", is_flag=True, help="Show every finding of every case.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.option("--fail-under", type=click.FloatRange(0, 100), metavar="PERCENT", help="Exit 1 below this accuracy only.")
@click.option("--no-gate", is_flag=True, help="Exit 0 also where something failed or was not judged.")
def judge_paths(  # noqa: PLR0913  an option is an argument
    paths: tuple[Path, ...],
    *,
    expect: Path | None,
    scenarios: Path,
    every: bool,
    as_json: bool,
    fail_under: float | None,
    no_gate: bool,
) -> None:
    """Judge fixtures and recordings: files, or all in a directory."""
    from harness.cli.judged import Sources, judged_paths
    from harness.cli.verdicts import exit_codes_of, json_of, print_cases
    from harness.errors import exit_code_of

    judged = list(judged_paths(list(paths), Sources(scenarios, expect)))
    if as_json:
        print_json(json_of(judged))
    else:
        print_cases(judged, every=every, colour=colours(sys.stdout))
    sys.exit(exit_code_of(exit_codes_of(judged, fail_under=fail_under, gate=not no_gate)))


@main.command("suggest")
@click.argument("what", metavar="ID|PATH")
@click.option("--json", "as_json", is_flag=True, help="One JSON array on stdout.")
def suggest(what: str, *, as_json: bool) -> None:
    """Print assertions that hold on a fixture, for a person to choose from."""
    from harness.cli.judged import suggestions_for
    from harness.value import encode

    assertions = suggestions_for(what)
    if as_json:
        print_json(assertions)
        return
    for assertion in assertions:
        click.echo(encode(assertion).decode())
    click.echo("These hold on the trace. Choose those that must hold; write them between the brackets of", err=True)
    click.echo('{"type":"assertions","assertions":[]}, the last line of the fixture.', err=True)


@main.command("lint")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PATH)
@click.option("--scenarios", type=PATH, default="scenarios", show_default=True, help="Where the scenarios are.")
@click.option("--coverage", is_flag=True, help="Print what a suite covers, as a Markdown page.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def lint(paths: tuple[Path, ...], *, scenarios: Path, coverage: bool, as_json: bool) -> None:
    """Check expectations themselves: suites, expect.yaml and fixtures, or all in a directory."""
    if coverage:
        from harness.files import load_suite
        from harness.suite_coverage import coverage_of

        for path in paths:
            click.echo(coverage_of(load_suite(path)), nl=False)
        return
    from harness.cli.linted import exit_code, json_of, linted_paths, print_remarks

    checked = linted_paths(list(paths), scenarios)
    if as_json:
        print_json(json_of(checked))
    else:
        print_remarks(checked)
    sys.exit(exit_code(checked))
