"""What crossed the wire in one run: the lines of a recording, and the conversations they hold.

An exchange stores only the messages that its request adds to its parent's: the request's conversation is the
chain of parents, so a recording grows with what was said and not with its square. Messages, system parts, tools and
params are the provider's own JSON; reading a meaning into them is `providers/`'s.
"""

from typing import Annotated, Literal, TypeAlias

import msgspec

from harness.fixture import Digest, Name, Origin
from harness.transcript import Change, Outcome
from harness.value import Json, JsonObject, canonical, digest_of

FORMAT_VERSION = 1

Api: TypeAlias = Literal["chat", "responses", "messages"]


class Header(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="type",
    tag="recording",
    rename="camel",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """The first line: what ran, when, with which versions. `redaction` names the policy that scrubbed the rest.

    `model_answered` is what the provider said it was, null in a journal that is still being written; `origin` is
    `scenario`, `test:<nodeid>`, `proxy:<upstream>` or `import:<format>`, and `source` says which file an imported one
    came from. `max_steps` bounded the loop of a scenario. In a run of a suite `id` is the case, `scenario` the suite,
    and `trial` counts from 1.
    """

    format_version: Literal[1] = 1
    id: Name
    scenario: Name | None = None
    trial: int | None = None
    recorded_at: str
    agent_version: str
    versions: dict[str, str]
    provider: str
    host: str
    model: str
    model_answered: str | None = None
    redaction: str
    max_steps: int | None = None
    origin: Origin = "scenario"
    source: str | None = None


class Context(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="context", forbid_unknown_fields=True):
    """What a request holds beside its conversation, once for each distinct one; `hash` is over all other fields."""

    hash: Digest
    api: Api
    host: str
    path: str
    model: str
    system: list[Json]
    tools: list[Json]
    params: JsonObject


class Chunk(msgspec.Struct, frozen=True, array_like=True):
    """One read of a stream: milliseconds since the request was sent, and its text; or base64 where it is no UTF-8."""

    ms: float
    text: str | None
    base64: str | None = None


class Exchange(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="type",
    tag="exchange",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """One request and its response. Either `body` (text as it came) or `chunks` (a stream) holds the answer.

    `parent` is the number of the exchange whose request this one's conversation continues. `complete` is false for
    an answer that was left, or that broke: `broke` is then true. `attempts` counts the tries the SDK made until this
    answer; `retried` holds what the tries before got, a status each, 0 for no answer.
    """

    number: Annotated[int, msgspec.Meta(ge=0)]
    parent: int | None
    context: Digest
    messages: list[Json]
    status: int
    headers: dict[str, str]
    body: str | None = None
    base64: str | None = None
    chunks: list[Chunk] | None = None
    attempts: int = 1
    retried: list[int] = []
    complete: bool = True
    broke: bool = False
    at: str
    ms: float


class ToolRun(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="type",
    tag="tool",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """One execution of a tool: the call's id as the provider gave it, what it was given and what it answered.

    `form` says what `result` stands for in a program's own tools: text, any other JSON value, or an exception that
    was raised (`error` is then true).
    """

    exchange: int
    position: int
    call: str
    name: str
    arguments: JsonObject | None
    result: str
    error: bool
    at: str
    ms: float
    form: Literal["text", "json", "raised"] = "text"


class Aside(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="type",
    tag="aside",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """A request that asks no model, and its answer: which models there are, how many tokens a text has.

    `after` counts the exchanges before it; `path` holds the query too; `request` is its JSON, null where it sends none.
    Of other bytes, as an upload's, only the `digest` is kept: of those without secrets and boundary.
    """

    after: int
    method: str
    path: str
    request: Json = None
    digest: Digest | None = None
    status: int
    headers: dict[str, str]
    body: str | None = None
    base64: str | None = None
    at: str
    ms: float


class State(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="state", forbid_unknown_fields=True):
    """What the run did to its world; `call` in the changes counts `call_1 …` over the run."""

    initial: Digest
    changes: list[Change]


class End(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="type",
    tag="end",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """The last line of a finished recording: how it ended, what it holds, and the digest of all lines before."""

    outcome: Outcome
    error: str | None = None
    exchanges: int
    tools: int
    digest: Digest


Line: TypeAlias = Header | Context | Exchange | ToolRun | Aside | State | End


class Recording(msgspec.Struct, frozen=True):
    """A recording as a value. `end` is None in a journal whose writer was stopped: such a run is incomplete."""

    header: Header
    contexts: dict[str, Context]
    exchanges: list[Exchange]
    tools: list[ToolRun]
    state: State | None = None
    end: End | None = None
    asides: list[Aside] = []


def context_of(  # noqa: PLR0913  a context is these facts, each by its name
    *, api: Api, host: str, path: str, model: str, system: list[Json], tools: list[Json], params: JsonObject
) -> Context:
    """A context with its hash."""
    fields: JsonObject = {
        "api": api, "host": host, "path": path, "model": model, "system": system, "tools": tools, "params": params,
    }  # fmt: skip
    digest = digest_of(canonical(fields))
    return Context(hash=digest, api=api, host=host, path=path, model=model, system=system, tools=tools, params=params)


def conversation_of(recording: Recording, exchange: Exchange) -> list[Json]:
    """All messages of an exchange's request: those of its parents, oldest first, then its own."""
    chain = [exchange]
    while chain[-1].parent is not None:
        chain.append(recording.exchanges[chain[-1].parent])
    return [message for one in reversed(chain) for message in one.messages]


def leaves_of(recording: Recording) -> list[Exchange]:
    """The exchanges that no other continues, in order: one for each conversation's end."""
    continued = {exchange.parent for exchange in recording.exchanges}
    return [exchange for exchange in recording.exchanges if exchange.number not in continued]
