"""Where the commands start: Ctrl-C ends them in one line, from their first import on."""

import sys
from importlib import import_module

INTERRUPTED = 130  # as `InterruptedRun` ends, which may not be there yet


def judge() -> None:
    """fc-judge."""
    _start("judge")


def record() -> None:
    """fc-record."""
    _start("record")


def replay() -> None:
    """fc-replay."""
    _start("replay")


def _start(name: str) -> None:
    try:
        import_module(f"harness.cli.{name}").main()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(INTERRUPTED)
    finally:
        sys.stdout = sys.stderr  # for what foreign code says at the very end: ours is said
