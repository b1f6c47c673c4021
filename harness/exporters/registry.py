"""The formats that recordings can be exported to. A new one is one new file and one line here."""

from collections import Counter
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import NamedTuple, TypeAlias

from harness import errors
from harness.nearest import nearest_of
from harness.recording import Recording

Export: TypeAlias = Callable[[Iterable[Recording], Counter[str]], bytes]


class Exporter(NamedTuple):
    """A format: its files' ending, and where its function is."""

    suffix: str
    source: str

    def __call__(self, recordings: Iterable[Recording], left_out: Counter[str]) -> bytes:
        """The bytes of one file that holds all recordings; `left_out` counts what the format cannot say."""
        module, _, name = self.source.partition(":")
        export: Export = getattr(import_module(f"harness.exporters.{module}"), name)
        return export(recordings, left_out)


EXPORTERS = {
    "openai-messages": Exporter(".jsonl", "messages:openai_of"),
    "anthropic-messages": Exporter(".jsonl", "messages:anthropic_of"),
    "har": Exporter(".har", "har:archive_of"),
    "otlp": Exporter(".json", "otlp:spans_of"),
    "vcr": Exporter(".yaml", "vcr:cassette_of"),
}


def exporter_of(name: str) -> Exporter:
    """The exporter of a format; raises `UnknownName`."""
    if name not in EXPORTERS:
        near = nearest_of(name, list(EXPORTERS))
        raise errors.UnknownName(f"format {name}", expected=", ".join(EXPORTERS), nearest=near)
    return EXPORTERS[name]
