"""fc-record promote: one conversation of a recording as a fixture that replays without the agent."""

import sys

import click

from harness.cli.examples import CommandWithExamples
from harness.cli.options import DIRECTORY

EXAMPLES = """\
Examples:
  fc-record promote recordings/tests-test_refund-test_late.jsonl --fixture-id late-refund
  fc-record promote recordings/proxy-20261130-052011.jsonl --conversation 2 --fixture-id late-refund

Written: fixtures/ID.jsonl, with what was said and what the tools answered, so that fc-replay needs no agent and no
tools. Its assertions are a person's: none at first, and kept when the recording is promoted again.
Next: fc-judge suggest ID prints assertions that hold, to choose from.
Exit codes: 0 written; 2 usage; 4 the recording cannot be read, or no fixture can be made of it; 5 the conversation
cannot be replayed.
"""
PATH = click.Path()


@click.command("promote", cls=CommandWithExamples, epilog=EXAMPLES)
@click.argument("recording", type=PATH)
@click.option("--fixture-id", required=True, metavar="ID", help="The fixture's name: kebab-case.")
@click.option("--conversation", type=click.IntRange(min=1), metavar="N", help="Which one, where there are several.")
@click.option("--title", help="What the fixture is about.  [its id in words]")
@click.option("--replace", is_flag=True, help="Write over a fixture that is another conversation's.")
@click.option("--fixtures", type=PATH, default="fixtures", show_default=True, help="Where fixtures go.")
@click.option("--recordings", type=DIRECTORY, default="recordings", show_default=True, help="Where recordings are.")
@click.option("--scenarios", type=DIRECTORY, default="scenarios", show_default=True, help="Where scenarios are.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def promote(  # noqa: PLR0913  click's values
    recording: str,
    *,
    fixture_id: str,
    conversation: int | None,
    title: str | None,
    replace: bool,
    fixtures: str,
    recordings: str,
    scenarios: str,
    as_json: bool,
) -> None:
    """Make a fixture of a conversation that was recorded in a test, through a proxy, or by import."""
    from pathlib import Path

    from harness.cli.common import print_json
    from harness.cli.recording.promoted import Wish, promoted
    from harness.cli.replaying.neighbours import places_of

    wish = Wish(Path(recording), fixture_id, conversation, title, replace, Path(fixtures))
    done = promoted(wish, places_of(scenarios, recordings))
    if as_json:
        print_json(done.facts())
    else:
        click.echo("\n".join(done.lines()))
    sys.exit(0)
