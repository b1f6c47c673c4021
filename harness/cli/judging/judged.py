"""The cases that paths hold, each with its verdict: fixtures and recordings, with what is expected of them."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from harness import errors, files
from harness.directories import files_below
from harness.errors import HarnessError
from harness.excerpt import visible_of
from harness.fixture import Assertion
from harness.fixture_lines import fixture_of
from harness.judge.constraints import expectation_of
from harness.judge.domain import UNKNOWN, Domain, domain_of
from harness.judge.engine import Expectation, Found
from harness.judge.evidence import judge_fixture, judge_trace, suite_judge, trace_of_fixture
from harness.judge.finding import Verdict, unjudged
from harness.nearest import nearest_of
from harness.recording import Header, Recording
from harness.recording_lines import journal_of
from harness.suite import CASES, Case, Suite
from harness.trace import Trace, trace_of
from harness.transcript import Transcript
from harness.value import Json, as_json

EXPECT = "expect.yaml"
SUFFIX = ".jsonl"
PROMPT = "system.txt"
_MEANT = re.compile(r"expect(s|ed|ations?)?\.ya?ml|expect\.(json|toml)", re.IGNORECASE)


class Judged(msgspec.Struct, frozen=True):
    """One case with its verdict, or the error that kept it from being read; both, where its scenario is lost.

    `assertions` are those that it was judged by; `tools` are those that the model was offered, None: not known.
    """

    case: str
    file: str
    verdict: Verdict | None = None
    error: HarnessError | None = None
    trace: Trace | None = None
    assertions: list[Assertion] = []
    tools: frozenset[str] | None = None

    @property
    def asked(self) -> Json:
        """What is expected besides the scenario's spec, as it is written."""
        return as_json({"assertions": self.assertions}) if self.assertions else None


class Sources(NamedTuple):
    """Where expectations come from: the scenarios' own, or `expect`, which replaces all others."""

    scenarios: Path = Path("scenarios")
    expect: Path | None = None

    def expectation(self, scenario: str, origin: str) -> Expectation | None:
        """What is expected of the runs of a scenario besides their own assertions; None where nothing is.

        Where the scenario is lost, nobody knows: the expectation then says so, and is never met.
        """
        directory = self.scenarios / scenario
        if self.expect is not None:
            home = directory if directory.is_dir() else self.expect.parent
            return expectation_of(files.read_bytes(self.expect), file=str(self.expect), domain=domain_in(home))
        if self.lost(scenario, origin):
            return _unknown
        spec = spec_in(directory) if directory.is_dir() else None
        if spec is None:
            return None
        return expectation_of(files.read_bytes(spec), file=str(spec), domain=domain_in(directory), scenario=scenario)

    def suite(self, header: Header) -> Path | None:
        """The suite of one file of a run, whose case says what is expected, unless `expect` stands in its place."""
        if header.trial is None or header.scenario is None or self.expect is not None:
            return None
        directory = self.scenarios / header.scenario
        return directory if (directory / CASES).exists() else None

    def lost(self, scenario: str, origin: str) -> errors.ScenarioMissing | None:
        """The refusal of what was recorded of a scenario that is not there, unless `expect` stands in its place."""
        if self.expect is not None or origin != "scenario" or (self.scenarios / scenario).is_dir():
            return None
        return errors.ScenarioMissing(scenario)


def _unknown(trace: Trace) -> Found:
    del trace
    return Found([unjudged("expect", "the scenario is not there, so that nobody knows what it expects")])


def spec_in(directory: Path) -> Path | None:
    """The spec of a scenario's directory; raises `BadExpectation` for a file that is meant as one and is not read."""
    names = sorted(name for name in os.listdir(directory) if is_spec_name(name))  # noqa: PTH208  a name is enough
    for name in names:
        check_spec_name(directory / name)
    return directory / EXPECT if names else None


def is_spec_name(name: str) -> bool:
    """Whether a file of this name is a scenario's spec, or is meant as one."""
    return _MEANT.fullmatch(name) is not None


def check_spec_name(path: Path) -> None:
    """Refuse a spec that nothing would read, since it is called otherwise."""
    if path.name != EXPECT:
        unread = errors.BadExpectation("nothing reads this file: it is not called so", file=str(path), nearest=EXPECT)
        unread.mend = visible_of(f"mv {path} {path.with_name(EXPECT)}")
        raise unread


