"""Every way the harness refuses: what happened, where, what is nearest, what to run next.

HarnessError
├── UsageError (2)        MissingKey EmptyPrompt UnknownName PathNotFound SecretInPrompt WrongOption
├── InputError (4)        MalformedLine TornLine MetaMissing MetaMisplaced AssertionsMissing AssertionsMisplaced
│                         TurnIndexGap TurnIndexRepeat ResultOrphan ResultMissing TurnOrder NameMismatch
│                         BadScenario BadExpectation BadPattern BadSchema DigestMismatch UnreadableAnswer
├── StaleError (3)        ScenarioMissing PromptChanged UserChanged ToolChanged ArgumentsRefused PromptNotBuilt
│                         ToolResultChanged NotDerived
├── DivergedError (5)     ReplayExhausted ReplayUnplayed ReplayMismatch NotHermetic
├── LiveCallError (7)     LiveCallFailed LiveCallTimeout
└── InterruptedRun (130)

The number is the exit code of a command that ends with the error (DESIGN.md §5). Nothing a model or an agent
does raises: that is data. Only broken input and a broken set-up do.
"""

from typing import ClassVar


class HarnessError(Exception):
    """Facts of one refusal; the sentence is written here and nowhere else.

    `subject` is the thing concerned (an id, a name, a variable); `where` in messages is `file:line`. In the class
    attributes `what` and `next`, `{subject}`, `{file}`, `{expected}` and `{found}` stand for the facts.
    """

    code: ClassVar[str] = "ERROR"
    exit_code: ClassVar[int] = 2
    what: ClassVar[str] = "{subject}"
    next: ClassVar[str] = ""
    says_values: ClassVar[bool] = True

    def __init__(  # noqa: PLR0913  the facts of --json, each by its name
        self,
        subject: str = "",
        *,
        file: str | None = None,
        line: int | None = None,
        expected: str | None = None,
        found: str | None = None,
        nearest: str | None = None,
    ) -> None:
        self.subject = subject
        self.file = file
        self.line = line
        self.expected = expected
        self.found = found
        self.nearest = nearest
        super().__init__(subject)

    @property
    def where(self) -> str | None:
        """`file`, `file:line` or nothing."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    @property
    def command(self) -> str:
        """What to run or do next; empty where nothing is known."""
        return self._filled(self.next)

    def _filled(self, template: str) -> str:
        facts = {
            "subject": self.subject,
            "file": self.file or "",
            "expected": self.expected or "",
            "found": self.found or "",
        }
        return template.format_map(facts)

    def __str__(self) -> str:
        sentence = f"{self.where}: {self._filled(self.what)}" if self.file else self._filled(self.what)
        if self.says_values and self.expected is not None:
            sentence += f"\n  expected: {self.expected}"
        if self.says_values and self.found is not None:
            sentence += f"\n  found:    {self.found}"
        if self.nearest:
            sentence += f"\n  nearest:  {self.nearest}"
        return f"{sentence}\n  next:     {self.command}" if self.command else sentence

    def facts(self) -> dict[str, str | int | None]:
        """The form of `--json`."""
        return {
            "code": self.code,
            "message": self._filled(self.what),
            "file": self.file,
            "line": self.line,
            "expected": self.expected,
            "found": self.found,
            "nearest": self.nearest,
            "next": self.command or None,
        }


class UsageError(HarnessError):
    """The command cannot start: an option, a key, a path or a configuration is wrong or missing."""

    code, exit_code = "USAGE", 2


class WrongOption(UsageError):
    """An option whose value makes no sense; `subject` is the whole sentence."""

    code = "WRONG_OPTION"


class MissingKey(UsageError):
    """The provider's key is not in the environment; `subject` names the variable."""

    code, what = "MISSING_KEY", "{subject} is not set: a live recording needs the provider's key"
    next = "export {subject}=… (or put it into .env), then run the same command again"


class EmptyPrompt(UsageError):
    """A prompt file that holds only white space."""

    code, what = "EMPTY_PROMPT", "the prompt file is empty: a recording without a prompt captures no behaviour"
    next = "write the prompt into {file}"


class SecretInPrompt(UsageError):
    """A secret stands in a file that would be committed and sent; `subject` names its kind, never its value."""

    code, what = "SECRET_IN_PROMPT", "holds a secret ({subject}); it would be sent to the model and committed to git"
    next = "take the secret out of {file}"


class UnknownName(UsageError):
    """A name that is not among the known ones; `expected` lists them."""

    code, what = "UNKNOWN_NAME", "{subject} is not known here"


class PathNotFound(UsageError):
    """A path on the command line that does not exist."""

    code, what = "PATH_NOT_FOUND", "no such file or directory"


class InputError(HarnessError):
    """A file that cannot be read or contradicts itself."""

    code, exit_code = "BAD_INPUT", 4


