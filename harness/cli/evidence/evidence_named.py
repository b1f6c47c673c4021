"""Fixtures and other evidence as people name them: by path or by id; what to do where there is none of that name."""

from pathlib import Path

from harness import errors
from harness.nearest import nearest_of

FIXTURES = Path("fixtures")
_PROMPT = "system.txt"
_SHOWN = 5


def evidence_named(path: Path, command: str) -> Path:
    """The path itself, or the fixture of that id; what is none is refused with the next step."""
    if path.exists():
        if (path / _PROMPT).is_file():
            raise _scenario_named(path, command)
        return path
    by_id = path.name == str(path) and not path.suffix
    if by_id and _of_id(path.name).exists():
        return _of_id(path.name)
    return _refuse(path, by_id=by_id)


def fixtures_home() -> Path:
    """Where fixtures are; raises `NothingRecorded` where there is no such directory."""
    if not FIXTURES.is_dir():
        raise nothing_recorded()
    return FIXTURES


def nothing_recorded(scenarios: Path = Path("scenarios")) -> errors.NothingRecorded:
    """The refusal, with the scenarios that could be recorded."""
    names = [one.parent.name for one in sorted(scenarios.glob(f"*/{_PROMPT}"))]
    refusal = errors.NothingRecorded(file=str(FIXTURES))
    if names:
        rest = f" (there are also {', '.join(names[1:_SHOWN])}{' …' if len(names) > _SHOWN else ''})"
        refusal.mend = f"fc-record {scenarios}/{names[0]}" + (rest if names[1:] else "")
    return refusal


def _of_id(name: str) -> Path:
    return FIXTURES / f"{name}.jsonl"


def _scenario_named(path: Path, command: str) -> errors.ScenarioNamed:
    refusal = errors.ScenarioNamed(file=str(path))
    recorded = _of_id(path.name).exists()
    refusal.mend = f"{command} {path.name}" if recorded else f"fc-record {path}"
    return refusal


def _refuse(path: Path, *, by_id: bool) -> Path:
    ids = [one.stem for one in sorted(FIXTURES.glob("*.jsonl"))]
    if by_id and not ids:
        raise nothing_recorded()
    home = path.parent
    known = [str(home / one.name) if home.name else one.name for one in home.iterdir()] if home.is_dir() else []
    raise errors.PathNotFound(file=str(path), nearest=nearest_of(str(path), [*ids, *known] if by_id else known))
