"""What fc-judge tells and writes, without the secrets that stand in the evidence or in the environment."""

import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO, cast

import msgspec

from harness.cli.environment import environment, secrets_of
from harness.importers.scrubbing import Scrubber
from harness.judge.finding import Verdict
from harness.report.report import Origin, Result
from harness.value import Json, decode, encode
from harness.wire.known import MIN_VALUE, Values
from harness.wire.redact import Redactor
from harness.wire.sightings import sightings_of

CRASHED = 70  # as sysexits.h has it; no verdict and no refusal ends so
_CUT = "…"
_TELLING = 6  # so many characters of a known value, and more, are not told either


class Discretion:
    """What is told without secrets; `values` are those that are known by value.

    Each result has a redactor of its own, so that it says the same whatever else is judged beside it.
    """

    def __init__(self, values: Sequence[str]) -> None:
        self.values = tuple(sorted({value for value in values if len(value) >= MIN_VALUE}))
        self._known = Values(self.values)
        self._look = Scrubber(Redactor(self.values))
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
        return self._whole(Redactor(self.values).text(text))

    def raw(self, raw: bytes) -> bytes:
        """Bytes that are printed."""
        return raw if self._is_clean(raw) else self.text(raw.decode("utf-8", "replace")).encode()

    def result(self, verdict: Verdict, golden: Json, made: Callable[[Verdict, Json], Result]) -> Result:
        """The result that `made` gives for a verdict and the expectation as it is written.

        A diff may start in the middle of a text: it is made of values that hold no secret any more.
        """
        result = made(verdict, golden)
        if self._is_clean(encode(result)):
            return result
        redactor = Redactor(self.values)
        clean = msgspec.convert(redactor.value(decode(encode(verdict))), Verdict)
        result = made(clean, redactor.value(golden))
        return msgspec.convert(self._all_whole(redactor.value(decode(encode(result)))), Result)

    def origin(self, origin: Origin) -> Origin:
        """Where a run came from."""
        return msgspec.convert(Redactor(self.values).value(decode(encode(origin))), Origin)

    def _is_clean(self, raw: bytes) -> bool:
        """Whether some bytes may be told as they are; escapes inside a text may hide what bytes do not show."""
        if sightings_of(raw, self._known) or self._holds_beginning(raw):
            return False
        if b"\\\\" not in raw:
            return True
        try:
            value = decode(raw)
        except ValueError:
            return True
        return self._look.value(value) is value

    def _holds_beginning(self, raw: bytes) -> bool:
        """Whether a piece of a known value may stand where a long text was cut."""
        cut, at = _CUT.encode(), 0
        while self._ends and (at := raw.find(cut, at + 1)) >= 0:
            if raw[max(at - _TELLING, 0) : at] in self._ends:
                return True
        return False

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
        """The text without beginnings of known values, whose ends were cut off with the rest of a long text."""
        *pieces, last = text.split(_CUT)
        return _CUT.join([*map(self._without_beginning, pieces), last])

    def _without_beginning(self, piece: str) -> str:
        for value in self.values:
            for length in range(min(len(value), len(piece)), _TELLING - 1, -1):
                if piece.endswith(value[:length]):
                    return f"{piece[:-length]}[secret:value]"
        return piece


class _Discreet:
    """A stream that lets no secret through, of text or, below it, of bytes; all else is the stream's own."""

    def __init__(self, stream: Any, discretion: Discretion) -> None:  # noqa: ANN401  whatever stands for stdout
        self._stream = stream
        self._discretion = discretion

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  as the stream's
        return getattr(self._stream, name)

    @property
    def buffer(self) -> "_Discreet":
        """The stream of bytes below one of text."""
        return _Discreet(self._stream.buffer, self._discretion)

    def write(self, said: str | bytes) -> int:
        """As the stream's, but for the secrets."""
        clean = self._discretion.text(said) if isinstance(said, str) else self._discretion.raw(bytes(said))
        self._stream.write(clean)
        return len(said)


@contextmanager
def discreet() -> Iterator[None]:
    """Both streams discreet, and so is the traceback of a crash, which ends the process with a code of its own."""
    before = sys.stdout, sys.stderr
    discretion = environments_discretion()
    sys.stdout, sys.stderr = (cast("TextIO", _Discreet(stream, discretion)) for stream in before)
    try:
        yield
    except Exception:  # noqa: BLE001  whatever it is, its message may hold what must not be told
        traceback.print_exc()
        sys.exit(CRASHED)
    finally:
        sys.stdout, sys.stderr = before


def environments_discretion() -> Discretion:
    """With the values of the variables, and of `.env`, whose names promise secrets."""
    return Discretion(secrets_of(environment()))
