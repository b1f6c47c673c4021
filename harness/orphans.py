"""Workers that end when the command that began them is gone, however that ended: no one else would end them."""

import os
from multiprocessing import parent_process
from threading import Lock, Thread

AT_WORK = Lock()  # held by a worker over what must become whole, even when nobody waits for it


def end_with_parent() -> None:
    """Let this process end with its parent; called once, in a worker of a pool.

    The parent holds one end of a pipe and never writes: the pipe ends with it, on every system.
    """
    Thread(target=_outlive_nobody, daemon=True).start()


def _outlive_nobody() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        with AT_WORK:
            os._exit(1)
