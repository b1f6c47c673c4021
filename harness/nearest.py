"""The known word that an unknown one was probably meant to be."""

from collections.abc import Iterable

_CUTOFF = 0.6


def nearest_of(word: str, known: Iterable[str]) -> str | None:
    """The closest of the known words, or None where none is close; case and surrounding noise count little."""
    from difflib import get_close_matches

    folded = {name.casefold(): name for name in known}
    close = get_close_matches(word.strip().casefold(), folded, n=1, cutoff=_CUTOFF)
    return folded[close[0]] if close else None
