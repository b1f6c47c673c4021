"""A decision on runs that do not meet the standard of consistency, bound to exactly these runs."""

from datetime import date
from typing import Annotated, Literal, TypeAlias

import msgspec

from harness import errors
from harness.evidence.consistency import Consistency, Rule
from harness.evidence.documents import bytes_of_document
from harness.evidence.review import Method
from harness.fixture import Digest
from harness.value import digest_of

Decision: TypeAlias = Literal["accept", "reject"]
NonBlank: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"\S")]


class Adjudication(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    forbid_unknown_fields=True,
    tag_field="type",
    tag="adjudication",
):
    """AdjudicationV1. `consistency` is the hash of the file that says how the runs agree, `reports` those it is about.

    `failed` are the conditions that do not hold and `flips` the cases that flip: what the decision is about.
    """

    format_version: Literal[1] = 1
    consistency: Digest
    reports: list[Digest]
    failed: list[Rule]
    flips: list[str]
    decision: Decision
    reason: NonBlank
    adjudicator: NonBlank
    method: Method
    decided_on: str


def adjudication_of(  # noqa: PLR0913  the parts of a decision, each by its name
    consistency: Consistency, *, decision: Decision, reason: str, adjudicator: str, method: Method, decided_on: str
) -> Adjudication:
    """The decision on these runs; raises `NothingToAdjudicate` where they meet the standard."""
    if consistency.holds:
        raise errors.NothingToAdjudicate
    return Adjudication(
        consistency=digest_of(bytes_of_document(consistency)),
        reports=[one.report for one in consistency.runs],
        failed=[one.rule for one in consistency.failed],
        flips=[one.case for one in consistency.flips],
        decision=decision,
        reason=reason,
        adjudicator=adjudicator,
        method=method,
        decided_on=decided_on,
    )


def is_day(text: str) -> bool:
    """Whether a text is a date as evidence has it: YYYY-MM-DD."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def check_adjudication(adjudication: Adjudication, consistency: Consistency, *, file: str) -> None:
    """Raise `OtherEvidence` where the decision was about other runs than these, `BadEvidence` where it cannot stand."""
    digest = digest_of(bytes_of_document(consistency))
    if adjudication.consistency != digest:
        raise errors.OtherEvidence(
            "the decision was made about other runs", file=file, expected=digest, found=adjudication.consistency
        )
    right = adjudication_of(
        consistency,
        decision=adjudication.decision,
        reason=adjudication.reason,
        adjudicator=adjudication.adjudicator,
        method=adjudication.method,
        decided_on=adjudication.decided_on,
    )
    if not is_day(adjudication.decided_on):
        raise errors.BadEvidence(
            "decidedOn is no date", file=file, expected="YYYY-MM-DD", found=adjudication.decided_on
        )
    if right != adjudication:
        raise errors.BadEvidence("the decision lists other conditions, flips or reports than the runs give", file=file)
