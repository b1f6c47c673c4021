"""A file to import as its bytes: read, bounded, unpacked where it says so in its first bytes."""

import zlib

from harness import errors, files
from harness.importers.found import Source
from harness.importers.http import REQUEST, RESPONSE
from harness.importers.tasks import Task

MAX_FILE_BYTES = 2 * 1024 * 1024 * 1024

_GZIP = b"\x1f\x8b"


def source_of(task: Task) -> Source:
    """What a task's files hold; raises `BadImport`, or as reading does."""
    name = task.paths[0].name if len(task.paths) == 1 else task.paths[0].parent.name
    if len(task.paths) > 1 or task.paths[0].name.endswith((REQUEST, RESPONSE)):
        return Source(name, b"", {path.name: files.read_bytes(path) for path in task.paths})
    [path] = task.paths
    if path.stat().st_size > MAX_FILE_BYTES:
        raise errors.BadImport(f"larger than {MAX_FILE_BYTES} bytes", file=task.name)
    raw = files.read_bytes(path)
    return Source(name, _unpacked(raw, task.name) if raw.startswith(_GZIP) else raw)


def _unpacked(raw: bytes, file: str) -> bytes:
    """All that was packed, one piece after another, as gzip lets them stand, with zeros between them."""
    whole: list[bytes] = []
    left = MAX_FILE_BYTES
    while raw:
        inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            piece = inflater.decompress(raw, left + 1)
        except zlib.error as error:
            raise errors.BadImport(f"a broken gzip file: {error}", file=file) from None
        left -= len(piece)
        if left < 0:
            raise errors.BadImport(f"larger than {MAX_FILE_BYTES} bytes when unpacked", file=file)
        if not inflater.eof:
            raise errors.BadImport("a gzip file that breaks off", file=file)
        whole.append(piece)
        raw = inflater.unused_data.lstrip(b"\0")
    return b"".join(whole)
