"""A file that grows line by line while a run goes on, safe against being killed; and files that appear together."""

import fcntl
import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from harness import errors
from harness.files import check_target, staged, sync_directory, writing

_AT_ONCE = 8  # a disk makes several files lasting in the time of one


class Journal:
    """`<name>.partial`: each line is whole and on the disk before `add` returns, which raises `NotWritten` where not.

    A journal that an earlier run left is moved aside first (`aside` is where); one that another process is writing
    is refused.
    """

    def __init__(self, target: Path) -> None:
        self.path = target.with_name(target.name + ".partial")
        self.lines = 0
        check_target(target)
        with writing(self.path):
            target.parent.mkdir(parents=True, exist_ok=True)
            self.aside = self._move_aside()
            try:
                self._handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
            except FileExistsError:  # it was begun a moment ago
                raise _taken(self.path) from None
            try:
                _lock(self._handle, self.path)
            except BaseException:
                os.close(self._handle)
                raise
            sync_directory(target.parent)

    def add(self, line: bytes) -> None:
        """Append one line, newline included; of one that the disk has no room for, nothing stays."""
        view, before = memoryview(line), os.fstat(self._handle).st_size
        with writing(self.path):
            try:
                while view:
                    view = view[os.write(self._handle, view) :]
                os.fsync(self._handle)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(self._handle, before)
                raise
        self.lines += 1

    def close(self, *, keep: bool) -> None:
        """Stop writing; without `keep` the file goes, since all of it stands elsewhere."""
        os.close(self._handle)
        if not keep:
            self.path.unlink(missing_ok=True)

    def _move_aside(self) -> Path | None:
        """Free the journal's name; a file that is still locked belongs to a run that goes on."""
        try:
            handle = os.open(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            _lock(handle, self.path)
            stem = self.path.name.removesuffix(".jsonl.partial")
            number = 1
            while (aside := self.path.with_name(f"{stem}.{number}.jsonl.partial")).exists():
                number += 1
            self.path.rename(aside)
        finally:
            os.close(handle)
        return aside


def _lock(handle: int, path: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _taken(path) from None
    # Before it was locked, another run may have taken it for one that was left, and moved it aside.
    if not path.exists() or not os.path.samestat(os.fstat(handle), path.stat()):
        raise _taken(path)


def _taken(path: Path) -> errors.WrongOption:
    return errors.WrongOption("another run is writing this journal; wait for it or stop it", file=str(path))


def write_together(files: dict[Path, bytes]) -> None:
    """All files with their contents, or none changed: each is whole on the disk before the first takes its place."""
    waiting: list[tuple[Future[Path], Path]] = []
    replaced: list[tuple[Path, bytes | None]] = []
    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for path, content in files.items():
                waiting.append((pool.submit(staged, path, [content]), path))
        for temporary, path in [(future.result(), path) for future, path in waiting]:
            with writing(path):
                before = path.read_bytes() if path.exists() else None
                temporary.replace(path)
            replaced.append((path, before))
    except BaseException:
        for path, before in replaced:
            _put_back(path, before)
        raise
    finally:
        for future, _ in waiting:
            if future.exception() is None:
                future.result().unlink(missing_ok=True)
    for directory in {path.parent for path in files}:
        sync_directory(directory)


def _put_back(path: Path, before: bytes | None) -> None:
    if before is None:
        path.unlink(missing_ok=True)
    else:
        staged(path, [before]).replace(path)
