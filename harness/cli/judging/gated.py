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
    from harness.cli.evidence.baseline_taken import Taken
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
            raise _not_allowed(name, ALLOWABLE)
    return Held(Path(baseline), strict, allowed)


def _not_allowed(name: str, allowable: Sequence[str]) -> errors.UsageError:
    """Why a difference is never what is being tried: it decides about the verdicts, or there is none of that name."""
    from harness.evidence.gate import NEVER

    expected = ", ".join(allowable)
    if name not in NEVER:
        return errors.UnknownName(f"--allow-changed {name}", expected=expected, nearest=nearest_of(name, allowable))
    sentence = f"--allow-changed {name}: {NEVER[name]}, so that the two runs cannot be held to each other"
    refusal = errors.WrongOption(sentence, expected=expected, found=name)
    refusal.mend = "lock a baseline of runs of its own (fc-judge lock --help), and hold the run to that"
    return refusal


def taken(held: Held, run: Path) -> "Taken":
    """The baseline that a run is held to, before anything is judged; raises where evidence contradicts it."""
    from harness.cli.evidence.baseline_taken import baseline_taken

    return baseline_taken(held.baseline, run)


def gate_on(
    head: Head, results: Iterable[Result], taken: "Taken", held: Held, *, refused: Sequence[str] = ()
) -> "Gate":
    """What the baseline says of a run's report; `refused` is why the run's files are no evidence."""
    from msgspec.structs import asdict

    from harness.evidence.gate import Doubts, gate_of

    report = Report(**asdict(head), results=list(results))
    doubts = Doubts(refused, taken.unproven)
    return gate_of(taken.baseline, report, strict=held.strict, allowed=held.allowed, doubts=doubts)


def tell_gate(gate: "Gate", codes: Iterable[int]) -> None:
    """What the gate says, on stdout; and why the exit code is none of its own, where that is so."""
    from harness.evidence.gate_text import lines_of_ending, outline_of_gate
    from harness.report.terminal import text_of

    blocks = [*outline_of_gate(gate), *(lines_of_ending(gate) if gate.passes and 6 in codes else [])]  # noqa: PLR2004
    width = shutil.get_terminal_size().columns
    click.echo(text_of(blocks, colour=colours(sys.stdout), width=width), nl=False)


def codes_with(gate: "Gate", codes: Iterable[int]) -> list[int]:
    """The exit codes of a run that is held to a baseline: the gate's own in place of 1."""
    return [code for code in codes if code != 1] + [gate.exit_code]
