"""A baseline as a run is held to it: refused where it contradicts itself, or evidence that lies near it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec

from harness import errors, files
from harness.cli.evidence.archive import check_archived
from harness.cli.evidence.evidence_files import HISTORY, REPORT, digest_of_document, kinds_in, read_evidence
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
    told = [*dict.fromkeys([*(one.subject for one in flaws_at_hand(found)), *near.rivals(found)])]
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
        self._kinds = {path: kinds for path in places if HISTORY not in path.parts and (kinds := _kinds_in(path))}
        self._reviews = _Held.of(Review, self._kinds)
        self._checks = _Held.of(Consistency, self._kinds)
        self._decisions = _Held.of(Adjudication, self._kinds)

    def found(self, path: Path, baseline: Baseline) -> Found:
        """What is there of the evidence that the baseline names; of its runs at most the canonical one's report."""
        check_file, check = self._checks.read.get(baseline.agreed.consistency, ("", None))
        decision_file, decision = self._decisions.read.get(baseline.agreed.adjudication or "", ("", None))
        report = next(self._reports(baseline.basis), None)
        reviews = self._reviews.read
        return Found(
            file=str(path),
            baseline=baseline,
            reviews=[Named(*reviews[one.review]) for one in baseline.reviews if one.review in reviews],
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
        """What lies where missing evidence should: it is of the same runs, has its place, or nobody can read it."""
        baseline, home = found.baseline, Path(found.file).parent
        missing = {digest for _, digest in found.missing}
        if baseline.agreed.consistency in missing:
            runs = {run.evidence for run in baseline.runs}
            yield from self._checks.rivals(
                [home], lambda check: not runs.isdisjoint(run.evidence for run in check.runs), "the consistency check"
            )
        if baseline.agreed.adjudication in missing:
            reports = {run.report for run in baseline.runs}
            yield from self._decisions.rivals([home], lambda one: not reports.isdisjoint(one.reports), "the decision")
        for file, one in self._decisions.read.values() if found.adjudication is not None else []:
            if one.consistency == baseline.agreed.consistency and one.decision == "reject":
                yield f"{file} rejects the runs that {found.adjudication_file} takes"
        reviewed = {run for run, digest in _reviewed_runs(baseline) if digest in missing}
        for run in baseline.runs if reviewed else []:
            if run.evidence in reviewed:
                places = [one / run.run for one in self._homes if run.run is not None]
                yield from self._reviews.rivals(places, lambda one: one.basis.evidence in reviewed, "the review")


def _reviewed_runs(baseline: Baseline) -> Iterator[tuple[Digest, Digest]]:
    """The recordings that each review is of, and the review, both by hash."""
    named = {run.run: run.evidence for run in baseline.runs if run.run is not None}
    for number, one in enumerate(baseline.reviews):
        evidence = named.get(one.run or "", baseline.basis.evidence if number == 0 else None)
        if evidence is not None:
            yield evidence, one.review


class _Held(NamedTuple, Generic[_Document]):
    """All evidence of a kind near a baseline: by its hash what can be read, and by its file what cannot."""

    read: dict[Digest, tuple[str, _Document]]
    unread: list[Path]

    @classmethod
    def of(cls, kind: type[_Document], kinds: Mapping[Path, set[str]]) -> "_Held[_Document]":
        """What there is of a kind, of files that may be of several."""
        held = cls({}, [])
        for path in (path for path, tags in kinds.items() if kind.__struct_config__.tag in tags):
            try:
                document = read_evidence(path, kind)
                held.read.setdefault(digest_of_document(document), (str(path), document))
            except errors.HarnessError:
                held.unread.append(path)
        return held

    def rivals(self, homes: Iterable[Path], is_alike: Callable[[_Document], bool], name: str) -> Iterator[str]:
        """What is not the missing one of this kind: files about the same, files in its place, files that say nothing.

        Its place is in one of `homes`, under the name that its kind has.
        """
        places = {home.resolve() for home in homes}
        for file, document in self.read.values():
            path = Path(file).resolve()
            in_place = path.parent in places and path.name == f"{document.__struct_config__.tag}.json"
            if in_place or is_alike(document):
                yield f"{file} is not {name} that it was locked with"
        for path in self.unread:
            yield f"{path} cannot be read, and {name} that it was locked with is not at hand"


def _kinds_in(path: Path) -> set[str]:
    with suppress(OSError):
        return kinds_in(path) if path.is_file() else set()  # a pipe would be waited for
    return set()
