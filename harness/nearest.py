"""The known word that an unknown one was probably meant to be."""

from collections.abc import Iterable

_CUTOFF = 0.6
_SHORTEST_START = 3


def nearest_of(word: str, known: Iterable[str]) -> str | None:
    """The closest of the known words, else the one that it begins; case and surrounding noise count little."""
    from difflib import get_close_matches

    folded = {name.casefold(): name for name in known}
    start = word.strip().casefold()
    close = get_close_matches(start, folded, n=1, cutoff=_CUTOFF)
    if not close and len(start) >= _SHORTEST_START:
        close = [name for name in folded if name.startswith(start)]
    return folded[close[0]] if len(close) == 1 else None
