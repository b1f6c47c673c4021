"""fc-replay: recorded runs played again offline, held against today's scenario, and judged; no key, no network."""

import sys
from typing import TYPE_CHECKING

import click

from harness.cli.common import Door, colours, print_json
from harness.cli.options import DIRECTORY
from harness.cli.replaying.diff import diff
from harness.cli.replaying.serve import serve

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from harness.cli.replaying.outcomes import Outcome
    from harness.playback import Mode

EXAMPLES = """\
Examples:
  fc-replay                               every fixture of fixtures/, played again and judged
  fc-replay fixtures/refund.jsonl         one fixture; fc-replay refund is the same
  fc-replay --tools compare               also run today's tools and report each result that changed
  fc-replay check                         only the static half: form, hashes, schemas, orphans, secrets
  fc-replay show refund                   the conversation of fixtures/refund.jsonl, as a person would read it
  fc-replay diff old.jsonl refund         what changed in behaviour between two runs
  fc-replay serve refund -- node a.mjs    a program in any language, answered from recordings/refund.jsonl

Exit codes: 0 all good; 1 judged, something failed; 2 usage; 3 stale: the scenario drifted; 4 unreadable input;
5 the replay diverged; 6 something was not judged, or nothing was. Of several, the first of 2 4 5 3 1 6.
"""

PATH = click.Path()  # as text: pathlib costs --help 4 ms


class Replay(Door):
    """The door of fc-replay."""

    default = "run"


@click.group(cls=Replay, epilog=EXAMPLES)
def main() -> None:
    """Play fixtures again and judge them."""


@main.command("run")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=PATH)
@click.option(
    "--tools",
    type=click.Choice(["recorded", "compare", "live"]),
    default="recorded",
    show_default=True,
    help="What answers the calls: the recording; the recording, compared with the world's answers; the world.",
)
@click.option("--scenarios", type=DIRECTORY, default="scenarios", show_default=True, help="Where the scenarios are.")
@click.option("--recordings", type=DIRECTORY, default="recordings", show_default=True, help="Where the recordings are.")
@click.option("--all", "every", is_flag=True, help="Show every finding of every fixture.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.option("--no-gate", is_flag=True, help="Exit 0 also where something failed or was not judged.")
def run_paths(  # noqa: PLR0913  an option is an argument
    paths: tuple[str, ...],
    *,
    tools: "Mode",
    scenarios: str,
    recordings: str,
    every: bool,
    as_json: bool,
    no_gate: bool,
) -> None:
    """Play fixtures again and judge them: files, or all in a directory (default: fixtures/)."""
    from harness.cli.environment import environment, secrets_of
    from harness.cli.replaying.neighbours import places_of
    from harness.cli.replaying.played import Settings
    from harness.cli.replaying.replayed import not_run, replayed_paths
    from harness.files import installed_version

    secrets = secrets_of(environment()) if tools != "recorded" else []
    settings = Settings(tools, places_of(scenarios, recordings), installed_version(), secrets)
    told = _told(replayed_paths(_paths(paths), settings), every=every, as_json=as_json)
    if not as_json and (note := not_run(told, settings)):
        click.echo(note, err=True)
    _end(told, as_json=as_json, gate=not no_gate)


@main.command("check")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=PATH)
@click.option("--scenarios", type=DIRECTORY, default="scenarios", show_default=True, help="Where the scenarios are.")
@click.option("--recordings", type=DIRECTORY, default="recordings", show_default=True, help="Where the recordings are.")
@click.option("--no-derive", is_flag=True, help="Do not compare fixtures with what their recordings give.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def check_paths(paths: tuple[str, ...], *, scenarios: str, recordings: str, no_derive: bool, as_json: bool) -> None:
    """Check fixtures without playing them: form, hashes, schemas, pairs, orphans, secrets, derivation."""
    from harness.cli.environment import environment, secrets_of
    from harness.cli.replaying.checked import Plan, checked_paths
    from harness.cli.replaying.neighbours import places_of
    from harness.files import installed_version

    secrets = secrets_of(environment())
    plan = Plan(places_of(scenarios, recordings), installed_version(), secrets, derive=not no_derive)
    _end(_told(checked_paths(_paths(paths), plan), every=False, as_json=as_json), as_json=as_json, gate=True)


@main.command("show")
@click.argument("what", metavar="PATH|ID")
@click.option("--whole", is_flag=True, help="Do not cut long results.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array on stdout, a conversation an element.")
def show(what: str, *, whole: bool, as_json: bool) -> None:
    """Print the conversation of a fixture or a recording (also of one that was cut off) for people to read."""
    from harness.cli.replaying.shown import conversations_in, json_of, text_of

    if as_json:
        print_json([json_of(one) for one in conversations_in(what)])
        return
    texts = [text_of(one, colour=colours(sys.stdout), whole=whole) for one in conversations_in(what)]
    click.echo("\n\n".join(texts))


main.add_command(diff)
main.add_command(serve)


def _paths(written: "Sequence[str]") -> "list[Path]":
    from pathlib import Path

    return [Path(one) for one in written]


def _told(outcomes: "Iterable[Outcome]", *, every: bool, as_json: bool) -> "list[Outcome]":
    """All outcomes; each is printed when it is there, unless JSON is asked for."""
    from harness.cli.replaying.outcomes import lines_of

    told = []
    for outcome in outcomes:
        told.append(outcome)
        if not as_json:
            click.echo("\n".join(lines_of(outcome, every=every, colour=colours(sys.stdout))))
    return told


def _end(outcomes: "list[Outcome]", *, as_json: bool, gate: bool) -> None:
    from harness.cli.replaying.outcomes import exit_codes_of, json_of, summary_of, warning_lines
    from harness.errors import exit_code_of

    code = exit_code_of(exit_codes_of(outcomes, gate=gate))
    if as_json:
        print_json(json_of(outcomes, code))
    else:
        click.echo("\n".join([*warning_lines(outcomes), summary_of(outcomes)]))
    sys.exit(code)
