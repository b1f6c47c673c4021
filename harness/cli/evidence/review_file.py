"""A review on the disk: opened or gone on with, and whole there after each answer."""

import getpass
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from harness import errors, files
from harness.cli.discretion import environments_discretion
from harness.cli.evidence.evidence_files import put, read_evidence
from harness.cli.suites.run_report import Loaded
from harness.encoding import written_in
from harness.evidence.documents import bytes_of_document
from harness.evidence.review import CHOICES, FEWEST_PASSES, Choice, Given, Method, Review, Sheet, check_review
from harness.json_lines import struct_of
from harness.nearest import nearest_of
from harness.repeats import check_line
from harness.report.report import Count
from harness.value import decoder_of, lines_of

DEFAULT = "review.json"
_LIST = "; fc-judge review RUN --list says what is asked about"


class Reviewer(NamedTuple):
    """Who answers, and whether it is a person."""

    name: str
    method: Method


def review_path(source: Path) -> Path:
    """Where a review lies unless it is said: in the run's directory, or beside the report."""
    return source / DEFAULT if source.is_dir() else source.with_name(f"{source.name.removesuffix('.json')}.{DEFAULT}")


def is_at_terminal() -> bool:
    """Whether a person can be meant to have given the command: at a terminal, and nowhere else."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def login_name() -> str:
    """The name of who is at the keyboard, as the system knows it; empty where it does not."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


class ReviewFile:
    """A review and its file. Nothing is written over what another process has put there meanwhile."""

    def __init__(self, path: Path, loaded: Loaded, *, passes: int | None = None, after: Path | None = None) -> None:
        self.path = path
        self._scrub = environments_discretion().text
        self._raw = files.read_bytes(path) if path.exists() else None
        before = None if self._raw is None else _sound(path)
        wanted = max(passes or FEWEST_PASSES, before.passes_wanted if before else 0)
        self.sheet = Sheet(loaded.report, loaded.run, passes=wanted)
        review = self.sheet.resumed(before, file=str(path)) if before else self.sheet.opened()
        self.review = self.sheet.after(review, _sound(after)) if after else review
        self.set_aside = len(before.answers) - len(self.review.answers) if before else 0

    def begin(self) -> None:
        """Put the review on the disk, before the first answer: what can be gone on with is there."""
        self._write()

    @property
    def is_there(self) -> bool:
        """Whether it is on the disk yet."""
        return self._raw is not None

    def answer(self, place: int, given: Given) -> None:
        """Take an answer; it is on the disk when this returns."""
        self.answer_all([(place, given)])

    def refuse_replacing(self, answers: Sequence[tuple[int, Given]]) -> None:
        """Raise `WrongOption` where a script's answers would take the place of what persons said."""
        told = self.sheet.answered_by_people(self.review, [place for place, _ in answers])
        if told:
            first, more = told[0], f", and of {len(told) - 1} more" if len(told) > 1 else ""
            said = f"{first.reviewer} said {first.answer} of {first.case}, trial {first.trial}{more}"
            refusal = errors.WrongOption(f"a person has answered: {said}", file=str(self.path))
            refusal.mend = "leave those lines out, or say --replace: what was there is then kept as replaced"
            raise refusal

    def answer_all(self, answers: Sequence[tuple[int, Given]]) -> None:
        """Take many answers at once; what people write is kept without the secrets that may stand in it."""
        for place, given in answers:
            clean = given._replace(note=self._scrub(given.note), reviewer=self._scrub(given.reviewer))
            self.review = self.sheet.with_answer(self.review, place, clean)
        self._write()

    def _write(self) -> None:
        raw = bytes_of_document(self.review)
        there = self.path.read_bytes() if self.path.exists() else None
        if there != self._raw:
            raise errors.EvidenceTaken(file=str(self.path))
        if raw != there:
            put(self.path, raw)
        self._raw = raw


def _sound(path: Path) -> Review:
    review = read_evidence(path, Review)
    check_review(review, file=str(path))
    return review


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    case: str
    answer: Choice
    trial: Count = 1
    note: str = ""


def answers_in(path: Path, sheet: Sheet, reviewer: Reviewer) -> list[tuple[int, Given]]:
    """The answers in a JSONL file, each with the place of its result; raises `BadEvidence` for the first bad line."""
    decoder: msgspec.json.Decoder[_Line] = decoder_of(_Line)
    places = {(one.case, one.trial): place for place, one in enumerate(sheet.asked)}
    answers: dict[int, Given] = {}
    written = written_in(files.read_bytes(path), errors.BadEvidence, file=str(path))
    for number, raw in enumerate(lines_of(written), 1):
        line = _line_of(raw, decoder, file=str(path), number=number)
        if (line.case, line.trial) not in places:
            near = nearest_of(line.case, [case for case, _ in places])
            sentence = f"{line.case}, trial {line.trial}, is not asked about"
            raise _mendable(errors.BadEvidence(sentence, file=str(path), line=number, nearest=near), _LIST)
        place = places[line.case, line.trial]
        suited = CHOICES[sheet.asked[place].verdict]
        if line.answer not in suited:
            sentence = f"{line.answer} is no answer on a {sheet.asked[place].verdict}"
            raise _mendable(errors.BadEvidence(sentence, file=str(path), line=number, expected=", ".join(suited)))
        if place in answers:
            sentence = f"{line.case}, trial {line.trial}, is answered by a line before"
            raise _mendable(errors.BadEvidence(sentence, file=str(path), line=number, found=line.answer))
        answers[place] = Given(line.answer, line.note, *reviewer)
    return [*answers.items()]


def _line_of(raw: bytes, decoder: "msgspec.json.Decoder[_Line]", *, file: str, number: int) -> _Line:
    try:
        read = struct_of(raw, decoder, file=file, line=number)
        check_line(raw, file=file, line=number)
    except errors.MalformedLine as error:  # as of what a person wrote: nothing to restore or to record again
        facts = {"expected": error.expected, "found": error.found, "nearest": error.nearest}
        raise _mendable(errors.BadEvidence(error.subject, file=file, line=number, **facts)) from None
    return read


def _mendable(error: errors.BadEvidence, more: str = "") -> errors.BadEvidence:
    again = f"then run the same command again: no answer was taken{more}"
    error.mend = f"mend line {error.line} of {error.file}, {again}"
    return error
