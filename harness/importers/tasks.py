"""Which files an import takes, and the recording that each becomes; what cannot be read is told, not raised."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness import files
from harness.directories import files_below
from harness.errors import HarnessError
from harness.importers.http import REQUEST, RESPONSE
from harness.importers.importing import id_of


class Refusal(NamedTuple):
    """An error as it travels between processes."""

    sentence: str
    facts: dict[str, str | int | None]
    exit_code: int


class Task(NamedTuple):
    """A file to import, or a directory's raw captures. One that was not named itself may turn out to be none.

    Without `paths` it is what the walk could not read, and `error` says why.
    """

    name: str
    paths: tuple[Path, ...]
    named: bool
    target: Path
    error: Refusal | None = None


class _Found(NamedTuple):
    """Files that belong together, and the name that their recording's id is made of."""

    name: str
    paths: tuple[Path, ...]
    named: bool


def refusal_of(error: HarnessError) -> Refusal:
    """The error without its traceback."""
    return Refusal(str(error), error.facts(), error.exit_code)


def tasks_of(paths: list[Path], output: Path) -> list[Task]:
    """Every file of the paths, once, with the recording it becomes; raises `PathNotFound`."""
    found: list[_Found] = []
    refused: list[HarnessError] = []
    for path in paths:
        if path.is_dir():
            found += _in_directory(path, refused)
        else:
            _check_exists(path)
            found.append(_Found(_short_name(path), _with_response(path), named=True))
    found = _each_once(found)
    ids = _ids_of([(one.name, one.paths[0]) for one in found])
    tasks = [
        Task(str(one.paths[0]), one.paths, one.named, output / f"{id_}.jsonl")
        for one, id_ in zip(found, ids, strict=True)
    ]
    return tasks + [Task(str(error.file), (), named=False, target=output, error=refusal_of(error)) for error in refused]


def _check_exists(path: Path) -> None:
    if not path.exists():
        files.read_bytes(path)  # raises, and names the nearest file


def _in_directory(directory: Path, refused: list[HarnessError]) -> Iterator[_Found]:
    """Each file below a directory by its path there; the raw captures of one directory together."""
    captures: dict[Path, list[Path]] = {}
    for path in files_below([directory], "", refuse=refused.append):
        if path.name.endswith((REQUEST, RESPONSE)):
            captures.setdefault(path.parent, []).append(path)
        else:
            yield _Found(_stem(str(path.relative_to(directory))), (path,), named=False)
    for parent, parts in captures.items():
        yield _Found(str(directory.name / parent.relative_to(directory)), tuple(parts), named=False)


def _each_once(found: list[_Found]) -> list[_Found]:
    """The same without what an earlier name has taken: a file given twice, or beside its directory, or by a link."""
    named = {path.resolve() for one in found if one.named for path in one.paths}
    taken: set[Path] = set()
    once: list[_Found] = []
    for one in found:
        places = {path.resolve(): path for path in one.paths}
        fresh = tuple(path for place, path in places.items() if place not in taken)
        if fresh:
            once.append(one._replace(paths=fresh, named=one.named or not named.isdisjoint(places)))
        taken |= places.keys()
    return once


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
