"""Many cases that share one system prompt, tool set and world: `suite.toml`, `cases.jsonl` and their files.

A case states an instruction and the calls that a right agent makes (CaseV1). What is wrong with a suite beyond its
form is found by `suite_problems.py`, all at once.
"""

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from harness import errors
from harness.encoding import written_in
from harness.json_lines import overlong
from harness.nearest import nearest_of
from harness.repeats import decode_unique
from harness.scenario import AgentConfig, ModelConfig, Scenario, ScenarioConfig, Tool, first_reason
from harness.value import MAX_LINE_BYTES, NotJsonError, digest_of, lines_of

Rule = Literal["exact", "normalized_str", "normalized_date", "contains", "any"]
Dimension = Literal["D1", "D2", "D3", "D4"]
NonBlank = Annotated[str, StringConstraints(pattern=r"\S")]


class _Written(BaseModel):
    """A model for what people write: unknown keys are errors, and no kind is turned into another."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class GoldenCall(_Written):
    """A call that a right agent makes; `param_rules` say how a parameter is compared, `exact` where none is named."""

    tool: str
    params: dict[str, Any]
    param_rules: dict[str, Rule] = Field(default_factory=dict)


class Golden(_Written):
    """The calls of a right run. `allowed_extra` replaces the suite's list of reads that are forgiven; empty: none."""

    calls: list[GoldenCall]
    order_sensitive: bool
    allowed_extra: list[str] | None = None


class CaseContext(_Written):
    """Which tables the case starts from, and why its golden is right."""

    db_fixture: Literal["standard"]
    notes: NonBlank


class Case(_Written):
    """CaseV1: exactly nine fields. Without a golden the case is run and not judged."""

    id: Annotated[str, StringConstraints(pattern=r"^fc-d[1-4]-[0-9]{3}$")]
    dimension: Dimension
    category: NonBlank
    instruction: NonBlank
    context: CaseContext
    golden: Golden | None
    negative: bool
    skip: bool
    skip_reason: NonBlank | None


class Names(_Written):
    """How tool names may be cleaned before they are compared; each cleaning is reported."""

    strip: bool = False
    drop_prefix: list[str] = Field(default_factory=list)


class JudgeConfig(_Written):
    """`[judge]` of suite.toml: what the judge forgives. Every loosening is named here, nothing is loose by default."""

    allowed_extra: list[str] = Field(default_factory=list)
    failed_calls: Literal["count", "ignore"] = "count"
    coerce: Literal["schema"] | None = None
    names: Names | None = None
    defaults: dict[str, Any] = Field(default_factory=dict)
    extra: Literal["forbid", "allow"] = "forbid"
    missing: Literal["allow"] | None = None
    strict_turns: bool = False


class SuiteConfig(_Written):
    """`suite.toml`. `variants` names the ways each category is asked, in the order of its cases."""

    title: str = ""
    variants: list[NonBlank] = Field(default_factory=list)
    world: str | None = None
    model: ModelConfig = ModelConfig()
    agent: AgentConfig = AgentConfig()
    judge: JudgeConfig = JudgeConfig()


CASES = "cases.jsonl"  # what makes a directory a suite
HASHED_FILES = ("suite.toml", "system.txt", "tools.json", CASES, "world.json", "policy.md", "world.py")


class InputHashes(NamedTuple):
    """What a run's result depends on beside the model; an absent file hashes as empty."""

    config: str
    prompt: str
    tools: str
    cases: str
    tables: str
    policy: str
    world: str


class Suite(BaseModel):
    """A suite directory as a value. `lines` maps a case's id to its line in cases.jsonl."""

    model_config = ConfigDict(frozen=True)

    id: str
    system: str
    tools: list[Tool]
    tables: dict[str, Any] | None
    cases: list[Case]
    lines: dict[str, int]
    config: SuiteConfig
    hashes: InputHashes
    directory: str

    @property
    def cases_file(self) -> str:
        """cases.jsonl, as messages name it."""
        return f"{self.directory}/cases.jsonl"

    def case(self, case_id: str) -> Case:
        """The case of this id; raises `UnknownName` with the nearest."""
        for case in self.cases:
            if case.id == case_id:
                return case
        near = nearest_of(case_id, self.lines)
        raise errors.UnknownName(f"case {case_id}", file=self.cases_file, nearest=near)

    def variant_of(self, case: Case) -> str | None:
        """Which way of asking a case is, by its place among its category's; None where the suite names none."""
        siblings = [one.id for one in self.cases if one.category == case.category]
        place = siblings.index(case.id)
        return self.config.variants[place] if place < len(self.config.variants) else None

    def scenario_of(self, case: Case) -> Scenario:
        """A case as a scenario: only its instruction goes to the model."""
        return Scenario(
            id=case.id,
            system=self.system,
            users=[case.instruction],
            tools=self.tools,
            tables=self.tables,
            config=ScenarioConfig(world=self.config.world, model=self.config.model, agent=self.config.agent),
            directory=self.directory,
        )


def hashes_of(files: dict[str, bytes]) -> InputHashes:
    """The seven hashes from the bytes of the `HASHED_FILES` that are there, by name."""
    return InputHashes(*(digest_of(files.get(name, b"")) for name in HASHED_FILES))


def cases_of(raw: bytes, *, file: str) -> tuple[list[Case], dict[str, int]]:
    """The cases of a cases.jsonl and the line of each; raises `BadCase` for the first line that is none."""
    raw = written_in(raw, errors.BadCase, file=file)
    if not raw.strip():
        raise errors.BadCase("a suite without cases asks nothing", file=file)
    if not raw.endswith(b"\n"):
        raise errors.BadCase("the file ends with a newline", file=file, line=raw.count(b"\n") + 1)
    cases = [_case_of(line, file, number) for number, line in enumerate(lines_of(raw), 1)]
    lines: dict[str, int] = {}
    for number, case in enumerate(cases, 1):
        if case.id in lines:
            found = f"{case.id}, also on line {lines[case.id]}"
            raise errors.BadCase("the id stands twice", file=file, line=number, found=found)
        lines[case.id] = number
    return cases, lines


def _case_of(raw: bytes, file: str, line: int) -> Case:
    if not raw.strip():
        raise errors.BadCase("an empty line: every line is one case", file=file, line=line)
    if len(raw) > MAX_LINE_BYTES:
        raise overlong(len(raw), errors.BadCase, file=file, line=line)
    try:
        value = decode_unique(raw)
    except NotJsonError as error:
        raise errors.BadCase(f"not JSON: {error}", file=file, line=line) from None
    try:
        return Case.model_validate(value)
    except ValueError as error:
        near = nearest_of(_unknown_key(value), Case.model_fields)
        raise errors.BadCase(first_reason(error), file=file, line=line, nearest=near) from None


def _unknown_key(value: object) -> str:
    keys = value if isinstance(value, dict) else {}
    return next((str(key) for key in keys if key not in Case.model_fields), "")
