"""What the words of a command line must be: none is empty, what is to be read is there, numbers are numbers."""

import math
import os
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import click

from harness.errors import PathNotFound, WrongOption, sayable_of

# What the commands read beside their options; the value of any other variable is only kept out of what they write.
_READ = re.compile(r"EVAL_\w+|\w+_(?:API_KEY|BASE_URL)")
_JOBS = 4  # a processor


def refuse_empty(words: Sequence[str]) -> None:
    """Refuse an empty word: most often a variable that is not set, and never a path or a value that was meant."""
    before = ""
    for word in words:
        if word == "--":
            return
        if not word or (word.startswith("--") and word.find("=") == len(word) - 1):
            option = word[:-1] or (before if before.startswith("-") else "")
            raise WrongOption(f"{option or 'an argument'} is empty: is a variable not set?")
        before = word


def refuse_unsayable(command: click.Command, words: Sequence[str], variables: Mapping[str, str]) -> None:
    """Refuse words, and variables that the commands read, that are no UTF-8: they could stand in no file.

    What follows `--` is a program's, where one is run, and none of ours.
    """
    runs_program = any(isinstance(one.type, click.types.UnprocessedParamType) for one in command.params)
    own = words[: words.index("--")] if runs_program and "--" in words else words
    before = ""
    for word in own:
        if not _is_sayable(word):
            option = before if before.startswith("-") else word.partition("=")[0]
            named = option if option.startswith("-") and _is_sayable(option) else "an argument"
            raise _unsayable(named, found=word)
        before = word
    for name, value in variables.items():
        if _READ.fullmatch(name) and not _is_sayable(value):
            raise _unsayable(name)


def _is_sayable(word: str) -> bool:
    return sayable_of(word) == word


def _unsayable(named: str, *, found: str | None = None) -> WrongOption:
    refusal = WrongOption(f"{named} is not UTF-8", found=found)
    refusal.mend = "write it as UTF-8 (is the terminal or the locale another?); a file of such a name: rename it"
    return refusal


def refuse_swallowed(command: click.Command, words: Sequence[str]) -> None:
    """Refuse an option that stands where another one's value should: it would be taken for that, and be lost."""
    own = words[: words.index("--")] if "--" in words else words
    options = {name: one for one in command.params if isinstance(one, click.Option) for name in one.opts}
    for word, following in pairwise(own):
        option = options.get(word)
        if option is not None and not (option.is_flag or option.count) and following in options:
            raise WrongOption(f"{word} has no value: {following} is an option")


def asks_for_json(command: click.Command, words: Sequence[str]) -> bool:
    """Whether a command that can speak JSON is told to; what follows `--` is not the command's."""
    own = words[: words.index("--")] if "--" in words else words
    return any("--json" in one.opts for one in command.params) and "--json" in own


def refusal_of_usage(error: click.UsageError, path: str) -> WrongOption:
    """What click says of a command line, as facts; `path` is the command as it was typed."""
    known = error.possibilities if isinstance(error, click.NoSuchOption) else None
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param else None
    refusal = WrongOption(
        error.message if known else error.format_message(),
        expected=", ".join(map(str, kind.choices)) if isinstance(kind, click.Choice) else None,
        nearest=known[0] if known else None,
    )
    refusal.mend = f"{error.ctx.command_path if error.ctx else path} --help"
    return refusal


class There(click.Path):
    """A path that is read: it must be there where the command line names it; a default need not be."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """As click's; raises `PathNotFound` with the nearest name."""
        path = str(super().convert(value, param, ctx))
        if param is None or ctx is None or not param.name or ctx.resilient_parsing:
            return path
        source = ctx.get_parameter_source(param.name)
        if source is not click.core.ParameterSource.DEFAULT and not self._is_there(path):
            raise self._absent(path, param)
        return path

    def _is_there(self, path: str) -> bool:
        return os.path.exists(path) if self.file_okay else os.path.isdir(path)  # noqa: PTH110, PTH112  pathlib is slow

    def _absent(self, path: str, param: click.Parameter) -> PathNotFound:
        from harness.nearest import nearest_of

        home, name = os.path.split(path.rstrip(os.sep))
        names = os.listdir(home or ".") if os.path.isdir(home or ".") else []  # noqa: PTH112, PTH208  as above
        near = nearest_of(name, names)
        absent = PathNotFound(file=path, nearest=os.path.join(home, near) if near else None)  # noqa: PTH118  as above
        absent.mend = f"{param.opts[0]} names a {'file' if self.file_okay else 'directory'} that is there"
        return absent


class Finite(click.FloatRange):
    """A number in a range; neither infinity nor what is no number is one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """As click's."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number


class Jobs(click.IntRange):
    """How many processes: of more than a few for each processor none would be the sooner done, so no more are begun."""

    def __init__(self) -> None:
        super().__init__(min=1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """As click's, and at most what serves."""
        return min(super().convert(value, param, ctx), _JOBS * (os.cpu_count() or 1))


class Known(click.Choice[str]):
    """The name of a provider: one of these, or one that an installed package adds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """As click's; packages are looked for only where the name is none of ours."""
        if value in self.choices:
            return value
        from harness.cli.recording.providers import names

        return value if value in names() else click.Choice(names()).convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """As click's, and that there may be others: `--help` shall not wait for a look at all packages."""
        return f"{str(super().get_metavar(param, ctx)).removesuffix(']')}|…]"


LONGEST_S = 86_400  # a day, as scenario.toml has it: beyond what a socket can wait for, it would only fail late
DIRECTORY = There(file_okay=False)
FILE = There()
