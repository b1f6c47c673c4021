"""Work on many pieces by several processes, the results in the order of the pieces."""

import gc
import multiprocessing
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from typing import TypeVar

from harness.orphans import end_with_parent

_Piece = TypeVar("_Piece")
_Done = TypeVar("_Done")


def in_order(work: Callable[[_Piece], _Done], pieces: Iterable[_Piece], jobs: int) -> Iterator[_Done]:
    """What `work` gives for each piece; few pieces are under way at a time, and none is held when it was given.

    There are never more processes than pieces.

    With more than one job, `work`, pieces and results go through pickle. A process that is killed raises
    `BrokenProcessPool`.
    """
    pieces = iter(pieces)
    first = [*islice(pieces, jobs)]
    pieces, workers = chain(first, pieces), len(first)
    if workers <= 1:
        yield from map(work, pieces)
        return
    gc.freeze()  # what is here by now stays: no process has to look through it, or to copy it by looking
    pool = ProcessPoolExecutor(workers, mp_context=_context(), initializer=_leave_ending_to_the_parent)
    try:
        waiting: deque[Future[_Done]] = deque()
        for piece in pieces:
            waiting.append(pool.submit(work, piece))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _context() -> multiprocessing.context.BaseContext:
    """A fork starts at once and is safe here: no thread runs yet. Elsewhere the platform's own way."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else None)


def _leave_ending_to_the_parent() -> None:
    """Ctrl-C and the end of a terminal reach all at once; SIGTERM is how the parent itself ends one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent()
