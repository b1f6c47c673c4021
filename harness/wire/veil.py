"""Text that comes in pieces, shown without its secrets: what could be the beginning of one waits for its end."""

from harness.wire.redact import Redactor

# What keys, tokens and URLs are made of.
_GRAPHIC = "".join(map(chr, range(0x21, 0x7F)))
_LONGEST = 8192


class Veil:
    """Feed it pieces; it gives back what may be shown already.

    The line so far is scrubbed as a whole each time, since a field's name stands before its value.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._line = ""
        self._shown = 0

    def feed(self, piece: str) -> str:
        """What may be shown now that this piece is here."""
        self._line += piece
        end = self._redactor.uncut(self._line, len(self._line.rstrip(_GRAPHIC)))
        if len(self._line) - end > _LONGEST:
            return self.rest()
        shown = self._show(end)
        if end == len(self._line) and (piece.endswith("\n") or end > _LONGEST) and not self._in_private_key():
            self._line, self._shown = "", 0
        return shown

    def rest(self) -> str:
        """What was held back, at the end."""
        shown = self._show(len(self._line))
        self._line, self._shown = "", 0
        return shown

    def _show(self, end: int) -> str:
        scrubbed = self._redactor.text(self._line[:end])
        shown, self._shown = scrubbed[self._shown :], max(self._shown, len(scrubbed))
        return shown

    def _in_private_key(self) -> bool:
        return self._line.rfind("-----BEGIN ") > self._line.rfind("-----END ")
