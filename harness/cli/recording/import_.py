"""fc-record import: what other tools wrote down, as recordings."""

import os
import sys
from typing import TYPE_CHECKING

import click

from harness.cli.common import print_json
from harness.cli.options import Jobs

if TYPE_CHECKING:
    from harness.importers.many import Done

EXAMPLES = """\
Examples:
  fc-record import auto tests/cassettes         every file of a known format, and what was seen
  fc-record import vcr chat.yaml                a cassette of vcrpy, pytest-recording, cassetter or go-vcr
  fc-record import tau-bench results.json --output recordings/airline

Formats: auto, vcr, har, http, sse, tau-bench, tau2-bench, inspect, bfcl, otlp, aimock, fixture, openai-messages,
anthropic-messages, and those of installed packages (entry points `harness.importers`).
A file becomes recordings/NAME.jsonl; several conversations become several recordings in it, NAME-1, NAME-2 …
Formats that hold no bytes of the wire are written as the API's own requests and answers. What is written is scrubbed.
Exit codes: 0 imported; 2 usage, or a recording would be replaced; 4 a file could not be read, or nothing was found.
"""
FEW = 20


class _Import(click.Command):
    """The command, with its examples as they are written."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        formatter.write(f"\n{EXAMPLES.rstrip()}\n")


@click.command("import", cls=_Import)
@click.argument("format_", metavar="FORMAT")
@click.argument("paths", nargs=-1, required=True, metavar="FILE...", type=click.Path())
@click.option("--output", type=click.Path(), default="recordings", show_default=True, metavar="DIR")
@click.option("--replace", is_flag=True, help="Write over recordings that are there.")
@click.option("--jobs", type=Jobs(), metavar="N", help="Processes, at most 4 a processor; by default one a processor.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def import_files(  # noqa: PLR0913  click's values
    format_: str, paths: tuple[str, ...], *, output: str, replace: bool, jobs: int | None, as_json: bool
) -> None:
    """Import files of other tools, or all of them in a directory, as recordings.

    FORMAT is `auto` or a format's name. Each file is read on its own: a bad one is reported and the rest goes on.
    """
    from pathlib import Path

    from harness.cli.environment import environment, secrets_of
    from harness.cli.recording.imported import json_of, lines_of
    from harness.errors import exit_code_of
    from harness.files import installed_version
    from harness.importers.many import AUTO, Settings, imports_of
    from harness.importers.registry import importer_of
    from harness.importers.tasks import tasks_of

    if format_ != AUTO:
        importer_of(format_)
    tasks = tasks_of([*map(Path, paths)], Path(output))
    settings = Settings(format_, installed_version(), tuple(secrets_of(environment())), replace)
    done: list[Done] = []
    with click.progressbar(length=len(tasks), label="importing", file=sys.stderr, hidden=_quiet(len(tasks))) as bar:
        for one in imports_of(tasks, settings, jobs=jobs or os.cpu_count() or 1):
            done.append(one)
            bar.update(1)
    if as_json:
        print_json(json_of(done))
    else:
        click.echo("\n".join(lines_of(done, few=FEW)))
    _say_refusals(done)
    codes = [one.error.exit_code for one in done if one.error]
    sys.exit(exit_code_of(codes if any(one.recordings for one in done) else [*codes, 4]))


def _quiet(count: int) -> bool:
    return count == 1 or not sys.stderr.isatty()


def _say_refusals(done: "list[Done]") -> None:
    for one in done:
        if one.error:
            click.echo(one.error.sentence, err=True)
