"""A report locked to its inputs once people and repeated runs have held it to be right: what later runs must meet."""

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from harness.evidence.adjudication import Adjudication, Decision
from harness.evidence.basis import Basis
from harness.evidence.consistency import Consistency, Member, RunScore
from harness.evidence.documents import bytes_of_document
from harness.evidence.review import Method, Part, Review
from harness.excerpt import counted
from harness.fixture import Digest
from harness.judge.finding import Ruling
from harness.report.report import Count, Result, Share, Summary
from harness.value import canonical, decode, digest_of, encode


class Reviewed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a review came to. `mended` counts the errors of goldens and judge that were found and mended before."""

    review: Digest
    run: str | None
    reviewers: list[str]
    method: Method | None
    golden_errors: Count
    mended: Count
    failures: Part
    passes: Part


class Agreed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the runs agree, and where they do not meet the standard, the decision that takes them all the same."""

    consistency: Digest
    holds: bool
    agreement: Share | None
    adjudication: Digest | None
    decision: Decision | None
    adjudicator: str | None
    method: Method | None
    reason: str | None


class LockedCase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A case's verdicts in the baseline's runs, a list a run, each by trial."""

    case: str
    dimension: str | None
    group: str | None
    variant: str | None
    verdicts: list[list[Ruling]]


class Baseline(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    forbid_unknown_fields=True,
    tag_field="type",
    tag="baseline",
):
    """BaselineV1. `basis` and `summary` are those of the canonical report, the one that the first review is of.

    `assisted` says that some answer or decision was not a person's. `runs` are all that later runs are held to.
    `manifests` are the hashes of the runs' `run.json` in their order, null for a report's file: what no recording
    proves (when a run was made, by which versions, under which id). `digest` is that of all the rest, so that an edit
    shows at once. Files that are older than it have null there, and no `manifests`.
    """

    format_version: Literal[1] = 1
    locked_on: str
    assisted: bool
    basis: Basis
    summary: Summary
    agreed: Agreed
    reviews: Annotated[list[Reviewed], msgspec.Meta(min_length=1)]
    runs: Annotated[list[RunScore], msgspec.Meta(min_length=1)]
    cases: list[LockedCase]
    manifests: list[Digest | None] | msgspec.UnsetType = msgspec.UNSET
    digest: Digest | None = None


class Named(NamedTuple):
    """A review, and its file's name for messages."""

    file: str
    review: Review


class Evidence(NamedTuple):
    """All that a baseline is made of; the first review is of the canonical report. `members` are the runs."""

    members: Sequence[Member]
    reviews: Sequence[Named]
    consistency: Consistency
    consistency_file: str
    adjudication: Adjudication | None = None
    adjudication_file: str = ""


def baseline_of(evidence: Evidence, *, locked_on: str) -> Baseline:
    """The baseline that sound evidence gives; `problems_of` (locking.py) says whether it is sound."""
    basis = evidence.reviews[0].review.basis
    place = next(number for number, run in enumerate(evidence.consistency.runs) if run.report == basis.report)
    report = evidence.members[place].report
    facts = {one.case: one for one in report.results}
    baseline = Baseline(
        locked_on=locked_on,
        assisted=bool(assisted_parts(evidence)),
        basis=basis,
        summary=report.summary,
        agreed=agreed_of(evidence.consistency, evidence.adjudication),
        reviews=[reviewed_of(one.review) for one in evidence.reviews],
        runs=evidence.consistency.runs,
        cases=[locked_of(facts[one.case], one.verdicts) for one in evidence.consistency.cases],
        manifests=[one.manifest.digest if one.manifest else None for one in evidence.members],
    )
    return replace(baseline, digest=content_digest(baseline))


def content_digest(baseline: Baseline) -> Digest:
    """The hash of all that a baseline says beside its `digest`, however the file is spaced."""
    content = decode(encode(replace(baseline, digest=None)))
    assert isinstance(content, dict)  # noqa: S101  a struct is an object
    del content["digest"]
    return digest_of(canonical(content))


def assisted_parts(evidence: Evidence) -> list[str]:
    """What was not a person's: reviews by file, with how many answers, and the decision."""
    parts = []
    for file, review in evidence.reviews:
        count = sum(one.method == "assisted" for one in review.answers)
        if count:
            parts.append(f"{count} of {counted(len(review.answers), 'answer')} in {file}")
    decision = evidence.adjudication
    if decision is not None and decision.method == "assisted":
        parts.append(f"the decision in {evidence.adjudication_file}")
    return parts


def locked_of(result: Result, verdicts: list[list[Ruling]]) -> LockedCase:
    """What is kept of a case: the facts of one of its results, and its verdicts."""
    return LockedCase(
        case=result.case,
        dimension=result.dimension,
        group=result.group,
        variant=result.variant,
        verdicts=verdicts,
    )


def reviewed_of(review: Review) -> Reviewed:
    """What is kept of a review."""
    return Reviewed(
        review=digest_of(bytes_of_document(review)),
        run=review.basis.run,
        reviewers=review.reviewers,
        method=review.method,
        golden_errors=review.golden_errors,
        mended=len(review.earlier),
        failures=review.failures,
        passes=review.passes,
    )


def agreed_of(consistency: Consistency, decision: Adjudication | None) -> Agreed:
    """What is kept of how the runs agree, and of the decision on it."""
    return Agreed(
        consistency=digest_of(bytes_of_document(consistency)),
        holds=consistency.holds,
        agreement=consistency.agreement,
        adjudication=digest_of(bytes_of_document(decision)) if decision else None,
        decision=decision.decision if decision else None,
        adjudicator=decision.adjudicator if decision else None,
        method=decision.method if decision else None,
        reason=decision.reason if decision else None,
    )
