"""A report as Markdown, for the summary of a CI job or a comment: short, and nothing a model said is markup in it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import assert_never

from harness.excerpt import visible_of
from harness.report.notice import Notice, blocks_of
from harness.report.outline import Block, Diff, Heading, Line, Span, Table, outline_of
from harness.report.plain import diff_texts
from harness.report.report import Head, Report, Result
from harness.report.writing import head_in

LARGEST = 60_000  # bytes; a comment on the common forges takes 65,536 characters
# Emphasis at word borders, code, brackets, HTML, table cells, entities, mathematics, emoji, references to issues.
_MARKUP = re.compile(r"[\\`*\[\]<>|~&$]|(?<![^\W_])_|_(?![^\W_])|:(?=[\w+-]+:)|#(?=\d)")
_AT_START = re.compile(r"^(\d*)([-+#=.)])(?=[-#=\s]|$)")
# What a forge turns into a link without being asked: addresses, mentions, e-mail.
_LINKS = re.compile(r"(?i)(?<![a-z0-9])(?:www(?=\.)|(?:https?|ftp|mailto|xmpp)(?=:))|(?<!\w)@(?=\w)|@(?=[\w.-]+\.)")
_RUNS = re.compile("`+")


def markdown_of(report: Report, *, largest: int = LARGEST) -> str:
    """The report in at most `largest` bytes of Markdown; what is left out is said."""
    return markdown_text(head_in(report), report.results, largest=largest)


def markdown_text(
    head: Head, results: Iterable[Result], *, notices: Sequence[Notice] = (), largest: int = LARGEST
) -> str:
    """As `markdown_of`, for results that are read one by one; what is said beside them comes first."""
    blocks = chain(blocks_of(notices), outline_of(head, results))
    return markdown_of_blocks(blocks, title="fc-judge", largest=largest)


def markdown_of_blocks(blocks: Iterable[Block], *, title: str, largest: int = LARGEST) -> str:
    """Any outline in at most `largest` bytes of Markdown; what is left out is said."""
    head = f"## {escaped(title)}\n\n"
    rest = "\n_The summary is cut here: it has grown too long. The report file holds everything._\n"
    room = largest - len((head + rest).encode())
    kept: list[str] = []
    for piece in _pieces_of(blocks):
        room -= len(piece.encode())
        if room < 0:
            return "".join([head, *kept, rest])
        kept.append(piece)
    return "".join([head, *kept])


def _pieces_of(blocks: Iterable[Block]) -> Iterator[str]:
    """Markdown block by block; each piece closes what it opens."""
    for block in blocks:
        match block:
            case Heading(text):
                yield f"\n### {escaped(text)}\n\n"
            case Line(spans, level):
                yield f"{'  ' * level}- {''.join(map(_span, spans)).strip()}\n"
            case Table():
                yield _table(block)
            case Diff():
                yield _diff(block)
            case _:
                assert_never(block)


def _span(span: Span) -> str:
    text = code_of(span.text) if span.code else escaped(span.text)
    return f"**{text}**" if span.style in ("bad", "strong") and text.strip() else text


def _table(table: Table) -> str:
    names = [escaped(name) or " " for name in table.columns]
    edges = ["---:" if index in table.right else "---" for index in range(len(names))]
    rows = [[_span(span).replace("|", "\\|") if span.code else _span(span) for span in row] for row in table.rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in chain([names, edges], rows))


def _diff(block: Diff) -> str:
    """A fenced block inside the list item; its lines start with a sign, so that none can close the fence."""
    lines = []
    for line in block.lines:
        *where, expected, actual = diff_texts(line)
        lines += [*(f"@@ {part} @@" for part in where), f"- {expected}", f"+ {actual}"]
    body = "".join(f"    {line}\n" for line in lines)
    return f"    ```diff\n{body}    ```\n"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is: no markup, no HTML, no link, no mention, no emoji."""
    plain = _AT_START.sub(r"\1\\\2", _MARKUP.sub(r"\\\g<0>", visible_of(text)))
    return _LINKS.sub(r"\g<0><!-- -->", plain)


def code_of(text: str) -> str:
    """Text in a code span, in as many backticks as it needs."""
    shown = visible_of(text)
    fence = "`" * (max((len(run) for run in _RUNS.findall(shown)), default=0) + 1)
    pad = " " if shown.startswith(("`", " ")) or shown.endswith(("`", " ")) else ""
    return f"{fence}{pad}{shown}{pad}{fence}" if shown.strip() else escaped(text)
