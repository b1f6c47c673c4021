"""A format of another package: whatever its code raises is a refusal of the file, told with the format's name."""

from collections.abc import Callable
from importlib.metadata import EntryPoint
from typing import TypeVar

from harness import errors
from harness.confined import Confinement
from harness.foreign import ForeignError
from harness.importers.found import Found, Importer, Source

_Result = TypeVar("_Result")


class Theirs:
    """An importer that an installed package offers."""

    def __init__(self, point: EntryPoint) -> None:
        self.name = point.name
        self._confinement = Confinement(None)
        self._importer: Importer = self._given("cannot be loaded", None, point.load)

    def recognises(self, source: Source) -> bool:
        """As the importer says."""
        return self._given("failed", source, self._importer.recognises, source)

    def read(self, source: Source) -> Found:
        """What the importer finds."""
        found: object = self._given("failed", source, self._importer.read, source)
        if not isinstance(found, Found):
            sentence = f"the importer of format {self.name} gives {type(found).__name__}, not Found"
            raise errors.BadImport(sentence, file=source.name)
        return found

    def _given(self, did: str, source: Source | None, function: Callable[..., _Result], *arguments: object) -> _Result:
        try:
            return self._confinement.run(function, *arguments)
        except ForeignError as error:
            sentence = f"the importer of format {self.name} {did}: {error}"
            raise errors.BadImport(sentence, file=source.name if source else None) from None
