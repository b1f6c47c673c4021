"""Why evidence gives no baseline: all that is open, wrong, made for something else or not a person's."""

from collections.abc import Iterable, Iterator, Sequence

from harness import errors
from harness.evidence.adjudication import check_adjudication
from harness.evidence.baseline import Evidence, Named, assisted_parts
from harness.evidence.consistency import Member, consistency_of
from harness.evidence.gate import was_answered
from harness.evidence.review import Choice, Sheet
from harness.judge.finding import Ruling
from harness.raw_run import asked_again_text

_MOST = 5


def before_its_runs(locked_on: str, members: Iterable[Member | None]) -> str | None:
    """Why a baseline cannot be of this day: the last of its runs to end, where that is known and was later."""
    ends = [one.manifest.ended_at or "" for one in members if one is not None and one.manifest is not None]
    last = max(ends, default="")
    return (
        f"locked on {locked_on}, before its runs were made: the last ended at {last}" if last[:10] > locked_on else None
    )


def problems_of(evidence: Evidence, *, allow_assisted: bool) -> list[errors.EvidenceError]:
    """Every reason not to lock; empty where the evidence is sound."""
    found = [
        *_answers_asked_again(evidence),
        *_problems_with_runs(evidence),
        *_problems_with_repeats(evidence.reviews),
        *(problem for one in evidence.reviews for problem in _problems_with_review(one, evidence)),
    ]
    parts = assisted_parts(evidence)
    if parts and not allow_assisted:
        found.append(errors.ReviewAssisted("; ".join(parts)))
    return found


def _answers_asked_again(evidence: Evidence) -> Iterator[errors.EvidenceError]:
    for member in evidence.members:
        if was_answered(member.report) and member.report.origin:
            told = asked_again_text(member.report.origin.asked_again)
            yield errors.BadEvidence(
                f"what was answered may not be asked again until it passes: {told}", file=member.name
            )


def _problems_with_runs(evidence: Evidence) -> Iterator[errors.EvidenceError]:
    consistency, file = evidence.consistency, evidence.consistency_file
    try:
        if consistency_of(evidence.members) != consistency:
            yield errors.OtherEvidence(
                "the consistency check was made for other reports than these runs give", file=file
            )
    except errors.EvidenceError as error:
        yield error
    if evidence.adjudication is None:
        if not consistency.holds:
            yield errors.RunsInconsistent(
                "; ".join(f"{one.needed}: {one.found}" for one in consistency.failed), file=file
            )
        return
    try:
        check_adjudication(evidence.adjudication, consistency, file=evidence.adjudication_file)
    except errors.EvidenceError as error:
        yield error
        return
    if evidence.adjudication.decision == "reject":
        yield errors.RunsRejected(evidence.adjudication.reason, file=evidence.adjudication_file)


def _problems_with_repeats(reviews: Sequence[Named]) -> Iterator[errors.EvidenceError]:
    for number, (file, review) in enumerate(reviews):
        first = next((other for other, one in reviews[:number] if one == review), None)
        if first is not None:
            yield errors.BadEvidence(f"the review is given twice: it is that of {first}", file=file)


def _problems_with_review(named: Named, evidence: Evidence) -> Iterator[errors.EvidenceError]:
    file, review = named
    member = _member_of(named, evidence)
    if member is None:
        reports = ", ".join(one.report for one in evidence.consistency.runs)
        sentence = "the review is of a report that is none of the consistency check's"
        yield errors.OtherEvidence(sentence, file=file, expected=reports, found=review.basis.report)
        return
    sheet = Sheet(member.report, member.run, passes=review.passes_wanted)
    try:
        recounted = sheet.resumed(review, file=file)
    except errors.EvidenceError as error:
        yield error
        return
    if recounted != review:
        yield errors.BadEvidence("the review's figures are not those of its answers and its run", file=file)
    yield from _open_answers(sheet, named)
    yield from _errors_found(named)


def _member_of(named: Named, evidence: Evidence) -> Member | None:
    """The run that the review is of; the members stand in the order of the consistency check's runs."""
    pairs = zip(evidence.consistency.runs, evidence.members, strict=False)
    return next((member for run, member in pairs if run.report == named.review.basis.report), None)


def _open_answers(sheet: Sheet, named: Named) -> Iterator[errors.EvidenceError]:
    left = [sheet.asked[place] for place in sheet.open_places(named.review)]
    for ruling, name in ((Ruling.FAIL, "failures"), (Ruling.PASS, "sampled passes")):
        cases = [f"{one.case}, trial {one.trial}" for one in left if one.verdict is ruling]
        if cases:
            yield errors.ReviewUnfinished(f"{name} without an answer: {_listed(cases)}", file=named.file)


def _errors_found(named: Named) -> Iterator[errors.EvidenceError]:
    goldens, judged = (_cases_answered(named, choice) for choice in ("golden_error", "judge_error"))
    if goldens:
        yield errors.GoldenWrong(_listed(goldens), file=named.file)
    if judged:
        yield errors.JudgeWrong(_listed(judged), file=named.file)


def _cases_answered(named: Named, choice: Choice) -> list[str]:
    return [one.case for one in named.review.answers if one.answer == choice]


def _listed(cases: list[str]) -> str:
    return "; ".join(cases[:_MOST]) + (f"; and {len(cases) - _MOST} more" if len(cases) > _MOST else "")
