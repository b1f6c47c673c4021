"""Work on many pieces by several processes, the results in the order of the pieces."""

import gc
import multiprocessing
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import TypeVar

_Piece = TypeVar("_Piece")
_Done = TypeVar("_Done")


def in_order(work: Callable[[_Piece], _Done], pieces: Iterable[_Piece], jobs: int) -> Iterator[_Done]:
    """What `work` gives for each piece; few pieces are under way at a time, and none is held when it was given.

    With more than one job, `work`, pieces and results go through pickle. A process that is killed raises
    `BrokenProcessPool`.
    """
    if jobs == 1:
        yield from map(work, pieces)
        return
    gc.freeze()  # what is here by now stays: no process has to look through it, or to copy it by looking
    pool = ProcessPoolExecutor(jobs, mp_context=_context(), initializer=_leave_ctrl_c_to_the_parent)
    try:
        waiting: deque[Future[_Done]] = deque()
        for piece in pieces:
            waiting.append(pool.submit(work, piece))
            if len(waiting) > 2 * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _context() -> multiprocessing.context.BaseContext:
    """A fork starts at once and is safe here: no thread runs yet. Elsewhere the platform's own way."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else None)


def _leave_ctrl_c_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
