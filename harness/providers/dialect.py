"""What every dialect offers: a request in our words to the provider's, an answer in the provider's words to ours.

A new API is one new file with a `Dialect` and one line in `dialect_of`.
"""

from functools import cache
from importlib import import_module
from typing import Protocol

import msgspec

from harness.recording import Api
from harness.scenario import Tool
from harness.transcript import AssistantTurn, Outcome, Turn
from harness.value import Json, JsonObject

_ENDINGS: dict[str, Api] = {
    "/chat/completions": "chat",
    "/api/chat": "chat",  # the native Ollama API: the dialect reads both
    "/responses": "responses",
    "/messages": "messages",
}


class Request(msgspec.Struct, frozen=True):
    """What the agent asks of the model: everything that decides the answer, in our words.

    Call ids in `turns` are the provider's own. `params` go into the body as they are (`max_tokens`, `stream`, …).
    """

    model: str
    system: str
    tools: list[Tool]
    params: JsonObject
    turns: list[Turn]


class Parts(msgspec.Struct, frozen=True):
    """A request body taken apart: what makes the context, and the messages of the conversation.

    `system` are the leading system/developer messages (chat) or the system parameter's parts; `params` is all else.
    """

    model: str
    system: list[Json]
    tools: list[Json]
    params: JsonObject
    messages: list[Json]


class Reading(msgspec.Struct, frozen=True):
    """An answer as we understand it.

    `outcome` is None where the conversation can go on or is simply done; TRUNCATED, REFUSED, INCOMPLETE or ERROR
    where the answer itself ends it, with `error` saying why. `warnings` are habits that were unwrapped and noted
    ("arguments was an object", "no finish reason"). `server_calls` names tools that the provider ran itself.
    """

    turn: AssistantTurn
    outcome: Outcome | None = None
    error: str | None = None
    model: str | None = None
    warnings: list[str] = []
    server_calls: list[str] = []

    @property
    def pauses(self) -> bool:
        """Whether the provider only took a break: its content goes back unchanged and it goes on."""
        return self.turn.stop_reason == "pause" and not self.turn.calls


class Dialect(Protocol):
    """One API's meaning. All functions are pure and raise nothing but `UnreadableAnswer` of errors.py."""

    api: Api

    def body_of(self, request: Request) -> JsonObject:
        """The request's JSON body; opaque blocks of this API go back unchanged, those of others are left out."""

    def parts_of(self, body: JsonObject) -> Parts:
        """A body taken apart; `body_of` and any agent's own body alike."""

    def turns_of(self, messages: list[Json]) -> list[Turn]:
        """Messages of a request (history, user text, tool results) as turns."""

    def reading_of_body(self, status: int, body: bytes) -> Reading:
        """A plain answer; an error status or an unreadable body is an ERROR reading, never an empty turn."""

    def reading_of_stream(self, status: int, stream: bytes, *, complete: bool) -> Reading:
        """A streamed answer from its bytes; `complete` is false where the reader left or the line broke."""


def api_of_path(path: str) -> Api | None:
    """The API that a path without its query belongs to, whatever the host puts before it; None: no model is asked."""
    return next((api for ending, api in _ENDINGS.items() if path.rstrip("/").endswith(ending)), None)


@cache
def dialect_of(api: Api) -> Dialect:
    """The dialect of an API."""
    module = {"chat": "openai_chat", "responses": "openai_responses", "messages": "anthropic_messages"}[api]
    dialect: Dialect = import_module(f"harness.providers.{module}").DIALECT
    return dialect
