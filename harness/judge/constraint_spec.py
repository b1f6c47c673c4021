"""`expect.yaml` as a person writes it: read strictly, every error with its line."""

import re
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    ValidationError,
    model_validator,
)

from harness.errors import BadExpectation
from harness.judge.matcher_forms import MatcherError
from harness.judge.slips import meant_key, shape_of
from harness.strict_yaml import Document, Path, document_of
from harness.value import Json

_EXACTLY = re.compile(r"\s*(?P<table>[^\s:#]+)\s*:\s*exactly\s*(?P<rows>\[.*\])\s*(?:#.*)?\Z")


class _Written(BaseModel):
    """A model for what people write: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Count(_Written):
    """How many calls; a bare number means exactly that many."""

    min: Annotated[StrictInt, Field(ge=0)] = 0
    max: Annotated[StrictInt, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _possible(self) -> "Count":
        if self.max is not None and self.max < self.min:
            raise ValueError(f"no count is at least {self.min} and at most {self.max}")
        return self


def _count(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | dict | Count):
        raise ValueError("count is a number, or {min: 1, max: 2}")  # noqa: TRY004  pydantic collects ValueErrors
    return {"min": value, "max": value} if isinstance(value, int) else value


def _call(value: object) -> object:
    """`create_refund` and `{tool: create_refund}` mean the same."""
    return {"tool": value} if isinstance(value, str) else value


class CallPattern(_Written):
    """Calls of a tool whose listed arguments fit; unlisted ones are ignored."""

    tool: Annotated[StrictStr, Field(min_length=1)]
    args: dict[str, Any] = Field(default_factory=dict)


class MustCall(CallPattern):
    """A call that must be made: `count` times, one of them at least with success."""

    count: Annotated[Count, BeforeValidator(_count, json_schema_input_type=int | Count)] = Count(min=1)
    outcome: Literal["success", "any"] = "success"
    defaults: dict[str, Any] | None = None
    extra: Literal["allow", "forbid"] | None = None
    missing: Literal["allow"] | None = None
    coerce: Literal["schema"] | None = None


NamedCall: TypeAlias = Annotated[CallPattern, BeforeValidator(_call, json_schema_input_type=str | CallPattern)]


class Before(_Written):
    """`first` succeeds before `then` is tried."""

    first: NamedCall
    then: NamedCall
    strict_turns: StrictBool | None = None


class CleanNames(_Written):
    """Which noise around tool names is forgiven."""

    strip: StrictBool = False
    drop_prefix: list[StrictStr] = Field(default_factory=list)


class TableState(_Written):
    """What one table holds in the end: `exactly` these rows, `contains` these, or only these changes."""

    exactly: list[dict[str, Any]] | None = None
    contains: list[dict[str, Any]] | None = None
    added: list[dict[str, Any]] | None = None
    changed: list[dict[str, Any]] | None = None
    removed: list[dict[str, Any]] | None = None
    strict: StrictBool = False
    others: Literal["ignore"] | None = None


def _table(value: object) -> object:
    """`unchanged` is no changes at all; the text form of `exactly` is told how it is written."""
    if value == "unchanged":
        return {"added": [], "changed": [], "removed": []}
    if isinstance(value, str):
        raise ValueError(f'{value[:40]!r}: write "unchanged", or {{exactly: [{{field: value}}]}}')  # noqa: TRY004
    if isinstance(value, dict):
        forms = [name for name in ("exactly", "contains") if name in value]
        delta = [name for name in ("added", "changed", "removed") if name in value]
        if len(forms) + bool(delta) != 1:
            raise ValueError("a table is given as exactly, as contains, or as added / changed / removed: one of them")
        if value.get("strict") is not None and "exactly" not in value:
            raise ValueError("strict belongs to exactly")
    return value


class FinalState(_Written):
    """The world after the run. Tables that are not named must be unchanged, unless `others` says `ignore`."""

    tables: dict[str, Annotated[TableState, BeforeValidator(_table)]]
    others: Literal["ignore"] | None = None
    ignore: list[StrictStr] = Field(default_factory=list)


def _final_state(value: object) -> object:
    """Tables stand beside `others: ignore` and `ignore: [paths]`; a table of such a name is an object, as all are."""
    if not isinstance(value, dict):
        raise ValueError("final_state names tables")  # noqa: TRY004
    rest = dict(value)
    others = rest.pop("others") if value.get("others") == "ignore" else None
    ignore = rest.pop("ignore") if isinstance(value.get("ignore"), list) else []
    return {"tables": rest, "others": others, "ignore": ignore}


_State: TypeAlias = dict[str, Literal["unchanged", "ignore"] | TableState | list[str]]


class Spec(_Written):
    """A constraint spec: what must hold of any trajectory."""

    case: StrictStr | None = None
    input: StrictStr | None = None
    must_call: list[MustCall] = Field(default_factory=list)
    must_call_before: list[Before] = Field(default_factory=list)
    must_not_call: list[NamedCall] = Field(default_factory=list)
    final_state: Annotated[FinalState, BeforeValidator(_final_state, json_schema_input_type=_State)] | None = None
    defaults: dict[str, Any] = Field(default_factory=dict)
    extra: Literal["allow", "forbid"] = "allow"
    missing: Literal["allow"] | None = None
    coerce: Literal["schema"] | None = None
    names: CleanNames | None = None
    strict_turns: StrictBool = False


def spec_of(raw: bytes, *, file: str) -> tuple[Spec, Document]:
    """The spec in a file and where its parts stand; raises `BadExpectation`."""
    try:
        document = document_of(raw, file=file)
    except BadExpectation as error:
        raise _exactly_hint(error, raw) from None
    if not isinstance(document.value, dict):
        raise BadExpectation("a constraint spec names what it expects: must_call, must_not_call, …", file=file, line=1)
    try:
        return Spec.model_validate(document.value), document
    except ValidationError as error:
        raise _shape_error(error, document, file) from None


def located(error: MatcherError, path: Path, document: Document, file: str) -> BadExpectation:
    """A matcher's error with its line."""
    where = (*path, *error.path)
    return BadExpectation(f"{_dotted(where)}: {error}", file=file, line=document.line(where), nearest=error.nearest)


