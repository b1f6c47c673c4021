"""What people say of a run's verdicts, case by case: all failures and a drawn sample of the passes.

An answer is bound to the hash of the result that was looked at. Where the judge changes, answers to results that
stayed the same (but for their wording) stay with them; the others are kept aside and asked for again.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Literal, NamedTuple, TypeAlias

import msgspec

from harness import errors
from harness.evidence.basis import RULES, Basis, basis_of, differences_of, digest_of_result, seed_of
from harness.fixture import Digest
from harness.judge.finding import Ruling
from harness.report.report import Borders, Count, Report, Result, Share
from harness.report.statistics import wilson
from harness.value import canonical, digest_of

FEWEST_PASSES = 10

Choice: TypeAlias = Literal["correct", "model_error", "judge_error", "golden_error", "unclear"]
Method: TypeAlias = Literal["human", "assisted"]

CHOICES: dict[Ruling, tuple[Choice, ...]] = {
    Ruling.FAIL: ("model_error", "judge_error", "golden_error", "unclear"),
    Ruling.PASS: ("correct", "judge_error", "golden_error", "unclear"),
}
_TO_MEND: tuple[Choice, ...] = ("judge_error", "golden_error")


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `reviewer` said of one result. `model_error`: the failure is the model's; `correct`: the pass is earned."""

    case: str
    trial: Count
    verdict: Ruling
    result: Digest
    answer: Choice
    note: str
    reviewer: Annotated[str, msgspec.Meta(min_length=1)]
    method: Method


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The answers on one verdict, counted. `misjudged` is judge_error / answered, null where nothing was answered."""

    total: Count
    asked: Count
    answered: Count
    counts: dict[Choice, Count]
    misjudged: Share | None
    interval: Borders | None


class Review(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    forbid_unknown_fields=True,
    tag_field="type",
    tag="review",
):
    """ReviewV1. `method` is human where a person gave every answer.

    `earlier` are answers on results that are no longer what they were, or on a run before this one: the errors that
    they found are what was mended since. `replaced` are answers that somebody else has given anew since, in that order;
    left out where there are none.
    """

    format_version: Literal[1] = 1
    basis: Basis
    passes_wanted: Count
    reviewers: list[str]
    method: Method | None
    golden_errors: Count
    failures: Part
    passes: Part
    earlier: list[Answer]
    answers: list[Answer]
    replaced: list[Answer] | msgspec.UnsetType = msgspec.UNSET


class Given(NamedTuple):
    """An answer as it is given, and by whom."""

    answer: Choice
    note: str
    reviewer: str
    method: Method


class Sheet:
    """The results of a report that are asked about, failures first, each with its hash."""

    def __init__(self, report: Report, run: str | None, *, passes: int = FEWEST_PASSES) -> None:
        self.basis = basis_of(report, run)
        self.passes_wanted = max(passes, FEWEST_PASSES)
        failed = [one for one in report.results if one.verdict is Ruling.FAIL]
        passed = [one for one in report.results if one.verdict is Ruling.PASS]
        self._totals = {Ruling.FAIL: len(failed), Ruling.PASS: len(passed)}
        self.asked = failed + _drawn(passed, self.passes_wanted, seed_of(report.inputs))
        self.digests = [digest_of_result(one) for one in self.asked]

    def opened(self) -> Review:
        """A review without an answer."""
        return self._review([], [], [])

    def resumed(self, review: Review, *, file: str) -> Review:
        """A review to go on with; raises `OtherEvidence` where it is of another run.

        Answers to results that the judge now sees otherwise move to `earlier`.
        """
        self._refuse_other(review, file)
        asked = set(self.digests)
        kept = [one for one in review.answers if one.result in asked]
        aside = [one for one in review.answers if one.result not in asked]
        return self._review(kept, review.earlier + aside, replaced_in(review))

    def after(self, review: Review, before: Review) -> Review:
        """The review with the errors found in one before it, which was of a run with other goldens or another judge."""
        found = [one for one in before.earlier + before.answers if one.answer in _TO_MEND]
        earlier = found + [one for one in review.earlier if one not in found]
        return self._review(review.answers, earlier, replaced_in(review))

    def with_answer(self, review: Review, place: int, given: Given) -> Review:
        """The review with an answer on the result at this place; raises `WrongOption` where it does not suit.

        An answer that was there is kept as replaced, unless it was given by the same hand.
        """
        result = self.asked[place]
        if given.answer not in CHOICES[result.verdict]:
            raise errors.WrongOption(
                f"{given.answer} is no answer on a {result.verdict} ({result.case}, trial {result.trial})",
                expected=", ".join(CHOICES[result.verdict]),
            )
        answer = Answer(result.case, result.trial, result.verdict, self.digests[place], *given)
        others = [one for one in review.answers if one.result != answer.result]
        hand = (answer.reviewer, answer.method)
        before = [one for one in review.answers if one not in others and (one.reviewer, one.method) != hand]
        return self._review([*others, answer], review.earlier, replaced_in(review) + before)

    def open_places(self, review: Review, *, again: bool = False) -> list[int]:
        """The places that have no answer yet, or with `again` none that a person gave."""
        answered = {one.result for one in review.answers if one.method == "human" or not again}
        return [place for place, digest in enumerate(self.digests) if digest not in answered]

    def answered_by_people(self, review: Review, places: Iterable[int]) -> list[Answer]:
        """The answers that persons gave on the results at these places."""
        digests = {self.digests[place] for place in places}
        return [one for one in review.answers if one.method == "human" and one.result in digests]

    def _review(self, answers: list[Answer], earlier: list[Answer], replaced: list[Answer]) -> Review:
        place = {digest: number for number, digest in enumerate(self.digests)}
        answers = sorted(answers, key=lambda one: place[one.result])
        failures, passes = (self._part(ruling, answers) for ruling in (Ruling.FAIL, Ruling.PASS))
        return Review(
            basis=self.basis,
            passes_wanted=self.passes_wanted,
            reviewers=sorted({one.reviewer for one in answers}),
            method=_method_of(answers),
            golden_errors=sum(one.answer == "golden_error" for one in answers),
            failures=failures,
            passes=passes,
            earlier=earlier,
            answers=answers,
            replaced=replaced or msgspec.UNSET,
        )

    def _part(self, ruling: Ruling, answers: list[Answer]) -> Part:
        counts = Counter(one.answer for one in answers if one.verdict is ruling)
        answered = counts.total()
        return Part(
            total=self._totals[ruling],
            asked=sum(one.verdict is ruling for one in self.asked),
            answered=answered,
            counts={choice: counts[choice] for choice in CHOICES[ruling]},
            misjudged=counts["judge_error"] / answered if answered else None,
            interval=Borders(*wilson(counts["judge_error"], answered)) if answered else None,
        )

    def _refuse_other(self, review: Review, file: str) -> None:
        told = [str(one) for one in differences_of(review.basis, self.basis) if one.name != RULES]
        if told:
            raise errors.OtherEvidence(f"the review was made for other inputs: {'; '.join(told)}", file=file)
        if review.basis.evidence != self.basis.evidence:
            one, other = (basis.run or "a run without an id" for basis in (review.basis, self.basis))
            sentence = "the review was made for other recordings of the same suite"
            raise errors.OtherEvidence(sentence, file=file, expected=other, found=one)


class Question(msgspec.Struct, frozen=True):
    """A result that is asked about, what may be said of it, and what was."""

    case: str
    trial: int
    verdict: Ruling
    choices: Sequence[Choice]
    answer: Choice | None = None
    reviewer: str | None = None
    method: Method | None = None


def asked_in(sheet: Sheet, review: Review) -> list[Question]:
    """All that is asked about, in the order in which it is asked."""
    said = {one.result: (one.answer, one.reviewer, one.method) for one in review.answers}
    return [
        Question(one.case, one.trial, one.verdict, CHOICES[one.verdict], *said.get(digest, ()))
        for one, digest in zip(sheet.asked, sheet.digests, strict=True)
    ]


def replaced_in(review: Review) -> list[Answer]:
    """The answers that others have taken the place of."""
    return [] if review.replaced is msgspec.UNSET else review.replaced


def _drawn(passed: list[Result], count: int, seed: bytes) -> list[Result]:
    """So many passes, drawn by the seed; in the report's order."""
    ranked = sorted(passed, key=lambda one: digest_of(seed + canonical([one.case, one.trial])))
    return sorted(ranked[:count], key=lambda one: (one.case, one.trial))


