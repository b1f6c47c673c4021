"""JSON values without loss: the one way bytes become values and values become bytes."""

import hashlib
import math
import re
from decimal import MAX_PREC, Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import orjson

from harness.depth import LINE_DEPTH, MAX_DEPTH, has_few_brackets, is_deep
from harness.excerpt import shown_of
from harness.long_numbers import place_of_long_number

if TYPE_CHECKING:
    Json: TypeAlias = "bool | int | float | Decimal | str | list[Json] | dict[str, Json] | None"
    JsonObject: TypeAlias = dict[str, Json]
else:  # msgspec resolves field types when a struct is made; a recursive alias has no end
    Json = Any
    JsonObject = dict[str, Any]

MAX_LINE_BYTES = 8 * 1024 * 1024
MAX_DIGITS = 4300  # of a whole number, and of a decimal written out: what Python reads and writes unless told otherwise

_ASTRAL = re.compile(rb"[\xf0-\xf4]")
_STARTS_FIXED, _ENDS_FIXED = 1e-6, 1e21  # ECMAScript writes numbers between these without an exponent
_TOO_MANY_DIGITS = f"a number of more than {MAX_DIGITS} digits"
_TOO_LONG = 10**MAX_DIGITS
_EVERY_DIGIT = Context(MAX_PREC)  # the one at hand is the user's, who may have set it to a few digits
_FIXED_IN_BOTH, _EXACT_INTEGERS = 1e-4, 2.0**53  # between these orjson and ECMAScript write a float alike


class NotJsonError(ValueError):
    """Bytes that are no JSON value, or a Python value that JSON has no form for."""


_encoder = msgspec.json.Encoder(decimal_format="number")


def _number(text: str) -> float | Decimal:
    """A float where it says exactly what was written, else the digits as written."""
    number = float(text)
    if repr(number) == text or _encoder.encode(number) == text.encode():
        return number
    try:
        exact = Decimal(text)
    except InvalidOperation:
        exact = None
    if exact is None or abs(exact.adjusted()) >= MAX_DIGITS:
        raise NotJsonError(f"{_TOO_MANY_DIGITS} when it is written out: {text[:40]}")
    return exact


def long_number_in(raw: bytes | str, told: str) -> str | None:
    """Which number has too many digits, where a decoder stopped at one; None where it stopped at something else."""
    if told.startswith(_TOO_MANY_DIGITS):
        sentence = told.partition(" - at ")[0]
    elif told.startswith("Integer value out of range"):
        sentence = f"a whole number of more than {MAX_DIGITS} digits"
    else:
        return None
    place = place_of_long_number(raw, _is_too_long)
    return f"{place}: {sentence}" if place else sentence


def _is_too_long(digits: str) -> bool:
    if digits.removeprefix("-").isdecimal():
        return len(digits) > MAX_DIGITS  # a sign counts as one, for the decoder
    try:
        _number(digits)
    except NotJsonError:
        return True
    return False


def decoder_of(type_: object) -> "msgspec.json.Decoder[Any]":
    """A decoder into `type_` that keeps untyped decimals as written and integers of any size."""
    return msgspec.json.Decoder(type_, float_hook=_number)


_decoder = decoder_of(Any)


def encode(value: object) -> bytes:
    """The byte form of a JSON value or a struct in files: compact, keys in given order, UTF-8.

    The value must be finite and free of lone surrogates: `checked` says so for values from outside.
    """
    return _encoder.encode(value)


def decode(raw: bytes | str, *, deepest: int = MAX_DEPTH) -> Json:
    """One JSON value; raises `NotJsonError` with the reason and, where known, the byte.

    NaN, infinities, lone surrogates and nesting beyond `deepest` are no JSON here; a key's last value counts.
    """
    try:
        value: Json = _decoder.decode(raw)
    except msgspec.DecodeError as error:  # what `_number` raises comes out as one, too
        raise NotJsonError(long_number_in(raw, str(error)) or str(error)) from None
    except (RecursionError, UnicodeDecodeError) as error:
        raise NotJsonError(_reason(error, deepest)) from None
    if len(raw) > MAX_DEPTH and not has_few_brackets(raw) and is_deep(value, deepest):
        raise NotJsonError(f"nested deeper than {deepest}")
    return value


def as_json(value: object) -> Json:
    """A struct of ours as a JSON value: the values in it may each be as deep as one alone."""
    return decode(encode(value), deepest=LINE_DEPTH)


def _reason(error: Exception, deepest: int) -> str:
    return f"nested deeper than {deepest}" if isinstance(error, RecursionError) else "not UTF-8"


def checked(value: object) -> Json:
    """A value from user code as JSON, in plain types; raises `NotJsonError` naming the path that has no JSON form."""
    return _checked(value, "$", 0)


