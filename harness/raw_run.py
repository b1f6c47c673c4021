"""What a suite was asked and what came of it: the manifest of a run's recordings, `run.json`.

The recordings are the evidence: each trial's entry can be derived from its file again, and the counts from the
entries. Only what no file says stands in the manifest alone: what was selected, how it was asked, and when.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Literal, TypeAlias

import msgspec

from harness import errors
from harness.encoding import misencoded
from harness.excerpt import counted
from harness.fixture import Digest, Name
from harness.json_lines import shape_error_of
from harness.recording import Api
from harness.repeats import decode_unique
from harness.suite import HASHED_FILES, InputHashes
from harness.transcript import Outcome, TokenLedger
from harness.value import JsonObject, canonical, decode, decoder_of, encode

FILE = "run.json"
# Trials that ended so have no answer of the model's, and may be asked again.
UNANSWERED = frozenset({Outcome.ERROR, Outcome.TIMEOUT})
FILES_OF_INPUTS = dict(zip(InputHashes._fields, HASHED_FILES, strict=True))

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Id: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]  # part of a file's name
Status: TypeAlias = Literal["pending", "skipped", "finished"]


class Selection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which cases were asked, in the suite's order, and how often each."""

    cases: list[Id]
    trials: Annotated[int, msgspec.Meta(ge=1)]


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The provider's side of each request. A `seed` among the params is the first trial's; each later one adds 1."""

    provider: str
    api: Api
    host: str
    params: JsonObject


class Bounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The agent's side: model requests a conversation, seconds a request, retries a request."""

    max_steps: int
    timeout_s: float
    retries: int


class Failure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a trial did not end well: the last answer's HTTP status (null: none came), the tries it took, the reason."""

    status: int | None
    attempts: Count
    message: str


