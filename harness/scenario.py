"""What is asked: system prompt, user turns, tools, and how to run them."""

from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from harness import errors
from harness.nearest import nearest_of
from harness.value import Json, JsonObject, canonical, digest_of

Effect = Literal["read", "write", "confirm"]
Api = Literal["chat", "responses", "messages"]

_NAMES_OF_SCHEMAS = {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
_VALUES = {"enum", "const", "default", "examples"}


class _Written(BaseModel):
    """A model for what people write: unknown keys are errors, and no kind is turned into another."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Tool(_Written):
    """A function schema. `effect` and all `x-` keys are for the judge: never sent, never hashed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, ignored_types=(cached_property,))

    name: str
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})
    effect: Effect = "read"
    issues: Annotated[str | None, Field(alias="x-issues")] = None

    @cached_property
    def sent(self) -> JsonObject:
        """`{name, description, parameters}` as a model gets it."""
        return {"name": self.name, "description": self.description, "parameters": without_marks(self.parameters)}

    @cached_property
    def digest(self) -> str:
        """The hash that says whether the tool changed."""
        return digest_of(canonical(self.sent))


def without_marks(schema: Json) -> Json:
    """A schema without its `x-` keywords; properties that happen to be named `x-…` stay."""
    match schema:
        case dict():
            return {key: _inner(key, value) for key, value in schema.items() if not key.startswith("x-")}
        case list():
            return [without_marks(item) for item in schema]
        case _:
            return schema


def _inner(key: str, value: Json) -> Json:
    if key in _VALUES:
        return value
    if key in _NAMES_OF_SCHEMAS and isinstance(value, dict):
        return {name: without_marks(one) for name, one in value.items()}
    return without_marks(value)


class ModelConfig(_Written):
    """Which model answers. `params` go into the request as they are; `extra_body` too, past the SDK's types.

    `provider` is openai, anthropic, google, openrouter, local, or one that an installed package adds.
    """

    provider: str | None = None
    api: Api | None = None
    name: str | None = None
    base_url: str | None = None
    stream: bool = False
    params: dict[str, Any] = Field(default_factory=dict)
    extra_body: dict[str, Any] = Field(default_factory=dict)


class AgentConfig(_Written):
    """Bounds of the loop: model requests a conversation, seconds a request, retries a request."""

    max_steps: Annotated[int, Field(ge=1)] = 20
    timeout_s: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)] = 120
    retries: Annotated[int, Field(ge=0)] = 2


class ScenarioConfig(_Written):
    """`scenario.toml`. `prompt` and `world` are `module:name`, the module a file of the scenario or importable."""

    title: str = ""
    prompt: str | None = None
    world: str | None = None
    model: ModelConfig = ModelConfig()
    agent: AgentConfig = AgentConfig()


class Scenario(BaseModel):
    """A scenario directory as a value; `system` and `users` are the files' text, nothing stripped.

    `tables` is world.json, `stubs` is stubs.json; at most one of them is there. `files` maps each part to the path
    that messages name.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    system: str
    users: list[str]
    tools: list[Tool] = Field(default_factory=list)
    tables: dict[str, Any] | None = None
    stubs: dict[str, Any] | None = None
    config: ScenarioConfig = ScenarioConfig()
    directory: str

    @property
    def title(self) -> str:
        """The title from scenario.toml, else the id."""
        return self.config.title or self.id

    def path(self, name: str) -> str:
        """A file of the scenario, as messages name it."""
        return f"{self.directory}/{name}"


def tools_of(raw: Json, *, file: str) -> list[Tool]:
    """The tools of a tools.json: a list of functions, bare or in OpenAI's `{"type": "function", …}` wrapper."""
    if not isinstance(raw, list):
        raise errors.BadScenario("tools.json holds a list of function schemas", file=file)
    tools = [_tool_of(one, index, file) for index, one in enumerate(raw)]
    names = [tool.name for tool in tools]
    for name in names:
        if names.count(name) > 1:
            raise errors.BadScenario(f"tool {name} stands twice", file=file)
    return tools


def _tool_of(raw: Json, index: int, file: str) -> Tool:
    if isinstance(raw, dict) and raw.get("type") == "function" and isinstance(raw.get("function"), dict):
        wrapper = {key: value for key, value in raw.items() if key not in {"type", "function"}}
        inner = raw["function"]
        raw = {**inner, **wrapper} if isinstance(inner, dict) else raw
    try:
        return Tool.model_validate(raw)
    except ValueError as error:
        raise refused(error, Tool, file=file, before=f"tool {index}: ") from None


# What other formats call a tool's fields.
_SAME = {"input_schema": "parameters", "inputSchema": "parameters", "schema": "parameters", "input": "parameters"}


def refused(error: ValueError, kind: type[BaseModel], *, file: str, before: str = "") -> errors.BadScenario:
    """The refusal of what somebody wrote: the first complaint; of a key that is not known, the nearest that is."""
    from pydantic import ValidationError

    reason, known, nearest = first_reason(error), None, None
    first = error.errors(include_url=False)[0] if isinstance(error, ValidationError) else None
    if first is not None and first["type"] == "extra_forbidden":
        *path, key = map(str, first["loc"])
        names = _keys_at(kind, path)
        reason, known = f"{'.'.join([*path, key])}: there is no such key", ", ".join(names)
        nearest = _nearest_key(key, names, kind)
    bad = errors.BadScenario(f"{before}{reason}", file=file, expected=known, nearest=nearest)
    bad.mend = f"mend {file}, then run the same command again"
    return bad


def _nearest_key(key: str, names: list[str], kind: type[BaseModel]) -> str | None:
    """A key of another section counts where it is exactly this one."""
    elsewhere = [f"{section}.{key}" for section in kind.model_fields if key in _keys_at(kind, [section])]
    same = _SAME.get(key)
    return elsewhere[0] if elsewhere else same if same in names else nearest_of(key, names)


def _keys_at(kind: type[BaseModel], path: list[str]) -> list[str]:
    """The keys of the section that a path of keys leads to; none where it is no section."""
    for step in path:
        field = kind.model_fields.get(step)
        inner = field.annotation if field else None
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return []
        kind = inner
    return [field.alias or name for name, field in kind.model_fields.items()]


def first_reason(error: ValueError) -> str:
    """The first complaint of a pydantic error in one line: path, reason."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False)[0]
    path = ".".join(map(str, first["loc"]))
    return f"{path}: {first['msg']}" if path else first["msg"]
