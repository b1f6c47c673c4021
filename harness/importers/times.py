"""Times of other files as our files say them: UTC, milliseconds, `Z`."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

UNKNOWN_TIME = "1970-01-01T00:00:00.000Z"

_CREATED = re.compile(rb'"created(?:_at)?"\s{0,4}:\s{0,4}([0-9]{9,10})(?![0-9])')
_NANOSECONDS = 10**9
_LONGEST = 64


def of_text(text: str) -> str:
    """An ISO 8601 time or an HTTP date; empty where it is neither. A time without a zone is taken as UTC."""
    text = text[:_LONGEST]
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return _written(read(text))
        except (ValueError, TypeError, OverflowError):
            continue
    return ""


def of_seconds(seconds: float) -> str:
    """Seconds since 1970."""
    try:
        return _written(datetime.fromtimestamp(float(seconds), UTC))
    except (ValueError, OverflowError, OSError):
        return ""


def of_nanoseconds(written: object) -> str:
    """Nanoseconds since 1970, as OTLP writes them: a number or its text."""
    try:
        return of_seconds(int(str(written)) / _NANOSECONDS)
    except (ValueError, OverflowError):
        return ""


def created_in(answer: bytes) -> str:
    """The time at which an answer says that it was made."""
    found = _CREATED.search(answer)
    return of_seconds(int(found[1])) if found else ""


def _written(time: datetime) -> str:
    moment = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
