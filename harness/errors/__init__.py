"""Every way the harness refuses: what happened, where, what is nearest, what to run next.

HarnessError
├── UsageError (2)        MissingKey EmptyPrompt UnknownName PathNotFound SecretInPrompt SecretInFile ScriptEnded
│                         WrongOption RunDiffers
├── InputError (4)        MalformedLine TornLine MetaMissing MetaMisplaced AssertionsMissing AssertionsMisplaced
│                         TurnIndexGap TurnIndexRepeat ResultOrphan ResultMissing TurnOrder NameMismatch
│                         BadScenario BadCase BadExpectation BadPattern BadSchema DigestMismatch UnreadableAnswer
│                         BadImport BadReport DuplicateResult HashMismatch BadRun NotRun (6)
├── StaleError (3)        ScenarioMissing PromptChanged UserChanged ToolChanged ArgumentsRefused PromptNotBuilt
│                         ToolResultChanged EffectsChanged ScenarioOrphan RecordingOrphan NotDerived
│                         RecordingMissing RecordingTaken AgentDrifted
├── DivergedError (5)     ReplayExhausted ReplayUnplayed ReplayMismatch NotHermetic AgentDiverged
└── UnfinishedRun         NotWritten (2) InterruptedRun (130)
    └── LiveCallError (7) LiveCallFailed LiveCallTimeout RunRefused NotIntercepted

The number is the exit code of a command that ends with the error. Nothing a model or an agent
does raises: that is data. Only broken input and a broken set-up do.
"""

from harness.errors.base import (
    HarnessError,
    exit_code_of,
)
from harness.errors.broken import (
    AssertionsMisplaced,
    AssertionsMissing,
    BadCase,
    BadExpectation,
    BadImport,
    BadPattern,
    BadReport,
    BadRun,
    BadScenario,
    BadSchema,
    DigestMismatch,
    DuplicateResult,
    HashMismatch,
    InputError,
    MalformedLine,
    MetaMisplaced,
    MetaMissing,
    NameMismatch,
    NotRun,
    ResultMissing,
    ResultOrphan,
    TornLine,
    TurnIndexGap,
    TurnIndexRepeat,
    TurnOrder,
    UnreadableAnswer,
)
from harness.errors.drift import (
    AgentDiverged,
    AgentDrifted,
    ArgumentsRefused,
    DivergedError,
    EffectsChanged,
    NotDerived,
    NotHermetic,
    PromptChanged,
    PromptNotBuilt,
    RecordingMissing,
    RecordingOrphan,
    RecordingTaken,
    ReplayExhausted,
    ReplayMismatch,
    ReplayUnplayed,
    ScenarioMissing,
    ScenarioOrphan,
    StaleError,
    ToolChanged,
    ToolResultChanged,
    UserChanged,
)
from harness.errors.live import (
    InterruptedRun,
    LiveCallError,
    LiveCallFailed,
    LiveCallTimeout,
    NotIntercepted,
    NotWritten,
    RunRefused,
    UnfinishedRun,
)
from harness.errors.usage import (
    EmptyPrompt,
    MissingKey,
    PathNotFound,
    RunDiffers,
    ScriptEnded,
    SecretInFile,
    SecretInPrompt,
    UnknownName,
    UsageError,
    WrongOption,
)

__all__ = [
    "AgentDiverged",
    "AgentDrifted",
    "ArgumentsRefused",
    "AssertionsMisplaced",
    "AssertionsMissing",
    "BadCase",
    "BadExpectation",
    "BadImport",
    "BadPattern",
    "BadReport",
    "BadRun",
    "BadScenario",
    "BadSchema",
    "DigestMismatch",
    "DivergedError",
    "DuplicateResult",
    "EffectsChanged",
    "EmptyPrompt",
    "HarnessError",
    "HashMismatch",
    "InputError",
    "InterruptedRun",
    "LiveCallError",
    "LiveCallFailed",
    "LiveCallTimeout",
    "MalformedLine",
    "MetaMisplaced",
    "MetaMissing",
    "MissingKey",
    "NameMismatch",
    "NotDerived",
    "NotHermetic",
    "NotIntercepted",
    "NotRun",
    "NotWritten",
    "PathNotFound",
    "PromptChanged",
    "PromptNotBuilt",
    "RecordingMissing",
    "RecordingOrphan",
    "RecordingTaken",
    "ReplayExhausted",
    "ReplayMismatch",
    "ReplayUnplayed",
    "ResultMissing",
    "ResultOrphan",
    "RunDiffers",
    "RunRefused",
    "ScenarioMissing",
    "ScenarioOrphan",
    "ScriptEnded",
    "SecretInFile",
    "SecretInPrompt",
    "StaleError",
    "ToolChanged",
    "ToolResultChanged",
    "TornLine",
    "TurnIndexGap",
    "TurnIndexRepeat",
    "TurnOrder",
    "UnfinishedRun",
    "UnknownName",
    "UnreadableAnswer",
    "UsageError",
    "UserChanged",
    "WrongOption",
    "exit_code_of",
]