def _checked(value: object, path: str, depth: int) -> Json:
    if depth > MAX_DEPTH:
        raise NotJsonError(f"{path[:80]}: nested deeper than {MAX_DEPTH}")
    match value:
        case None | bool():
            return value
        case str():
            return _checked_text(value, path)
        case int() | float() | Decimal():
            return _checked_number(value, path)
        case dict():
            return {_key(key, path): _checked(item, f"{path}.{key}", depth + 1) for key, item in value.items()}
        case list() | tuple():
            return [_checked(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
        case _:
            raise NotJsonError(f"{path}: {type(value).__name__} has no JSON form")


def _key(key: object, path: str) -> str:
    if not isinstance(key, str):
        raise NotJsonError(f"{path}: key {shown_of(key, 80)} is no string")
    return _checked_text(key, path)


def _checked_text(text: str, path: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise NotJsonError(f"{path}: a lone surrogate has no UTF-8 form") from None
    return str.__str__(text)  # of a subclass, what it is as a text


def _checked_number(number: float | Decimal, path: str) -> int | float | Decimal:
    """The number without its subclass, which the encoder would refuse."""
    if isinstance(number, int):
        if abs(number) >= _TOO_LONG:
            raise NotJsonError(f"{path}: a whole number of more than {MAX_DIGITS} digits")
        return int.__int__(number)
    if not (number.is_finite() if isinstance(number, Decimal) else math.isfinite(number)):
        raise NotJsonError(f"{path}: {number} is no JSON number")
    if isinstance(number, float):
        return float.__float__(number)
    if number and abs(number.adjusted()) >= MAX_DIGITS:
        raise NotJsonError(f"{path}: a number of more than {MAX_DIGITS} digits when it is written out")
    return Decimal(number)


def plain(value: Json) -> Json:
    """The value with ordinary numbers only, as a tool written in Python expects it; none becomes infinite."""
    match value:
        case Decimal():
            number = float(value)
            return number if math.isfinite(number) else int(value)
        case dict():
            return {key: plain(item) for key, item in value.items()}
        case list():
            return [plain(item) for item in value]
        case _:
            return value


def exact(number: float | Decimal) -> int | Decimal:
    """A number as what was written, so that two numbers compare without rounding."""
    match number:
        case int():
            return int(number)
        case float():
            return Decimal(repr(number))
        case Decimal():
            return number


def canonical(value: Json) -> bytes:
    """RFC 8785 bytes: one form for all spellings of a value; integers beyond 2**53 keep their digits."""
    try:
        fast = orjson.dumps(_ready(value), option=orjson.OPT_SORT_KEYS)
    except (_NeedsCare, TypeError):
        return _careful(value)
    # orjson sorts by code point, RFC 8785 by UTF-16 unit: they part only where a character lies beyond the BMP
    return _careful(value) if not fast.isascii() and _ASTRAL.search(fast) else fast


class _NeedsCare(Exception):
    """A number whose canonical form orjson would not write."""


def _ready(value: Json) -> Json:
    """The value as orjson writes it canonically; raises `_NeedsCare` where it cannot."""
    kind = type(value)
    if kind is dict:
        return {key: _ready(item) for key, item in value.items()}  # type: ignore[union-attr]
    if kind is list:
        return [_ready(item) for item in value]  # type: ignore[union-attr]
    if kind is float:
        if value == 0 or _FIXED_IN_BOTH <= abs(value) < _EXACT_INTEGERS:  # type: ignore[arg-type,operator]
            return int(value) if value.is_integer() else value  # type: ignore[union-attr,arg-type]
        raise _NeedsCare
    if kind is Decimal:
        raise _NeedsCare
    return value


def _careful(value: Json) -> bytes:
    parts: list[str] = []
    _write_canonical(value, parts)
    return "".join(parts).encode()


def _write_canonical(value: Json, out: list[str]) -> None:
    match value:
        case dict():
            opening = "{"
            for key in sorted(value, key=_utf16):
                out += (opening, _quoted(key), ":")
                _write_canonical(value[key], out)
                opening = ","
            out.append("}" if value else "{}")
        case list():
            opening = "["
            for item in value:
                out.append(opening)
                _write_canonical(item, out)
                opening = ","
            out.append("]" if value else "[]")
        case bool() | None:
            out.append({True: "true", False: "false", None: "null"}[value])
        case str():
            out.append(_quoted(value))
        case _:
            out.append(_canonical_number(value))


def _quoted(text: str) -> str:
    return encode(text).decode()


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be")


def _canonical_number(number: float | Decimal) -> str:
    if isinstance(number, int):
        return str(number)
    if not (number.is_finite() if isinstance(number, Decimal) else math.isfinite(number)):
        raise NotJsonError(f"{number} is no JSON number")
    if not number:
        return "0"
    value = float(number)
    # What no float is near to keeps its digits, as a large integer does.
    nearest = Decimal(repr(value)) if value and math.isfinite(value) else Decimal(number)
    sign, digits, exponent = nearest.normalize(_EVERY_DIGIT).as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)
    minus = "-" if sign else ""
    if _STARTS_FIXED <= abs(value) < _ENDS_FIXED:
        whole, fraction = text[: max(point, 0)].ljust(point, "0"), "0" * -point + text[max(point, 0) :]
        return f"{minus}{whole or 0}{'.' if fraction else ''}{fraction}"
    mantissa = text if len(text) == 1 else f"{text[0]}.{text[1:]}"
    return f"{minus}{mantissa}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def digest_of(raw: bytes) -> str:
    """`sha256:` and 64 hex digits."""
    return "sha256:" + hashlib.sha256(raw).hexdigest()


def lines_of(raw: bytes) -> list[bytes]:
    """The lines of a JSONL file: split on LF only, the final newline opening no further line."""
    lines = raw.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines
