"""A judged run held to a baseline: what the gate says, told; and the exit code that it asks for in place of 1."""

import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from harness import errors
from harness.cli.common import colours
from harness.nearest import nearest_of
from harness.report.report import Head, Report, Result

if TYPE_CHECKING:
    from harness.evidence.baseline import Baseline
    from harness.evidence.gate import Gate


class Held(NamedTuple):
    """The baseline that a run is held to, and how strictly; `allowed` are differences that are what is being tried."""

    baseline: Path
    strict: bool = False
    allowed: Sequence[str] = ()


def held_by(baseline: str | None, *, strict: bool, allowed: Sequence[str], alone: bool) -> Held | None:
    """What the options ask for; raises `WrongOption` where they do not go together, unless `alone`.

    Raises `UnknownName` for a difference that may never be allowed.
    """
    if baseline is None:
        if strict or allowed:
            raise errors.WrongOption("--strict and --allow-changed say how a run is held to a --baseline")
        return None
    if not alone:
        raise errors.WrongOption("a whole run is held to a --baseline, and to it alone: no --fail-under, no --shard")
    from harness.evidence.gate import ALLOWABLE

    for name in allowed:
        if name not in ALLOWABLE:
            near = nearest_of(name, ALLOWABLE)
            raise errors.UnknownName(f"--allow-changed {name}", expected=", ".join(ALLOWABLE), nearest=near)
    return Held(Path(baseline), strict, allowed)


def baseline_of(held: Held) -> "Baseline":
    """The baseline in its file; raises `BadEvidence` or `PathNotFound`, better before anything is judged."""
    from harness.cli.evidence.evidence_files import read_evidence
    from harness.evidence.baseline import Baseline

    return read_evidence(held.baseline, Baseline)


def gate_on(baseline: "Baseline", head: Head, results: Iterable[Result], held: Held) -> "Gate":
    """What the baseline says of a run's report."""
    from msgspec.structs import asdict

    from harness.evidence.gate import gate_of

    report = Report(**asdict(head), results=list(results))
    return gate_of(baseline, report, strict=held.strict, allowed=held.allowed)


def tell_gate(gate: "Gate") -> None:
    """What the gate says, on stdout."""
    from harness.evidence.gate_text import outline_of_gate
    from harness.report.terminal import text_of

    width = shutil.get_terminal_size().columns
    click.echo(text_of(outline_of_gate(gate), colour=colours(sys.stdout), width=width), nl=False)


def codes_with(gate: "Gate", codes: Iterable[int]) -> list[int]:
    """The exit codes of a run that is held to a baseline: the gate's own in place of 1."""
    return [code for code in codes if code != 1] + [gate.exit_code]
