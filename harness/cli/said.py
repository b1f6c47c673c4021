"""The streams that the commands talk through: no secret passes, and nothing that a terminal would obey or hide."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO, cast

from harness.excerpt import harmless_of

if TYPE_CHECKING:
    from harness.cli.discretion import Discretion

CRASHED = 70  # as sysexits.h has it; no verdict and no refusal ends so
# What the commands themselves tell a terminal: colours, and to clear the screen between two cases.
_OWN = re.compile(r"(\x1b\[(?:[0-9;]*m|2J|1;1H))")


class _Means:
    """What is needed to leave secrets out, fetched when the first word is said."""

    @cached_property
    def discretion(self) -> "Discretion":
        """The environment's."""
        from harness.cli.discretion import environments_discretion

        return environments_discretion()


class Said:
    """A stream of text, or below it of bytes; all that is not writing is the stream's own."""

    def __init__(self, stream: Any, means: _Means, *, draws: bool = False) -> None:  # noqa: ANN401  whatever stands for stdout
        self._stream = stream
        self._means = means
        self._draws = draws

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  as the stream's
        return getattr(self._stream, name)

    @property
    def buffer(self) -> "Said":
        """The stream of bytes below one of text."""
        return Said(self._stream.buffer, self._means)

    def drawing(self) -> "Said":
        """The same stream for one who moves the cursor, and makes foreign text harmless before."""
        return Said(self._stream, self._means, draws=True)

    def write(self, said: str | bytes) -> int:
        """As the stream's, but for secrets and controls; bytes are for programs, unless a terminal gets them."""
        if isinstance(said, str):
            self._stream.write(self._harmless(self._means.discretion.text(said)))
            return len(said)
        clean = self._means.discretion.raw(bytes(said))
        self._stream.write(
            self._harmless(clean.decode("utf-8", "replace")).encode() if self._stream.isatty() else clean
        )
        return len(said)

    def _harmless(self, text: str) -> str:
        if self._draws:
            return text
        if "\x1b" not in text or not self._stream.isatty():
            return harmless_of(text)
        return "".join(part if at % 2 else harmless_of(part) for at, part in enumerate(_OWN.split(text)))


@contextmanager
def discreet() -> Iterator[None]:
    """Both streams discreet, and so is the traceback of a crash, which ends the process with a code of its own."""
    before, means = (sys.stdout, sys.stderr), _Means()
    sys.stdout, sys.stderr = (cast("TextIO", stream and Said(stream, means)) for stream in before)
    try:
        yield
    except Exception:  # noqa: BLE001  whatever it is, its message may hold what must not be told
        import traceback

        traceback.print_exc()
        sys.exit(CRASHED)
    finally:
        sys.stdout, sys.stderr = before


def drawing_on(stream: TextIO) -> TextIO:
    """The stream for one who moves the cursor on it."""
    said: object = stream
    return cast("TextIO", said.drawing()) if isinstance(said, Said) else stream
