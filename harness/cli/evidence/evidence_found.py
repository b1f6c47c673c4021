"""A baseline's evidence found again: reviews, checks and decisions by their hashes, runs by their ids."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from harness import errors
from harness.cli.evidence.evidence_files import HISTORY, digest_of_document, held_in, member_of, type_in
from harness.cli.suites.run_files import is_run, load_run
from harness.directories import files_below
from harness.evidence.adjudication import Adjudication
from harness.evidence.baseline import Baseline, Evidence, Named
from harness.evidence.basis import Basis, basis_of, evidence_of_trials
from harness.evidence.consistency import Consistency, Member, RunScore
from harness.evidence.proof import Found
from harness.evidence.review import Review
from harness.fixture import Digest
from harness.raw_run import FILE as RUN

if TYPE_CHECKING:
    import msgspec


class Places(NamedTuple):
    """Where runs and other evidence are, and the suites."""

    recordings: Path = Path("recordings")
    scenarios: Path = Path("scenarios")


class Shelf:
    """The runs at hand, each judged once; `reports` are further runs and reports, for evidence without recordings."""

    def __init__(self, places: Places, reports: Sequence[Path] = ()) -> None:
        self.places = places
        self._given = [member_of(path, places.scenarios) for path in reports]
        self._judged: dict[Path, Member] = {}

    def member(self, of: RunScore | Basis) -> Member | None:
        """The run that evidence is of, None where it is not there; raises what keeps it from being evidence.

        It is found by its id, or by its recordings where the evidence was made of a report, which names none.
        """
        for one in self._given:
            if (of.run is not None and one.run == of.run) or basis_of(one.report).report == of.report:
                return one._replace(run=of.run)
        directory = self._directory_of(of)
        if directory is None:
            return None
        return self.judged(directory)._replace(run=of.run)

    def judged(self, directory: Path) -> Member:
        """The run in a directory."""
        if directory not in self._judged:
            self._judged[directory] = member_of(directory, self.places.scenarios)
        return self._judged[directory]

    def _directory_of(self, of: RunScore | Basis) -> Path | None:
        if of.run is not None and is_run(self.places.recordings / of.run):
            return self.places.recordings / of.run
        return self.by_evidence.get(of.evidence)

    @cached_property
    def by_evidence(self) -> dict[Digest, Path]:
        """The runs below the recordings, by the hash of what their manifests say that they recorded."""
        recordings = self.places.recordings
        found = (
            [path.parent for path in files_below([recordings], RUN) if path.name == RUN] if recordings.is_dir() else []
        )
        runs: dict[Digest, Path] = {}
        for directory in found:
            with suppress(errors.HarnessError):  # one that cannot be read is told by what names it
                runs.setdefault(evidence_of_trials(load_run(directory).trials), directory)
        return runs

    def lost(self, runs: Sequence[RunScore]) -> list[errors.HarnessError]:
        """A refusal for each run that is not there."""
        return [
            errors.PathNotFound(file=str(self.places.recordings / run.run))
            if run.run
            else errors.WrongOption(
                f"no run below {self.places.recordings} has the recordings of this report: name it on the command line",
                expected=run.report,
            )
            for run in runs
            if self.member(run) is None
        ]


def elsewhere(evidence: Evidence, recordings: Path) -> Iterator[errors.WrongOption]:
    """A refusal for each file of evidence that `evidence_for` would not find below the recordings."""
    given: list[tuple[str, msgspec.Struct]] = [*evidence.reviews, (evidence.consistency_file, evidence.consistency)]
    if evidence.adjudication is not None:
        given.append((evidence.adjudication_file, evidence.adjudication))
    for file, document in given:
        if not (_is_found(Path(file), recordings) or _has_copy(document, recordings)):
            place = recordings / Path(file).with_suffix(".json").name
            sentence = f"not below {recordings}, where verify looks for what a baseline was locked with"
            refusal = errors.WrongOption(sentence, file=file, expected=f"a file such as {place}")
            refusal.mend = f"mv {shlex.quote(file)} {shlex.quote(str(place))}, and lock with that"
            yield refusal


def _is_found(file: Path, recordings: Path) -> bool:
    below = file.resolve().is_relative_to(recordings.resolve()) and HISTORY not in file.parts
    return below and file.suffix == ".json" and type_in(file) is not None


def _has_copy(document: "msgspec.Struct", recordings: Path) -> bool:
    held = (digest_of_document(one) for _, one in held_in(recordings, type(document)))
    return digest_of_document(document) in held


def evidence_for(path: Path, baseline: Baseline, shelf: Shelf) -> Found:
    """Everything at hand that a baseline names; raises where some of it cannot be read."""
    recordings = shelf.places.recordings
    reviews = {digest_of_document(one): Named(str(file), one) for file, one in held_in(recordings, Review)}
    checks = {digest_of_document(one): (str(file), one) for file, one in held_in(recordings, Consistency)}
    decisions = {digest_of_document(one): (str(file), one) for file, one in held_in(recordings, Adjudication)}
    check_file, check = checks.get(baseline.agreed.consistency, ("", None))
    decision_file, decision = decisions.get(baseline.agreed.adjudication or "", ("", None))
    return Found(
        file=str(path),
        baseline=baseline,
        reviews=[reviews[one.review] for one in baseline.reviews if one.review in reviews],
        consistency=check,
        consistency_file=check_file,
        adjudication=decision,
        adjudication_file=decision_file,
        members=[shelf.member(run) for run in baseline.runs],
    )
