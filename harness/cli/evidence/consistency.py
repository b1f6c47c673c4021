"""fc-judge consistency and adjudicate: whether runs of one evaluation agree, and a decision where they do not."""

import sys
from typing import TYPE_CHECKING

import click

from harness.cli.common import colours, print_json
from harness.cli.examples import CommandWithExamples
from harness.cli.options import DIRECTORY
from harness.cli.outputs import refuse_overwriting
from harness.excerpt import visible_of

if TYPE_CHECKING:
    from harness.evidence.adjudication import Decision
    from harness.evidence.review import Method

CONSISTENCY = """\
Examples:
  fc-judge consistency recordings/one recordings/two recordings/three --output recordings/consistency.json

The standard: at least 3 runs of the same cases, model, request (but the seed), agent and seven inputs, judged by the
same rules; every trial that is not skipped is PASS or FAIL; on at least 90 % of the cases all trials of all runs have
one verdict; no two runs differ beyond chance (paired test, 0.05 over the number of pairs).

Exit codes: 0 the standard holds; 1 it does not; 2 usage; 4 unreadable, or not runs of one evaluation.
"""

ADJUDICATE = """\
Examples:
  fc-judge adjudicate recordings/consistency.json --decision accept \\
      --reason "two of 72 cases are a coin at this temperature" --output recordings/adjudication.json

The decision holds for exactly these runs: it names the consistency check and its reports by hash.

Exit codes: 0 written; 2 usage, or the standard holds and there is nothing to decide; 4 unreadable.
"""


@click.command("consistency", cls=CommandWithExamples, epilog=CONSISTENCY)
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...", type=click.Path())
@click.option("--output", metavar="FILE", type=click.Path(), help="Write the check here; lock and adjudicate take it.")
@click.option("--json", "as_json", is_flag=True, help="The check as one JSON object on stdout.")
@click.option("--scenarios", type=DIRECTORY, default="scenarios", show_default=True, help="Where the suites are.")
@click.option("--suite", metavar="DIR", type=DIRECTORY, help="The runs' suite, where it is not among them.")
def consistency(runs: tuple[str, ...], *, output: str | None, as_json: bool, scenarios: str, suite: str | None) -> None:
    """Say per case whether runs of one evaluation agree, and whether they meet the standard.

    Each RUN is a run's directory or a report's file.
    """
    from pathlib import Path

    from harness.cli.evidence.evidence_files import member_of, named_apart, write_evidence
    from harness.errors import WrongOption
    from harness.evidence.consistency import consistency_of
    from harness.evidence.consistency_text import outline_of_consistency
    from harness.report.terminal import text_of

    if len(runs) < 2:  # noqa: PLR2004  one run agrees with itself
        raise WrongOption("to see whether runs agree takes two, and the standard asks for three", found=runs[0])
    refuse_overwriting({"--output": output}, runs, kind="consistency")
    members = [member_of(Path(run), Path(scenarios), Path(suite) if suite else None) for run in runs]
    found = consistency_of(named_apart(members))
    if output:
        write_evidence(Path(output), found)
    if as_json:
        print_json(found)
    else:
        click.echo(text_of(outline_of_consistency(found), colour=colours(sys.stdout)), nl=False)
    if output:
        click.echo(f"consistency: {visible_of(output)}", err=True)
    sys.exit(0 if found.holds else 1)


@click.command("adjudicate", cls=CommandWithExamples, epilog=ADJUDICATE)
@click.argument("check", metavar="CONSISTENCY", type=click.Path())
@click.option(
    "--decision", type=click.Choice(["accept", "reject"]), required=True, help="Whether these runs may count."
)
@click.option("--reason", metavar="TEXT", required=True, help="Why: it stands in the baseline.")
@click.option("--by", "name", metavar="NAME", help="Who decides.  [default: the login name]")
@click.option(
    "--method",
    type=click.Choice(["human", "assisted"]),
    help="Whose decision it is.  [default: human at a terminal, else assisted]",
)
@click.option("--output", metavar="FILE", type=click.Path(), required=True, help="The decision.")
@click.option("--json", "as_json", is_flag=True, help="The decision as one JSON object on stdout.")
def adjudicate(  # noqa: PLR0913  an option is an argument
    check: str,
    *,
    decision: "Decision",
    reason: str,
    name: str | None,
    method: "Method | None",
    output: str,
    as_json: bool,
) -> None:
    """Decide on runs that do not meet the standard, bound by hash to exactly these runs."""
    from pathlib import Path

    from harness.cli.environment import now
    from harness.cli.evidence.evidence_files import read_evidence, write_evidence
    from harness.cli.evidence.review_file import is_at_terminal, login_name
    from harness.errors import WrongOption
    from harness.evidence.adjudication import adjudication_of
    from harness.evidence.consistency import Consistency

    refuse_overwriting({"--output": output}, [check], kind="adjudication")
    adjudicator = (name or login_name()).strip()
    if not adjudicator or not reason.strip():
        raise WrongOption("a decision says who made it and why: --by NAME --reason TEXT")
    found = read_evidence(Path(check), Consistency)
    by_whom: Method = "human" if is_at_terminal() else "assisted"
    made = adjudication_of(
        found,
        decision=decision,
        reason=reason,
        adjudicator=adjudicator,
        method=method or by_whom,
        decided_on=now()[:10],
    )
    write_evidence(Path(output), made)
    if as_json:
        print_json(made)
    else:
        click.echo(visible_of(f"{made.decision}ed by {made.adjudicator}: {made.reason}"))
    click.echo(f"decision: {visible_of(output)}", err=True)
