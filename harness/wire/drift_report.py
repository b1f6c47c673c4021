"""Drifts told to people: grouped by cause, at most 40 lines and 2 kB, with the command that records again."""

from collections.abc import Iterable
from typing import NamedTuple

from harness.wire.drift import Category, Drift

MAX_LINES = 40
MAX_BYTES = 2048
# One cause and the command fit whatever they hold: three names, two excerpts, a command.
_NAME_BYTES, _EXCERPT_BYTES, _COMMAND_BYTES = 180, 480, 400

_NOUNS: dict[Category, tuple[str, str]] = {
    "PROMPT": ("prompt segment changed", "prompt segments changed"),
    "TOOLS": ("tool definition changed", "tool definitions changed"),
    "PARAMS": ("param changed", "params changed"),
    "MODEL": ("model changed", "models changed"),
    "CONVERSATION": ("conversation changed", "conversations changed"),
    "TOOL_RESULT": ("tool result changed", "tool results changed"),
    "UNPLAYED": ("recorded request never sent", "recorded requests never sent"),
    "EXHAUSTED": ("answer missing", "answers missing"),
    "NOT_INTERCEPTED": ("client not intercepted", "clients not intercepted"),
}


class Cause(NamedTuple):
    """Equal drifts, met in one or more recordings; `places` are (recording, exchange), in the order met."""

    drift: Drift
    places: list[tuple[str, int | None]]

    @property
    def recordings(self) -> list[str]:
        """The recordings that it affects, each once."""
        return list(dict.fromkeys(recording for recording, _ in self.places))


def causes_of(drifts: Iterable[tuple[str, Drift]]) -> list[Cause]:
    """(recording, drift) pairs by what caused them, the most widespread first."""
    causes: dict[tuple[str, ...], Cause] = {}
    for recording, drift in drifts:
        key = (drift.category, drift.note, drift.path, drift.recorded, drift.sent)
        cause = causes.setdefault(key, Cause(drift, []))
        cause.places.append((recording, drift.exchange))
    return sorted(causes.values(), key=lambda cause: -len(cause.recordings))


def report_of(causes: list[Cause], command: str, *, advice: str = "record again") -> str:
    """The causes with their first differences, as many as fit, and what to do."""
    closing = f"{advice}: {_cut(command, _COMMAND_BYTES)}"
    room_lines, room_bytes = MAX_LINES - 2, MAX_BYTES - len(closing.encode()) - 60
    lines: list[str] = []
    told = 0
    for cause in causes:
        added = _lines_of(cause)
        room_lines -= len(added)
        room_bytes -= sum(len(line.encode()) + 1 for line in added)
        if told and (room_lines < 0 or room_bytes < 0):
            break
        lines += added
        told += 1
    if told < len(causes):
        lines.append(f"… and {len(causes) - told} more causes")
    return "\n".join([*lines, closing])


def _lines_of(cause: Cause) -> list[str]:
    drift = cause.drift
    lines = [_cut(f"{drift.category}: {drift.note}{' (answered as recorded)' if drift.served else ''}", _NAME_BYTES)]
    if drift.path:
        lines.append(_cut(f"  at        {drift.path}", _NAME_BYTES))
    if drift.recorded:
        lines.append(_cut(f"  recorded  {drift.recorded}", _EXCERPT_BYTES))
    if drift.sent:
        lines.append(_cut(f"  sent      {drift.sent}", _EXCERPT_BYTES))
    recording, exchange = cause.places[0]
    place = _cut(recording if exchange is None else f"{recording}, exchange {exchange}", _NAME_BYTES)
    affects = ""
    if len(cause.places) > 1:
        requests, recordings = _counted(len(cause.places), "request"), _counted(len(cause.recordings), "recording")
        affects = f" (affects {requests} in {recordings})"
    return [*lines, f"  in        {place}{affects}"]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun if count == 1 else noun + 's'}"


def _cut(line: str, limit: int) -> str:
    raw = line.encode()
    return line if len(raw) <= limit else raw[: limit - 3].decode("utf-8", "ignore") + "…"


def summary_of(causes: list[Cause]) -> str:
    """One line: `1 prompt segment changed → 12 recordings stale`."""
    counts: dict[Category, int] = {}
    for cause in causes:
        counts[cause.drift.category] = counts.get(cause.drift.category, 0) + 1
    said = ", ".join(f"{count} {_NOUNS[category][count > 1]}" for category, count in counts.items())
    stale = len({recording for cause in causes for recording in cause.recordings})
    return f"{said} → {_counted(stale, 'recording')} stale"
