"""Refusals of input: a file that cannot be read or contradicts itself (exit 4)."""

from harness.errors.base import HarnessError


class InputError(HarnessError):
    """A file that cannot be read or contradicts itself."""

    code, exit_code = "BAD_INPUT", 4


class UnreadablePath(InputError):
    """Something on the way to evidence that cannot be read: leaving it out would lose it; `subject` says why."""

    code, what = "UNREADABLE_PATH", "{subject}"
    next = "make it readable or take it away, or name only the paths that are meant"


class MalformedLine(InputError):
    """A line that is no JSON object of a known shape; `subject` says what is wrong with it."""

    code, what = "MALFORMED_LINE", "{subject}"
    next = "restore the file from git, or record it again: fc-record (fixtures are not written by hand)"


class TornLine(InputError):
    """The last line of a journal was cut off while it was written; `found` says its size."""

    code, what = "TORN_LINE", "the last line is torn ({found}): the writer was stopped in the middle"
    next = "what stands before it can be read; to have the rest, record it again"
    says_values = False


class MetaMissing(InputError):
    """A fixture without its first line."""

    code, what = "META_MISSING", "a fixture starts with its meta line"
    next = "restore the file from git, or record it again with fc-record"


class MetaMisplaced(InputError):
    """A meta line that is not the first line."""

    code, what = "META_MISPLACED", "the meta line stands once, as the first line"
    next = "restore the file from git, or record it again with fc-record"


class AssertionsMissing(InputError):
    """A fixture without its last line; an empty block is written `[]`, never left out."""

    code, what = "ASSERTIONS_MISSING", "a fixture ends with its assertions line"
    next = 'add {{"type":"assertions","assertions":[]}} as the last line of {file}, then fc-judge suggest {subject}'


class AssertionsMisplaced(InputError):
    """An assertions line that is not the last line."""

    code, what = "ASSERTIONS_MISPLACED", "the assertions line stands once, as the last line"
    next = "move it to the end of {file}"


class TurnIndexGap(InputError):
    """A turn is missing: turnIndex counts 0, 1, 2 and so on."""

    code, what = "TURN_INDEX_GAP", "turnIndex leaves a gap"
    next = "restore the file from git, or record it again with fc-record"


class TurnIndexRepeat(InputError):
    """A turn stands twice or out of order."""

    code, what = "TURN_INDEX_REPEAT", "turnIndex repeats or goes back"
    next = "restore the file from git, or record it again with fc-record"


class TurnOrder(InputError):
    """A turn that cannot stand here; `subject` says which rule it breaks."""

    code, what = "TURN_ORDER", "{subject}"
    next = "restore the file from git, or record it again with fc-record"


class ResultOrphan(InputError):
    """A tool result that answers no call of the turn before; `subject` is its toolUseId."""

    code, what = "RESULT_ORPHAN", "tool result {subject} answers no call of the assistant turn before it"
    next = "restore the file from git, or record it again with fc-record"


class ResultMissing(InputError):
    """A call without its result before the next assistant or user turn; `subject` is its id."""

    code, what = "RESULT_MISSING", "call {subject} has no result before the next assistant or user turn"
    next = "restore the file from git, or record it again with fc-record"


class NameMismatch(InputError):
    """An id that differs from its file's name, or is no kebab-case name."""

    code, what = "NAME_MISMATCH", "the id {subject} is no kebab-case name equal to the file's"


class HashMismatch(InputError):
    """A fixture whose first user turn is not the one that its meta line hashes."""

    code, what = "HASH_MISMATCH", "userMessageHash is not the hash of the first user turn"
    next = "restore the file from git, or record it again with fc-record"


class DigestMismatch(InputError):
    """A finished recording whose lines no longer give the digest in its last line."""

    code, what = "DIGEST_MISMATCH", "the recording was changed after it was finished"
    next = "restore the file from git; a recording is evidence and is never edited"


class BadScenario(InputError):
    """A scenario or suite file that cannot be used; `subject` says why."""

    code, what = "BAD_SCENARIO", "{subject}"
    next = "mend {file}, then run the same command again"


class BadExpectation(InputError):
    """An expectation that cannot be read or contradicts itself; `subject` says why."""

    code, what = "BAD_EXPECTATION", "{subject}"
    next = "mend {file}, then run the same command again"


class BadPattern(InputError):
    """A regular expression that is not valid, too large, or not of the linear-time kind."""

    code, what = "BAD_PATTERN", "the pattern {subject} cannot be used"


class BadSchema(InputError):
    """A JSON Schema that is not valid, or refers outside itself; `subject` is the tool's name."""

    code, what = "BAD_SCHEMA", "the parameters of tool {subject} are no usable JSON Schema"


class UnreadableAnswer(InputError):
    """A provider's answer that no dialect can read; `subject` says what was met."""

    code, what = "UNREADABLE_ANSWER", "{subject}"


class BadReport(InputError):
    """A report that cannot be read, or reports that do not belong together; `subject` says why."""

    code, what = "BAD_REPORT", "{subject}"
    next = "write the report again: fc-judge PATH --report FILE"


class DuplicateResult(InputError):
    """Two results for one trial of a case; `subject` is the case, `found` the trial."""

    code, what = "DUPLICATE_RESULT", "case {subject} has two results for trial {found}"
    next = "judge each recording once; of a case recorded twice, give each trial its number"
    says_values = False


class BadCase(InputError):
    """A case of a suite that breaks a rule; `subject` says which."""

    code, what = "BAD_CASE", "{subject}"
    next = "mend {file}, then run the same command again"


class BadImport(InputError):
    """A file of another tool that cannot be imported; `subject` says why."""

    code, what = "BAD_IMPORT", "{subject}"


class BadRun(InputError):
    """A run whose manifest cannot be read, or does not fit its files or the suite at hand; `subject` says why."""

    code, what = "BAD_RUN", "{subject}"


class NotRun(InputError):
    """A trial that was selected and not asked yet: nothing tells a stopped run from one that still goes on.

    `subject` is the case.
    """

    code, exit_code = "NOT_RUN", 6
    what = "case {subject} was not asked yet (trial {found}): the run was stopped, or is still being recorded"
    next = "let it end, or go on with it: fc-record --resume {expected}"
    says_values = False
