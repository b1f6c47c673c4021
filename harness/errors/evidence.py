"""Refusals of evidence: a review, a consistency check, a decision or a baseline that does not hold."""

from harness.errors.broken import InputError


class EvidenceError(InputError):
    """A piece of evidence that cannot carry what is to be built on it."""

    code = "EVIDENCE"


class BadEvidence(EvidenceError):
    """A file of evidence that cannot be read or contradicts itself; `subject` says why."""

    code, what = "BAD_EVIDENCE", "{subject}"


class OtherEvidence(EvidenceError):
    """Evidence that was made for something else than it is used for; `subject` says what of what."""

    code, what = "OTHER_EVIDENCE", "{subject}"
    next = "make it again for the evidence at hand; nothing that was said of other evidence counts here"


class EvidenceTaken(EvidenceError):
    """A file of evidence that another process has written since it was read."""

    code, what = (
        "EVIDENCE_TAKEN",
        "another process has changed this file since it was read; nothing was written over it",
    )
    next = "end the other review of {file}, then go on with this one: it resumes where the file stands"


class NotComparable(EvidenceError):
    """Runs that are not the same evaluation; `subject` says all that differs."""

    code, what = "NOT_COMPARABLE", "{subject}"


class ReviewUnfinished(EvidenceError):
    """A review that leaves something open; `subject` says how much."""

    code, exit_code, what = "REVIEW_UNFINISHED", 6, "the review is not finished: {subject}"
    next = "go on with it: fc-judge review RUN"


class ReviewAssisted(EvidenceError):
    """Answers that no person gave; `subject` says which."""

    code, exit_code, what = "REVIEW_ASSISTED", 2, "not a person's: {subject}"
    next = "let a person answer (fc-judge review RUN --again), or say --allow-assisted; the baseline then says so"


class GoldenWrong(EvidenceError):
    """A review that found goldens wrong; `subject` lists the cases."""

    code, exit_code, what = "GOLDEN_WRONG", 1, "the review found wrong goldens: {subject}"
    next = "mend the goldens, run the suite again, and review the new run with --after {file}"


class JudgeWrong(EvidenceError):
    """A review that found the judge wrong; `subject` lists the cases."""

    code, exit_code, what = "JUDGE_WRONG", 1, "the review found the judge wrong: {subject}"
    next = "mend the judge, then go on with the review: answers to results that did not change are kept"


class RunsInconsistent(EvidenceError):
    """Runs that do not meet the standard of consistency, and no decision that takes them; `subject` says why."""

    code, exit_code, what = "RUNS_INCONSISTENT", 1, "the runs do not meet the standard: {subject}"
    next = "find out why they differ; a decision about exactly these runs: fc-judge adjudicate {file}"


class RunsRejected(EvidenceError):
    """A decision that does not take the runs; `subject` is its reason."""

    code, exit_code, what = "RUNS_REJECTED", 1, "the decision on these runs was against them: {subject}"


class NothingToAdjudicate(EvidenceError):
    """Runs that meet the standard, so that there is nothing to decide."""

    code, exit_code, what = "NOTHING_TO_ADJUDICATE", 2, "the runs meet the standard: there is nothing to decide"


class BaselineUnproven(EvidenceError):
    """A baseline that its evidence does not give; `subject` says what differs or is missing."""

    code, what = "BASELINE_UNPROVEN", "{subject}"
    next = "restore the evidence from git, or lock the baseline again"


class ArchiveUnsafe(EvidenceError):
    """A baseline that could not be kept before another takes its place; `subject` says why."""

    code, what = "ARCHIVE_UNSAFE", "the old baseline is not safe, so it stays where it is: {subject}"
