"""What a self-check says of an expectation: errors and warnings by name."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

import msgspec

from harness.nearest import nearest_of
from harness.strict_yaml import Path


class Flaw(StrEnum):
    """What can be wrong with an expectation."""

    UNREADABLE = "UNREADABLE"
    UNKNOWN_TOOL = "UNKNOWN_TOOL"
    UNKNOWN_PARAMETER = "UNKNOWN_PARAMETER"
    UNKNOWN_TABLE = "UNKNOWN_TABLE"
    UNKNOWN_FIELD = "UNKNOWN_FIELD"
    CONTRADICTION = "CONTRADICTION"
    UNREACHABLE = "UNREACHABLE"
    CANNOT_FAIL = "CANNOT_FAIL"
    ALREADY_TRUE = "ALREADY_TRUE"
    NOTHING_EXPECTED = "NOTHING_EXPECTED"
    GOLDEN_FAILS_ITSELF = "GOLDEN_FAILS_ITSELF"
    BLIND = "BLIND"


_WARNINGS = {Flaw.BLIND, Flaw.ALREADY_TRUE, Flaw.UNKNOWN_FIELD, Flaw.NOTHING_EXPECTED}


class Remark(msgspec.Struct, frozen=True):
    """One thing that is wrong; `path` leads to it in the file, `message` says what in a sentence."""

    flaw: Flaw
    where: str
    message: str
    path: Path = ()

    @property
    def level(self) -> Literal["error", "warning"]:
        """Errors make the expectation wrong; warnings say what it does not see."""
        return "warning" if self.flaw in _WARNINGS else "error"


def unknown_tool(name: str, tools: Iterable[str], *, where: str, path: Path = ()) -> Remark:
    """A tool that is not among those offered."""
    near = nearest_of(name, tools)
    hint = f"; did you mean {near}?" if near else ""
    return Remark(Flaw.UNKNOWN_TOOL, where, f"there is no tool {name}{hint}", path)
