"""fc-judge verify: a baseline proven by its evidence; without one, all committed evidence checked again."""

import sys
from typing import TYPE_CHECKING

import click

from harness.cli.common import colours, print_json, say
from harness.cli.examples import CommandWithExamples
from harness.cli.options import DIRECTORY
from harness.cli.said import discreet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.cli.evidence.evidence_found import Shelf
    from harness.errors import HarnessError

EXAMPLES = """\
Examples:
  fc-judge verify                                    every kind of evidence, a line each
  fc-judge verify recordings/baseline.json           one baseline

A baseline's reviews, consistency check and decision are found below --recordings by their hashes. Runs that are there
are judged again, and everything is derived from them; where some are not, the files are held against each other, and
nothing is proven. Without FILE, a line on stdout says of each kind: passed, failed, or absent where nothing is there to
be checked, or not a run that it is about. The line of the reviews is also that of the runs below --recordings (each is
what its recordings give) and of the reports there (each is what its run gives, judged again).

Exit codes: 0 all passed; 1 2 3 4 as the first problem says; 6 nothing failed, but something is absent.
"""


@click.command("verify", cls=CommandWithExamples, epilog=EXAMPLES)
@click.argument("baseline", metavar="[FILE]", required=False, type=click.Path())
@click.option("--recordings", type=DIRECTORY, default="recordings", show_default=True, help="Where evidence is.")
@click.option("--scenarios", type=DIRECTORY, default="scenarios", show_default=True, help="Where the suites are.")
@click.option("--fixtures", type=DIRECTORY, default="fixtures", show_default=True, help="Where the fixtures are.")
@click.option("--json", "as_json", is_flag=True, help="What was found as one JSON object on stdout.")
def verify(baseline: str | None, *, recordings: str, scenarios: str, fixtures: str, as_json: bool) -> None:
    """Prove a baseline; without FILE, check all committed evidence again."""
    from pathlib import Path

    from harness.cli.evidence.evidence_found import Places, Shelf

    shelf = Shelf(Places(Path(recordings), Path(scenarios)))
    if baseline is not None:
        sys.exit(_one(baseline, shelf, as_json=as_json))
    sys.exit(_all(shelf, fixtures, as_json=as_json))


def _one(file: str, shelf: "Shelf", *, as_json: bool) -> int:
    from pathlib import Path

    from harness.cli.evidence.evidence_files import read_evidence
    from harness.cli.evidence.verified import extent_of, proven
    from harness.evidence.baseline import Baseline
    from harness.evidence.baseline_text import lines_of_baseline
    from harness.report.terminal import text_of

    baseline = read_evidence(Path(file), Baseline)
    found, problems = proven(Path(file), baseline, shelf)
    if as_json:
        print_json(
            {
                "proven": found.complete and not problems,
                "extent": extent_of(found),
                "errors": [one.facts() for one in problems],
            }
        )
    elif not problems:
        click.echo(f"{'proven' if found.complete else 'not proven, nor contradicted'}: {extent_of(found)}")
        click.echo(text_of(lines_of_baseline(baseline), colour=colours(sys.stdout)), nl=False)
    return _refused(problems, as_json=as_json) or (0 if found.complete else 6)


def _all(shelf: "Shelf", fixtures: str, *, as_json: bool) -> int:
    from pathlib import Path

    from harness.cli.evidence.verified import checked_evidence

    checks = []
    for one in checked_evidence(shelf, Path(fixtures)):
        checks.append(one)
        if as_json:
            continue
        click.echo(f"{one.name}_validation={one.state}")
        for note in one.notes:
            click.echo(f"  {note}", err=True)
        _refused(one.problems, as_json=False)
    if as_json:
        print_json(
            {
                f"{one.name}_validation": {
                    "state": one.state,
                    "count": one.number,
                    "notes": one.notes,
                    "errors": [error.facts() for error in one.problems],
                }
                for one in checks
            }
        )
    code = _refused([error for one in checks for error in one.problems], as_json=True)
    return code or (6 if any(one.state == "absent" for one in checks) else 0)


def _refused(problems: "Sequence[HarnessError]", *, as_json: bool) -> int:
    """The exit code of these problems, each said on stderr unless they stand in the JSON."""
    from harness.errors import exit_code_of

    for one in [] if as_json else problems:
        say(one)
    return exit_code_of([one.exit_code for one in problems])


if __name__ == "__main__":
    with discreet():
        verify(prog_name="fc-judge verify")
