"""Many files imported, each on its own: read in parallel, written whole; a bad one stops no other."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from harness import errors
from harness.errors import HarnessError
from harness.foreign import ForeignError, given_by
from harness.importers.found import Importer, Source
from harness.importers.importing import imported
from harness.importers.opening import source_of
from harness.importers.registry import importer_of, recognised
from harness.importers.tally import NOTHING, Tally
from harness.importers.tasks import Refusal, Task, refusal_of
from harness.importers.unknown import unknown
from harness.journal import write_together
from harness.orphans import AT_WORK, end_with_parent
from harness.wire.redact import Redactor

AUTO = "auto"

_MOST_FILES, _ENOUGH_BYTES = 64, 8 * 1024 * 1024  # of a batch
_ROUNDS = 4  # batches for each worker, so that none is idle for long


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
    error: Refusal | None = None


def imports_of(tasks: list[Task], settings: Settings, *, jobs: int) -> Iterator[Done]:
    """Each task done, in order."""
    batches = [*_batches_of(tasks, jobs)]
    if jobs == 1 or len(batches) == 1:
        for batch in batches:
            yield from _done(batch, settings)
        return
    with ProcessPoolExecutor(min(jobs, len(batches)), initializer=end_with_parent) as pool:
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
    with AT_WORK:  # what a worker has begun to write becomes whole
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
    """What becomes of a file, or the reason why nothing does: whatever is raised over one ends no other's import."""
    try:
        return given_by(action)
    except HarnessError as error:
        return Done(file, error=refusal_of(error))
    except ForeignError as error:
        return Done(file, error=refusal_of(errors.BadImport(f"cannot be read: {error}", file=file)))


def _imported(task: Task, settings: Settings, new: dict[Path, bytes]) -> Done:
    """One file imported; `new` gets what is to be written."""
    return _guarded(task.name, lambda: _done_of(task, settings, new))


def _done_of(task: Task, settings: Settings, new: dict[Path, bytes]) -> Done:
    if task.error is not None:
        return Done(task.name, error=task.error)
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


def _importer_for(task: Task, source: Source, format_: str) -> Importer | None:
    """The importer: the named one for a file that was named, else the one that recognises it; None where none does."""
    if format_ == AUTO:
        importer = recognised(source)
    else:
        importer = importer_of(format_)
        if not task.named and not importer.recognises(source):
            importer = None
    if importer is None and task.named:
        raise unknown(source, file=task.name)
    return importer


def _is_new(target: Path, lines: bytes, *, replace: bool) -> bool:
    """Whether these lines are to be written; raises `WrongOption` where other ones stand there."""
    if replace or not target.exists():
        return True
    if target.read_bytes() == lines:
        return False
    sentence = "is there already, with other contents: --replace writes over it, --output DIR goes elsewhere"
    raise errors.WrongOption(sentence, file=str(target))
