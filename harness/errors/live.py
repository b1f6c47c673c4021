"""Refusals of a live run: the provider gave no answer (exit 7), or somebody stopped the run (exit 130)."""

from harness.errors.base import HarnessError


class UnfinishedRun(HarnessError):
    """A run that ended before its end. `kept` says what of it was kept and where, `again` how to go on."""

    code, exit_code = "UNFINISHED", 7
    kept: str = ""
    again: str = ""

    @property
    def command(self) -> str:
        """How to go on, and what is there to look at."""
        return "\n  ".join(part for part in (self.again, self.kept and f"kept:     {self.kept}") if part)

    def facts(self) -> dict[str, str | int | None]:
        """With `kept`, what is there of the run."""
        return super().facts() | {"next": self.again or None, "kept": self.kept or None}


class LiveCallError(UnfinishedRun):
    """A live call that did not give an answer."""

    code, exit_code = "LIVE_CALL", 7


class LiveCallFailed(LiveCallError):
    """The provider refused or broke off; `subject` is its own reason, scrubbed, `status` that of its answer."""

    status: int | None = None  # none where nobody answered

    code, what = "LIVE_CALL_FAILED", "the live call failed: {subject}"


class LiveCallTimeout(LiveCallError):
    """The provider did not answer in time; `subject` says the limit."""

    code, what = "LIVE_CALL_TIMEOUT", "the live call was not answered within {subject}"


class RunRefused(LiveCallError):
    """The first cases of a run were all refused alike, as by a wrong key; `subject` is the provider's reason."""

    code, what = "RUN_REFUSED", "every case so far was refused alike, so the run stops here: {subject}"


class NotIntercepted(LiveCallError):
    """No answer of a model passed the recorder: the client at hand sends its requests another way, or none."""

    code, what = "NOT_INTERCEPTED", "no request to a model passed the recorder: nothing was recorded"


class NotWritten(UnfinishedRun):
    """The run came to its end, but what came of it could not be written; `subject` is the system's reason."""

    code, exit_code, what = "NOT_WRITTEN", 2, "could not be written: {subject}"


class LineTooLong(NotWritten):
    """Something that a line of a file cannot hold, as a huge tool result; `subject` names it, `found` says its size."""

    code, what = "LINE_TOO_LONG", "{subject} cannot be written: it takes {found}, and a line holds {expected} at most"
    says_values = False
    again = "let it be smaller: a tool that gives less, a shorter prompt or answer"


class SecretInTheWay(NotWritten):
    """The value of a secret variable is a word of the protocol: with it out, nobody could read what is left."""

    code, what = "SECRET_IN_THE_WAY", "a secret's value stands where the protocol has words of its own: {subject}"


class ProgramFailed(UnfinishedRun):
    """A program that was run and said itself that it failed; `subject` is its exit code."""

    code, exit_code, what = "PROGRAM_FAILED", 1, "the program ended with exit code {subject}"


class InterruptedRun(UnfinishedRun):
    """Ctrl-C or a termination signal; what was finished is kept."""

    code, exit_code, what = "INTERRUPTED", 130, "interrupted; what was finished is kept"
