"""The results of one report as they come, their sums in memory and their rows in a file; and the forms it takes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import click

from harness import files
from harness.cli.judging.batch import Batch
from harness.errors import NotWritten
from harness.report.html import html_chunks
from harness.report.junit import junit_chunks
from harness.report.markdown import markdown_text
from harness.report.notice import Notice
from harness.report.report import Head, Result
from harness.report.rows import Rows, result_in
from harness.report.tally import Tally
from harness.report.writing import chunks_of

_STDOUT = "-"


class Forms(NamedTuple):
    """In which forms a report is wanted, and where: paths, `-` for stdout."""

    json: bool = False
    report: str | None = None
    html: str | None = None
    junit: str | None = None
    markdown: str | None = None

    @property
    def any(self) -> bool:
        """Whether one is wanted at all."""
        return any(self.outputs.values())

    @property
    def outputs(self) -> dict[str, str | None]:
        """Where each goes, by its option."""
        written = {f"--{name}": path for name, path in self._asdict().items() if name != "json"}
        return {"--json": _STDOUT if self.json else None, **written}


class Book:
    """Results, held in a file that the caller opens; `counted` as `Rows` has it."""

    def __init__(self, spool: BinaryIO, *, counted: bool = False) -> None:
        self.tally = Tally()
        self._rows = Rows(spool, counted=counted)

    def add(self, batch: Batch) -> None:
        """More results: their rows and their sums."""
        self._rows.add_block(batch.raw, batch.places)
        self.tally.merge(batch.tally)

    def results(self) -> Iterator[Result]:
        """All results by case and trial, one in memory at a time."""
        return map(result_in, self._rows)

    def write(
        self, head: Head, forms: Forms, *, notices: Sequence[Notice] = (), gate: bytes | None = None
    ) -> list[NotWritten]:
        """Every form that is wanted: the report's own file holds the results alone, each other one what is beside.

        Returns what could not be written: the others are, and stdout has its own all the same, whole and last.
        """
        made: dict[str | None, Callable[[], Iterable[bytes]]] = {
            forms.report: lambda: chunks_of(head, self._rows),
            forms.html: lambda: html_chunks(head, self.results(), notices),
            forms.junit: lambda: junit_chunks(head, self.results(), notices),
            forms.markdown: lambda: [markdown_text(head, self.results(), notices=notices).encode()],
            _STDOUT if forms.json else None: lambda: chunks_of(head, self._rows, gate=gate),
        }
        failed: list[NotWritten] = []
        for path in sorted(filter(None, made), key=lambda one: one == _STDOUT):
            try:
                _write(path, made[path]())
            except NotWritten as error:
                failed.append(error)
        return failed


def _write(path: str, parts: Iterable[bytes]) -> None:
    if path == _STDOUT:
        for part in parts:
            click.echo(part, nl=False)
    else:
        files.write_parts(Path(path), parts)
