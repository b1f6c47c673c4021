"""What lies below directories: each directory once, in one order; what cannot be read is refused by name.

Links are followed, so that evidence behind one is not lost, and a place that two of them lead to is read once. What is
neither a directory nor a file (a pipe, a socket, a device) is never opened.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

from harness.errors import UnreadablePath

Refuse: TypeAlias = Callable[[UnreadablePath], None]


def _raise(error: UnreadablePath) -> None:
    raise error


class Directory(NamedTuple):
    """One directory: the names of its files, in no order, and of its directories, sorted.

    Whoever walks may take names out of `inner` before going on: what they name is then not looked into.
    """

    path: str
    names: list[str]
    inner: list[str]


def walk(tops: Iterable[Path], *endings: str, refuse: Refuse = _raise) -> Iterator[Directory]:
    """Each directory of these and below them, with its files of these endings.

    Raises `UnreadablePath`, or gives it to `refuse` and goes on beside what it names.
    """
    seen: set[tuple[int, int]] = set()
    waiting = [str(top) for top in reversed([*tops])]
    while waiting:
        path = waiting.pop()
        if not _is_new(path, seen, refuse):
            continue
        directory = _read(path, endings, refuse)
        yield directory
        waiting += [os.path.join(path, name) for name in reversed(directory.inner)]  # noqa: PTH118


def files_below(tops: Iterable[Path], *endings: str, refuse: Refuse = _raise) -> Iterator[Path]:
    """All files of these endings, directory by directory, by name."""
    for directory in walk(tops, *endings, refuse=refuse):
        yield from (Path(directory.path, name) for name in sorted(directory.names))


def _is_new(path: str, seen: set[tuple[int, int]], refuse: Refuse) -> bool:
    try:
        found = os.stat(path)  # noqa: PTH116  a million directories may come by: no object for each
    except OSError as error:
        refuse(_unreadable(path, error))
        return False
    place = (found.st_dev, found.st_ino)
    if place in seen:
        return False
    seen.add(place)
    return True


def _read(path: str, endings: tuple[str, ...], refuse: Refuse) -> Directory:
    found = Directory(path, [], [])
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                _take(entry, found, endings, refuse)
    except OSError as error:
        refuse(_unreadable(path, error))
    found.inner.sort()
    return found


def _take(entry: "os.DirEntry[str]", into: Directory, endings: tuple[str, ...], refuse: Refuse) -> None:
    try:
        if _is_directory(entry, into.path):
            into.inner.append(entry.name)
        elif entry.name.endswith(endings) and _is_file(entry):
            into.names.append(entry.name)
    except UnreadablePath as error:
        refuse(error)


def _is_directory(entry: "os.DirEntry[str]", here: str) -> bool:
    try:
        directory = entry.is_dir()
    except OSError as error:  # a link that leads to itself
        raise _unreadable(entry.path, error) from None
    if entry.is_symlink():
        _check_link(entry, here, directory=directory)
    return directory


def _check_link(entry: "os.DirEntry[str]", here: str, *, directory: bool) -> None:
    """Refuse a link that leads nowhere or back; hidden ones that lead nowhere are editors' locks."""
    if not directory:
        if not entry.name.startswith(".") and not os.path.exists(entry.path):  # noqa: PTH110  as above
            raise UnreadablePath("a link to what is not there", file=entry.path, found=os.readlink(entry.path))  # noqa: PTH115
        return
    target = os.path.realpath(entry.path)
    if os.path.commonpath([target, os.path.realpath(here)]) == target:
        raise UnreadablePath("a link back to a directory that it lies in", file=entry.path, found=target)


def _is_file(entry: "os.DirEntry[str]") -> bool:
    """False for a hidden link to nothing; raises `UnreadablePath` for what is there and no file."""
    if entry.is_file():
        return True
    if entry.is_symlink() and not os.path.exists(entry.path):  # noqa: PTH110  as above
        return False
    raise UnreadablePath("no file: a pipe, a socket or a device, which is never read", file=entry.path)


def _unreadable(path: str, error: OSError) -> UnreadablePath:
    return UnreadablePath(f"cannot be read: {error.strerror or error}", file=path)
