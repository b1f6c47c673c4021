"""Changed behaviour in lines for people, as many as one likes to read."""

from collections.abc import Iterator

from harness.excerpt import counted, shortened, visible_of
from harness.report.behaviour import Behaviour, CallChange, Place, RowChange, TextChange
from harness.value import Json, encode

SAME = "no change in behaviour"
_MARKS = {"added": "+", "removed": "-", "changed": "~", "moved": ">"}
_MOST_LINES = 40
_LONGEST = 200


def summary_of(behaviour: Behaviour) -> str:
    """`2 calls changed, 1 added; 1 text; the end`, or that nothing changed."""
    kinds = [call.kind for call in behaviour.calls]
    counts = {kind: kinds.count(kind) for kind in ("changed", "added", "removed", "moved") if kind in kinds}
    parts = [f"{number} {kind}" for kind, number in counts.items()]
    if parts:
        first, *rest = parts
        number, _, kind = first.partition(" ")
        parts = [", ".join([f"{counted(int(number), 'call')} {kind}", *rest])]
    parts += [counted(len(behaviour.texts), "text")] if behaviour.texts else []
    parts += ["the end"] if behaviour.end else []
    parts += [counted(len(behaviour.rows), "row")] if behaviour.rows else []
    return "; ".join(parts) or SAME


def lines_of(behaviour: Behaviour, *, whole: bool = False) -> list[str]:
    """Every change, indented; cut after some dozen lines unless `whole`."""
    lines = list(_lines(behaviour))
    hidden = len(lines) - _MOST_LINES
    if whole or hidden <= 0:
        return lines
    return [*lines[:_MOST_LINES], f"  … {counted(hidden, 'more line')}"]


def _lines(behaviour: Behaviour) -> Iterator[str]:
    for call in behaviour.calls:
        yield from _call(call)
    for text in behaviour.texts:
        yield from _text(text)
    for place in behaviour.end:
        yield f"  the end: {_sides(place)}"
    for row in behaviour.rows:
        yield from _row(row)


def _call(call: CallChange) -> Iterator[str]:
    ids = " -> ".join(dict.fromkeys(filter(None, [call.before, call.after])))
    made = f" {_brief(call.made)}" if call.kind != "changed" else ""
    yield f"  {_MARKS[call.kind]} {visible_of(call.name)} ({visible_of(ids)}) {call.kind}{made}"
    yield from _places(call.arguments, "")
    yield from _places(call.result, "result")


def _places(places: list[Place], within: str) -> Iterator[str]:
    for place in places:
        path = ".".join(filter(None, [within, place.path])) or "arguments"
        yield f"      {path}: {_sides(place)}"


def _sides(place: Place) -> str:
    note = f"  ({place.note})" if place.note else ""
    return visible_of(f"{place.before} -> {place.after}{note}")


def _text(text: TextChange) -> Iterator[str]:
    if text.before is not None and text.after is not None:
        yield f"  ~ {text.by} says otherwise"
        yield f"      before: {text.before}"
        yield f"      after:  {text.after}"
        return
    mark, verb = ("-", "no longer says") if text.after is None else ("+", "says also")
    said = text.before if text.after is None else text.after
    yield f"  {mark} {text.by} {verb}: {visible_of(shortened(said or '', _LONGEST))}"


def _row(row: RowChange) -> Iterator[str]:
    if not row.table:
        yield from (f"  ~ {place.note}" for place in row.places)
        return
    yield f"  ~ {visible_of(row.table)} {_brief(row.key)} is left otherwise"
    for place in row.places:
        yield f"      {place.path or 'the row'}: {_sides(place)}"


def _brief(value: Json) -> str:
    return visible_of(shortened(value if isinstance(value, str) else encode(value).decode(), _LONGEST))
