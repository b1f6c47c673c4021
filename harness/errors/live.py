"""Refusals of a live run: the provider gave no answer (exit 7), or somebody stopped the run (exit 130)."""

from harness.errors.base import HarnessError


class LiveCallError(HarnessError):
    """A live call that did not give an answer."""

    code, exit_code = "LIVE_CALL", 7


class LiveCallFailed(LiveCallError):
    """The provider refused or broke off; `subject` is its own reason, scrubbed."""

    code, what = "LIVE_CALL_FAILED", "the live call failed: {subject}"


class LiveCallTimeout(LiveCallError):
    """The provider did not answer in time; `subject` says the limit."""

    code, what = "LIVE_CALL_TIMEOUT", "the live call was not answered within {subject}"


class InterruptedRun(HarnessError):
    """Ctrl-C or a termination signal; what was finished is kept."""

    code, exit_code, what = "INTERRUPTED", 130, "interrupted; what was finished is kept"
