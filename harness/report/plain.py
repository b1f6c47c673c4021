"""A report's outline as plain text: for logs, pipes and files, columns in line in any script."""

from collections.abc import Iterable, Iterator
from typing import assert_never
from unicodedata import combining, east_asian_width

from harness.excerpt import visible_of
from harness.report.outline import Block, Diff, Heading, Line, Span, Table
from harness.report.typed_diff import DiffLine

_GAP = "  "
_WIDE = frozenset("FW")


def plain_of(blocks: Iterable[Block]) -> str:
    """The text of the blocks; no character in it moves a cursor or hides another."""
    return "".join(f"{line.rstrip()}\n" for block in blocks for line in _lines_of(block))


def _lines_of(block: Block) -> Iterator[str]:
    match block:
        case Heading(text):
            yield ""
            yield visible_of(text)
        case Line(spans, level):
            yield _GAP * level + "".join(visible_of(span.text) for span in spans)
        case Table():
            yield from _table_lines(block)
        case Diff(lines):
            for line in lines:
                yield from _diff_lines(line)
        case _:
            assert_never(block)


def _diff_lines(line: DiffLine) -> Iterator[str]:
    for text in diff_texts(line):
        yield _GAP * 2 + text


def diff_texts(line: DiffLine) -> tuple[str, ...]:
    """The lines of one place: where it is and what to look at, then expected and actual."""
    where = " ".join(
        part for part in (visible_of(line.path), f"({visible_of(line.note)})" if line.note else "") if part
    )
    values = f"expected  {visible_of(line.expected)}", f"actual    {visible_of(line.actual)}"
    return (f"at {where}", *values) if where else values


def _table_lines(table: Table) -> Iterator[str]:
    rows = [[Span(name) for name in table.columns], *table.rows]
    texts = [[visible_of(span.text) for span in row] for row in rows]
    widths = [max(map(width_of, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        cells = [
            _padded(text, width, right=index in table.right)
            for index, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield _GAP + _GAP.join(cells)


def _padded(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - width_of(text))
    return space + text if right else text + space


def width_of(text: str) -> int:
    """How many columns a terminal gives the text."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(one) else 2 if east_asian_width(one) in _WIDE else 1 for one in text)
