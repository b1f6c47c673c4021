"""A report's outline on a terminal, in colour."""

from collections.abc import Iterable
from io import StringIO
from typing import TYPE_CHECKING, assert_never

from harness.excerpt import visible_of
from harness.report.outline import Block, Diff, Heading, Line, Span, Style, Table, outline_of
from harness.report.plain import diff_texts, plain_of
from harness.report.report import Head, Report, Result
from harness.report.writing import head_in

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

_STYLES: dict[Style, str] = {
    "plain": "", "good": "green", "bad": "bold red", "warn": "yellow", "dim": "dim", "strong": "bold",
}  # fmt: skip
_EXPECTED, _ACTUAL = "green", "red"


def terminal_of(report: Report, *, colour: bool, width: int = 100) -> str:
    """A report as text: coloured and fitted to `width` columns, or plain."""
    return terminal_text(head_in(report), report.results, colour=colour, width=width)


def terminal_text(head: Head, results: Iterable[Result], *, colour: bool, width: int = 100) -> str:
    """As `terminal_of`, for results that are read one by one."""
    return text_of(outline_of(head, results), colour=colour, width=width)


def text_of(blocks: Iterable[Block], *, colour: bool, width: int = 100) -> str:
    """The blocks of any outline as text: coloured and fitted to `width` columns, or plain."""
    return _coloured(blocks, width) if colour else plain_of(blocks)


def _coloured(blocks: Iterable[Block], width: int) -> str:
    from rich.console import Console

    out = StringIO()
    # What the terminal can do is the caller's to know: rich is not to look at the environment.
    console = Console(
        file=out, width=width, color_system="standard", force_terminal=True, legacy_windows=False,
        markup=False, emoji=False, highlight=False, _environ={},
    )  # fmt: skip
    for block in blocks:
        _draw(block, console)
    return out.getvalue()


def _draw(block: Block, console: "Console") -> None:
    from rich.padding import Padding

    match block:
        case Heading(text):
            console.print()
            console.print(_text((Span(text, "strong"),)))
        case Line(spans, level):
            console.print(Padding(_text(spans), (0, 0, 0, 2 * level), expand=False))
        case Table():
            console.print(Padding(_table(block), (0, 0, 0, 2), expand=False))
        case Diff():
            console.print(Padding(_diff(block), (0, 0, 0, 4), expand=False))
        case _:
            assert_never(block)


def _text(spans: Iterable[Span]) -> "Text":
    from rich.text import Text

    text = Text()
    for span in spans:
        text.append(visible_of(span.text), _STYLES[span.style])
    return text


def _table(block: Table) -> "RenderableType":
    from rich.table import Table as Grid

    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for index, name in enumerate(block.columns):
        grid.add_column(_text((Span(name),)), justify="right" if index in block.right else "left", overflow="fold")
    for row in block.rows:
        grid.add_row(*(_text((span,)) for span in row))
    return grid


def _diff(block: Diff) -> "RenderableType":
    from rich.text import Text

    text = Text()
    for line in block.lines:
        *where, expected, actual = diff_texts(line)
        for part in where:
            text.append(f"{part}\n", "dim")
        text.append(f"{expected}\n", _EXPECTED)
        text.append(f"{actual}\n", _ACTUAL)
    text.rstrip()
    return text
