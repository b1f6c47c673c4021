"""Numbers as they were written: tolerances without rounding, and numbers inside a text."""

import re
import unicodedata
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import TypeAlias

from harness.value import exact

_WRITTEN = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_CASED = {"Lu", "Ll", "Lt"}
_MINUSES = {"-", "\u2212"}
# Beyond this many digits a fraction would fill the memory; a tolerance there needs no more than these digits.
_EXPONENT = 5_000
_ROUGH = Context(prec=200, Emax=MAX_EMAX, Emin=MIN_EMIN)

Number: TypeAlias = float | Decimal


def within(expected: Number, actual: Number, absolute: Number, relative: Number) -> bool:
    """Whether the numbers are at most `absolute`, or `relative` times the expected one, apart; the border is inside."""
    numbers = [Decimal(exact(number)) for number in (expected, actual, absolute, relative)]
    if not all(number.is_finite() for number in numbers):
        return False
    if max(abs(number.adjusted()) for number in numbers) > _EXPONENT:
        wanted, found, apart, share = numbers
        distance = _ROUGH.subtract(wanted, found).copy_abs()
        return distance <= max(apart, _ROUGH.multiply(share, wanted).copy_abs())
    whole, other, most, part = map(Fraction, numbers)
    return abs(whole - other) <= max(most, part * abs(whole))


def mentions_number(text: str, number: Number) -> bool:
    """Whether a number is written in a text: by value, not as part of a word or of another number.

    A comma is a decimal point to some and a thousands separator to others, so `12,5` is neither 12 nor 12.5.
    """
    wanted = exact(number)
    return any(_number_at(text, found) == wanted for found in _WRITTEN.finditer(text))


def _number_at(text: str, found: re.Match[str]) -> Decimal | None:
    start = found.start()
    before, after = _character(text, start - 1), _character(text, found.end())
    if _joins_words(before) or _joins_words(after) or "," in found[0] or found[0].count(".") > 1:
        return None
    negative = before in _MINUSES and not _character(text, start - 2).isalnum()
    return -Decimal(found[0]) if negative else Decimal(found[0])


def _character(text: str, index: int) -> str:
    return text[index] if 0 <= index < len(text) else ""


def _joins_words(character: str) -> bool:
    """Whether a character beside a number makes it part of a word; letters without case, as Han, do not."""
    return bool(character) and (character == "_" or unicodedata.category(character) in _CASED or character.isdigit())
