"""ReportV1: the verdicts of a run with their evidence, and what they add up to.

A report holds no clock and no path, and its results stand by case and trial: the same input gives the same bytes.
Names inside `summary` and `results` are those that readers of evaluation reports know, in snake case.
"""

from typing import Annotated, Literal, TypeAlias

import msgspec

from harness.fixture import Digest
from harness.judge.finding import SEMANTICS_VERSION, Code, Finding, Ruling, Rung
from harness.report.typed_diff import DiffLine
from harness.transcript import Change, Outcome, TokenLedger
from harness.value import Json, JsonObject

FORMAT_VERSION = 1
# What `complete: false` means; no file says whether somebody is still at work.
UNFINISHED = "not all its cases are judged: the run was stopped, or is still being recorded"

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Said(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What a person or the model said in turn `turn`; long text is cut, and says how long it was."""

    turn: Count
    role: Literal["user", "assistant"]
    text: str


class Made(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """A call that was made: `number` counts over the trace, and findings name it so.

    `arguments` is null where the model wrote no JSON object; `raw` is then its text. `result` is null where the
    conversation ended before the tool answered.
    """

    number: Count
    turn: Count
    id: str
    name: str
    arguments: JsonObject | None
    raw: str | None = None
    result: str | None = None
    is_error: bool = False


class Shown(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What was said and done in one conversation, as much as a reader needs; `turn_count` counts turns of any role.

    `left_out` counts what a very long conversation holds beyond the texts, calls and changes shown here; `changes` is
    null where there is no world.
    """

    outcome: Outcome
    error: str | None = None
    turn_count: Count
    call_count: Count
    said: list[Said]
    calls: list[Made]
    changes: list[Change] | None = None
    left_out: Count = 0


class Place(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """The typed diff of one failed finding: of golden call `golden` and actual call `call`, where it has them."""

    finding: Count
    golden: Count | None
    call: Count | None
    lines: list[DiffLine]


class Result(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One trial of one case.

    `group` is the scenario that the case is a variant of, `variant` which one; both null for a case that stands
    alone. `golden` is the expectation as written. `tools` are those that the failed findings are about. `evidence`
    is the hash of what was judged. `tokens` is null where the provider reported none.
    """

    case: str
    trial: Count
    dimension: str | None
    group: str | None
    variant: str | None
    verdict: Ruling
    reason: str
    taxonomy: list[Code]
    rung: Rung | None
    golden: Json
    trace: Shown | None
    warnings: list[str]
    diff: list[Place]
    findings: list[Finding]
    tools: list[str]
    tokens: TokenLedger | None
    evidence: Digest | None


class Borders(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The 95 % interval of a share; `effective`: as many independent trials would be as sure."""

    low: Share
    high: Share
    effective: float


class Score(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Verdicts counted. `accuracy` is PASS / (PASS + FAIL): null where nothing was scored, never 0 or 1."""

    result_count: Count
    case_count: Count
    verdict_counts: dict[Ruling, Count]
    scored_count: Count
    accuracy: Share | None
    accuracy_interval: Borders | None


class Failure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One code: how many FAIL results hold it, and the first cases of them."""

    code: Code
    count: Count
    cases: list[str]


class WorstTool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One tool: in how many FAIL results a failed finding is about it, and the first cases of them."""

    tool: str
    count: Count
    cases: list[str]


class PassPower(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """pass^k: the chance that k trials of a case all pass, over the cases that have k scored trials."""

    k: Count
    value: Share
    case_count: Count


class Trials(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Repeated trials: fewest and most scored ones a case; pass@1 is the mean over cases of their pass share."""

    fewest: Count
    most: Count
    pass_at_1: Share | None
    pass_power: list[PassPower]


class Usage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the runs took; `tokens` sums what was reported, over `reported_count` results; null: none reported any."""

    call_count: Count
    turn_count: Count
    tokens: TokenLedger | None
    reported_count: Count


class Summary(Score, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the results add up to. `rungs` counts scored results by the highest rung that they hold, or `none`."""

    dimensions: dict[str, Score]
    variants: dict[str, Score]
    rungs: dict[str, Count]
    taxonomy_counts: dict[Code, Count]
    top_failures: list[Failure]
    worst_tools: list[WorstTool]
    top_worst_tools: list[str]
    trials: Trials
    usage: Usage


class Origin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which model was asked, and how: what makes two reports comparable beside their inputs.

    `asked_again` counts the endings that trials had before they were asked again, by outcome.
    """

    provider: str | None = None
    api: str | None = None
    model: str | None = None
    model_answered: str | None = None
    request: JsonObject = {}
    agent: JsonObject = {}
    asked_again: dict[Outcome, Count] = {}


class Shard(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True, omit_defaults=True):
    """Part `index` (from 1) of `count`, `of` the whole whose hash this is.

    It is that of all recordings of a run, case by case, else of the names and sizes of all files; the shards of one
    whole have it alike.
    """

    index: Annotated[int, msgspec.Meta(ge=1)]
    count: Annotated[int, msgspec.Meta(ge=1)]
    of: Digest | None = None


class Head(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A report without its results. `complete` is false where not all cases of the run were judged."""

    format_version: int = FORMAT_VERSION
    semantics_version: int = SEMANTICS_VERSION
    complete: bool
    shard: Shard | None
    origin: Origin | None
    inputs: dict[str, Digest]
    summary: Summary


class Report(Head, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A whole report in memory; large ones are written and read result by result (`rows.py`)."""

    results: list[Result]