class Trial(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One trial of one case. `file` lies beside the manifest; `tokens` is null where the provider reported none."""

    case: Id
    trial: Annotated[int, msgspec.Meta(ge=1)]
    status: Status
    outcome: Outcome | None = None
    error: Failure | None = None
    file: Name | None = None
    digest: Digest | None = None
    requests: Count = 0
    calls: Count = 0
    tokens: TokenLedger | None = None


class Again(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a trial had ended before it was asked again, and the file of that; where it is no more, it is only said."""

    case: Id
    trial: Annotated[int, msgspec.Meta(ge=1)]
    outcome: Outcome
    digest: Digest


class Counts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The trials counted: all, by status, and the finished ones by outcome."""

    trials: Count
    finished: Count
    skipped: Count
    pending: Count
    outcomes: dict[Outcome, Count]


class Head(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A run without its trials. `ended_at` is null until every trial is finished or skipped."""

    format_version: Literal[1] = 1
    id: Id
    suite: Name
    selection: Selection
    model: str
    asked: Asked
    agent: Bounds
    inputs: dict[str, Digest]
    versions: dict[str, str]
    redaction: str
    started_at: str
    ended_at: str | None = None


class RawRun(Head, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A whole run; the trials stand by case as selected, then by number.

    `asked_again` are the endings that are no longer among them, since their files were lost, taken away or replaced.
    """

    counts: Counts
    asked_again: list[Again] | msgspec.UnsetType = msgspec.UNSET
    trials: list[Trial]

    @property
    def earlier(self) -> list[Again]:
        """The endings of `asked_again`, none where nothing was."""
        return self.asked_again or []


_decoder: "msgspec.json.Decoder[RawRun]" = decoder_of(RawRun)


def run_of(raw: bytes, *, file: str) -> RawRun:
    """The run in a manifest's bytes; raises `BadRun` with what was expected and the nearest known word."""
    try:
        run = _decoder.decode(raw)
        decode_unique(raw)
    except msgspec.ValidationError as error:
        told = shape_error_of(str(error), RawRun, file, 1)
        raise errors.BadRun(
            told.subject, file=file, expected=told.expected, found=told.found, nearest=told.nearest
        ) from None
    except (ValueError, RecursionError) as error:
        refusal = misencoded(raw, errors.BadRun, file=file)
        raise refusal or errors.BadRun(f"the manifest is no JSON: {error}", file=file) from None
    return run


def run_with(head: Head, trials: list[Trial], earlier: list[Again] | None = None) -> RawRun:
    """The run of this head and these trials, counted, and how some of them had ended before."""
    facts = {name: getattr(head, name) for name in Head.__struct_fields__}
    return RawRun(**facts, counts=counts_of(trials), asked_again=earlier or msgspec.UNSET, trials=trials)


def earlier_than(trials: list[Trial], run: RawRun) -> list[Again]:
    """The endings that a manifest tells of, and these trials no longer have."""
    here = {(one.case, one.trial): one.digest for one in trials}
    ended = (
        Again(one.case, one.trial, one.outcome, one.digest)
        for one in run.trials
        if one.outcome is not None and one.digest is not None
    )
    told = dict.fromkeys([*run.earlier, *ended])
    return [one for one in told if here.get((one.case, one.trial)) != one.digest]


def counts_of(trials: list[Trial]) -> Counts:
    """The trials counted."""
    statuses = Counter(trial.status for trial in trials)
    outcomes = Counter(trial.outcome for trial in trials if trial.outcome is not None)
    return Counts(
        trials=len(trials),
        finished=statuses["finished"],
        skipped=statuses["skipped"],
        pending=statuses["pending"],
        outcomes={outcome: outcomes[outcome] for outcome in Outcome if outcome in outcomes},
    )


def outcomes_before(run: RawRun) -> dict[Outcome, int]:
    """The endings of `asked_again`, counted."""
    outcomes = Counter(one.outcome for one in run.earlier)
    return {outcome: outcomes[outcome] for outcome in Outcome if outcome in outcomes}


def asked_again_text(outcomes: dict[Outcome, int]) -> str:
    """What is said wherever a run is spoken of; nothing where no trial was asked again."""
    if not outcomes:
        return ""
    told = ", ".join(f"{count} {outcome.value}" for outcome, count in outcomes.items())
    return f"asked again after it had ended: {counted(sum(outcomes.values()), 'trial')} (the first time: {told})"


def bytes_of_run(run: RawRun) -> bytes:
    """The manifest's bytes: one JSON object, each trial in a line of its own."""
    head = encode(msgspec.structs.replace(run, trials=[])).removesuffix(b"[]}")
    lines = b",\n".join(map(encode, run.trials))
    return head + b"[\n" + lines + b"\n]}\n"


def file_of(case: str, trial: int) -> str:
    """The name of a trial's recording."""
    return f"{case}.{trial}.jsonl"


def trials_in(selection: Selection) -> Iterator[tuple[str, int]]:
    """Every case and trial of a selection, in the manifest's order."""
    return ((case, trial) for case in selection.cases for trial in range(1, selection.trials + 1))


def params_for(params: JsonObject, trial: int) -> JsonObject:
    """The params of one trial's requests: equal seeds would make the trials repeat one another."""
    seed = params.get("seed")
    if not isinstance(seed, int) or isinstance(seed, bool):
        return params
    return {**params, "seed": seed + trial - 1}


def differences_of(there: Head, here: Head) -> list[str]:
    """What keeps one run from going on as the other: one sentence for each thing that differs."""
    pairs = [
        ("suite", there.suite, here.suite),
        ("model", there.model, here.model),
        *((name, getattr(there.asked, name), getattr(here.asked, name)) for name in Asked.__struct_fields__),
        *((name, getattr(there.agent, name), getattr(here.agent, name)) for name in Bounds.__struct_fields__),
        ("trials", there.selection.trials, here.selection.trials),
        ("cases", there.selection.cases, here.selection.cases),
    ]
    told = [f"{name}: {_shown(one)} there, {_shown(two)} here" for name, one, two in pairs if not _same(one, two)]
    return told + [f"{name} changed since then" for name in changed_inputs(there.inputs, here.inputs)]


def changed_inputs(there: dict[str, Digest], here: dict[str, Digest]) -> list[str]:
    """The inputs whose hashes differ, by the files that they are of."""
    return [FILES_OF_INPUTS[name] for name in InputHashes._fields if there.get(name) != here.get(name)]


def _same(one: object, other: object) -> bool:
    return canonical(decode(encode(one))) == canonical(decode(encode(other)))


def _shown(value: object) -> str:
    if isinstance(value, list):
        return f"{len(value)} of the suite's"
    return value if isinstance(value, str) else encode(value).decode()
