"""Many files imported, each on its own: found, named, read in parallel, written whole; a bad one stops no other."""

import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from harness import errors, files
from harness.directories import files_below
from harness.errors import HarnessError
from harness.importers.found import Importer, Source
from harness.importers.http import REQUEST, RESPONSE
from harness.importers.importing import id_of, imported
from harness.importers.registry import importer_of, recognised
from harness.importers.tally import NOTHING, Tally
from harness.journal import write_together
from harness.wire.redact import Redactor

MAX_FILE_BYTES = 2 * 1024 * 1024 * 1024
AUTO = "auto"

_GZIP = b"\x1f\x8b"
_MOST_FILES, _ENOUGH_BYTES = 64, 8 * 1024 * 1024  # of a batch
_ROUNDS = 4  # batches for each worker, so that none is idle for long


class Task(NamedTuple):
    """A file to import, or a directory's raw captures. One that was not named itself may turn out to be none."""

    name: str
    paths: tuple[Path, ...]
    named: bool
    target: Path


class Settings(NamedTuple):
    """What holds for all files: the format, who imports, which values are secret, whether files may be replaced."""

    format: str
    agent_version: str
    secrets: tuple[str, ...]
    replace: bool


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a file. `format` is empty where it is of no known one; `error` is why it was not imported."""

    file: str
    format: str = ""
    target: str = ""
    recordings: int = 0
    seen: Tally = NOTHING
    written: Tally = NOTHING
    left_out: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    error: "Refusal | None" = None


class Refusal(NamedTuple):
    """An error as it travels between processes."""

    sentence: str
    facts: dict[str, str | int | None]
    exit_code: int


def tasks_of(paths: list[Path], output: Path) -> list[Task]:
    """Every file of the paths with the recording it becomes; raises `PathNotFound`."""
    found: list[tuple[str, tuple[Path, ...], bool]] = []
    for path in paths:
        if path.is_dir():
            found += _in_directory(path)
        else:
            _check_exists(path)
            found.append((_short_name(path), _with_response(path), True))
    ids = _ids_of([(name, parts[0]) for name, parts, _ in found])
    pairs = zip(found, ids, strict=True)
    return [Task(str(parts[0]), parts, named, output / f"{id_}.jsonl") for (_, parts, named), id_ in pairs]


def _check_exists(path: Path) -> None:
    if not path.exists():
        files.read_bytes(path)  # raises, and names the nearest file


def _in_directory(directory: Path) -> Iterator[tuple[str, tuple[Path, ...], bool]]:
    """Each file below a directory by its path there; the raw captures of one directory together."""
    captures: dict[Path, list[Path]] = {}
    for path in files_below([directory], ""):
        if path.name.endswith((REQUEST, RESPONSE)):
            captures.setdefault(path.parent, []).append(path)
        else:
            yield _stem(str(path.relative_to(directory))), (path,), False
    for parent, parts in captures.items():
        yield str(directory.name / parent.relative_to(directory)), tuple(parts), False


def _with_response(path: Path) -> tuple[Path, ...]:
    """A request's capture comes with the answer beside it."""
    if not path.name.endswith(REQUEST):
        return (path,)
    response = path.with_name(path.name.removesuffix(REQUEST) + RESPONSE)
    return (path, response) if response.exists() else (path,)


def _short_name(path: Path) -> str:
    return _stem(path.name.removesuffix(REQUEST))


def _stem(name: str) -> str:
    stem = name.removesuffix(".gz")
    return stem[: -len(Path(stem).suffix)] if Path(stem).suffix else stem


def _ids_of(named: list[tuple[str, Path]]) -> list[str]:
    """An id each; where two files would share one, the directories before them tell them apart, else a number."""
    ids = [id_of(name) for name, _ in named]
    counts = Counter(ids)
    ids = [
        id_of(f"{path.absolute().parent.name}-{id_}") if counts[id_] > 1 else id_
        for id_, (_, path) in zip(ids, named, strict=True)
    ]
    taken: Counter[str] = Counter()
    for at, id_ in enumerate(ids):
        taken[id_] += 1
        if taken[id_] > 1:
            ids[at] = f"{id_}-{taken[id_]}"
    return ids


def imports_of(tasks: list[Task], settings: Settings, *, jobs: int) -> Iterator[Done]:
    """Each task done, in order."""
    batches = [*_batches_of(tasks, jobs)]
    if jobs == 1 or len(batches) == 1:
        for batch in batches:
            yield from _done(batch, settings)
        return
    with ProcessPoolExecutor(min(jobs, len(batches))) as pool:
        for done in pool.map(_done, batches, [settings] * len(batches)):
            yield from done