def domain_in(directory: Path) -> Domain:
    """What a scenario's directory says of its tools and tables; nothing is known where there is none."""
    return domain_of(files.load_scenario(directory)) if (directory / PROMPT).exists() else UNKNOWN


def evidence_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files themselves, and all `.jsonl` below the directories, each once; raises `PathNotFound`."""
    named = apart(paths)
    yield from named.files
    yield from files_below(named.directories, SUFFIX)


class Apart(NamedTuple):
    """Paths as they were named, each once: files, and directories."""

    files: list[Path]
    directories: list[Path]


def apart(paths: Iterable[Path]) -> Apart:
    """Files without those that a directory holds which is named too, and directories; raises `PathNotFound`."""
    named = [*dict.fromkeys(paths)]
    directories = [path for path in named if path.is_dir()]
    files_ = [path for path in named if not path.is_dir()]
    for path in files_:
        if not path.exists():
            near = nearest_of(path.name, [one.name for one in path.parent.iterdir()]) if path.parent.is_dir() else None
            raise errors.PathNotFound(file=str(path), nearest=near and str(path.parent / near))
    held = {*directories}
    return Apart([path for path in files_ if path.suffix != SUFFIX or held.isdisjoint(path.parents)], directories)


def is_recording(raw: bytes) -> bool:
    """Whether a file opens with a recording's header; anything else is read as a fixture and told what it lacks."""
    return b'"recording"' in raw[: raw.find(b"\n") + 1 or None].split(b",", 1)[0]


class Judge:
    """What judges fixtures and recordings by what is expected of them; a scenario's spec is read once."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._known: dict[tuple[str, str], Expectation | None] = {}
        self._suites: dict[Path, tuple[Suite, Callable[[Case, Transcript], Verdict]]] = {}

    def fixture(self, raw: bytes, file: str) -> Judged:
        """The case in a fixture's bytes."""
        try:
            fixture = fixture_of(raw, file=file)
            name, origin = fixture.meta.fixture_id, fixture.meta.origin
            expectation = self._expectation(name, origin)
        except HarnessError as error:
            return Judged(Path(file).stem, file, error=error)
        if self._sources.expect is not None:
            fixture = msgspec.structs.replace(fixture, assertions=[])
        trace = trace_of_fixture(fixture)
        offered = None if fixture.meta.tool_hashes is None else frozenset(fixture.meta.tool_hashes)
        verdict = judge_fixture(fixture, expectation, trace)
        return Judged(name, file, verdict, self._lost(name, origin, file, 1), trace, fixture.assertions, offered)

    def recordings(self, raw: bytes, file: str) -> Iterator[Judged]:
        """The cases in the bytes of recordings; a torn last line is one that cannot be read."""
        try:
            journal = journal_of(raw, file=file)
        except HarnessError as error:
            yield Judged(Path(file).stem, file, error=error)
            return
        for recording in journal.recordings:
            yield self._recording(recording, file)
        if journal.torn is not None:
            yield Judged(Path(file).stem, file, error=journal.torn)

    def _recording(self, recording: Recording, file: str) -> Judged:
        from harness.run_derivation import run_of

        header = recording.header
        name, origin = header.scenario or header.id, header.origin
        try:
            transcript, notes, _ = run_of(recording)
            suite = self._sources.suite(header)
            if suite is not None:
                verdict = self._by_suite(suite, header.id, transcript).noting(notes)
                return Judged(header.id, file, verdict, None, trace_of(transcript))
            expectation = self._expectation(name, origin)
        except HarnessError as error:
            return Judged(header.id, file, error=error)
        trace = trace_of(transcript)
        lost = self._lost(name, origin, file, None)
        return Judged(header.id, file, judge_trace(trace, expectation).noting(notes), lost, trace)

    def _by_suite(self, directory: Path, case: str, transcript: Transcript) -> Verdict:
        if directory not in self._suites:
            suite = files.load_suite(directory)
            self._suites[directory] = suite, suite_judge(suite)
        suite, judge = self._suites[directory]
        return judge(suite.case(case), transcript)

    def _expectation(self, scenario: str, origin: str) -> Expectation | None:
        if (scenario, origin) not in self._known:
            self._known[scenario, origin] = self._sources.expectation(scenario, origin)
        return self._known[scenario, origin]

    def _lost(self, scenario: str, origin: str, file: str, line: int | None) -> HarnessError | None:
        if self._known[scenario, origin] is not _unknown:
            return None
        lost = self._sources.lost(scenario, origin)
        if lost is not None:
            lost.file, lost.line = file, line
        return lost
