"""Evidence on the disk: read with its kind, written whole, and found again by its hash."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from harness import errors, files
from harness.cli.discretion import environments_discretion
from harness.cli.suites.run_files import run_problems
from harness.cli.suites.run_report import Loaded, load_report
from harness.directories import files_below
from harness.evidence.consistency import Manifest, Member
from harness.evidence.documents import bytes_of_document, read_document, type_of
from harness.raw_run import FILE as RUN
from harness.raw_run import run_of
from harness.report.report import UNFINISHED
from harness.value import digest_of
from harness.wire.redact import Redactor

HISTORY = "baseline_history"
REPORT = "report.json"
_KINDS = ("baseline", "review", "consistency", "adjudication")
_OPENING = 100  # so many bytes tell what a file is

_Document = TypeVar("_Document", bound=msgspec.Struct)


def read_evidence(path: Path, kind: type[_Document]) -> _Document:
    """The evidence of this kind in a file; raises `BadEvidence` or `PathNotFound`."""
    return read_document(files.read_bytes(path), kind, file=str(path))


def held_in(directory: Path, kind: type[_Document]) -> Iterator[tuple[Path, _Document]]:
    """All evidence of a kind below a directory, by name; what was archived is left out. Raises `BadEvidence`."""
    for path in files_below([directory], ".json") if directory.is_dir() else []:
        if HISTORY not in path.parts and kind.__struct_config__.tag in kinds_in(path):
            yield path, read_evidence(path, kind)


def kinds_in(path: Path) -> set[str]:
    """The kinds of document that a file is by its name and by what it says: one that nobody can read has its name."""
    named = [kind for kind in _KINDS if path.name == f"{kind}.json" or path.name.endswith(f".{kind}.json")]
    said = type_in(path)
    return {*named, *([said] if said else [])}


def type_in(path: Path) -> str | None:
    """The kind of document that a file says it is."""
    return type_of(opening_of(path))


def opening_of(path: Path) -> bytes:
    """The first bytes of a file, by which its kind is told."""
    with path.open("rb") as file:
        return file.read(_OPENING)


def write_evidence(path: Path, document: msgspec.Struct) -> None:
    """The document in its file, whole, without secrets in what people said in it; raises `NotWritten`."""
    put(path, bytes_of_document(Redactor(environments_discretion().values).struct(document)))


def put(path: Path, raw: bytes) -> None:
    """Bytes in their file, whole or not at all; raises `NotWritten`."""
    files.write_whole(path, raw)


def digest_of_document(document: msgspec.Struct) -> str:
    """The hash by which other evidence names a document."""
    return digest_of(bytes_of_document(document))


def run_taken(path: Path, scenarios: Path, suite: Path | None = None) -> Loaded:
    """A run or a report by its path, as every command takes it: the run's files are what it made, manifest and all.

    Raises what keeps it from being read, or the first thing that is wrong with its files.
    """
    loaded = load_report(path, scenarios=scenarios, suite=suite)
    for problem in run_problems(loaded.directory) if loaded.directory else []:
        raise problem
    return loaded


def sound(loaded: Loaded) -> Loaded:
    """The run, if it can be evidence: whole, its inputs those that it was recorded with.

    Raises `OtherEvidence` or `BadEvidence`.
    """
    if loaded.changed:
        names = ", ".join(loaded.changed)
        sentence = f"the run was recorded with other inputs than are here now: {names}"
        raise errors.OtherEvidence(sentence, file=str(loaded.directory or loaded.name))
    if (shard := loaded.report.shard) is not None:
        refusal = errors.BadEvidence(f"shard {shard.index} of {shard.count} of a run", file=loaded.name)
        refusal.mend = "join the reports of all shards: fc-judge merge REPORT… --report FILE"
        raise refusal
    if not loaded.report.complete:
        sentence = f"{UNFINISHED}; evidence is of whole runs"
        raise errors.BadEvidence(sentence, file=str(loaded.directory or loaded.name))
    return loaded


def member_of(path: Path, scenarios: Path, suite: Path | None = None) -> Member:
    """A run or a report by its path; raises as `run_taken` and `sound` do."""
    one = sound(run_taken(path, scenarios, suite))
    return Member(one.name, one.report, one.run, manifest=_manifest_in(one.directory) if one.directory else None)


def _manifest_in(directory: Path) -> Manifest:
    raw = files.read_bytes(directory / RUN)
    return Manifest(digest_of(raw), run_of(raw, file=str(directory / RUN)).ended_at)


def named_apart(members: Sequence[Member]) -> list[Member]:
    """The members, a number behind a name that stands there already."""
    named: list[Member] = []
    for one in members:
        count = sum(other.name == one.name or other.name.startswith(f"{one.name} (") for other in named)
        named.append(one._replace(name=f"{one.name} ({count + 1})") if count else one)
    return named
