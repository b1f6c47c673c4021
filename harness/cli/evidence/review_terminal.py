"""A review in the terminal: one result at a time, one keystroke an answer, saved before the next is shown."""

import shutil
import sys
from typing import Final

import click

from harness.cli.common import colours
from harness.cli.evidence.keyboard import LEFT, QUIT, RIGHT, Keyboard
from harness.cli.evidence.review_file import Reviewer, ReviewFile, is_at_terminal
from harness.errors import WrongOption
from harness.evidence.review import CHOICES, Choice, Given
from harness.evidence.review_text import lines_of_result, words_of
from harness.excerpt import visible_of
from harness.report.report import Result
from harness.report.terminal import text_of

_LETTERS: Final[dict[str, Choice]] = {
    "m": "model_error", "c": "correct", "j": "judge_error", "g": "golden_error", "u": "unclear",
}  # fmt: skip
_BACK, _SKIP, _WHOLE = "b", "s", "a"


def review_in_terminal(book: ReviewFile, reviewer: Reviewer, *, again: bool) -> None:
    """Ask about every open result; returns when all are answered or the reviewer leaves."""
    if not is_at_terminal():
        raise WrongOption(
            "a review asks for keystrokes and needs a terminal; in a browser: --web, out of a file: --answers FILE"
        )
    places = book.sheet.open_places(book.review, again=again)
    with Keyboard() as keyboard:
        _ask(book, reviewer, places, keyboard)
    click.echo()


def _ask(book: ReviewFile, reviewer: Reviewer, places: list[int], keyboard: Keyboard) -> None:
    at, whole, told = 0, False, ""
    while at < len(places):
        result = book.sheet.asked[places[at]]
        _show(book, result, f"{at + 1} of {len(places)}", told, whole=whole)
        key = keyboard.key()
        letter = _LETTERS.get(key.lower())
        whole, told = key == _WHOLE, ""
        if key == QUIT:
            break
        if key in (_BACK, LEFT):
            at = max(at - 1, 0)
        elif key in (_SKIP, RIGHT):
            at += 1
        elif letter in CHOICES[result.verdict]:
            note = visible_of(keyboard.line("note: ").strip()) if key.isupper() else ""
            book.answer(places[at], Given(letter, note, *reviewer))
            told = f"{result.case}, trial {result.trial}: {words_of(letter)}, saved"
            at += 1
        elif not whole:
            told = f"{visible_of(key) or 'that'} says nothing here: the keys are"


def _show(book: ReviewFile, result: Result, number: str, told: str, *, whole: bool) -> None:
    """The screen of one result."""
    colour = colours(sys.stdout)
    width = shutil.get_terminal_size().columns
    facts = [result.dimension, result.group, result.variant]
    head = f"{number}  {result.verdict}  {result.case}, trial {result.trial}"
    about = "  ".join(visible_of(fact) for fact in facts if fact)
    before = next((one for one in book.review.answers if (one.case, one.trial) == (result.case, result.trial)), None)
    click.clear()
    click.echo(click.style(f"{visible_of(head)}  {about}", bold=True) if colour else f"{head}  {about}")
    click.echo("-" * min(width, 100))
    click.echo(text_of(lines_of_result(result, whole=whole), colour=colour, width=width), nl=False)
    click.echo("-" * min(width, 100))
    if before is not None:
        note = f" ({before.note})" if before.note else ""
        click.echo(f"answered before: {words_of(before.answer)}{note}, by {before.reviewer}, {before.method}")
    if told:
        click.echo(click.style(told, dim=True) if colour else told)
    keys = "   ".join(
        _named(letter, choice) for letter, choice in _LETTERS.items() if choice in CHOICES[result.verdict]
    )
    click.echo(f"{keys}   capital: with a note\na all of a long text   b back   s skip   q quit; every answer is saved")


def _named(letter: str, choice: Choice) -> str:
    return f"[{letter}]{words_of(choice)[1:]}"
