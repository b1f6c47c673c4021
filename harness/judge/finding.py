"""What the judge says: one finding a check, one verdict a case; the words of both."""

from enum import StrEnum

import msgspec

from harness.value import Json

SEMANTICS_VERSION = 2
"""Goes up when a rule changes its answer for any input."""


class Rung(StrEnum):
    """How strict a check is, from the cheapest to the most honest."""

    SELECTION = "selection"
    ARGUMENTS = "arguments"
    ORDER = "order"
    EFFECTS = "effects"


class Status(StrEnum):
    """How one check came out."""

    PASS = "pass"  # noqa: S105  not a password
    FAIL = "fail"
    NOT_JUDGED = "not_judged"
    NOT_APPLICABLE = "not_applicable"


class Ruling(StrEnum):
    """How a case came out, in the order in which one wins over the next."""

    SKIP = "SKIP"
    AGENT_ERROR = "AGENT_ERROR"
    FAIL = "FAIL"
    NOT_JUDGED = "NOT_JUDGED"
    PASS = "PASS"  # noqa: S105  not a password


class Code(StrEnum):
    """What is wrong, by rung; the text codes stand on none."""

    TOOL_UNKNOWN = "TOOL_UNKNOWN"
    TOOL_WRONG = "TOOL_WRONG"
    CALL_MISSING = "CALL_MISSING"
    CALL_EXTRA = "CALL_EXTRA"
    CALL_UNWANTED = "CALL_UNWANTED"
    CALL_DUPLICATE = "CALL_DUPLICATE"
    ARGUMENTS_UNREADABLE = "ARGUMENTS_UNREADABLE"
    PARAM_MISSING = "PARAM_MISSING"
    PARAM_UNEXPECTED = "PARAM_UNEXPECTED"
    PARAM_WRONG_FORMAT = "PARAM_WRONG_FORMAT"
    PARAM_HALLUCINATED_ID = "PARAM_HALLUCINATED_ID"
    PARAM_WRONG_VALUE = "PARAM_WRONG_VALUE"
    ORDER_WRONG = "ORDER_WRONG"
    CHAIN_INCOMPLETE = "CHAIN_INCOMPLETE"
    CHAIN_UNLINKED = "CHAIN_UNLINKED"
    STATE_MISSING = "STATE_MISSING"
    STATE_WRONG = "STATE_WRONG"
    STATE_COLLATERAL = "STATE_COLLATERAL"
    TEXT_MISSING = "TEXT_MISSING"
    TURNS_EXCEEDED = "TURNS_EXCEEDED"
    OUTCOME_WRONG = "OUTCOME_WRONG"


class Finding(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """What one check found.

    `golden` is the index of the expected call, `call` the number of the actual one. `expected` and `actual` are the
    values at `path`; left out where there is none, which is another thing than null.
    """

    check: str
    rung: Rung | None
    outcome: Status
    code: Code | None = None
    path: str = ""
    golden: int | None = None
    call: int | None = None
    expected: Json | msgspec.UnsetType = msgspec.UNSET
    actual: Json | msgspec.UnsetType = msgspec.UNSET
    message: str = ""


class Verdict(msgspec.Struct, frozen=True):
    """How a case came out, with every finding. `reason` says in a sentence why it is this ruling.

    `rung` is the highest rung that holds; `warnings` are notes that decide nothing: repairs, coercions.
    """

    verdict: Ruling
    reason: str
    findings: list[Finding]
    rung: Rung | None = None
    warnings: list[str] = []

    @property
    def failures(self) -> list[Finding]:
        """The findings that failed."""
        return [finding for finding in self.findings if finding.outcome is Status.FAIL]

    def noting(self, notes: list[str]) -> "Verdict":
        """The same verdict with notes on what was judged; they decide nothing."""
        return msgspec.structs.replace(self, warnings=[*notes, *self.warnings]) if notes else self


def settled(finding: Finding, *, complete: bool, final: bool = False) -> Finding:
    """The finding as it counts: on an incomplete trace only a failure that no continuation can mend stands."""
    if complete or (final and finding.outcome is Status.FAIL):
        return finding
    message = f"the trace is incomplete, so this is not judged: {finding.message}"
    return msgspec.structs.replace(finding, outcome=Status.NOT_JUDGED, code=None, message=message)


def unjudged(check: str, reason: str, rung: Rung | None = None) -> Finding:
    """A check that could not be made."""
    return Finding(check, rung, Status.NOT_JUDGED, message=reason)


def was_called(count: int) -> str:
    """`was never called`, `was called once`, `was called 3 times`."""
    return _COUNTS[count] if count < len(_COUNTS) else f"was called {count} times"


_COUNTS = ("was never called", "was called once")
