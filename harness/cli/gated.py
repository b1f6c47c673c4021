"""A judged run held to a baseline: what the gate says, told; and the exit code that it asks for in place of 1."""

import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from harness import errors
from harness.cli.common import colours
from harness.cli.evidence_files import read_evidence
from harness.evidence.baseline import Baseline
from harness.evidence.gate import ALLOWABLE, gate_of
from harness.evidence.gate_text import outline_of_gate
from harness.nearest import nearest_of
from harness.report.report import Head, Report, Result
from harness.report.terminal import text_of
from harness.value import encode


class Held(NamedTuple):
    """The baseline that a run is held to, and how strictly; `allowed` are differences that are what is being tried."""

    baseline: Path
    strict: bool = False
    allowed: Sequence[str] = ()

    def checked(self) -> "Held":
        """The same; raises `UnknownName` for a difference that may never be allowed."""
        for name in self.allowed:
            if name not in ALLOWABLE:
                near = nearest_of(name, ALLOWABLE)
                raise errors.UnknownName(f"--allow-changed {name}", expected=", ".join(ALLOWABLE), nearest=near)
        return self


def gated(codes: Iterable[int], head: Head, results: Iterable[Result], held: Held, *, as_json: bool) -> list[int]:
    """The exit codes of a run that is held to a baseline: the gate's own in place of 1, told before.

    What the gate says goes to stdout as text, or to stderr as one JSON object where stdout holds the report.
    """
    baseline = read_evidence(held.baseline, Baseline)
    report = Report(**msgspec.structs.asdict(head), results=list(results))
    gate = gate_of(baseline, report, strict=held.strict, allowed=held.allowed)
    if as_json:
        click.echo(encode(gate).decode(), err=True)
    else:
        width = shutil.get_terminal_size().columns
        click.echo(text_of(outline_of_gate(gate), colour=colours(sys.stdout), width=width), nl=False)
    return [code for code in codes if code != 1] + [gate.exit_code]
