"""What a recording says while it runs, on stderr, and what it used, on stdout."""

import sys
from contextlib import suppress
from typing import NamedTuple

import click
import msgspec

from harness.cli.common import colours
from harness.cli.recording.record_plan import Plan
from harness.excerpt import counted, shortened, visible_of
from harness.recording import Recording
from harness.report.behaviour import Behaviour, behaviour_of
from harness.report.behaviour_text import lines_of as changed_lines
from harness.report.behaviour_text import summary_of
from harness.transcript import AssistantTurn, TokenLedger, ToolResultTurn, Transcript, Turn, UserTurn, text_of
from harness.value import Json, as_json, encode
from harness.wire.redact import Redactor
from harness.wire.veil import Veil

_SHOWN = 300
_COLUMNS = tuple(TokenLedger.__struct_fields__)


class Talk:
    """Progress on stderr: what was said, called and answered, without secrets and without what a terminal obeys."""

    def __init__(self, plan: Plan) -> None:
        self._redactor = Redactor([*plan.secrets, plan.endpoint.key])
        self._colour = colours(sys.stderr)
        self._veil = Veil(self._redactor)
        self._heard = self._open = False

    def begin(self, plan: Plan) -> None:
        """Say what is about to happen."""
        how = "streamed" if plan.params.get("stream") else "plain"
        who = f"{plan.model} at {plan.endpoint.base_url} ({plan.endpoint.api}, {how})"
        self.note(f"{plan.scenario.id}: recording {self._redactor.text(who)}")

    def note(self, line: str) -> None:
        """A line of the recorder's own."""
        self._line(line, dim=False)

    def heard(self, text: str) -> None:
        """A piece of the answer, while it comes."""
        self._heard = True
        self._write(self._veil.feed(text))

    def seen(self, turn: Turn) -> None:
        """A turn that is whole."""
        match turn:
            case UserTurn():
                self._line(f"user: {self._brief(text_of(turn))}")
            case AssistantTurn():
                self._answer(turn)
            case ToolResultTurn():
                word = "error" if turn.is_error else "result"
                self._line(f"  {word}: {self._brief(text_of(turn))}")

    def left(self) -> None:
        """End the line that a broken stream left open."""
        self._write(self._veil.rest())
        if self._open:
            _echo("\n")
        self._heard = self._open = False

    def _answer(self, turn: AssistantTurn) -> None:
        text = text_of(turn)
        if self._heard:
            self.left()
        elif text:
            self._line(f"model: {self._brief(text)}", dim=False)
        for call in turn.calls:
            written = call.raw_arguments if call.arguments is None else encode(call.arguments).decode()
            self._line(f"  call: {self._brief(call.name)} {self._brief(written or '')}")

    def _brief(self, text: str) -> str:
        return visible_of(shortened(self._redactor.text(text.strip()), _SHOWN))

    def _write(self, text: str) -> None:
        if text:
            _echo(("" if self._open else "model: ") + visible_of(text, keep="\n\t"))
            self._open = True

    def _line(self, line: str, *, dim: bool = True) -> None:
        _echo((click.style(line, dim=True) if dim and self._colour else line) + "\n")


def _echo(text: str) -> None:
    """Talk; where nobody listens any more, the recording goes on all the same."""
    with suppress(OSError):
        click.echo(text, nl=False, err=True)


class Done(NamedTuple):
    """A recording that was written; `served` of its exchanges were given by an earlier one."""

    plan: Plan
    recording: Recording
    transcript: Transcript
    aside: str | None
    served: int = 0

    @property
    def change(self) -> Behaviour | None:
        """What changed in behaviour since the fixture that was there; None where there was none."""
        return behaviour_of(self.plan.before, self.transcript) if self.plan.before is not None else None


def json_of(done: Done) -> Json:
    """What `--json` says of a recording."""
    end = done.recording.end
    ledgers = _ledgers(done.transcript)
    return {
        "id": done.plan.scenario.id,
        "outcome": done.transcript.outcome.value,
        "error": done.transcript.error,
        "requests": len(done.recording.exchanges),
        "calls": end.tools if end else 0,
        "usage": [dict(zip(_COLUMNS, ledger, strict=True)) for ledger in ledgers],
        "total": dict(zip(_COLUMNS, _total(ledgers), strict=True)),
        "recording": str(done.plan.recording),
        "fixture": str(done.plan.fixture),
        "aside": done.aside,
        "served": done.served,
        "changed": as_json(done.change) if done.change is not None else None,
    }


def lines_of(done: Done) -> list[str]:
    """What a person reads of a recording: how it ended, what it used, where it is."""
    transcript, recording = done.transcript, done.recording
    requests, calls = counted(len(recording.exchanges), "request"), counted(len(recording.tools), "tool call")
    reason = f" ({visible_of(transcript.error)})" if transcript.error else ""
    ledgers = _ledgers(transcript)
    rows = [("request", *_COLUMNS)]
    rows += [(str(number), *map(_shown, ledger)) for number, ledger in enumerate(ledgers, 1)]
    rows.append(("total", *map(_shown, _total(ledgers))))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ["  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return [
        f"{done.plan.scenario.id}: {transcript.outcome.value}{reason}, {requests}, {calls}",
        *table,
        f"  recording: {done.plan.recording}",
        f"  fixture:   {done.plan.fixture}",
        *_served_lines(done),
        *_change_lines(done.change),
    ]


def _served_lines(done: Done) -> list[str]:
    if done.plan.earlier is None:
        return []
    live = len(done.recording.exchanges) - done.served
    return [f"  {counted(done.served, 'exchange')} as recorded before, {live} asked live"]


def _change_lines(change: Behaviour | None) -> list[str]:
    return [] if change is None else [f"  since the last recording: {summary_of(change)}", *changed_lines(change)]


def _ledgers(transcript: Transcript) -> list[tuple[int | None, ...]]:
    turns = [turn for turn in transcript.turns if isinstance(turn, AssistantTurn)]
    return [msgspec.structs.astuple(turn.token_ledger) for turn in turns]


def _total(ledgers: list[tuple[int | None, ...]]) -> list[int | None]:
    """The sum of what was reported; nothing where nothing was."""
    columns = zip(*ledgers, strict=True) if ledgers else [()] * len(_COLUMNS)
    known = [[count for count in column if count is not None] for column in columns]
    return [sum(column) if column else None for column in known]


def _shown(count: int | None) -> str:
    return "-" if count is None else str(count)
