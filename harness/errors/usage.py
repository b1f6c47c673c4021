"""Refusals before anything starts: an option, a key, a path or a configuration is wrong or missing (exit 2)."""

from harness.errors.base import HarnessError


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


class SecretInName(UsageError):
    """A name that a file is to have holds a secret; `subject` says which kinds, not the secret."""

    code, what = "SECRET_IN_NAME", "a name that a file would have holds a secret ({subject})"
    next = "give it another name"


class SecretInFile(UsageError):
    """A secret stands in a file that git holds; `subject` names its kind, never its value."""

    code, what = "SECRET_IN_FILE", "holds a secret ({subject})"
    next = "take the secret out of {file}, and call it back: whoever has the file has it"


class UnknownName(UsageError):
    """A name that is not among the known ones; `expected` lists them."""

    code, what = "UNKNOWN_NAME", "{subject} is not known here"


class PathNotFound(UsageError):
    """A path on the command line that does not exist."""

    code, what = "PATH_NOT_FOUND", "no such file or directory"


class NothingRecorded(UsageError):
    """There is no fixture at all yet."""

    code, what = "NOTHING_RECORDED", "no fixtures yet: nothing has been recorded here"
    next = "fc-record new NAME, then fc-record scenarios/NAME"


class ScenarioNamed(UsageError):
    """A scenario's directory where a fixture or a recording is meant."""

    code, what = (
        "SCENARIO_NAMED",
        "this is a scenario: replayed and judged is the fixture that was recorded of it",
    )


class ScriptEnded(UsageError):
    """A scripted model was asked for more answers than it was given; `subject` says which one."""

    code, what = "SCRIPT_ENDED", "the script has no {subject}"
    next = "give the script one more answer, or find out why the agent asks again"


class RunDiffers(UsageError):
    """A run that cannot be gone on with, since it was asked otherwise; `subject` says all that differs."""

    code, what = "RUN_DIFFERS", "the run was asked otherwise:{subject}"
    next = "ask as it was asked, or leave --resume out and begin another run"


class MissingExtra(UsageError):
    """A command whose packages are an extra that is not installed; `subject` is the command, `expected` the extra."""

    code, what = "MISSING_EXTRA", "{subject} needs packages that are not installed"
    next = "pip install 'fc-harness[{expected}]'"
    says_values = False


class OutputRefused(UsageError):
    """What a command says could not be written where it was sent; `subject` is the system's reason."""

    code, what = "OUTPUT_REFUSED", "the output could not be written: {subject}"
