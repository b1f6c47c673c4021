"""A review as a page: the results that are asked about, and what has been answered so far."""

from collections.abc import Iterator

import msgspec

from harness.evidence.review import CHOICES, Answer, Choice, Review, Sheet
from harness.evidence.review_text import lines_of_review, words_of
from harness.excerpt import visible_of
from harness.report.pages import environment_of, in_script, inline
from harness.report.plain import plain_of
from harness.report.report import Result
from harness.report.view import View, view_of

_KEYS: dict[Choice, str] = {
    "model_error": "m", "correct": "c", "judge_error": "j", "golden_error": "g", "unclear": "u",
}  # fmt: skip


class Key(msgspec.Struct, frozen=True):
    """An answer that can be given, and the key that gives it."""

    answer: Choice
    key: str
    words: str


class Question(msgspec.Struct, frozen=True):
    """A result in the list, and what can be answered on it."""

    case: str
    trial: int
    verdict: str
    about: str
    keys: list[Key]


class Said(msgspec.Struct, frozen=True):
    """An answer that was given."""

    answer: Choice
    words: str
    note: str
    by: str


class State(msgspec.Struct, frozen=True):
    """How far the review is: an answer or null for each question, which are to be asked, what it came to in words."""

    said: list[Said | None]
    open: list[int]
    told: str


def page_of(sheet: Sheet, review: Review, *, reviewer: str, again: bool = False) -> bytes:
    """The page. Its script asks the server that gave it to save each answer, and nothing else."""
    environment = environment_of("harness.evidence")
    page = environment.get_template("review.html").render(
        reviewer=reviewer,
        style=inline(environment, "page.css", "review.css"),
        script=inline(environment, "detail.js", "review.js"),
        state=in_script(state_of(sheet, review, again=again)),
        rows=list(_rows(sheet.asked)),
    )
    return page.encode()


def state_of(sheet: Sheet, review: Review, *, again: bool = False) -> State:
    """How far the review is."""
    said = {one.result: _said(one) for one in review.answers}
    places = sheet.open_places(review, again=again)
    return State([said.get(digest) for digest in sheet.digests], places, plain_of(lines_of_review(review)))


def _said(answer: Answer) -> Said:
    note = visible_of(answer.note, keep="\n")
    return Said(answer.answer, words_of(answer.answer), note, f"{answer.reviewer}, {answer.method}")


def _rows(asked: list[Result]) -> Iterator[str]:
    """Two lines a result: the question, then what the page lays out of it."""
    for result in asked:
        view: View = view_of(result)
        yield in_script(_question_of(result))
        yield in_script(view)


def _question_of(result: Result) -> Question:
    facts = [result.dimension, result.group, result.variant]
    return Question(
        visible_of(result.case),
        result.trial,
        result.verdict,
        " · ".join(visible_of(fact) for fact in facts if fact),
        [Key(choice, _KEYS[choice], words_of(choice)) for choice in CHOICES[result.verdict]],
    )
