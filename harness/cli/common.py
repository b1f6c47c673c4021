"""What the three commands share: a default action beside subcommands, errors as sentence or JSON, colour."""

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TextIO

import click

from harness.cli.options import asks_for_json, refusal_of_usage, refuse_empty, refuse_swallowed, refuse_unsayable
from harness.cli.stopping import stoppable
from harness.errors import HarnessError, InterruptedRun, OutputRefused, PathNotFound, UnreadablePath, sayable_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.shell_completion import CompletionItem


READER_LEFT = 141  # as a shell says it of a program that SIGPIPE ended


class _ActionContext(click.Context):
    """The context of the default action: usage and errors name the command itself, as the user typed it."""

    @property
    def command_path(self) -> str:
        return self.parent.command_path if self.parent else str(self.info_name)


class Door(click.Group):
    """A command with subcommands whose first word may also be a path: a subcommand's name wins, `./name` is the path.

    The default action is the subcommand named in `default`; its options stand on the command itself in `--help`.
    A `HarnessError` ends the process with its sentence and its exit code, whichever subcommand raised it.
    """

    default: ClassVar[str] = "run"

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """As click's; the default action does not show its name, and says the version when asked."""
        if (name or cmd.name) == self.default:
            cmd.context_class = _ActionContext
            cmd.params.append(_version_option())
        super().add_command(cmd, name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The default action's name put in front, unless a subcommand or `--help` stands there."""
        if not ctx.resilient_parsing:
            refuse_unsayable(self._meant_by(args), args, os.environ)
            refuse_empty(args)
            refuse_swallowed(self._meant_by(args), args)
        own = {"--help", *self._subcommands()}
        completes_first_word = ctx.resilient_parsing and not args
        if not completes_first_word and (not args or args[0] not in own):
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def _subcommands(self) -> list[str]:
        return [name for name in self.commands if name != self.default]

    def make_context(self, *given: Any, **named: Any) -> click.Context:  # noqa: ANN401  as click's
        """As click's, which shows help here."""
        with _output_watched():
            return super().make_context(*given, **named)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  as click's
        """As click's; Ctrl-C is an interruption like any other."""
        try:
            with _output_watched():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            raise InterruptedRun from None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """What the first word may become: a subcommand, or what the default action takes."""
        action = self.commands[self.default]
        inner = click.Context(action, info_name=ctx.command_path)
        found = [one for one in super().shell_complete(ctx, incomplete) if one.value != self.default]
        found += action.shell_complete(inner, incomplete)
        for parameter in action.params:
            if isinstance(parameter, click.Argument) and not incomplete.startswith("-"):
                return found + parameter.shell_complete(inner, incomplete)
        return found

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The default action's usage, text, options; then the other subcommands; then the examples."""
        action = self.commands[self.default]
        inner = click.Context(action, info_name=ctx.command_path)
        pieces = action.collect_usage_pieces(inner)
        formatter.write_usage(ctx.command_path, " ".join(pieces))
        action.format_help_text(inner, formatter)
        action.format_options(inner, formatter)
        others = [(name, self.commands[name].get_short_help_str(90)) for name in self._subcommands()]
        if others:
            with formatter.section(f"Subcommands ({ctx.command_path} NAME --help)"):
                formatter.write_dl(others)
        self.format_epilog(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples as they are written, not wrapped."""
        del ctx
        if self.epilog:
            formatter.write(f"\n{self.epilog.rstrip()}\n")

    def main(self, args: Sequence[str] | None = None, *rest: Any, **named: Any) -> Any:  # noqa: ANN401  as click's
        """As click's, with the refusals of errors.py as exit codes, and no secret on stdout or stderr."""
        words = list(sys.argv[1:] if args is None else args)
        _make_sayable()
        try:
            with stoppable(), _means_for(words), _output_watched():
                return self._ended(words, *rest, **named)
        except KeyboardInterrupt:
            fail(InterruptedRun(), as_json=self._asks_for_json(words))

    def _ended(self, words: list[str], *rest: Any, **named: Any) -> Any:  # noqa: ANN401  as click's
        try:
            return self._used(words, *rest, **named)
        except HarnessError as error:
            if isinstance(error, PathNotFound) and words[:1] == [error.file] and "/" not in words[0]:
                self._mend(error, words[0])
            fail(error, as_json=self._asks_for_json(words))
        finally:
            if sys.stdout is not None:  # a closed one
                sys.stdout.flush()

    def _used(self, words: list[str], *rest: Any, **named: Any) -> NoReturn:  # noqa: ANN401  as click's
        """What click refuses is told as it tells it, with usage; to a program as every refusal is."""
        try:
            code = super().main(words, *rest, **{**named, "standalone_mode": False})
        except click.UsageError as error:
            if self._asks_for_json(words):
                raise refusal_of_usage(error, self.name or "") from None
            error.show()
            sys.exit(error.exit_code)
        except click.Abort:  # as click says Ctrl-C, and the end of what it reads
            raise InterruptedRun from None
        sys.exit(code or 0)

    def _asks_for_json(self, words: list[str]) -> bool:
        return asks_for_json(self._meant_by(words), words)

    def _meant_by(self, words: list[str]) -> click.Command:
        """The subcommand that stands first, or the default action."""
        return self.commands[words[0] if words and words[0] in self._subcommands() else self.default]

    def _mend(self, error: PathNotFound, word: str) -> None:
        """A first word that is no path may have been meant for a subcommand."""
        from harness.nearest import nearest_of

        names = self._subcommands()
        error.nearest = error.nearest or nearest_of(word, names)
        error.mend = f"name a path, or a subcommand: {', '.join(names)}"


def _version_option() -> click.Option:
    help_ = "Show the version and exit."
    return click.Option(
        ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_say_version, help=help_
    )


def _say_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: FBT001  as click calls it
    del param
    if value and not ctx.resilient_parsing:
        from harness.files import installed_version  # --help need not wait for it

        click.echo(f"{ctx.command_path} {installed_version()}")
        ctx.exit()


def _make_sayable() -> None:
    """What a terminal cannot show gets its escape: what a model said must not end the command. A closed one is none."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def _means_for(words: list[str]) -> "Iterator[None]":
    """Discreet streams, and stdout for the command alone; help tells nothing of anyone and starts without them."""
    if words == ["--help"]:
        yield
        return
    from harness.cli.said import discreet
    from harness.confined import own_stdout

    with own_stdout(), discreet():
        yield


@contextmanager
def _output_watched() -> "Iterator[None]":
    """What cannot be said ends the command: a reader that left as it ends others, which click would call a failure."""
    try:
        yield
    except BrokenPipeError:
        _drop_output()
        sys.exit(READER_LEFT)
    except OSError as error:
        if error.filename is not None:
            raise refusal_of(error) from None
        _drop_output()
        fail(OutputRefused(error.strerror or str(error)))


def _drop_output() -> None:
    """Send nowhere what could not be written, so that the process does not fail on it once more at its end."""
    for stream in filter(None, (sys.__stdout__, sys.__stderr__)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def refusal_of(error: OSError) -> HarnessError:
    """What the system says of a path that is neither read nor written in the one place for that."""
    path = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else str(error.filename)
    if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG}:
        return PathNotFound(file=path)
    return UnreadablePath(f"cannot be read: {error.strerror}", file=path)


def fail(error: HarnessError, *, as_json: bool = False) -> NoReturn:
    """End with an error: its sentence on stderr, or its facts as one JSON object on stdout; its exit code."""
    with suppress(OSError):  # nobody hears it, but the code says it
        say(error, as_json=as_json)
    sys.exit(error.exit_code)


def say(error: HarnessError, *, as_json: bool = False) -> None:
    """Print an error and go on."""
    if as_json:
        print_json(error.facts())
    else:
        click.echo(str(error), err=True)


def print_json(value: object) -> None:
    """One JSON value and a newline on stdout; a file's name that is no UTF-8 stands in it with escapes."""
    from harness.value import encode

    try:
        raw = encode(value)
    except UnicodeEncodeError:
        from msgspec import to_builtins

        raw = encode(_sayable(to_builtins(value)))
    click.echo(raw.decode())


def _sayable(value: object) -> object:
    match value:
        case str():
            return sayable_of(value)
        case list():
            return [*map(_sayable, value)]
        case dict():
            return {_sayable(key): _sayable(item) for key, item in value.items()}
        case _:
            return value


def colours(stream: TextIO | None) -> bool:
    """Whether to colour: an open terminal, and neither NO_COLOR nor CI nor TERM=dumb says otherwise."""
    forbidden = os.environ.get("NO_COLOR") or os.environ.get("CI") or os.environ.get("TERM") == "dumb"
    return stream is not None and stream.isatty() and not forbidden
