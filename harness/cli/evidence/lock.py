"""fc-judge lock: a reviewed report, bound to model, request, configuration, date and inputs, for later runs to meet."""

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from harness.cli.common import colours, print_json, say
from harness.cli.examples import CommandWithExamples
from harness.cli.options import DIRECTORY, FILE
from harness.cli.outputs import refuse_overwriting
from harness.excerpt import visible_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.errors import HarnessError
    from harness.evidence.baseline import Baseline, Evidence

EXAMPLES = """\
Examples:
  fc-judge lock --review recordings/one/review.json --consistency recordings/consistency.json \\
      --output recordings/baseline.json
  fc-judge lock … --adjudication recordings/adjudication.json     where the runs do not meet the standard
  fc-judge recordings/new --baseline recordings/baseline.json     hold a run to it

The report of the first --review becomes the canonical one. Refused are: answers that are open, given by no person
(unless --allow-assisted; the baseline then says so), goldens or verdicts that were found wrong, runs that do not meet
the standard, evidence that was made for something else or is given twice, and a --date to come or before the runs. A
baseline that stands at --output is first kept, byte for byte, in baseline_history/ beside it.

What a baseline is locked with must lie below --recordings: there verify finds it again, by its hash.

Exit codes: 0 locked; 1 goldens, judge or consistency found wanting; 2 usage, or not a person's; 4 unreadable, or made
for something else; 6 the review is not finished.
"""


class Options(NamedTuple):
    """What a baseline is made of, and where it goes."""

    reviews: tuple[str, ...]
    consistency: str
    adjudication: str | None
    output: str
    allow_assisted: bool
    date: str | None
    recordings: str
    scenarios: str
    runs: tuple[str, ...]


@click.command("lock", cls=CommandWithExamples, epilog=EXAMPLES)
@click.argument("runs", nargs=-1, metavar="[RUN]...", type=click.Path())
@click.option("--review", "reviews", metavar="FILE", multiple=True, required=True, type=FILE, help="A review.")
@click.option("--consistency", metavar="FILE", required=True, type=FILE, help="How the runs agree.")
@click.option("--adjudication", metavar="FILE", type=FILE, help="The decision on runs that do not.")
@click.option("--output", metavar="FILE", required=True, type=click.Path(), help="The baseline.")
@click.option("--allow-assisted", is_flag=True, help="Take answers and decisions that no person gave.")
@click.option("--date", metavar="YYYY-MM-DD", help="Its date, none to come.  [default: today, UTC]")
@click.option("--recordings", type=DIRECTORY, default="recordings", show_default=True, help="Where the runs are.")
@click.option("--scenarios", type=DIRECTORY, default="scenarios", show_default=True, help="Where the suites are.")
@click.option("--json", "as_json", is_flag=True, help="The baseline, or every reason against it, as JSON on stdout.")
def lock(*, as_json: bool, **named: Any) -> None:  # noqa: ANN401  `Options` says what they are
    """Lock a reviewed report as the baseline of later runs.

    RUN names runs or reports that are not below --recordings.
    """
    from pathlib import Path

    from harness.cli.evidence.archive import put_baseline
    from harness.errors import WrongOption
    from harness.evidence.baseline import baseline_of
    from harness.evidence.locking import before_its_runs, problems_of

    options = Options(**named)
    read = [*options.runs, *options.reviews, options.consistency, options.adjudication or options.consistency]
    refuse_overwriting({"--output": options.output}, read, kind="baseline")
    date = _date(options.date)
    evidence, lost = _evidence(options)
    problems = lost or problems_of(evidence, allow_assisted=options.allow_assisted)
    if problems:
        _refuse(problems, as_json=as_json)
    if late := before_its_runs(date, evidence.members):
        raise WrongOption(f"--date: {late}", found=date)
    baseline = baseline_of(evidence, locked_on=date)
    archive = put_baseline(Path(options.output), baseline)
    _tell(baseline, as_json=as_json)
    if archive is not None:
        click.echo(f"the baseline before is kept: {visible_of(str(archive))}", err=True)
    click.echo(f"baseline: {visible_of(options.output)}", err=True)


def _evidence(options: Options) -> "tuple[Evidence, Sequence[HarnessError]]":
    """The evidence, and a refusal for each run that is not there and each file that verify would not find again."""
    from pathlib import Path

    from harness.cli.evidence.evidence_files import read_evidence
    from harness.cli.evidence.evidence_found import Places, Shelf, elsewhere
    from harness.evidence.adjudication import Adjudication
    from harness.evidence.baseline import Evidence, Named
    from harness.evidence.consistency import Consistency
    from harness.evidence.review import Review

    check = read_evidence(Path(options.consistency), Consistency)
    places = Places(Path(options.recordings), Path(options.scenarios))
    shelf = Shelf(places, [Path(run) for run in options.runs])
    members = [shelf.member(run) for run in check.runs]
    evidence = Evidence(
        [one for one in members if one is not None],
        [Named(file, read_evidence(Path(file), Review)) for file in options.reviews],
        check,
        options.consistency,
        read_evidence(Path(options.adjudication), Adjudication) if options.adjudication else None,
        options.adjudication or "",
    )
    return evidence, [*shelf.lost(check.runs), *elsewhere(evidence, places.recordings)]


def _date(written: str | None) -> str:
    from datetime import date

    from harness.cli.environment import now
    from harness.errors import WrongOption

    today = now()[:10]
    try:
        day = date.fromisoformat(written or today).isoformat()
    except ValueError:
        raise WrongOption("--date is a day", expected="YYYY-MM-DD", found=written) from None
    if day > today:
        raise WrongOption("--date: nothing is locked on a day to come", expected=f"{today} (UTC) or before", found=day)
    return day


def _refuse(problems: "Sequence[HarnessError]", *, as_json: bool) -> None:
    from harness.errors import exit_code_of

    if as_json:
        print_json({"baseline": None, "errors": [one.facts() for one in problems]})
    else:
        for one in problems:
            say(one)
    sys.exit(exit_code_of([one.exit_code for one in problems]))


def _tell(baseline: "Baseline", *, as_json: bool) -> None:
    from harness.evidence.baseline_text import lines_of_baseline
    from harness.report.terminal import text_of

    if as_json:
        print_json({"baseline": baseline, "errors": []})
    else:
        click.echo(text_of(lines_of_baseline(baseline), colour=colours(sys.stdout)), nl=False)
