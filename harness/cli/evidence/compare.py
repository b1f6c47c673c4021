"""fc-judge compare: two runs or more, paired by case, with what chance does beside what they did."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from harness.cli.common import colours, print_json
from harness.cli.examples import CommandWithExamples
from harness.cli.options import DIRECTORY
from harness.cli.outputs import refuse_overwriting

if TYPE_CHECKING:
    from pathlib import Path

    from harness.evidence.comparison import Comparison, Price
    from harness.evidence.consistency import Member

_DEAREST = 1_000_000  # beyond it a cost would be no number that JSON can say

EXAMPLES = """\
Examples:
  fc-judge compare recordings/before recordings/after
  fc-judge compare a.json b.json c.json --html compared.html --markdown compared.md
  fc-judge compare recordings/small recordings/large --price small=0.1,0.4 --price large=2,8,0.5

Each A, B … is a run's directory or a report's file; every one is held against the first. Single trials: exact McNemar;
repeated ones: a paired bootstrap of 10,000, scenarios drawn whole, seeded by the hashes of the inputs. Below p = 0.05
a run scores higher or lower; else no difference is shown, which is not that there is none.

Exit codes: 0 compared; 2 usage; 4 unreadable, or judged by other rules.
"""


@click.command("compare", cls=CommandWithExamples, epilog=EXAMPLES)
@click.argument("runs", nargs=-1, required=True, metavar="A B...", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="The comparison as one JSON object on stdout.")
@click.option("--output", metavar="FILE", type=click.Path(), help="Write the comparison as JSON.")
@click.option("--html", metavar="FILE", type=click.Path(), help="Write it as one HTML page.")
@click.option("--markdown", metavar="FILE", type=click.Path(), help="Write it as Markdown; - is stdout.")
@click.option("--price", "prices", metavar="RUN=IN,OUT[,CACHED]", multiple=True, help="Money for a million tokens.")
@click.option("--scenarios", type=DIRECTORY, default="scenarios", show_default=True, help="Where the suites are.")
@click.option("--suite", metavar="DIR", type=DIRECTORY, help="The runs' suite, where it is not among them.")
def compare(  # noqa: PLR0913  an option is an argument
    runs: tuple[str, ...],
    *,
    as_json: bool,
    output: str | None,
    html: str | None,
    markdown: str | None,
    prices: tuple[str, ...],
    scenarios: str,
    suite: str | None,
) -> None:
    """Compare runs case by case: flips both ways, differences, what they took."""
    from pathlib import Path

    from harness.errors import WrongOption
    from harness.evidence.comparison import comparison_of

    if len(runs) < 2:  # noqa: PLR2004  one run has nothing to be compared with
        raise WrongOption("a comparison takes two runs or more", found=runs[0])
    written = {"--json": "-" if as_json else None, "--output": output, "--html": html, "--markdown": markdown}
    refuse_overwriting(written, runs, kind="comparison")
    members = _members(runs, Path(scenarios), Path(suite) if suite else None)
    found = comparison_of(members, _prices(prices, [one.name for one in members]))
    _write(found, output, html, markdown)
    if as_json:
        print_json(found)
    elif markdown != "-":
        _tell(found)


def _members(paths: Sequence[str], scenarios: "Path", suite: "Path | None") -> "list[Member]":
    """Runs and reports by their paths; one whose inputs have changed since is taken, and the comparison says so."""
    from pathlib import Path

    from harness.cli.evidence.evidence_files import named_apart, run_taken
    from harness.evidence.consistency import Member

    loaded = [run_taken(Path(path), scenarios, suite) for path in paths]
    return named_apart([Member(one.name, one.report, one.run, one.recorded) for one in loaded])


def _prices(written: tuple[str, ...], names: list[str]) -> "dict[str, Price]":
    """The prices by the runs' names; raises `WrongOption`."""
    from decimal import Decimal, InvalidOperation

    from harness.errors import UnknownName, WrongOption
    from harness.evidence.comparison import Price
    from harness.nearest import nearest_of

    prices = {}
    for one in written:
        name, _, amounts = one.rpartition("=")
        try:
            numbers = [Decimal(part) for part in amounts.split(",")]
        except InvalidOperation:
            numbers = []
        if len(numbers) not in (2, 3) or not all(n.is_finite() and 0 <= n <= _DEAREST for n in numbers):
            expected = f"RUN=IN,OUT[,CACHED], each from 0 to {_DEAREST}"
            raise WrongOption("--price is money for a million tokens", expected=expected, found=one)
        if name not in names:
            raise UnknownName(f"run {name}", expected=", ".join(names), nearest=nearest_of(name, names))
        if name in prices:
            raise WrongOption(f"--price {name} is said twice, and one of them would be lost")
        prices[name] = Price(numbers[0], numbers[1], numbers[-1] if len(numbers) > 2 else numbers[0])  # noqa: PLR2004
    return prices


def _write(found: "Comparison", output: str | None, html: str | None, markdown: str | None) -> None:
    from pathlib import Path

    from harness.cli.evidence.evidence_files import put
    from harness.evidence.comparison_page import page_of_comparison
    from harness.evidence.comparison_text import outline_of_comparison
    from harness.evidence.documents import bytes_of_document
    from harness.report.markdown import markdown_of_blocks

    if output:
        put(Path(output), bytes_of_document(found))
    if html:
        put(Path(html), page_of_comparison(found))
    if markdown:
        text = markdown_of_blocks(outline_of_comparison(found), title="fc-judge compare")
        if markdown == "-":
            click.echo(text, nl=False)
        else:
            put(Path(markdown), text.encode())


def _tell(found: "Comparison") -> None:
    import shutil

    from harness.evidence.comparison_text import outline_of_comparison
    from harness.report.terminal import text_of

    width = max(shutil.get_terminal_size().columns, 80)
    click.echo(text_of(outline_of_comparison(found), colour=colours(sys.stdout), width=width), nl=False)
