"""fc-replay serve: recorded answers at a loopback address, for agents in any language."""

import sys

import click

from harness.cli.examples import CommandWithExamples

EXAMPLES = """\
Examples:
  fc-replay serve recordings/refund.jsonl               at http://127.0.0.1:8910, until Ctrl-C
  fc-replay serve refund -- node agent.mjs              run the program against it, and end with it
  fc-replay serve recordings/ --port 0 --json           all recordings of a directory, at a free port

The program's SDKs find the address in OPENAI_BASE_URL (…/v1) and ANTHROPIC_BASE_URL: set for a program that is run
here, to be set for others. Chat Completions, Responses and Messages are answered, streams as streams; no key is read.
A request that was not recorded gets status 404 with the reason, which no SDK asks again; GET / says how far it came.
Exit codes: 0 all that was recorded was asked for, and nothing else; 3 context drifted and the answers were given all
the same; 5 a request got no answer, or a recorded one never came; 1 the program failed; 2 usage; 4 unreadable input.
"""


@click.command("serve", cls=CommandWithExamples, epilog=EXAMPLES)
@click.argument("path", metavar="PATH|ID")
@click.argument("program", nargs=-1, metavar="[-- PROGRAM...]", type=click.UNPROCESSED)
@click.option("--host", default="127.0.0.1", show_default=True, help="Another address than this machine's own.")
@click.option("--port", type=click.IntRange(0, 65535), help="0: any free one.  [8910; with PROGRAM: 0]")
@click.option("--timing", type=click.Choice(["instant", "recorded"]), default="instant", show_default=True)
@click.option("--allow", multiple=True, metavar="CATEGORY", help="Let this drift pass: PROMPT, UNPLAYED … Repeatable.")
@click.option("--json", "as_json", is_flag=True, help="JSON lines on stdout: where it listens, then what came of it.")
def serve(  # noqa: PLR0913  click's values
    path: str,
    program: tuple[str, ...],
    *,
    host: str,
    port: int | None,
    timing: str,
    allow: tuple[str, ...],
    as_json: bool,
) -> None:
    """Answer from recordings: a file, or all in a directory.

    Each recorded answer is given once, to the request of the same conversation; conversations cannot mix.
    """
    from harness.cli.listening import Place, check_extra

    check_extra("fc-replay serve")
    from harness.cli.replaying.served import Wish, served

    sys.exit(served(Wish(path, program, Place(host, port), timing == "recorded", allow, as_json)))
