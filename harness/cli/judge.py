"""fc-judge: what was done, judged by fixed rules; offline, deterministic, no model involved."""

import sys

import click

from harness.cli.common import Door, print_json
from harness.cli.evidence.compare import compare
from harness.cli.evidence.consistency import adjudicate, consistency
from harness.cli.evidence.lock import lock
from harness.cli.evidence.review import review
from harness.cli.evidence.verify import verify
from harness.cli.judging.merge import merge
from harness.cli.options import DIRECTORY, FILE, Finite, Jobs
from harness.errors import WrongOption

EXAMPLES = """\
Examples:
  fc-judge fixtures                       every fixture by its assertions and its scenario's expect.yaml
  fc-judge refund --all                   fixtures/refund.jsonl, every finding
  fc-judge one.jsonl --expect my.yaml     fixtures or recordings by a constraint spec of your own
  fc-judge recordings/RUN --html out.html a suite's run by the golden calls of its cases, and a page about it
  fc-judge recordings/RUN --baseline recordings/baseline.json
                                          what got worse and better since, and whether that is more than chance
  fc-judge suggest refund                 assertions that hold on fixtures/refund.jsonl, to choose from
  fc-judge recordings --jobs 8            the same bytes as with one job; --shard 2/5 judges a fifth, merge joins them
  fc-judge lint scenarios fixtures        what is wrong with the expectations, and what they do not see

"holds up to" names how far a run was right, each step counting the ones before: selection of tools, then arguments,
order, effects on the world.

Exit codes: 0 all passed; 1 something failed; 2 usage; 3 the scenario of something is not there; 4 unreadable input;
6 something was not judged, or nothing was; 130 interrupted (reports hold what was judged by then, and say so).
"""

# Texts, not pathlib's paths: importing that costs a tenth of what --help takes.
PATH = click.Path()


class Judge(Door):
    """The door of fc-judge."""

    default = "judge"


def _share(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """`2/5`: the second of five."""
    if value is None:
        return None
    index, _, count = value.partition("/")
    if not (index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count)):
        raise click.BadParameter(f"{value!r} is not I/N: the I-th of N, counted from 1", ctx, param)
    return int(index), int(count)


@click.group(cls=Judge, epilog=EXAMPLES)
def main() -> None:
    """Judge fixtures, recordings and runs."""


@main.command("judge")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PATH)
@click.option("--expect", metavar="FILE", type=FILE, help="Judge files by this constraint spec, and by nothing else.")
@click.option("--suite", metavar="DIR", type=DIRECTORY, help="Judge a run by this suite (default: the one it names).")
@click.option("--scenarios", type=DIRECTORY, default="scenarios", show_default=True, help="Where the scenarios are.")
@click.option("--all", "every", is_flag=True, help="Show every finding of every case.")
@click.option("--json", "as_json", is_flag=True, help="The report on stdout, and nothing else.")
@click.option("--report", metavar="FILE", type=PATH, help="Write the report as JSON.")
@click.option("--html", metavar="FILE", type=PATH, help="Write the report as one HTML page.")
@click.option("--junit", metavar="FILE", type=PATH, help="Write the report as JUnit XML.")
@click.option("--markdown", metavar="FILE", type=PATH, help="Write a summary as Markdown; - is stdout.")
@click.option("--fail-under", type=Finite(0, 100), metavar="PERCENT", help="Exit 1 below this accuracy only.")
@click.option("--no-gate", is_flag=True, help="Exit 0 also where something failed or was not judged.")
@click.option("--baseline", metavar="FILE", type=FILE, help="Hold a run to a baseline: exit 1 where it got worse only.")
@click.option("--strict", is_flag=True, help="With --baseline: any case that passes less often fails the run.")
@click.option("--allow-changed", metavar="NAME", multiple=True, help="With --baseline: what is tried: prompt, model, …")
@click.option("--jobs", type=Jobs(), default=1, metavar="N", help="Judge with N processes, at most 4 a processor.")
@click.option("--shard", metavar="I/N", callback=_share, help="Judge this share of it all (see merge).")
def judge_paths(  # noqa: PLR0913  an option is an argument
    paths: tuple[str, ...],
    *,
    expect: str | None,
    suite: str | None,
    scenarios: str,
    every: bool,
    as_json: bool,
    fail_under: float | None,
    no_gate: bool,
    baseline: str | None,
    strict: bool,
    allow_changed: tuple[str, ...],
    jobs: int,
    shard: tuple[int, int] | None,
    **written: str | None,
) -> None:
    """Judge fixtures, recordings and runs: files, or all in a directory."""
    from pathlib import Path

    from harness.cli.judging.book import Forms
    from harness.cli.judging.desk import Wishes
    from harness.cli.judging.gated import held_by
    from harness.cli.judging.judged import Sources
    from harness.cli.judging.judging import judge_all
    from harness.errors import exit_code_of
    from harness.report.report import Shard

    wishes = Wishes(
        Sources(Path(scenarios), Path(expect) if expect else None),
        suite=Path(suite) if suite else None,
        every=every,
        forms=Forms(as_json, **written),
        fail_under=fail_under,
        gate=not no_gate,
        jobs=jobs,
        shard=Shard(*shard) if shard else None,
        held=held_by(baseline, strict=strict, allowed=allow_changed, alone=fail_under is None and shard is None),
    )
    sys.exit(exit_code_of(judge_all(list(map(Path, paths)), wishes)))


@main.command("suggest")
@click.argument("what", metavar="ID|PATH")
@click.option("--write", is_flag=True, help="Write them all into the fixture's last line, if that is empty.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array on stdout.")
def suggest(what: str, *, write: bool, as_json: bool) -> None:
    """Print assertions that hold on a fixture or a recording, for a person to choose from."""
    from harness.cli.judging.suggested import suggested_for, write_into
    from harness.excerpt import visible_of
    from harness.value import encode

    found = suggested_for(what)
    if write:
        write_into(found)
    if as_json:
        print_json(found.assertions)
        return
    for assertion in found.assertions:
        click.echo(encode(assertion).decode())
    click.echo(found.line)
    if write:
        click.echo(
            f"Written into {visible_of(str(found.path))}: take out of its last line what need not hold.", err=True
        )
        return
    click.echo("These hold. The last line is all of them, and can stand as the fixture's last line", err=True)
    click.echo("(--write puts it there): take out what need not hold.", err=True)


@main.command("lint")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PATH)
@click.option("--scenarios", type=DIRECTORY, default="scenarios", show_default=True, help="Where the scenarios are.")
@click.option("--coverage", is_flag=True, help="Print what a suite covers, as a Markdown page.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def lint(paths: tuple[str, ...], *, scenarios: str, coverage: bool, as_json: bool) -> None:
    """Check expectations themselves: suites, expect.yaml and fixtures, or all in a directory."""
    from pathlib import Path

    if coverage:
        if as_json:
            raise WrongOption("--coverage is a Markdown page; leave --json out")
        from harness.files import load_suite
        from harness.suite_coverage import coverage_of

        for path in paths:
            click.echo(coverage_of(load_suite(Path(path))), nl=False)
        return
    from harness.cli.judging.linted import exit_code, json_of, linted_paths, print_remarks

    checked = linted_paths(list(map(Path, paths)), Path(scenarios))
    if as_json:
        print_json(json_of(checked))
    else:
        print_remarks(checked)
    sys.exit(exit_code(checked))


for command in (review, consistency, adjudicate, lock, verify, compare):
    main.add_command(command)


main.add_command(merge)
