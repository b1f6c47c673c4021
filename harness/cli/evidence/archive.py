"""A baseline put in its place; the one that stood there is kept byte for byte first."""

from pathlib import Path

from harness import errors, files
from harness.cli.evidence.evidence_files import HISTORY, put
from harness.evidence.baseline import Baseline
from harness.evidence.documents import bytes_of_document, read_document
from harness.value import digest_of


def put_baseline(path: Path, baseline: Baseline) -> Path | None:
    """Write a baseline; where another stood there, returns where that is kept now.

    The old one's copy is read back and its hash compared before its place is taken; raises `ArchiveUnsafe`.
    """
    raw = bytes_of_document(baseline)
    old = files.read_bytes(path) if path.exists() else None
    if old == raw:
        return None
    archive = None if old is None else _kept(path, old)
    put(path, raw)
    return archive


def archive_path(path: Path, raw: bytes, *, file: str) -> Path:
    """Where a baseline is kept when another takes its place; raises `ArchiveUnsafe` where it is none."""
    try:
        baseline = read_document(raw, Baseline, file=file)
    except errors.BadEvidence as error:
        raise errors.ArchiveUnsafe(f"it is no baseline ({error.facts()['message']})", file=file) from None
    name = f"{len(baseline.cases)}_cases_{digest_of(raw).removeprefix('sha256:')}.json"
    return path.parent / HISTORY / name


def check_archived(path: Path) -> None:
    """Raise `BaselineUnproven` where a baseline in `baseline_history` is not what it was when it was kept."""
    right = archive_path(path.parent.parent, path.read_bytes(), file=str(path))
    if right.name != path.name:
        raise errors.BaselineUnproven("an archived baseline was changed", file=str(path), expected=right.name)


def _kept(path: Path, raw: bytes) -> Path:
    archive = archive_path(path, raw, file=str(path))
    if not archive.exists():
        put(archive, raw)
    if digest_of(archive.read_bytes()) != digest_of(raw):
        raise errors.ArchiveUnsafe(f"its copy {archive} holds other bytes", file=str(path))
    return archive
