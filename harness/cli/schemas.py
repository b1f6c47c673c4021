"""The JSON Schemas of all files, each generated from the type that reads it: `python -m harness.cli.schemas DIRECTORY`.

They stand in `harness/schemas/` and come with the package. A schema tells a file's form; what a form cannot say (that
turns have no gap, that a hash is the one of the text) the readers check, which are stricter.
"""

import sys
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import msgspec
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from harness import files, fixture_lines, recording
from harness.evidence.adjudication import Adjudication
from harness.evidence.baseline import Baseline
from harness.evidence.comparison import Comparison
from harness.evidence.consistency import Consistency
from harness.evidence.gate import Gate
from harness.evidence.review import Review
from harness.judge.constraint_spec import Spec
from harness.raw_run import RawRun
from harness.report.report import Report
from harness.scenario import Effect, ScenarioConfig, Tool
from harness.suite import Case, SuiteConfig
from harness.value import Json, JsonObject, encode

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SUFFIX = ".schema.json"
YOU = "you"


class Table(BaseModel):
    """A table of the world: the field that tells its rows apart, and the rows."""

    model_config = ConfigDict(extra="forbid")

    key: str
    rows: list[dict[str, Any]]


class WrappedTool(BaseModel):
    """A function schema in the wrapper of Chat Completions; the marks for the judge may stand beside it."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["function"]
    function: Tool
    effect: Effect = "read"
    issues: str | None = Field(default=None, alias="x-issues")


class GatedReport(Report, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A report that was held to a baseline, and what the baseline says of it."""

    gate: Gate


class Format(NamedTuple):
    """A kind of file: the type that reads it (of JSONL: each line), where it lies, and who writes it.

    What people write is read by pydantic, what the commands write by msgspec.
    """

    kind: Any
    place: str
    writer: str


FORMATS = {
    "scenario": Format(ScenarioConfig, "scenarios/<id>/scenario.toml", YOU),
    "tools": Format(list[Tool | WrappedTool], "scenarios/<id>/tools.json", YOU),
    "world": Format(dict[str, Table], "scenarios/<id>/world.json", YOU),
    "expect": Format(Spec, "scenarios/<id>/expect.yaml", YOU),
    "suite": Format(SuiteConfig, "scenarios/<suite>/suite.toml", YOU),
    "case": Format(Case, "a line of scenarios/<suite>/cases.jsonl", YOU),
    "fixture": Format(fixture_lines.Line, "a line of fixtures/<id>.jsonl", "fc-record; the last line: you"),
    "recording": Format(recording.Line, "a line of recordings/<id>.jsonl", "fc-record"),
    "run": Format(RawRun, "recordings/<run>/run.json", "fc-record"),
    "report": Format(Report, "the file of --report", "fc-judge"),
    "review": Format(Review, "review.json", "fc-judge review"),
    "consistency": Format(Consistency, "consistency.json", "fc-judge consistency"),
    "adjudication": Format(Adjudication, "adjudication.json", "fc-judge adjudicate"),
    "baseline": Format(Baseline, "baseline.json", "fc-judge lock"),
    "gate": Format(GatedReport, "the output of --baseline --json", "fc-judge"),
    "comparison": Format(Comparison, "the output of compare --json", "fc-judge compare"),
}


def schema_of(name: str) -> JsonObject:
    """The schema of a kind of file, by its name in `FORMATS`."""
    made = FORMATS[name]
    raw = TypeAdapter(made.kind).json_schema() if made.writer == YOU else msgspec.json.schema(made.kind)
    head: JsonObject = {"$schema": DIALECT, "title": f"{name}: {made.place}"}
    return head | cast("JsonObject", _tidy(cast("Json", raw), named=False))


def _tidy(schema: Json, *, named: bool) -> Json:
    r"""Without titles that only repeat a key's name; the end of a pattern is `$`, since `\Z` is Python's alone.

    `named`: the keys of this object are names that somebody gave, and none is a keyword.
    """
    match schema:
        case dict():
            kept = {key: value for key, value in schema.items() if named or key != "title"}
            return {key: _tidied(key, value, named=named) for key, value in kept.items()}
        case list():
            return [_tidy(one, named=False) for one in schema]
        case _:
            return schema


def _tidied(key: str, value: Json, *, named: bool) -> Json:
    if key == "pattern" and isinstance(value, str) and not named:
        return value.replace(r"\Z", "$")
    return _tidy(value, named=not named and key in {"properties", "$defs"})


def schema_files() -> dict[str, bytes]:
    """The bytes of each schema's file, by the file's name."""
    return {f"{name}{SUFFIX}": msgspec.json.format(encode(schema_of(name))) + b"\n" for name in FORMATS}


def main(words: list[str]) -> int:
    """Write all schemas into a directory; anything else is told how."""
    if len(words) != 1 or words[0].startswith("-"):
        sys.stderr.write("usage: python -m harness.cli.schemas DIRECTORY\n")
        return 2
    for name, content in schema_files().items():
        files.write_whole(Path(words[0]) / name, content)
    sys.stdout.write(f"{len(FORMATS)} schemas written to {words[0]}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
