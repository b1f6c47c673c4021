"""Which scenario a word of the command line means: a path, or the id of one in the scenarios directory."""

from pathlib import Path

from harness import errors
from harness.nearest import nearest_of


def scenario_named(word: str, scenarios: str) -> str:
    """The path; a word that is none of both stays, for the reader of scenarios to refuse.

    Raises `PathNotFound` with the scenario that was probably meant, and `WrongOption` for a directory of scenarios.
    """
    path = Path(word)
    if path.is_dir():
        _refuse_many(path)
    if path.exists() or path.name != word:
        return word
    names = _scenarios_in(Path(scenarios))
    if word in names:
        return str(Path(scenarios) / word)
    near = nearest_of(word, names)
    if near is not None:
        raise errors.PathNotFound(file=word, nearest=str(Path(scenarios) / near))
    return word


def _refuse_many(directory: Path) -> None:
    if _is_one(directory):
        return
    names = _scenarios_in(directory)
    if names:
        sentence = "this directory holds scenarios; name those that are to be recorded"
        error = errors.WrongOption(sentence, file=str(directory), found=", ".join(names))
        error.mend = f"fc-record {directory / names[0]}"
        raise error


def _scenarios_in(directory: Path) -> list[str]:
    """Scenarios and suites, by name."""
    return sorted(one.name for one in directory.iterdir() if _is_one(one)) if directory.is_dir() else []


def _is_one(directory: Path) -> bool:
    return any((directory / name).is_file() for name in ("system.txt", "user.txt", "suite.toml"))
