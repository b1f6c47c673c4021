"""Text files that are not UTF-8, or carry a byte order mark: what they are instead, and what to do."""

import re
from typing import NamedTuple, TypeVar

from harness.errors import InputError

MARK = b"\xef\xbb\xbf"

_Refusal = TypeVar("_Refusal", bound=InputError)

_MARKS = {b"\xff\xfe\x00\x00": "UTF-32", b"\x00\x00\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}

_WIDE = re.compile(rb"[^\0]\0|\0[^\0]|\0\0\0[^\0]")  # as ASCII begins in them, without a mark


class Fault(NamedTuple):
    """What is wrong with some bytes, and at which byte."""

    sentence: str
    at: int


def fault_of(raw: bytes) -> Fault | None:
    """Why bytes are no UTF-8 text without a mark; None where they are."""
    if raw.startswith(MARK):
        return Fault("starts with a byte order mark", 0)
    for mark, name in _MARKS.items():
        if raw.startswith(mark):
            return Fault(f"is {name}, not UTF-8", 0)
    if _WIDE.match(raw):
        return Fault("is UTF-16 or UTF-32, not UTF-8", 0)
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        byte = raw[error.start : error.start + 1]
        meant = byte.decode("cp1252", "replace")
        return Fault(f"is not UTF-8: byte {byte.hex()}, as Windows-1252 writes {meant}", error.start)
    return None


def misencoded(raw: bytes, kind: type[_Refusal], *, file: str, line: int | None = None) -> _Refusal | None:
    """The refusal of a file, or of this line of it, that is no UTF-8 text without a mark; None where it is."""
    fault = fault_of(raw)
    if fault is None:
        return None
    refusal = kind(fault.sentence, file=file, line=line or raw.count(b"\n", 0, fault.at) + 1)
    refusal.mend = f"save {file} as UTF-8 without a byte order mark"
    return refusal


def written_in(raw: bytes, kind: type[_Refusal], *, file: str) -> bytes:
    """What a person wrote into a file, without the mark that some editors put first; raises `kind` for no UTF-8."""
    text = raw.removeprefix(MARK)
    if (refusal := misencoded(text, kind, file=file)) is not None:
        raise refusal
    return text
