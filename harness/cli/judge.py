"""fc-judge: what was done, judged by fixed rules; offline, deterministic, no model involved."""

import sys

import click

from harness.cli.common import Door, print_json
from harness.cli.compare import compare
from harness.cli.consistency import adjudicate, consistency
from harness.cli.lock import lock
from harness.cli.review import review
from harness.cli.verify import verify

EXAMPLES = """\
Examples:
  fc-judge fixtures                       every fixture by its assertions and its scenario's expect.yaml
  fc-judge fixtures/refund.jsonl --all    one fixture, every finding
  fc-judge recordings --expect my.yaml    recordings by a constraint spec of your own
  fc-judge recordings/RUN --html out.html a suite's run by the golden calls of its cases, and a page about it
  fc-judge suggest refund                 assertions that hold on fixtures/refund.jsonl, to choose from
  fc-judge lint scenarios fixtures        what is wrong with the expectations, and what they do not see

Exit codes: 0 all passed; 1 something failed; 2 usage; 4 unreadable input; 6 something was not judged, or nothing was.
"""

# Texts, not pathlib's paths: importing that costs a tenth of what --help takes.
PATH = click.Path()


class Judge(Door):
    """The door of fc-judge."""

    default = "judge"


@click.group(cls=Judge, epilog=EXAMPLES)
def main() -> None:
    """Judge fixtures, recordings and runs."""


@main.command("judge")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PATH)
@click.option("--expect", metavar="FILE", type=PATH, help="Judge files by this constraint spec, and by nothing else.")
@click.option("--suite", metavar="DIR", type=PATH, help="Judge a run by this suite (default: the one it names).")
@click.option("--scenarios", type=PATH, default="scenarios", show_default=True, help="Where the scenarios are.")
@click.option("--all", "every", is_flag=True, help="Show every finding of every case.")
@click.option("--json", "as_json", is_flag=True, help="The report on stdout, and nothing else.")
@click.option("--report", metavar="FILE", type=PATH, help="Write the report as JSON.")
@click.option("--html", metavar="FILE", type=PATH, help="Write the report as one HTML page.")
@click.option("--junit", metavar="FILE", type=PATH, help="Write the report as JUnit XML.")
@click.option("--markdown", metavar="FILE", type=PATH, help="Write a summary as Markdown; - is stdout.")
@click.option("--fail-under", type=click.FloatRange(0, 100), metavar="PERCENT", help="Exit 1 below this accuracy only.")
@click.option("--no-gate", is_flag=True, help="Exit 0 also where something failed or was not judged.")
def judge_paths(  # noqa: PLR0913  an option is an argument
    paths: tuple[str, ...],
    *,
    expect: str | None,
    suite: str | None,
    scenarios: str,
    every: bool,
    as_json: bool,
    report: str | None,
    html: str | None,
    junit: str | None,
    markdown: str | None,
    fail_under: float | None,
    no_gate: bool,
) -> None:
    """Judge fixtures, recordings and runs: files, or all in a directory."""
    from pathlib import Path

    from harness.cli.judged import Sources
    from harness.cli.judging import Wishes, judge_all
    from harness.errors import exit_code_of

    wishes = Wishes(
        Sources(Path(scenarios), Path(expect) if expect else None),
        suite=Path(suite) if suite else None,
        every=every,
        as_json=as_json,
        report=report,
        html=html,
        junit=junit,
        markdown=markdown,
        fail_under=fail_under,
        gate=not no_gate,
    )
    sys.exit(exit_code_of(judge_all(list(map(Path, paths)), wishes)))


@main.command("suggest")
@click.argument("what", metavar="ID|PATH")
@click.option("--json", "as_json", is_flag=True, help="One JSON array on stdout.")
def suggest(what: str, *, as_json: bool) -> None:
    """Print assertions that hold on a fixture or a recording, for a person to choose from."""
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
def lint(paths: tuple[str, ...], *, scenarios: str, coverage: bool, as_json: bool) -> None:
    """Check expectations themselves: suites, expect.yaml and fixtures, or all in a directory."""
    from pathlib import Path

    if coverage:
        from harness.files import load_suite
        from harness.suite_coverage import coverage_of

        for path in paths:
            click.echo(coverage_of(load_suite(Path(path))), nl=False)
        return
    from harness.cli.linted import exit_code, json_of, linted_paths, print_remarks

    checked = linted_paths(list(map(Path, paths)), Path(scenarios))
    if as_json:
        print_json(json_of(checked))
    else:
        print_remarks(checked)
    sys.exit(exit_code(checked))


for command in (review, consistency, adjudicate, lock, verify, compare):
    main.add_command(command)
