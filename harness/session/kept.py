"""What was paid for and is no passed test's recording: where it is kept, and how to use it."""

import shlex
from typing import Literal, TypeAlias

from harness.session.session import Place

# How a run ended: its test passed, an assert of the test failed after a whole run, or the run broke off.
End: TypeAlias = Literal["passed", "failed", "broken"]


def end_of(error: BaseException) -> End:
    """What an exception that ended a test's block says of the run before it."""
    return "failed" if isinstance(error, AssertionError) else "broken"


def kept_new(place: Place) -> str:
    """A first recording, of a test whose own assert failed."""
    return f"recorded though its test failed: {place.name}; without --fc-record the test replays it"


def kept_aside(place: Place) -> str:
    """A whole run beside the recording that it does not replace."""
    aside = shlex.quote(f"{place.name}.failed")
    return (
        f"not replaced, since the test failed: {place.name}; to take the new one: mv {aside} {shlex.quote(place.name)}"
    )


def kept_part(place: Place, exchanges: int) -> str:
    """The journal of a run that broke off."""
    count = "1 exchange" if exchanges == 1 else f"{exchanges} exchanges"
    journal = f"{place.name}.partial"
    return f"the run broke off, {count} kept: {journal}; to read it: fc-replay show {shlex.quote(journal)}"
