"""What an import did, in words and as JSON: each file, what was counted in and out, what was left out."""

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath

from harness.excerpt import counted, visible_of
from harness.importers.many import Done
from harness.importers.tally import Tally, sum_of
from harness.value import JsonObject

_COUNTED = Tally._fields


def lines_of(done: list[Done], *, few: int) -> list[str]:
    """The report for people; beyond `few` files only those that need a look have a line of their own."""
    known = [one for one in done if one.format]
    shown = known if len(known) <= few else [one for one in known if one.seen != one.written]
    lines = [visible_of(_line_of(one)) for one in shown]
    unknown = [one.file for one in done if not one.format and not one.error]
    seen, written = sum_of(one.seen for one in known), sum_of(one.written for one in known)
    recordings = sum(one.recordings for one in known)
    lines.append(
        f"{counted(recordings, 'recording')} from {counted(sum(bool(one.recordings) for one in known), 'file')}"
    )
    lines += [f"  {name:<10} {getattr(seen, name):>8} in {getattr(written, name):>8} out" for name in _COUNTED]
    lines += _listed("left out", _sum(one.left_out for one in known))
    lines += _listed("noted", _sum(one.notes for one in known))
    return lines + _unknown(unknown, few)


def _unknown(names: list[str], few: int) -> list[str]:
    """Files of no known format: each by its name, many by their endings."""
    if len(names) > few:
        endings = Counter(PurePath(name).suffix or "no ending" for name in names)
        names = [f"{counted(count, 'file')} with {ending}" for ending, count in sorted(endings.items())]
    return [f"  not imported, of no known format: {visible_of(name)}" for name in names]


def _line_of(one: Done) -> str:
    if not one.recordings:
        return f"{one.file}: {one.format}, no conversation with a model in it"
    what = f"{counted(one.recordings, 'recording')}, {counted(one.written.calls, 'call')}"
    lost = ", ".join(
        f"{name} {getattr(one.seen, name)} in, {getattr(one.written, name)} out"
        for name in _COUNTED
        if getattr(one.seen, name) != getattr(one.written, name)
    )
    return f"{one.file}: {one.format} -> {one.target}: {what}{f' ({lost})' if lost else ''}"


def _listed(title: str, counts: Counter[str]) -> list[str]:
    return [f"  {title}: {visible_of(kind)} ({count})" for kind, count in sorted(counts.items())]


def _sum(counters: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in counters:
        total += one
    return total


def json_of(done: list[Done]) -> JsonObject:
    """The report as JSON: `files`, `unknown`, `errors`, and `total` over all files."""
    known = [one for one in done if one.format]
    return {
        "files": [_facts_of(one) for one in known],
        "unknown": [one.file for one in done if not one.format and not one.error],
        "errors": [{**one.error.facts} for one in done if one.error],
        "total": {
            "recordings": sum(one.recordings for one in known),
            "in": sum_of(one.seen for one in known)._asdict(),
            "out": sum_of(one.written for one in known)._asdict(),
            "leftOut": {**_sum(one.left_out for one in known)},
            "notes": {**_sum(one.notes for one in known)},
        },
    }


def _facts_of(one: Done) -> JsonObject:
    return {
        "file": one.file,
        "format": one.format,
        "output": one.target or None,
        "recordings": one.recordings,
        "in": one.seen._asdict(),
        "out": one.written._asdict(),
        "leftOut": {**one.left_out},
        "notes": {**one.notes},
    }
