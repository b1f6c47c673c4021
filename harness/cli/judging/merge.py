"""fc-judge merge: the reports of shards, or of parts that were judged apart, as one."""

import sys

import click

from harness.cli.options import Finite


@click.command("merge")
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="The report on stdout, and nothing else.")
@click.option("--report", metavar="FILE", type=click.Path(), help="Write the report as JSON.")
@click.option("--html", metavar="FILE", type=click.Path(), help="Write the report as one HTML page.")
@click.option("--junit", metavar="FILE", type=click.Path(), help="Write the report as JUnit XML.")
@click.option("--markdown", metavar="FILE", type=click.Path(), help="Write a summary as Markdown; - is stdout.")
@click.option("--fail-under", type=Finite(0, 100), metavar="PERCENT", help="Exit 1 below this accuracy only.")
@click.option("--no-gate", is_flag=True, help="Exit 0 also where something failed or was not judged.")
def merge(  # noqa: PLR0913  an option is an argument
    reports: tuple[str, ...],
    *,
    as_json: bool,
    report: str | None,
    html: str | None,
    junit: str | None,
    markdown: str | None,
    fail_under: float | None,
    no_gate: bool,
) -> None:
    """Join the reports of all shards of a run: the same bytes as if it had been judged at once."""
    from pathlib import Path

    from harness.cli.judging.book import Forms
    from harness.cli.judging.desk import Wishes
    from harness.cli.judging.merged import merge_reports
    from harness.errors import exit_code_of

    forms = Forms(as_json, report, html, junit, markdown)
    wishes = Wishes(forms=forms, fail_under=fail_under, gate=not no_gate)
    sys.exit(exit_code_of(merge_reports(list(map(Path, reports)), wishes)))
