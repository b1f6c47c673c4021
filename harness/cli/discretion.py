"""What the commands tell and fc-judge writes, without the secrets that stand in the evidence or in the environment."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from harness.cli.environment import environment, secrets_of
from harness.depth import LINE_DEPTH
from harness.importers.scrubbing import Scrubber
from harness.value import Json, as_json, decode, encode
from harness.wire.known import MIN_VALUE, values_of
from harness.wire.redact import Redactor
from harness.wire.sightings import sightings_of

if TYPE_CHECKING:
    from harness.judge.finding import Verdict
    from harness.report.report import Origin, Result

_CUT = "…"
_MARKS = re.compile("[«»]")
_MARK = re.compile("«|»".encode())
_TELLING = 6  # so many characters of a known value, and more, are not told either


class Discretion:
    """What is told without secrets; `values` are those that are known by value.

    Each result has a redactor of its own, so that it says the same whatever else is judged beside it.
    """

    def __init__(self, values: Sequence[str]) -> None:
        self.values = tuple(sorted({value for value in values if len(value) >= MIN_VALUE}))
        self._known = values_of(self.values)
        self._look = Scrubber(Redactor(self.values))
        self._marked = [(value, _marked(value)) for value in self.values]
        self._ends = {
            spelt[at : at + _TELLING]
            for value in self.values
            for spelt in (value.encode(), encode(value)[1:-1])
            for at in range(len(spelt) - _TELLING + 1)
        }

    def text(self, text: str) -> str:
        """Text that is printed."""
        raw = text.encode("utf-8", "surrogatepass")
        if self._is_clean(raw):
            return text
        return self._whole(self._unmarked(Redactor(self.values).text(text)))

    def raw(self, raw: bytes) -> bytes:
        """Bytes that are printed."""
        return raw if self._is_clean(raw) else self.text(raw.decode("utf-8", "replace")).encode()

    def result(self, verdict: "Verdict", golden: Json, made: "Callable[[Verdict, Json], Result]") -> "Result":
        """The result that `made` gives for a verdict and the expectation as it is written.

        A diff may start in the middle of a text: it is made of values that hold no secret any more.
        """
        result = made(verdict, golden)
        if self._is_clean(encode(result)):
            return result
        redactor = Redactor(self.values)
        result = made(redactor.struct(verdict), redactor.value(golden))
        return msgspec.convert(self._all_whole(as_json(redactor.struct(result))), type(result))

    def origin(self, origin: "Origin") -> "Origin":
        """Where a run came from."""
        return Redactor(self.values).struct(origin)

    def _is_clean(self, raw: bytes) -> bool:
        """Whether some bytes may be told as they are; escapes inside a text may hide what bytes do not show."""
        if sightings_of(raw, self._known) or self._holds_piece(raw):
            return False
        if b"\\\\" not in raw:
            return True
        try:
            value = decode(raw, deepest=LINE_DEPTH)
        except ValueError:
            return True
        return self._look.value(value) is value

    def _holds_piece(self, raw: bytes) -> bool:
        """Whether a piece of a known value may stand where a long text was cut, or around the marks of a change."""
        if not self._ends:
            return False
        if _MARK.search(raw) and any(self._known.sightings_in(_MARK.sub(b"", raw))):
            return True
        cut, at = _CUT.encode(), 0
        while (at := raw.find(cut, at + 1)) >= 0:
            after = at + len(cut)
            if raw[max(at - _TELLING, 0) : at] in self._ends or raw[after : after + _TELLING] in self._ends:
                return True
        return False

    def _unmarked(self, text: str) -> str:
        """The text without known values through which the marks of a change go."""
        if _MARKS.search(text):
            for value, marked in self._marked:
                if value in _MARKS.sub("", text):
                    text = marked.sub("[secret:value]", text)
        return text

    def _all_whole(self, value: Json) -> Json:
        match value:
            case str():
                return self._whole(value)
            case list():
                return [*map(self._all_whole, value)]
            case dict():
                return {self._whole(key): self._all_whole(item) for key, item in value.items()}
            case _:
                return value

    def _whole(self, text: str) -> str:
        """The text without beginnings and ends of known values, whose rest was cut off with that of a long text."""
        first, *rest = text.split(_CUT)
        pieces = [first, *map(self._without_end, rest)]
        return _CUT.join([*map(self._without_beginning, pieces[:-1]), pieces[-1]])

    def _without_beginning(self, piece: str) -> str:
        for value in self.values:
            for length in range(min(len(value), len(piece)), _TELLING - 1, -1):
                if piece.endswith(value[:length]):
                    return f"{piece[:-length]}[secret:value]"
        return piece

    def _without_end(self, piece: str) -> str:
        for value in self.values:
            for length in range(min(len(value), len(piece)), _TELLING - 1, -1):
                if piece.startswith(value[-length:]):
                    return f"[secret:value]{piece[length:]}"
        return piece


def _marked(value: str) -> re.Pattern[str]:
    return re.compile("[«»]*".join(map(re.escape, value)))


def environments_discretion() -> Discretion:
    """With the values of the variables, and of `.env`, whose names promise secrets."""
    return Discretion(secrets_of(environment()))
