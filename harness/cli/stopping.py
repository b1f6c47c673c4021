"""How a command is stopped: a request to end the process is taken as Ctrl-C is."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_REQUESTS = (signal.SIGTERM, signal.SIGHUP)


class Stopped(KeyboardInterrupt):
    """Somebody asked the process to end: as Ctrl-C, but never a key that is typed."""


@contextmanager
def stoppable() -> Iterator[None]:
    """What was finished is kept and said, no half file stays, and a terminal is as it was.

    A request that whoever started the command wants ignored, as `nohup` does, stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Stopped

    before = {one: signal.getsignal(one) for one in _REQUESTS if signal.getsignal(one) is not signal.SIG_IGN}
    for one in before:
        signal.signal(one, stop)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
