"""A baseline as a run is held to it: refused where it contradicts itself, or evidence that lies near it."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from harness import errors, files
from harness.cli.evidence.archive import check_archived
from harness.cli.evidence.evidence_files import HISTORY, REPORT, digest_of_document, read_evidence, type_in
from harness.evidence.adjudication import Adjudication
from harness.evidence.baseline import Baseline, Named
from harness.evidence.basis import Basis, evidence_of
from harness.evidence.consistency import Consistency, Member
from harness.evidence.proof import Found, flaws_at_hand
from harness.evidence.review import Review
from harness.fixture import Digest
from harness.report.reading import read_report

RECORDINGS = Path("recordings")

_Document = TypeVar("_Document", bound=msgspec.Struct)


class Taken(NamedTuple):
    """A baseline that nothing at hand contradicts; `unproven` are the parts that were taken on its own word."""

    baseline: Baseline
    unproven: list[str]


def baseline_taken(path: Path, run: Path) -> Taken:
    """The baseline in a file, for a run; raises `BaselineUnproven` or what keeps it from being read."""
    baseline = read_evidence(path, Baseline)
    archived = HISTORY in path.parts
    if archived:
        check_archived(path)
    near = _Near([] if archived else [path.parent, run.parent, RECORDINGS])  # what lies there has gone on since
    found = near.found(path, baseline)
    told = [one.subject for one in flaws_at_hand(found)] + [*near.rivals(found)]
    if told:
        refusal = errors.BaselineUnproven("; ".join(told), file=str(path))
        refusal.mend = f"restore the evidence from git, or lock the baseline again; fc-judge verify {path} proves it"
        raise refusal
    missing = [f"the {name}" for name, _ in found.missing]
    return Taken(baseline, [*dict.fromkeys(missing), *([] if baseline.digest else ["the digest of its content"])])


class _Near:
    """The evidence in some directories and right below them: a suite's runs lie there, each with its review."""

    def __init__(self, homes: Iterable[Path]) -> None:
        self._homes = list({home.resolve(): home for home in homes}.values())
        places = (path for home in self._homes for path in (*home.glob("*.json"), *home.glob("*/*.json")))
        self._kinds = {path: kind for path in places if HISTORY not in path.parts and (kind := _kind_in(path))}
        self._reviews = self._held(Review)
        self._checks = self._held(Consistency)
        self._decisions = self._held(Adjudication)

    def _held(self, kind: type[_Document]) -> dict[Digest, tuple[str, _Document]]:
        """All evidence of a kind by its hash; what cannot be read is none that a baseline was made of."""
        held: dict[Digest, tuple[str, _Document]] = {}
        for path in (path for path, tag in self._kinds.items() if tag == kind.__struct_config__.tag):
            with suppress(errors.HarnessError):
                document = read_evidence(path, kind)
                held.setdefault(digest_of_document(document), (str(path), document))
        return held

    def found(self, path: Path, baseline: Baseline) -> Found:
        """What is there of the evidence that the baseline names; of its runs at most the canonical one's report."""
        check_file, check = self._checks.get(baseline.agreed.consistency, ("", None))
        decision_file, decision = self._decisions.get(baseline.agreed.adjudication or "", ("", None))
        report = next(self._reports(baseline.basis), None)
        return Found(
            file=str(path),
            baseline=baseline,
            reviews=[Named(*self._reviews[one.review]) for one in baseline.reviews if one.review in self._reviews],
            consistency=check,
            consistency_file=check_file,
            adjudication=decision,
            adjudication_file=decision_file,
            members=[report if run.evidence == baseline.basis.evidence else None for run in baseline.runs],
        )

    def _reports(self, basis: Basis) -> Iterator[Member]:
        """The report of the canonical run, where it lies in the run's directory."""
        for home in self._homes if basis.run else []:
            path = home / str(basis.run) / REPORT
            if path.is_file():
                report = read_report(files.read_bytes(path), file=str(path))
                if evidence_of(report) == basis.evidence:
                    yield Member(str(path), report, basis.run)

    def rivals(self, found: Found) -> Iterator[str]:
        """Evidence of the very same runs that is not what the baseline names, where that is not there."""
        baseline, missing = found.baseline, {digest for _, digest in found.missing}
        runs = [run.evidence for run in baseline.runs]
        for file, check in self._checks.values():
            if baseline.agreed.consistency in missing and [run.evidence for run in check.runs] == runs:
                yield f"{file} is not the consistency check that it was locked with"
        for file, review in self._reviews.values():
            if baseline.reviews[0].review in missing and review.basis.evidence == baseline.basis.evidence:
                yield f"{file} is not the review that it was locked with"


def _kind_in(path: Path) -> str | None:
    with suppress(OSError):
        return type_in(path) if path.is_file() else None  # a pipe would be waited for
    return None
