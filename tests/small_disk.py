"""A disk on which no file grows beyond a size, as the system itself refuses it."""

import resource
from contextlib import contextmanager


@contextmanager
def a_small_disk(size):
    """Inside, a write beyond `size` bytes of a file fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
