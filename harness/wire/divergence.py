"""Where two values first part: the path there, and what stands on either side."""

from typing import NamedTuple, TypeAlias

from harness.excerpt import excerpts_of, shortened, visible_of
from harness.value import Json, canonical, encode
from harness.wire.facets import fits

Path: TypeAlias = tuple[str | int, ...]

_LONGEST = 120
_NOTHING = "(nothing)"


class Divergence(NamedTuple):
    """The first difference; `recorded` and `sent` are one line each, the words that differ in «»."""

    path: Path
    recorded: str
    sent: str


class _Nothing:
    """Stands where one side has no value at all; null is a value."""


_Side: TypeAlias = "Json | type[_Nothing]"


def divergence_of(recorded: Json, sent: Json, path: Path = ()) -> Divergence:
    """The first difference of two values that differ, in the order of what was recorded."""
    match recorded, sent:
        case dict(), dict():
            for key in [*recorded, *(sent.keys() - recorded.keys())]:
                if key not in recorded or key not in sent:
                    return shown(recorded.get(key, _Nothing), sent.get(key, _Nothing), (*path, key))
                if not fits(recorded[key], sent[key]):
                    return divergence_of(recorded[key], sent[key], (*path, key))
        case list(), list():
            return _in_lists(recorded, sent, path)
        case _:
            pass
    return shown(recorded, sent, path)


def _in_lists(recorded: list[Json], sent: list[Json], path: Path) -> Divergence:
    shorter = min(len(recorded), len(sent))
    at = next((at for at in range(shorter) if not fits(recorded[at], sent[at])), shorter)
    here = (*path, at)
    if at == shorter:
        return shown(_item(recorded, at), _item(sent, at), here)
    if len(sent) > len(recorded) and fits(recorded[at], sent[at + 1]):
        return shown(_Nothing, sent[at], here)
    if len(sent) < len(recorded) and fits(recorded[at + 1], sent[at]):
        return shown(recorded[at], _Nothing, here)
    return divergence_of(recorded[at], sent[at], here)


def _item(items: list[Json], at: int) -> _Side:
    return items[at] if at < len(items) else _Nothing


def shown(recorded: _Side, sent: _Side, path: Path) -> Divergence:
    """A difference at a path, as people read it."""
    if recorded is _Nothing or sent is _Nothing:
        return Divergence(path, _whole(recorded), _whole(sent))
    return Divergence(path, *excerpts_of(_text(recorded), _text(sent)))


def only_sent(value: Json, path: Path) -> Divergence:
    """A value that was sent and never recorded."""
    return shown(_Nothing, value, path)


def only_recorded(value: Json, path: Path) -> Divergence:
    """A value that was recorded and is no longer sent."""
    return shown(value, _Nothing, path)


def _whole(value: _Side) -> str:
    return _NOTHING if value is _Nothing else visible_of(shortened(_text(value), _LONGEST))


def _text(value: _Side) -> str:
    return value if isinstance(value, str) else encode(value).decode()


def is_reordered(recorded: Json, sent: Json) -> bool:
    """Whether two lists hold the same items in another order."""
    if not isinstance(recorded, list) or not isinstance(sent, list):
        return False
    return recorded != sent and sorted(map(canonical, recorded)) == sorted(map(canonical, sent))


def path_text(path: Path) -> str:
    """A path as people write it: `messages[0].content`."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in path]
    return "".join(parts).removeprefix(".")