class MalformedLine(InputError):
    """A line that is no JSON object of a known shape; `subject` says what is wrong with it."""

    code, what = "MALFORMED_LINE", "{subject}"
    next = "restore the file from git, or record it again: fc-record (fixtures are not written by hand)"


class TornLine(InputError):
    """The last line of a journal was cut off while it was written; `found` says its size."""

    code, what = "TORN_LINE", "the last line is torn ({found}): the writer was stopped in the middle"
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


class DigestMismatch(InputError):
    """A finished recording whose lines no longer give the digest in its last line."""

    code, what = "DIGEST_MISMATCH", "the recording was changed after it was finished"
    next = "restore the file from git; a recording is evidence and is never edited"


class BadScenario(InputError):
    """A scenario or suite file that cannot be used; `subject` says why."""

    code, what = "BAD_SCENARIO", "{subject}"


class BadExpectation(InputError):
    """An expectation that cannot be read or contradicts itself; `subject` says why."""

    code, what = "BAD_EXPECTATION", "{subject}"


class BadPattern(InputError):
    """A regular expression that is not valid, too large, or not of the linear-time kind."""

    code, what = "BAD_PATTERN", "the pattern {subject} cannot be used"


class BadSchema(InputError):
    """A JSON Schema that is not valid, or refers outside itself; `subject` is the tool's name."""

    code, what = "BAD_SCHEMA", "the parameters of tool {subject} are no usable JSON Schema"


class UnreadableAnswer(InputError):
    """A provider's answer that no dialect can read; `subject` says what was met."""

    code, what = "UNREADABLE_ANSWER", "{subject}"


class StaleError(HarnessError):
    """The scenario, the tools or the agent are no longer what was recorded."""

    code, exit_code = "STALE", 3
    next = "fc-record scenarios/{subject}"


class ScenarioMissing(StaleError):
    """The fixture's scenario is not there; `subject` is its id."""

    code, what = "SCENARIO_MISSING", "there is no scenarios/{subject}/ for this fixture"
    next = "restore scenarios/{subject}/ from git, or delete the fixture"


class PromptChanged(StaleError):
    """system.txt no longer hashes to what was recorded; `subject` is the scenario."""

    code, what = "PROMPT_CHANGED", "system.txt is no longer the prompt that was recorded"


class UserChanged(StaleError):
    """A user file no longer equals the recorded user turn; `subject` is the scenario."""

    code, what = "USER_CHANGED", "the user text is no longer the one that was recorded"


class ToolChanged(StaleError):
    """A tool's name, description or schema changed; `subject` is the scenario, `found` names the tool."""

    code, what = "TOOL_CHANGED", "tools.json no longer offers the tools that were recorded"


class ArgumentsRefused(StaleError):
    """A recorded call that today's schema refuses; `subject` is the scenario."""

    code, what = "ARGUMENTS_REFUSED", "today's tool schema refuses arguments that were recorded"


class PromptNotBuilt(StaleError):
    """The prompt builder's output differs from the committed system.txt; `subject` is the scenario."""

    code, what = "PROMPT_NOT_BUILT", "the prompt that the code builds is not the committed system.txt"
    next = "write the builder's output to {file}, then fc-record scenarios/{subject}"


class ToolResultChanged(StaleError):
    """A live tool answers a recorded call in another way; `subject` is the scenario."""

    code, what = "TOOL_RESULT_CHANGED", "the tool no longer gives the recorded result"


class NotDerived(StaleError):
    """A fixture that its recording no longer gives; `subject` is the fixture's id."""

    code, what = "NOT_DERIVED", "the fixture is not what its recording gives"
    next = "restore {file} from git, or fc-record scenarios/{subject}"


class DivergedError(HarnessError):
    """The replay could not follow what was recorded."""

    code, exit_code = "DIVERGED", 5
    next = "fc-record scenarios/{subject}"


class ReplayExhausted(DivergedError):
    """The agent asks for one more answer than was recorded; `subject` is the fixture."""

    code, what = "REPLAY_EXHAUSTED", "the agent asks for an answer that was not recorded"


class ReplayUnplayed(DivergedError):
    """Recorded turns that the agent never asked for; `subject` is the fixture."""

    code, what = "REPLAY_UNPLAYED", "recorded turns were never asked for"


class ReplayMismatch(DivergedError):
    """The agent's conversation differs from the recorded one; `subject` is the fixture."""

    code, what = "REPLAY_MISMATCH", "the agent's conversation is not the recorded one"


class NotHermetic(DivergedError):
    """A replay that reached for the network; `found` is the address."""

    code, what = "NOT_HERMETIC", "the replay tried to open a connection"
    next = ""


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


_PRECEDENCE = (2, 4, 5, 3, 7, 1, 6)


def exit_code_of(codes: list[int]) -> int:
    """The exit code of a command in which several things happened: the first of 2 4 5 3 7 1 6, else 0."""
    return next((code for code in _PRECEDENCE if code in codes), max(codes, default=0))
