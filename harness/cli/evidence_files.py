"""Evidence on the disk: read with its kind, written whole, and found again by its hash."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from harness import errors, files
from harness.cli.run_report import Loaded
from harness.evidence.documents import bytes_of_document, read_document, type_of
from harness.value import digest_of

HISTORY = "baseline_history"

_Document = TypeVar("_Document", bound=msgspec.Struct)


def read_evidence(path: Path, kind: type[_Document]) -> _Document:
    """The evidence of this kind in a file; raises `BadEvidence` or `PathNotFound`."""
    return read_document(files.read_bytes(path), kind, file=str(path))


def held_in(directory: Path, kind: type[_Document]) -> Iterator[tuple[Path, _Document]]:
    """All evidence of a kind below a directory, by name; what was archived is left out. Raises `BadEvidence`."""
    for path in sorted(directory.rglob("*.json")) if directory.is_dir() else []:
        if HISTORY in path.parts:
            continue
        raw = path.read_bytes()
        if type_of(raw) == kind.__struct_config__.tag:
            yield path, read_document(raw, kind, file=str(path))


def digest_of_document(document: msgspec.Struct) -> str:
    """The hash by which other evidence names a document."""
    return digest_of(bytes_of_document(document))


def refuse_changed(loaded: Loaded) -> Loaded:
    """The run, if its inputs are still what it was recorded with; raises `OtherEvidence` where they are not."""
    if loaded.changed:
        names = ", ".join(loaded.changed)
        sentence = f"the run was recorded with other inputs than are here now: {names}"
        raise errors.OtherEvidence(sentence, file=str(loaded.directory or loaded.name))
    return loaded
