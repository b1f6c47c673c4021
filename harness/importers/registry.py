"""The formats that can be imported: a built-in table, and what other packages offer as `harness.importers`.

A new format is one new file with an `Importer` and one line in `_BUILT_IN`; the order is that of recognition.
"""

from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points

from harness import errors
from harness.importers.found import Importer, Source
from harness.importers.theirs import Theirs
from harness.nearest import nearest_of

_BUILT_IN = {
    "vcr": "vcr:IMPORTER",
    "har": "har:IMPORTER",
    "http": "http:IMPORTER",
    "sse": "sse:IMPORTER",
    "tau-bench": "tau:TAU",
    "tau2-bench": "tau:TAU2",
    "inspect": "inspect_log:IMPORTER",
    "bfcl": "bfcl:IMPORTER",
    "otlp": "otlp:IMPORTER",
    "aimock": "aimock:IMPORTER",
    "fixture": "fixtures:IMPORTER",
    "openai-messages": "messages:OPENAI",
    "anthropic-messages": "messages:ANTHROPIC",
}
GROUP = "harness.importers"


def names() -> list[str]:
    """Every format's name."""
    return [*_BUILT_IN, *(one.name for one in entry_points(group=GROUP) if one.name not in _BUILT_IN)]


def importer_of(name: str) -> Importer:
    """The importer of a format; raises `UnknownName`."""
    if name in _BUILT_IN:
        module, _, attribute = _BUILT_IN[name].partition(":")
        importer: Importer = getattr(import_module(f"harness.importers.{module}"), attribute)
        return importer
    for point in entry_points(group=GROUP):
        if point.name == name:
            return Theirs(point)
    raise errors.UnknownName(
        f"format {name}", expected=", ".join(["auto", *names()]), nearest=nearest_of(name, names())
    )


def recognised(source: Source) -> Importer | None:
    """The first importer that knows a file's form; None where none does."""
    return next((importer for importer in _all() if importer.recognises(source)), None)


def _all() -> Iterator[Importer]:
    """Every importer; other packages are looked for only when no built-in one knows the form."""
    yield from map(importer_of, _BUILT_IN)
    yield from (Theirs(one) for one in entry_points(group=GROUP) if one.name not in _BUILT_IN)
