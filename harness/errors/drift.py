"""Refusals of replay: what was recorded is no longer what is there (exit 3), or cannot be followed (exit 5)."""

from harness.errors.base import HarnessError


class StaleError(HarnessError):
    """The scenario, the tools or the agent are no longer what was recorded."""

    code, exit_code = "STALE", 3
    next = "fc-record scenarios/{subject}"


class ScenarioMissing(StaleError):
    """The scenario that something was recorded of is not there; `subject` is its id."""

    code, what = "SCENARIO_MISSING", "there is no scenarios/{subject}/, of which this was recorded"
    next = "restore scenarios/{subject}/ from git, say where it is with --scenarios DIR, or delete {file}"


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


class EffectsChanged(StaleError):
    """The recorded calls change the world in another way; `subject` is the scenario."""

    code, what = "EFFECTS_CHANGED", "the calls no longer do to the world what was recorded"


class ScenarioOrphan(StaleError):
    """A scenario that no fixture was recorded of; `subject` is its id."""

    code, what = "SCENARIO_ORPHAN", "no fixture was recorded of this scenario"


class RecordingOrphan(StaleError):
    """A scenario's recording that no fixture names; `subject` is its id."""

    code, what = "RECORDING_ORPHAN", "no fixture derives from this recording"
    next = "fc-record promote {file} --fixture-id {subject}, or delete it"


class NotDerived(StaleError):
    """A fixture that its recording no longer gives; `subject` is the fixture's id."""

    code, what = "NOT_DERIVED", "the fixture is not what its recording gives"
    next = "restore {file} from git, or fc-record scenarios/{subject}"


class RecordingLost(StaleError):
    """The recording that a fixture names is not there; `subject` is its id."""

    code, what = "RECORDING_LOST", "there is no recordings/{subject}.jsonl, from which this fixture derives"
    next = "restore it from git, say where it is with --recordings DIR, or check without it: --no-derive"


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


class RecordingMissing(StaleError):
    """A run whose recording is not there; `subject` is the command that makes it."""

    code, what = "RECORDING_MISSING", "there is no recording yet"
    next = "{subject}"


class RecordingTaken(StaleError):
    """A recording that another test made; `subject` is the command that records this one's."""

    code, what = "RECORDING_TAKEN", "the recording is another test's: it was renamed, or two names give one file name"
    next = "rename one of the two tests, or {subject}"


class AgentDrifted(StaleError):
    """The agent asks otherwise than when it was recorded, and was answered all the same; `subject` is the report."""

    code, what = "AGENT_DRIFTED", "the agent is no longer what was recorded\n{subject}"
    next = ""


class AgentDiverged(DivergedError):
    """The agent asks what was not recorded, or no longer what was; `subject` is the report."""

    code, what = "AGENT_DIVERGED", "the agent does not do what was recorded\n{subject}"
    next = ""


class NotHermetic(DivergedError):
    """A replay that reached for the network; `found` is the address."""

    code, what = "NOT_HERMETIC", "the replay tried to open a connection"
    next = ""
