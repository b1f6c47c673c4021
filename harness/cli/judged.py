"""The cases that paths hold, each with its verdict: fixtures and recordings, with what is expected of them."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from harness import errors, files
from harness.errors import HarnessError
from harness.fixture import Assertion, Fixture
from harness.judge.engine import Findings
from harness.judge.evidence import judge_fixture
from harness.judge.finding import Verdict
from harness.judge.suggest import suggestions_of
from harness.nearest import nearest_of
from harness.trace import trace_of


class Judged(msgspec.Struct, frozen=True):
    """One case with its verdict, or the error that kept it from being read."""

    case: str
    file: str
    verdict: Verdict | None = None
    error: HarnessError | None = None


def judged_paths(paths: list[Path], expectation: Findings | None = None) -> Iterator[Judged]:
    """Every case in these files and directories, in the order given; directories are read by name."""
    for path in evidence_files(paths):
        yield from _judged_file(path, expectation)


def evidence_files(paths: list[Path]) -> Iterator[Path]:
    """The files themselves, and all `.jsonl` below the directories; raises `PathNotFound`."""
    for path in paths:
        if path.is_dir():
            yield from sorted(path.rglob("*.jsonl"))
        elif path.exists():
            yield path
        else:
            near = nearest_of(path.name, [one.name for one in path.parent.iterdir()]) if path.parent.is_dir() else None
            raise errors.PathNotFound(file=str(path), nearest=near and str(path.parent / near))


def _judged_file(path: Path, expectation: Findings | None) -> Iterator[Judged]:
    try:
        fixture = files.load_fixture(path)
        yield Judged(fixture.meta.fixture_id, str(path), _verdict_of(fixture, expectation))
    except HarnessError as error:
        yield Judged(path.stem, str(path), error=error)


def _verdict_of(fixture: Fixture, expectation: Findings | None) -> Verdict:
    if expectation is None:
        return judge_fixture(fixture)
    return judge_fixture(msgspec.structs.replace(fixture, assertions=[]), expectation)


def suggestions_for(what: str) -> list[Assertion]:
    """Assertions that hold on a fixture, which is named by its id (in `fixtures/`) or its path."""
    path = Path(what) if Path(what).exists() or what.endswith(".jsonl") else Path("fixtures") / f"{what}.jsonl"
    fixture = files.load_fixture(path)
    return suggestions_of(trace_of(fixture.transcript), fixture.meta.tool_hashes or ())
