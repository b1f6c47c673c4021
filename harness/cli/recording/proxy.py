"""fc-record proxy: a loopback address in a provider's place, for agents in any language."""

import sys

import click

from harness.cli.examples import CommandWithExamples

EXAMPLES = """\
Examples:
  fc-record proxy --upstream openai                            at http://127.0.0.1:8910, until Ctrl-C
  fc-record proxy --upstream anthropic --id refund -- node agent.mjs
                                                               recordings/refund.jsonl of one run of a program
  fc-record proxy --upstream http://127.0.0.1:8080 --output recordings/local

Upstreams: openai, anthropic, google, openrouter, what an installed package adds, or an address. The program's own key
goes on to it, and into no file.
The program's SDK finds the proxy in OPENAI_BASE_URL or ANTHROPIC_BASE_URL: set for a program that is run here.
Written: DIR/ID.jsonl, with all conversations of the run; until its end every exchange is in DIR/ID.jsonl.partial.
Next: fc-replay serve DIR/ID.jsonl -- node agent.mjs; fc-record promote DIR/ID.jsonl --fixture-id NAME
Exit codes: 0 recorded; 1 the program failed, and only the journal stays; 2 usage; 7 nothing was recorded, or the
upstream did not answer; 130 a program was cut off.
"""


@click.command("proxy", cls=CommandWithExamples, epilog=EXAMPLES)
@click.argument("program", nargs=-1, metavar="[-- PROGRAM...]", type=click.UNPROCESSED)
@click.option("--upstream", required=True, metavar="NAME|URL", help="The provider, or its address.")
@click.option("--output", type=click.Path(), default="recordings", show_default=True, metavar="DIR")
@click.option("--id", "id_", metavar="ID", help="The recording's name.  [proxy-DATE-TIME]")
@click.option("--host", default="127.0.0.1", show_default=True, help="Another address than this machine's own.")
@click.option("--port", type=click.IntRange(0, 65535), help="0: any free one.  [8910; with PROGRAM: 0]")
@click.option("--json", "as_json", is_flag=True, help="JSON lines on stdout: where it listens, then what came of it.")
def proxy(  # noqa: PLR0913  click's values
    program: tuple[str, ...],
    *,
    upstream: str,
    output: str,
    id_: str | None,
    host: str,
    port: int | None,
    as_json: bool,
) -> None:
    """Record any program: its requests go on to the provider, streams as they come, and a copy stays."""
    from harness.cli.listening import Place, check_extra

    check_extra("fc-record proxy")
    from harness.cli.recording.proxied import Wish, proxied

    sys.exit(proxied(Wish(upstream, program, Place(host, port), output, id_, as_json)))
