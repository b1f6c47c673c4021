"""fc-replay diff: what two runs, fixtures or recordings do differently."""

import sys

import click

from harness.cli.examples import CommandWithExamples

EXAMPLES = """\
Examples:
  fc-replay diff old/refund.jsonl fixtures/refund.jsonl     two fixtures, or a fixture and a recording
  fc-replay diff recordings/monday recordings/tuesday       two runs of a suite, case by case
  fc-replay diff refund recordings/refund.jsonl.partial --json

Calls are set beside their likes by name and arguments; what nobody would call behaviour is left out: times, ids, token
counts, opaque blocks. Marks: ~ changed, + only in the second, - only in the first, > elsewhere in the order.
Exit codes: 0, also where they differ; with --exit-code 1 where they do; 2 usage; 4 unreadable input.
"""


@click.command("diff", cls=CommandWithExamples, epilog=EXAMPLES)
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@click.option("--whole", is_flag=True, help="Do not cut a long list of changes.")
@click.option("--exit-code", "exits", is_flag=True, help="Exit 1 where they differ.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def diff(before: str, after: str, *, whole: bool, exits: bool, as_json: bool) -> None:
    """Show what changed in behaviour from A to B: files, directories or ids."""
    from harness.cli.common import print_json
    from harness.cli.replaying.diffed import compared, json_of, lines_of

    found = compared(before, after)
    if as_json:
        print_json(json_of(found))
    else:
        click.echo("\n".join(lines_of(found, whole=whole)))
    sys.exit(1 if exits and any(one.differs for one in found) else 0)