def _batches_of(tasks: list[Task], jobs: int) -> Iterator[list[Task]]:
    """What a worker takes at once: many small files, since making them lasting together takes the time of one."""
    most = min(_MOST_FILES, -(-len(tasks) // (jobs * _ROUNDS)))
    batch: list[Task] = []
    size = 0
    for task in tasks:
        size += sum(path.stat().st_size for path in task.paths if path.is_file())
        batch.append(task)
        if len(batch) >= most or size >= _ENOUGH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _done(batch: list[Task], settings: Settings) -> list[Done]:
    """Files imported and written, each as it would be alone."""
    new: dict[Path, bytes] = {}
    done = [_imported(task, settings, new) for task in batch]
    try:
        write_together(new)
    except (OSError, HarnessError):
        return [_kept(one, new) for one in done]
    return done


def _kept(one: Done, new: dict[Path, bytes]) -> Done:
    """A file written alone, since one of those beside it could not be written."""

    def kept() -> Done:
        write_together({path: new[path] for path in [Path(one.target)] if path in new})
        return one

    return _guarded(one.file, kept)


def _guarded(file: str, action: Callable[[], Done]) -> Done:
    """What becomes of a file, or the reason why nothing does."""
    try:
        return action()
    except HarnessError as error:
        return Done(file, error=Refusal(str(error), error.facts(), error.exit_code))
    except (OSError, MemoryError) as error:
        refused = errors.BadImport(f"cannot be read: {type(error).__name__} {error}".strip(), file=file)
        return Done(file, error=Refusal(str(refused), refused.facts(), refused.exit_code))


def _imported(task: Task, settings: Settings, new: dict[Path, bytes]) -> Done:
    """One file imported; `new` gets what is to be written."""
    return _guarded(task.name, lambda: _done_of(task, settings, new))


def _done_of(task: Task, settings: Settings, new: dict[Path, bytes]) -> Done:
    source = source_of(task)
    importer = _importer_for(task, source, settings.format)
    if importer is None:
        return Done(task.name)
    result = imported(
        source,
        importer,
        id_=task.target.stem,
        agent_version=settings.agent_version,
        redactor=lambda: Redactor(settings.secrets),
    )
    if result.recordings and _is_new(task.target, result.lines, replace=settings.replace):
        new[task.target] = result.lines
    return Done(
        task.name,
        result.format,
        str(task.target) if result.recordings else "",
        len(result.recordings),
        result.seen,
        result.written,
        result.left_out,
        result.notes,
    )


def source_of(task: Task) -> Source:
    name = task.paths[0].name if len(task.paths) == 1 else task.paths[0].parent.name
    if len(task.paths) > 1 or task.paths[0].name.endswith((REQUEST, RESPONSE)):
        return Source(name, b"", {path.name: files.read_bytes(path) for path in task.paths})
    [path] = task.paths
    if path.stat().st_size > MAX_FILE_BYTES:
        raise errors.BadImport(f"larger than {MAX_FILE_BYTES} bytes", file=task.name)
    raw = files.read_bytes(path)
    return Source(name, _unpacked(raw, task.name) if raw.startswith(_GZIP) else raw)


def _unpacked(raw: bytes, file: str) -> bytes:
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        whole = inflater.decompress(raw, MAX_FILE_BYTES)
    except zlib.error as error:
        raise errors.BadImport(f"a broken gzip file: {error}", file=file) from None
    if inflater.unconsumed_tail:
        raise errors.BadImport(f"larger than {MAX_FILE_BYTES} bytes when unpacked", file=file)
    return whole if inflater.eof and not inflater.unused_data else gzip.decompress(raw)


def _importer_for(task: Task, source: Source, format_: str) -> Importer | None:
    """The importer: the named one for a file that was named, else the one that recognises it; None where none does."""
    if format_ == AUTO:
        importer = recognised(source)
    else:
        importer = importer_of(format_)
        if not task.named and not importer.recognises(source):
            importer = None
    if importer is None and task.named:
        raise errors.BadImport("of no known format: name one, or see fc-record import --help", file=task.name)
    return importer


def _is_new(target: Path, lines: bytes, *, replace: bool) -> bool:
    """Whether these lines are to be written; raises `WrongOption` where other ones stand there."""
    if replace or not target.exists():
        return True
    if target.read_bytes() == lines:
        return False
    sentence = "is there already, with other contents: --replace writes over it, --output DIR goes elsewhere"
    raise errors.WrongOption(sentence, file=str(target))
