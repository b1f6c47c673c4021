"""ISO 8601 dates and datetimes as points that compare; no zone is guessed, no clock is read."""

import re
from datetime import date
from typing import Literal, NamedTuple

# Extended (2031-03-30T07:00:00Z) or basic (20310330T070000Z), calendar dates only.
_MOMENT = re.compile(
    r"(?P<year>[0-9]{4})(?P<dash>-?)(?P<month>[0-9]{2})(?P=dash)(?P<day>[0-9]{2})"
    r"(?:T(?P<hour>[0-9]{2})(?P<colon>:?)(?P<minute>[0-9]{2})"
    r"(?:(?P=colon)(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]+))?)?"
    r"(?P<zone>Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?\Z"
)
_DAY, _HOUR, _MINUTE = 86_400, 3_600, 60
_HOURS, _SIXTY = 24, 60


class Moment(NamedTuple):
    """`seconds` since the first day of year 1: in UTC where `kind` is aware, on the wall clock where it is naive.

    `fraction` holds the digits after the point without trailing zeros, so that instants compare exactly.
    """

    kind: Literal["date", "naive", "aware"]
    seconds: int
    fraction: str = ""


def moment_of(text: str) -> Moment | None:
    """The moment that a text writes down, or None: natural language, impossible dates, other formats."""
    found = _MOMENT.match(text)
    if found is None:
        return None
    try:
        day = date(int(found["year"]), int(found["month"]), int(found["day"]))
    except ValueError:
        return None
    if found["hour"] is None:
        return Moment("date", day.toordinal() * _DAY)
    time = _seconds(found["hour"], found["minute"], found["second"] or "0")
    offset = _offset(found["zone"])
    if time is None or offset is None:
        return None
    fraction = (found["fraction"] or "").rstrip("0")
    kind: Literal["naive", "aware"] = "aware" if found["zone"] else "naive"
    return Moment(kind, day.toordinal() * _DAY + time - offset, fraction)


def _seconds(hour: str, minute: str, second: str) -> int | None:
    if int(hour) >= _HOURS or int(minute) >= _SIXTY or int(second) >= _SIXTY:
        return None
    return int(hour) * _HOUR + int(minute) * _MINUTE + int(second)


def _offset(zone: str | None) -> int | None:
    """Seconds east of UTC; none for Z and where no zone is given."""
    if zone is None or zone == "Z":
        return 0
    digits = zone[1:].replace(":", "")
    east = _seconds(digits[:2], digits[2:] or "0", "0")
    return None if east is None else (-east if zone[0] == "-" else east)