def _method_of(answers: Iterable[Answer]) -> Method | None:
    methods = {one.method for one in answers}
    return "assisted" if "assisted" in methods else "human" if methods else None


def check_review(review: Review, *, file: str) -> None:
    """Raise `BadEvidence` where a review's figures are not those of its answers, as a hand-written one's may be."""
    seen = Counter((one.case, one.trial) for one in review.answers)
    counted = Counter((one.verdict, one.answer) for one in review.answers)
    parts = {Ruling.FAIL: review.failures, Ruling.PASS: review.passes}
    wrong = [f"case {case}, trial {trial}, is answered twice" for (case, trial), count in seen.items() if count > 1]
    wrong += [f"{answer} is no answer on a {verdict}" for verdict, answer in counted if answer not in _on(verdict)]
    for ruling, part in parts.items():
        right = {choice: counted[ruling, choice] for choice in CHOICES[ruling]}
        if (part.counts, part.answered) != (right, sum(right.values())):
            wrong.append(f"the counts of the {ruling} answers are not those of the answers")
    if review.method != _method_of(review.answers):
        wrong.append("method is not that of the answers")
    if review.golden_errors != sum(one.answer == "golden_error" for one in review.answers):
        wrong.append("goldenErrors is not the number of such answers")
    if wrong:
        raise errors.BadEvidence("; ".join(wrong), file=file)


def _on(ruling: Ruling) -> tuple[Choice, ...]:
    return CHOICES.get(ruling, ())