def check_case(spec: Spec, document: Document, *, file: str, scenario: str) -> None:
    """Refuse a scenario's spec that names another case: it was copied, and may be of the other one."""
    if spec.case not in {None, scenario}:
        sentence = "case: names another scenario than the one that the file belongs to"
        raise BadExpectation(sentence, file=file, line=document.line(("case",)), expected=scenario, found=spec.case)


def _exactly_hint(error: BadExpectation, raw: bytes) -> BadExpectation:
    """`refunds: exactly [...]` is how specs are written in prose; YAML needs braces around it."""
    lines = raw.decode("utf-8", "replace").splitlines()
    near = lines[error.line - 1] if error.line and error.line <= len(lines) else ""
    found = _EXACTLY.match(near)
    if found is None:
        return error
    sentence = "`exactly [...]` is no YAML: put it in braces, with a colon"
    written = f"{found['table']}: {{exactly: {found['rows']}}}"
    return BadExpectation(sentence, file=error.file, line=error.line, expected=written, found=near.strip())


def _shape_error(error: ValidationError, document: Document, file: str) -> BadExpectation:
    first, *rest = error.errors(include_url=False)
    if first["type"] == "missing":  # what is missing may be what an unknown key was to be
        first = next((one for one in rest if one["type"] == "extra_forbidden"), first)
    path = _path_in(document.value, first["loc"])
    line, where = document.line(path), _dotted(path)
    if first["type"] == "extra_forbidden":
        keys = _keys_at(path[:-1])
        told = ", ".join(keys) or None
        nearest = meant_key(str(path[-1]), keys)
        return BadExpectation(f"{where}: there is no such key", file=file, line=line, expected=told, nearest=nearest)
    shape = shape_of(first, _keys_at(path))
    sentence = f"{where} {shape}" if shape else f"{where}: {first['msg'].removeprefix('Value error, ')}"
    return BadExpectation(sentence, file=file, line=line)


def _path_in(value: Json, location: tuple[int | str, ...]) -> Path:
    """The part of an error's location that stands in the file; the models add steps of their own (`tables`)."""
    path: list[int | str] = []
    inside: Any = value
    for step in location:
        try:
            inside = inside[step]
        except (KeyError, IndexError, TypeError):
            if step == "tables":
                continue
        path.append(step)
    return tuple(path)


def _dotted(path: Path) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _keys_at(path: Path) -> list[str]:
    """The keys that the object at a path can have; none where it is free, or no object."""
    match path:
        case ():
            model: type[BaseModel] = Spec
        case ("must_call", int()):
            model = MustCall
        case ("must_call", int(), "count"):
            model = Count
        case ("must_call_before", int()):
            model = Before
        case ("must_not_call", int()) | ("must_call_before", int(), "first" | "then"):
            model = CallPattern
        case ("final_state", str()):
            model = TableState
        case ("names",):
            model = CleanNames
        case _:
            return []
    return list(model.model_fields)
