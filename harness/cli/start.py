"""Where the commands start, and end: Ctrl-C ends them in one line, and no thread of foreign code holds them."""

import os
import sys
from contextlib import suppress
from importlib import import_module

INTERRUPTED = 130  # as `InterruptedRun` ends, which may not be there yet
_PATIENCE_S = 3.0  # for a thread that foreign code left behind


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
    code: object = 1
    try:
        import_module(f"harness.cli.{name}").main()
    except SystemExit as end:
        code = end.code
        raise
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        code = INTERRUPTED
        sys.exit(INTERRUPTED)
    finally:
        sys.stdout = sys.stderr  # for what foreign code says at the very end: ours is said
        _bound_the_end(0 if code is None else code if isinstance(code, int) else 1)  # as Python ends by it


def _bound_the_end(code: int) -> None:
    """Python waits for threads for ever: one that a world began and never ends must not hold the command.

    The interpreter ends as it always does, and what is to be done then is done; this only watches it.
    """
    if "threading" not in sys.modules:
        return
    import threading

    left = [one for one in threading.enumerate() if not one.daemon and one is not threading.current_thread()]
    if left:
        threading.Thread(target=_end, args=(code, left[0].name), daemon=True).start()


def _end(code: int, name: str) -> None:
    import time

    time.sleep(_PATIENCE_S)
    with suppress(OSError, ValueError):
        sys.stderr.write(f"ended without a thread that a scenario's code began and does not end: {name!a}\n")
        sys.stderr.write("  next:     end it, or begin it with daemon=True\n")
        sys.stderr.flush()
    os._exit(code)
