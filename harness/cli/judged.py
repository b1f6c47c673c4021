"""The cases that paths hold, each with its verdict: fixtures and recordings, with what is expected of them."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from harness import errors, files
from harness.errors import HarnessError
from harness.fixture import Assertion, Fixture
from harness.fixture_lines import fixture_of
from harness.judge.assertions import declared_outcomes
from harness.judge.constraints import expectation_of
from harness.judge.domain import UNKNOWN, Domain, domain_of
from harness.judge.engine import Expectation
from harness.judge.evidence import judge_fixture, judge_transcript
from harness.judge.finding import Verdict
from harness.judge.suggest import suggestions_of
from harness.nearest import nearest_of
from harness.recording import Recording
from harness.recording_lines import journal_of
from harness.trace import Trace, trace_of
from harness.value import Json, decode, encode

EXPECT = "expect.yaml"
PROMPT = "system.txt"
# One step of a path: an id out of a file never leads elsewhere.
_ID = re.compile(r"(?!\.)[\w.-]+\Z")


class Judged(msgspec.Struct, frozen=True):
    """One case with its verdict, or the error that kept it from being read.

    `asked` is what is expected, as it is written; `tools` are those that the model was offered, None: not known.
    """

    case: str
    file: str
    verdict: Verdict | None = None
    error: HarnessError | None = None
    trace: Trace | None = None
    asked: Json = None
    tools: frozenset[str] | None = None


class Sources(NamedTuple):
    """Where expectations come from: the scenarios' own, or `expect`, which replaces all others."""

    scenarios: Path = Path("scenarios")
    expect: Path | None = None

    def expectation(self, scenario: str) -> Expectation | None:
        """What is expected of the runs of a scenario besides their own assertions; None where nothing is."""
        directory = self.scenarios / scenario if _ID.match(scenario) else None
        path = self.expect or (directory / EXPECT if directory else None)
        if path is None or (self.expect is None and not path.exists()):
            return None
        home = directory if directory and directory.is_dir() else path.parent
        return expectation_of(files.read_bytes(path), file=str(path), domain=domain_in(home))


def domain_in(directory: Path) -> Domain:
    """What a scenario's directory says of its tools and tables; nothing is known where there is none."""
    return domain_of(files.load_scenario(directory)) if (directory / PROMPT).exists() else UNKNOWN


def judged_files(paths: Iterable[Path], sources: Sources) -> Iterator[Judged]:
    """Every case in these files, in their order."""
    for path in paths:
        yield from _judged_file(path, sources)


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


def _judged_file(path: Path, sources: Sources) -> Iterator[Judged]:
    file = str(path)
    try:
        raw = files.read_bytes(path)
        if not is_recording(raw):
            yield _judged_fixture(fixture_of(raw, file=file), file, sources)
            return
        journal = journal_of(raw, file=file)
    except HarnessError as error:
        yield Judged(path.stem, file, error=error)
        return
    for recording in journal.recordings:
        yield _judged_recording(recording, file, sources)
    if journal.torn is not None:
        yield Judged(path.stem, file, error=journal.torn)


def is_recording(raw: bytes) -> bool:
    """Whether a file opens with a recording's header; anything else is read as a fixture and told what it lacks."""
    return b'"recording"' in raw[: raw.find(b"\n") + 1 or None].split(b",", 1)[0]


def _judged_fixture(fixture: Fixture, file: str, sources: Sources) -> Judged:
    name = fixture.meta.fixture_id
    expectation = sources.expectation(name)
    if sources.expect is not None:
        fixture = msgspec.structs.replace(fixture, assertions=[])
    trace = trace_of(fixture.transcript, declared=declared_outcomes(fixture.assertions))
    asked = decode(encode({"assertions": fixture.assertions})) if fixture.assertions else None
    offered = None if fixture.meta.tool_hashes is None else frozenset(fixture.meta.tool_hashes)
    return Judged(name, file, judge_fixture(fixture, expectation), None, trace, asked, offered)


def _judged_recording(recording: Recording, file: str, sources: Sources) -> Judged:
    from harness.derivation import transcript_of

    header = recording.header
    try:
        expectation = sources.expectation(header.scenario or header.id)
        transcript = transcript_of(recording)
    except HarnessError as error:
        return Judged(header.id, file, error=error)
    return Judged(header.id, file, judge_transcript(transcript, expectation), None, trace_of(transcript))


def suggestions_for(what: str) -> list[Assertion]:
    """Assertions that hold on a fixture or a recording, named by its path; a fixture in `fixtures/` also by its id."""
    path = Path(what) if Path(what).exists() or what.endswith(".jsonl") else Path("fixtures") / f"{what}.jsonl"
    raw = files.read_bytes(path)
    if not is_recording(raw):
        fixture = fixture_of(raw, file=str(path))
        return suggestions_of(trace_of(fixture.transcript), fixture.meta.tool_hashes or ())
    from harness.derivation import transcript_of

    return suggestions_of(trace_of(transcript_of(journal_of(raw, file=str(path)).recordings[0])))
