"""fc-record export: recordings as files of other tools."""

import sys

import click

from harness.cli.common import print_json
from harness.cli.outputs import refuse_overwriting
from harness.errors import WrongOption

EXAMPLES = """\
Examples:
  fc-record export openai-messages recordings/refund.jsonl       on stdout, one conversation a line
  fc-record export vcr recordings/refund.jsonl -o refund.yaml    a cassette
  fc-record export otlp recordings                               every recording of a directory, as spans

Formats: openai-messages, anthropic-messages, har, otlp, vcr.
"""


class _Export(click.Command):
    """The command, with its examples as they are written."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        formatter.write(f"\n{EXAMPLES.rstrip()}\n")


@click.command("export", cls=_Export)
@click.argument("format_", metavar="FORMAT")
@click.argument("paths", nargs=-1, required=True, metavar="RECORDING...", type=click.Path())
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="A file in place of stdout.")
@click.option("--json", "as_json", is_flag=True, help="With --output: one JSON object on stdout.")
def export_files(format_: str, paths: tuple[str, ...], *, output: str | None, as_json: bool) -> None:
    """Write recordings as another tool's file.

    All recordings go into one file. What the format cannot say is counted on stderr.
    """
    from collections import Counter
    from pathlib import Path

    from harness import files
    from harness.cli.recording.exported import recordings_of
    from harness.excerpt import visible_of
    from harness.exporters.registry import exporter_of

    if as_json and output in (None, "-"):
        raise WrongOption("--json would stand on stdout beside what is exported: add --output FILE")
    exporter = exporter_of(format_)
    refuse_overwriting({"--output": output}, paths, kind=format_)
    left_out: Counter[str] = Counter()
    recordings = recordings_of([*map(Path, paths)])
    written = exporter(recordings, left_out)
    if output not in (None, "-"):
        files.write_whole(Path(output), written)
    else:
        sys.stdout.buffer.write(written)
    if as_json:
        print_json({"file": output, "recordings": len(recordings), "left_out": dict(sorted((+left_out).items()))})
        return
    for kind, count in sorted((+left_out).items()):
        click.echo(f"left out: {visible_of(kind)} ({count})", err=True)
