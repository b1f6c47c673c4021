"""Where a command's files may go: an existing one is replaced only if it is what the same option writes."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import click

from harness.errors import WrongOption


class _Kind(NamedTuple):
    """A kind of file: what it is called, and how it begins. A report is told by its first keys, evidence by `type`.

    Patterns are compiled where one is looked at: `--help` shall not wait for them.
    """

    what: str
    opens: bytes


def _typed(what: str, tag: str) -> _Kind:
    return _Kind(what, rb'\s*\{\s*"type"\s*:\s*"' + tag.encode() + b'"')


_PAGE = rb"\s*<!doctype html>(?s:.*?)<title>fc-judge (report|compare)</title>"
_JUNIT = rb'\s*<\?xml[^>]*>\s*<testsuites name="fc-judge"'
_KINDS = {
    "report": _Kind("a report", rb'\s*\{\s*"formatVersion"\s*:\s*\d+\s*,\s*"semanticsVersion"\s*:'),
    "html": _Kind("a page of fc-judge", _PAGE),
    "junit": _Kind("JUnit XML of fc-judge", _JUNIT),
    "markdown": _Kind("a summary of fc-judge", rb"## fc-judge"),
    "review": _typed("a review", "review"),
    "consistency": _typed("a consistency check", "consistency"),
    "adjudication": _typed("a decision", "adjudication"),
    "baseline": _typed("a baseline", "baseline"),
    "comparison": _typed("a comparison", "comparison"),
    "fixture": _typed("a fixture", "meta"),
    "recording": _typed("a recording", "recording"),
    "openai-messages": _Kind("conversations", rb'\{"id":"[^"]*","model":"[^"]*",.*"messages":\['),
    "anthropic-messages": _Kind("conversations", rb'\{"id":"[^"]*","model":"[^"]*",.*"messages":\['),
    "har": _Kind("an archive of requests", rb'\{"log":\{"version":"1.2","creator":\{"name":"fc-record"'),
    "otlp": _Kind("spans", rb'\{"resourceSpans":'),
    "vcr": _Kind("a cassette", rb"interactions:\n"),
}  # fmt: skip
_OPENING = 100_000  # bytes; far more than any but a conversation's system prompt takes
# Files that say what was done or what is expected: no output is ever called so.
_EVIDENCE = {
    "run.json", "suite.toml", "cases.jsonl", "scenario.toml", "tools.json", "world.json", "world.py", "stubs.json",
    "expect.yaml", "system.txt", "policy.md",
}  # fmt: skip
_OPENED = r"/dev/(?:std(?:out|err)|fd/\d+)$|/proc/(?:self|\d+)/fd/\d+$"
_RUN, _HISTORY = "run.json", "baseline_history"


def refuse_overwriting(outputs: Mapping[str, str | None], inputs: Sequence[str], *, kind: str = "") -> None:
    """Refuse outputs (paths by their options, `-` is stdout) that would replace another kind of file, or one another.

    `kind` is what `--output` writes; each other option is called as what it writes. What cannot be written is refused
    here too, before there is work that would be lost; a directory that is not there is made when the file is written,
    and said, since it may be a slip of the pen.
    """
    taken: dict[str, str] = {}
    new: dict[str, list[str]] = {}
    for option, path in outputs.items():
        if not path:
            continue
        place = path if path == "-" else os.path.realpath(path)
        if place in taken:
            raise WrongOption(f"{taken[place]} and {option} would write to one place", found=path)
        taken[place] = option
        if path == "-":
            continue
        _check_replaced(option, path, inputs, kind=kind if option == "--output" else option.removeprefix("--"))
        if directory := _new_directory(path):
            new.setdefault(directory, []).append(option)
    for directory, options in new.items():
        click.echo(f"new directory: {directory} (for {', '.join(options)})", err=True)


def _check_replaced(option: str, path: str, inputs: Sequence[str], *, kind: str) -> None:
    """Raises `WrongOption` where a file stands at `path` that this option would not have written there.

    A name that only evidence has is refused also where nothing stands: what is written there would be read as that.
    """
    place = os.path.realpath(path)
    if re.match(_OPENED, os.path.abspath(path)):  # noqa: PTH100  pathlib is slow
        return  # whoever opened it has decided about what stood there
    name, there = os.path.basename(place), os.path.isfile(place)  # noqa: PTH113, PTH119  as above
    found = f"evidence: {name}" if name in _EVIDENCE else ""
    if there:
        found = found or _kept_for_its_place(place, inputs) or _foreign(place, kind)
    if found:
        refusal = WrongOption(f"{option} would write {'over' if there else 'what is taken for'} {found}", file=path)
        refusal.mend = f"name another file for {option}" + (", or move this one away first" if there else "")
        raise refusal


def _kept_for_its_place(place: str, inputs: Iterable[str]) -> str:
    """Why a file is never replaced, whatever it holds; empty where nothing speaks against it."""
    home = os.path.dirname(place)  # noqa: PTH120  as above
    reals = [os.path.realpath(one) for one in inputs]
    if any(place == one or (place.endswith(".jsonl") and place.startswith(one + os.sep)) for one in reals):
        return "evidence: what this command reads"
    if os.path.basename(home) == _HISTORY:  # noqa: PTH119  as above
        return "evidence: an archived baseline"
    apart = not any(_holds(one, home) or _holds(home, one) for one in reals)
    return "evidence: it belongs to another run" if apart and os.path.isfile(os.path.join(home, _RUN)) else ""  # noqa: PTH113, PTH118


def _holds(outer: str, inner: str) -> bool:
    return inner == outer or inner.startswith(outer.rstrip(os.sep) + os.sep)


def _foreign(place: str, kind: str) -> str:
    """What stands there instead of the kind that is to be written; empty where it is that, or nothing yet."""
    with open(place, "rb") as file:  # noqa: PTH123  as above
        opening = file.read(_OPENING)
    if not opening.strip() or re.match(_KINDS[kind].opens, opening):
        return ""
    other = next((one.what for one in _KINDS.values() if re.match(one.opens, opening)), None)
    return f"evidence: {other}" if other else f"a file that is not {_KINDS[kind].what}"


def _new_directory(path: str) -> str | None:
    """The first directory that is not there yet of those a file is to lie in; raises `NotWritten`."""
    from pathlib import Path

    from harness.excerpt import visible_of
    from harness.files import check_target, is_written_into

    target = Path(path)
    check_target(target)
    if is_written_into(target):
        return None
    missing = [home for home in target.parents if not home.exists()]
    return visible_of(str(missing[-1])) if missing else None
