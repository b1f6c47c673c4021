"""Evidence cut into parts that are judged apart: whole files, stretches of long recordings, a shard's share of all.

A file of recordings is cut at header lines only, so that where it is cut changes nothing of what is found in it.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

from harness import errors, files
from harness.cli.judging.judged import is_recording
from harness.fixture import Digest
from harness.json_lines import overlong
from harness.report.report import Shard
from harness.value import MAX_LINE_BYTES, canonical, digest_of

PIECE_BYTES = 4 * 1024 * 1024
_MOST_ITEMS = 250  # in one piece of work
_HEADER = re.compile(rb'\{[ \t]*"type"[ \t]*:[ \t]*"recording"')
_NEXT_HEADER = re.compile(rb"\n(?=" + _HEADER.pattern + rb")")
_BLOCK = 1 << 20

_Item = TypeVar("_Item")
Weighed = Iterable[tuple[_Item, int]]
"""Items, each with how many bytes it holds."""


class Part(NamedTuple):
    """A file, or what begins between two of its bytes: `stop` is None for all of it."""

    file: str
    start: int = 0
    stop: int | None = None


class Segment(NamedTuple):
    """One recording's lines, or a whole fixture: the bytes, and where in the file they start.

    `error` is said of a line that is longer than any may be; such a line is not kept.
    """

    raw: bytes
    start: int
    recording: bool
    error: errors.MalformedLine | None = None


def parts_of(paths: Iterable[str]) -> Iterator[tuple[Part, int]]:
    """Each file, long recordings in stretches."""
    for path in paths:
        size = os.stat(path).st_size  # noqa: PTH116  a million files may come by: no object for each
        if size <= PIECE_BYTES or not _opens_recording(path):
            yield Part(path), size
            continue
        for start in range(0, size, PIECE_BYTES):
            yield Part(path, start, start + PIECE_BYTES), min(PIECE_BYTES, size - start)


def _opens_recording(path: str) -> bool:
    with Path(path).open("rb") as file:
        return is_recording(file.readline(_BLOCK))


def share_of(items: Callable[[], Weighed[_Item]], shard: Shard | None) -> Iterator[tuple[_Item, int]]:
    """The items of a shard. Shards follow one another, as even as whole items let them be.

    The items are asked for twice and not held: once for the sum of their weights.
    """
    total = 0 if shard is None else sum(weight + 1 for _, weight in items())
    before = 0
    for item, weight in items():
        if shard is None or before * shard.count // total == shard.index - 1:
            yield item, weight
        before += weight + 1


def whole_of(parts: Weighed[Part]) -> Digest:
    """The hash of what shards are cut out of: each file's name and size, wherever it lies. None is held."""
    whole = digest_of(b"")
    for part, size in parts:
        whole = digest_of(canonical([whole, Path(part.file).name, part.start, size]))
    return whole


def pieces_of(items: Weighed[_Item]) -> Iterator[list[_Item]]:
    """The items in pieces of work: large enough to be worth handing over, small enough to be held."""
    piece: list[_Item] = []
    size = 0
    for item, weight in items:
        if piece and (size + weight > PIECE_BYTES or len(piece) == _MOST_ITEMS):
            yield piece
            piece, size = [], 0
        piece.append(item)
        size += weight
    if piece:
        yield piece


def segments_in(part: Part) -> Iterator[Segment]:
    """What a part holds, one recording in memory at a time; raises `PathNotFound`."""
    if part.stop is not None:
        with Path(part.file).open("rb") as file:
            yield from _segments_from(file, part)
        return
    raw = files.read_bytes(Path(part.file))
    if not is_recording(raw):
        yield Segment(raw, 0, recording=False)
        return
    starts = [0, *(found.end() for found in _NEXT_HEADER.finditer(raw)), len(raw)]
    for start, stop in pairwise(starts):
        yield Segment(raw[start:stop], start, recording=True)


def _segments_from(file: BinaryIO, part: Part) -> Iterator[Segment]:
    stop = part.stop or 0
    start = _header_from(file, part.start, stop)
    while start is not None and start < stop:
        segment, start = _segment_at(file, start, part.file)
        yield segment


def _header_from(file: BinaryIO, start: int, stop: int) -> int | None:
    """Where the first header line of a stretch stands; the first line of a file is one."""
    if start == 0:
        return 0
    at = start - 1
    file.seek(at)
    at += _rest_of_line(file)
    while at < stop and (line := file.readline(_BLOCK)):
        if _HEADER.match(line):
            file.seek(at)
            return at
        at += len(line) if line.endswith(b"\n") else len(line) + _rest_of_line(file)
    return None


def _segment_at(file: BinaryIO, start: int, name: str) -> tuple[Segment, int | None]:
    """The recording whose header stands here, and where the next one's does."""
    lines: list[bytes] = []
    error: errors.MalformedLine | None = None
    at, number = start, 0
    while line := file.readline(MAX_LINE_BYTES + 2):
        if at > start and _HEADER.match(line):
            file.seek(at)
            return Segment(b"".join(lines), start, recording=True, error=error), at
        number += 1
        length = len(line)
        if length == MAX_LINE_BYTES + 2 and not line.endswith(b"\n"):
            length += _rest_of_line(file)
            error = error or overlong(length, errors.MalformedLine, file=name, line=number)
        else:
            lines.append(line)
        at += length
    return Segment(b"".join(lines), start, recording=True, error=error), None


def _rest_of_line(file: BinaryIO) -> int:
    """How many bytes the line still has; they are read and left."""
    length = 0
    while line := file.readline(_BLOCK):
        length += len(line)
        if line.endswith(b"\n"):
            break
    return length


def lines_before(file: str, end: int) -> int:
    """How many lines of a file end before a byte."""
    count, left = 0, end
    with Path(file).open("rb") as opened:
        while left > 0 and (block := opened.read(min(_BLOCK, left))):
            count += block.count(b"\n")
            left -= len(block)
    return count
