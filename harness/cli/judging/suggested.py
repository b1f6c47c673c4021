"""Assertions that hold on a fixture or a recording, for a person to choose from; written where none are yet."""

from pathlib import Path
from typing import NamedTuple

from harness import errors, files
from harness.cli.evidence.evidence_named import evidence_named
from harness.cli.judging.judged import is_recording
from harness.fixture import Assertion, Fixture
from harness.fixture_lines import assertions_line_of, fixture_of
from harness.judge.suggest import suggestions_of
from harness.recording_lines import journal_of
from harness.trace import trace_of


class Suggested(NamedTuple):
    """What holds, and on which file; `fixture` is None where it is a recording's."""

    path: Path
    assertions: list[Assertion]
    fixture: Fixture | None

    @property
    def line(self) -> str:
        """The whole last line of a fixture in which all of them are."""
        return assertions_line_of(self.assertions).decode()


def suggested_for(what: str) -> Suggested:
    """What holds on a fixture or a recording, named by its path; a fixture in `fixtures/` also by its id."""
    path = evidence_named(Path(what), "fc-judge suggest")
    raw = files.read_bytes(path)
    if not is_recording(raw):
        fixture = fixture_of(raw, file=str(path))
        return Suggested(path, suggestions_of(trace_of(fixture.transcript), fixture.meta.tool_hashes or ()), fixture)
    from harness.run_derivation import run_of

    (first, *_) = journal_of(raw, file=str(path)).recordings
    return Suggested(path, suggestions_of(trace_of(run_of(first).transcript)), None)


def write_into(found: Suggested) -> None:
    """Fill the fixture's empty assertions line; raises `WrongOption` where there is none to fill."""
    if found.fixture is None:
        raise errors.WrongOption("--write fills a fixture's last line, and this is a recording", file=str(found.path))
    if found.fixture.assertions:
        sentence = "--write fills an empty assertions line only, and this one was written"
        raise errors.WrongOption(sentence, file=str(found.path), found=f"{len(found.fixture.assertions)} in it")
    raw = files.read_bytes(found.path)
    kept = raw[: raw.rfind(b"\n", 0, -1) + 1]
    files.write_whole(found.path, kept + found.line.encode() + b"\n")
