"""The keys of a terminal one by one, as they are typed; and a line of text where one is asked for."""

import os
import sys
import termios
import tty
from contextlib import suppress
from typing import Final, Self

from harness.cli.stopping import Stopped

QUIT: Final = "q"
LEFT: Final = "\x1b[D"
RIGHT: Final = "\x1b[C"
_END = "\x04"
_MOST = 1024


class Keyboard:
    """`with Keyboard() as keyboard:` keys come without Enter. What is typed ahead waits its turn and is never lost."""

    def __init__(self) -> None:
        self._file = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._file)
        self._waiting: list[str] = []

    def __enter__(self) -> Self:
        tty.setcbreak(self._file, termios.TCSANOW)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(termios.error):  # the terminal was closed: there is nothing to put back
            termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)

    def key(self) -> str:
        """The next key; an arrow is one key. Ctrl-C, Ctrl-D and the end of the input are `QUIT`."""
        if not self._waiting:
            try:
                typed = os.read(self._file, _MOST).decode("utf-8", "replace")
            except Stopped:
                raise
            except KeyboardInterrupt:
                typed = QUIT
            self._waiting = [typed] if typed.startswith("\x1b") else list(typed or QUIT)
        key = self._waiting.pop(0)
        return QUIT if key == _END else key

    def line(self, prompt: str) -> str:
        """A line of text, edited as the terminal edits lines; empty where it is broken off."""
        ahead, ended, rest = "".join(self._waiting).replace("\r", "\n").partition("\n")
        self._waiting = list(rest)
        print(prompt, end=ahead, flush=True)  # noqa: T201  the prompt of a line, not a result
        if ended:
            return ahead
        termios.tcsetattr(self._file, termios.TCSANOW, self._before)
        try:
            typed = b""
            while not typed.endswith(b"\n") and (piece := os.read(self._file, _MOST)):
                typed += piece
            return ahead + typed.decode("utf-8", "replace").rstrip("\n")
        except Stopped:
            raise
        except KeyboardInterrupt:
            return ""
        finally:
            tty.setcbreak(self._file, termios.TCSANOW)
