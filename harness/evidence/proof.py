"""Whether a baseline is what its evidence gives: from the runs again where they are there, else by hashes."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from harness import errors
from harness.evidence.adjudication import Adjudication, check_adjudication
from harness.evidence.baseline import (
    Baseline,
    Evidence,
    Named,
    agreed_of,
    baseline_of,
    locked_of,
    reviewed_of,
)
from harness.evidence.basis import basis_of
from harness.evidence.coherence import contradictions_of
from harness.evidence.consistency import Consistency, Member
from harness.evidence.documents import bytes_of_document
from harness.evidence.locking import before_its_runs, problems_of
from harness.evidence.review import check_review
from harness.fixture import Digest
from harness.value import digest_of

_MOST = 5


class Found(NamedTuple):
    """The evidence that is at hand for a baseline, found by its hashes; `members` are None where a run is not there."""

    file: str
    baseline: Baseline
    reviews: Sequence[Named]
    consistency: Consistency | None
    consistency_file: str
    adjudication: Adjudication | None
    adjudication_file: str
    members: Sequence[Member | None]

    @property
    def complete(self) -> bool:
        """Whether every run is there, so that all can be derived again."""
        return bool(self.members) and all(one is not None for one in self.members)

    @property
    def missing(self) -> list[tuple[str, Digest]]:
        """The files that the baseline names by hash and that are not at hand, each with what it is."""
        held = {digest_of(bytes_of_document(one.review)) for one in self.reviews}
        agreed = self.baseline.agreed
        wanted = [("review", one.review) for one in self.baseline.reviews if one.review not in held]
        if self.consistency is None:
            wanted.append(("consistency check", agreed.consistency))
        if agreed.adjudication and self.adjudication is None:
            wanted.append(("decision", agreed.adjudication))
        return wanted


def flaws_of(found: Found) -> list[errors.EvidenceError]:
    """Everything in which a baseline is not what its evidence gives; empty where it is proven."""
    flaws = list(_contradictions(found))
    flaws += [
        errors.BaselineUnproven(
            f"the {name} that the baseline was locked with is not there", file=found.file, expected=digest
        )
        for name, digest in found.missing
    ]
    if found.missing or not found.complete:
        return flaws + list(_flaws_by_hash(found))
    return flaws + list(_flaws_by_derivation(found))


def flaws_at_hand(found: Found) -> list[errors.EvidenceError]:
    """Everything in which a baseline contradicts itself or the evidence at hand, be it as little as it may."""
    return [*_contradictions(found), *_flaws_by_hash(found)]


def _contradictions(found: Found) -> Iterator[errors.EvidenceError]:
    """One refusal for all: one edit contradicts many parts."""
    told = contradictions_of(found.baseline)
    if told:
        more = f"; and {len(told) - _MOST} more" if len(told) > _MOST else ""
        yield errors.BaselineUnproven("; ".join(told[:_MOST]) + more, file=found.file)


def _flaws_by_derivation(found: Found) -> Iterator[errors.EvidenceError]:
    assert found.consistency is not None  # noqa: S101  nothing is missing
    evidence = Evidence(
        [one for one in found.members if one is not None],
        found.reviews,
        found.consistency,
        found.consistency_file,
        found.adjudication,
        found.adjudication_file,
    )
    problems = problems_of(evidence, allow_assisted=True)
    if problems:
        yield from problems
        return
    for sentence in _of_manifests(found):
        yield errors.BaselineUnproven(sentence, file=found.file)
    right = baseline_of(evidence, locked_on=found.baseline.locked_on)
    for field in msgspec.structs.fields(Baseline):
        if field.name not in ("digest", "manifests") and getattr(found.baseline, field.name) != getattr(
            right, field.name
        ):
            sentence = f"{field.encode_name} is not what the evidence gives"
            yield errors.BaselineUnproven(sentence, file=found.file)


def _flaws_by_hash(found: Found) -> Iterator[errors.EvidenceError]:
    """What can be told without the runs: each file against the baseline and against the others."""
    try:
        for file, review in found.reviews:
            check_review(review, file=file)
        if found.adjudication is not None and found.consistency is not None:
            check_adjudication(found.adjudication, found.consistency, file=found.adjudication_file)
    except errors.EvidenceError as error:
        yield error
    told = [*_of_reviews(found), *_of_reports(found), *_of_manifests(found)]
    if found.consistency is not None:
        told += _of_consistency(found, found.consistency)
    for sentence in told:
        yield errors.BaselineUnproven(sentence, file=found.file)


def _of_reviews(found: Found) -> Iterator[str]:
    kept = {one.review: one for one in found.baseline.reviews}
    for file, review in found.reviews:
        digest = digest_of(bytes_of_document(review))
        if digest == found.baseline.reviews[0].review and found.baseline.basis != review.basis:
            yield "the report is not the one that was reviewed"
        if kept.get(digest) != reviewed_of(review):
            yield f"reviews is not what {file} says"


def _of_manifests(found: Found) -> Iterator[str]:
    """Manifests of runs that are there and not what they were, or tell of a later day, where the baseline has them."""
    bound = found.baseline.manifests
    for member, digest in zip(found.members, [] if bound is msgspec.UNSET else bound, strict=False):
        if member is not None and member.manifest is not None and digest not in (None, member.manifest.digest):
            yield f"run.json of {member.name} is not what it was when the baseline was locked"
    if late := before_its_runs(found.baseline.locked_on, found.members):
        yield late


def _of_consistency(found: Found, consistency: Consistency) -> Iterator[str]:
    baseline, decision = found.baseline, found.adjudication
    if baseline.runs != consistency.runs:
        yield "the runs are not those of the consistency check"
    if [(one.case, one.verdicts) for one in baseline.cases] != [(one.case, one.verdicts) for one in consistency.cases]:
        yield "the verdicts are not those of the consistency check"
    right = agreed_of(consistency, decision)
    if baseline.agreed.adjudication and decision is None:  # then what it says of the decision is not looked at
        right = replace(baseline.agreed, holds=right.holds, agreement=right.agreement)
    if baseline.agreed != right:
        yield "agreed is not what the consistency check and the decision on it say"


def _of_reports(found: Found) -> Iterator[str]:
    baseline = found.baseline
    for run, member in zip(baseline.runs, found.members, strict=False):
        if member is None:
            continue
        if basis_of(member.report, member.run).report != run.report:
            yield f"{member.name} gives another report than was locked"
        elif run.report == baseline.basis.report:
            facts = {one.case: one for one in member.report.results}
            if baseline.summary != member.report.summary:
                yield f"summary is not that of {member.name}"
            if any(one.case not in facts or one != locked_of(facts[one.case], one.verdicts) for one in baseline.cases):
                yield f"the cases are not those of {member.name}"
