"""A file that no importer knows: the reason, where it is its encoding or what is wrong with its JSON."""

from harness import errors
from harness.encoding import MARK, fault_of
from harness.importers.found import Source

_HEAD = 4096


def unknown(source: Source, *, file: str) -> errors.BadImport:
    """The refusal of a file of no known format."""
    refusal = _misencoded(source) or _broken(source)
    if refusal is None:
        return errors.BadImport("of no known format: name one, or see fc-record import --help", file=file)
    refusal.file = file
    return refusal


def _misencoded(source: Source) -> errors.BadImport | None:
    """The refusal of a text that is no UTF-8; nothing is said of the bytes of what is no text."""
    raw = source.raw.removeprefix(MARK)
    fault = fault_of(raw)
    if fault is None or (b"\0" in raw[:_HEAD] and not fault.sentence.startswith("is UTF")):
        return None
    line = raw.count(b"\n", 0, fault.at) + 1
    refusal = errors.BadImport(f"of no known format, since it {fault.sentence}", file=source.name, line=line)
    refusal.mend = "save it as UTF-8"
    return refusal


def _broken(source: Source) -> errors.BadImport | None:
    """The refusal of what begins as JSON, or as lines of it, and goes on as something else."""
    if source.head[:1] not in {b"{", b"["} or source.is_json:
        return None
    read = source.json if source.first is None else source.json_lines
    try:
        read()
    except errors.BadImport as error:
        return errors.BadImport(f"of no known format, since it is {error.subject}", file=source.name, line=error.line)
    return None
