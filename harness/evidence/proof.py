"""Whether a baseline is what its evidence gives: from the runs again where they are there, else by hashes."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from harness import errors
from harness.evidence.adjudication import Adjudication, check_adjudication
from harness.evidence.baseline import Baseline, Evidence, Named, baseline_of
from harness.evidence.basis import basis_of
from harness.evidence.consistency import Consistency, Member
from harness.evidence.documents import bytes_of_document
from harness.evidence.locking import problems_of
from harness.evidence.review import Review, check_review
from harness.value import digest_of


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


def flaws_of(found: Found) -> list[errors.EvidenceError]:
    """Everything in which a baseline is not what its evidence gives; empty where it is proven."""
    missing: list[errors.EvidenceError] = list(_missing(found))
    if missing or found.consistency is None:
        return missing
    if not found.complete:
        return list(_flaws_by_hash(found, found.consistency))
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
        return problems
    right = baseline_of(evidence, locked_on=found.baseline.locked_on)
    return list(_differences(found, right))


def _missing(found: Found) -> Iterator[errors.BaselineUnproven]:
    """The files that the baseline names by hash and that nobody has."""
    held = {digest_of(bytes_of_document(one.review)) for one in found.reviews}
    wanted = [("review", one.review) for one in found.baseline.reviews if one.review not in held]
    if found.consistency is None:
        wanted.append(("consistency check", found.baseline.agreed.consistency))
    if found.baseline.agreed.adjudication and found.adjudication is None:
        wanted.append(("decision", found.baseline.agreed.adjudication))
    for name, digest in wanted:
        yield errors.BaselineUnproven(
            f"the {name} that the baseline was locked with is not there", file=found.file, expected=digest
        )


def _flaws_by_hash(found: Found, consistency: Consistency) -> Iterator[errors.EvidenceError]:
    """What can be told without the runs: each file against the others."""
    baseline = found.baseline
    try:
        for file, review in found.reviews:
            check_review(review, file=file)
        if found.adjudication is not None:
            check_adjudication(found.adjudication, consistency, file=found.adjudication_file)
    except errors.EvidenceError as error:
        yield error
    canonical = next(one.review for one in found.reviews if _is_first(one.review, baseline))
    accepted = found.adjudication is not None and found.adjudication.decision == "accept"
    told = {
        "the report is not the one that was reviewed": baseline.basis == canonical.basis,
        "the runs are not those of the consistency check": baseline.runs == consistency.runs,
        "the verdicts are not those of the consistency check": [one.verdicts for one in baseline.cases]
        == [one.verdicts for one in consistency.cases],
        "the runs do not meet the standard, and no decision takes them": consistency.holds or accepted,
    }
    for sentence, holds in told.items():
        if not holds:
            yield errors.BaselineUnproven(sentence, file=found.file)
    for run, member in zip(baseline.runs, found.members, strict=False):
        if member is not None and basis_of(member.report, member.run).report != run.report:
            yield errors.BaselineUnproven(f"{member.name} gives another report than was locked", file=found.file)


def _is_first(review: Review, baseline: Baseline) -> bool:
    return digest_of(bytes_of_document(review)) == baseline.reviews[0].review


def _differences(found: Found, right: Baseline) -> Iterator[errors.BaselineUnproven]:
    for field in msgspec.structs.fields(Baseline):
        if getattr(found.baseline, field.name) != getattr(right, field.name):
            sentence = f"{field.encode_name} is not what the evidence gives"
            yield errors.BaselineUnproven(sentence, file=found.file)
