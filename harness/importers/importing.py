"""One file imported: recognised, read, scrubbed, linked, written as lines, read back and counted."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from harness import errors
from harness.importers.breaks import mark_breaks
from harness.importers.found import Importer, Source
from harness.importers.google import as_chat
from harness.importers.linking import Linker
from harness.importers.registry import recognised
from harness.importers.rendering import draft_of
from harness.importers.runs import add_runs
from harness.importers.scrubbing import Scrubber
from harness.importers.tally import Tally, sum_of, tally_of_recording, tally_of_told
from harness.importers.unknown import unknown
from harness.importers.writing import Draft, Origin, recording_of
from harness.recording import Recording
from harness.recording_lines import Kept, kept_of
from harness.value import encode
from harness.wire.record import clean_header
from harness.wire.redact import Redactor

_NO_ID = re.compile(r"[^a-z0-9]+")
_ID_LENGTH = 100


@dataclass(slots=True)
class Imported:
    """What became of one file: its recordings as the bytes of one file, and both counts of what they hold."""

    format: str
    recordings: list[Recording]
    lines: bytes
    seen: Tally
    written: Tally
    left_out: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)


def imported(
    source: Source, importer: Importer | None, *, id_: str, agent_version: str, redactor: Callable[[], Redactor]
) -> Imported:
    """The recordings of a file, none where it holds only other traffic; raises `BadImport` where it cannot be read.

    Without an importer the file's form decides. Several conversations become several recordings, `ID-1`, `ID-2` …
    """
    importer = importer or _recognised(source)
    found = importer.read(source)
    linker = Linker(lambda: Scrubber(redactor()), found.left_out, found.notes)
    for one in found.captured:
        linker.add(as_chat(one, found.notes))
    told = [draft for one in found.told if (draft := draft_of(one, Scrubber(redactor()), found.left_out))]
    drafts = [*linker.drafts, *told]
    ran = [one._replace(result=redactor().text(one.result)) for one in found.ran]
    mark_breaks(drafts)
    unsent = add_runs(drafts, ran, found.left_out)
    origin = Origin(importer.name, source.name, agent_version)
    ids = _ids_of(drafts, id_)
    written = [_written(draft, origin, one, Scrubber(redactor())) for draft, one in zip(drafts, ids, strict=True)]
    seen = sum_of([linker.seen, Tally(results=unsent), *map(tally_of_told, found.told)])
    return Imported(
        importer.name,
        [one.recording for one, _ in written],
        b"".join(one.lines for one, _ in written),
        seen,
        sum_of(tally for _, tally in written),
        +found.left_out,
        found.notes,
    )


def _written(draft: Draft, origin: Origin, id_: str, scrubber: Scrubber) -> tuple[Kept, Tally]:
    """A draft's recording, its lines, and what these hold: nothing is written that could not be read."""
    recording = recording_of(draft, origin, id_=id_)
    if not scrubber.is_clean(encode([recording.header, recording.end])):
        scrub = scrubber.redactor
        header, end = clean_header(recording.header, scrub), recording.end and scrub.struct(recording.end)
        recording = replace(recording, header=header, end=end)
    try:
        kept = kept_of(recording, file=origin.source)
    except (errors.InputError, errors.NotWritten) as error:
        raise errors.BadImport(
            f"it holds what a recording cannot: {error.subject}", file=origin.source, found=error.found
        ) from None
    again = kept.recording
    readings = draft if again.exchanges == recording.exchanges else Draft(again.contexts, again.exchanges, again.tools)
    return kept, tally_of_recording(again, readings)


def _recognised(source: Source) -> Importer:
    importer = recognised(source)
    if importer is None:
        raise unknown(source, file=source.name)
    return importer


def _ids_of(drafts: list[Draft], base: str) -> list[str]:
    """An id for each recording: the file's where there is one, else with its name or its number."""
    if len(drafts) == 1:
        return [base]
    ids: list[str] = []
    for number, draft in enumerate(drafts, 1):
        id_ = id_of(f"{base}-{draft.name}" if draft.name else f"{base}-{number}")
        ids.append(id_ if id_ not in ids else f"{id_}-{number}")
    return ids


def id_of(text: str) -> str:
    """A kebab-case name out of any text: path separators and dots are no part of it, a long one ends in its digest."""
    name = _NO_ID.sub("-", text.lower()).strip("-") or "imported"
    if len(name) <= _ID_LENGTH:
        return name
    return f"{name[:_ID_LENGTH].strip('-')}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
