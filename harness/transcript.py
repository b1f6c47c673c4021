"""What was said in one conversation: user, assistant and tool-result turns, provider-neutral."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Literal, TypeAlias

import msgspec

from harness.value import Json, JsonObject

StopReason: TypeAlias = Literal["stop", "toolUse", "length", "refusal", "pause", "contentFilter"]


class Outcome(StrEnum):
    """How a conversation ended. Only `completed` and `refused` are judged unless an assertion declares another."""

    COMPLETED = "completed"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    MAX_STEPS = "max_steps"
    TIMEOUT = "timeout"
    ERROR = "error"
    INCOMPLETE = "incomplete"


# A tuple, not a set: a member of an enum is found by identity at once, while its hash is computed in Python.
ENDED_WELL = (Outcome.COMPLETED, Outcome.REFUSED)


class Text(msgspec.Struct, frozen=True, tag_field="type", tag="text", forbid_unknown_fields=True):
    """Text as it was said."""

    text: str


class ToolCall(
    msgspec.Struct,
    frozen=True,
    tag_field="type",
    tag="toolCall",
    rename="camel",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """A call that the model proposed.

    `arguments` is the JSON object it wrote, with decimals and integers as written. Where it wrote none,
    `arguments` is null and `raw_arguments` holds its text: never an invented `{}`.
    """

    id: str
    name: str
    arguments: JsonObject | None
    raw_arguments: str | None = None


class Thinking(
    msgspec.Struct, frozen=True, tag_field="type", tag="thinking", forbid_unknown_fields=True, omit_defaults=True
):
    """The model's reasoning; `opaque` is what else the provider wrote in the block, where it must go back unchanged."""

    thinking: str
    opaque: Json = None


class Opaque(msgspec.Struct, frozen=True, tag_field="type", tag="opaque", forbid_unknown_fields=True):
    """A provider's block that we do not read and send back unchanged: server tools, redacted thinking.

    `{"extra": {…}}` holds such fields of the block before it: citations of a text, the signature of a call.
    """

    api: str
    block: JsonObject


Block: TypeAlias = Text | ToolCall | Thinking | Opaque


class TokenLedger(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Tokens of one answer; `input` leaves out what came from or went to the cache. Null: not reported."""

    input: int | None
    cache_read: int | None
    cache_creation: int | None
    output: int | None


NO_LEDGER = TokenLedger(input=None, cache_read=None, cache_creation=None, output=None)


class UserTurn(msgspec.Struct, frozen=True):
    """What a person (or the program in their place) said."""

    content: list[Text]


class AssistantTurn(msgspec.Struct, frozen=True):
    """One answer of the model, its blocks in the order they came."""

    content: list[Block]
    token_ledger: TokenLedger = NO_LEDGER
    stop_reason: StopReason | None = None

    @property
    def calls(self) -> list[ToolCall]:
        """The calls that are ours to execute, in written order; server-side tools are not among them."""
        return [block for block in self.content if isinstance(block, ToolCall)]


class ToolResultTurn(msgspec.Struct, frozen=True):
    """What a tool answered to the call `tool_use_id` of the assistant turn before."""

    tool_use_id: str
    content: list[Text]
    is_error: bool = False


Turn: TypeAlias = UserTurn | AssistantTurn | ToolResultTurn


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row of the world that a call changed; `before` null: added, `after` null: removed."""

    call: str
    table: str
    key: Json
    before: Json
    after: Json


class Effects(msgspec.Struct, frozen=True):
    """What the calls did to the world: the hash of its tables at the start, and each changed row in order."""

    initial: str
    changes: list[Change]


class Transcript(msgspec.Struct, frozen=True):
    """One conversation, whole: its turns, how it ended, and what it did to the world (None: there is no world)."""

    turns: list[Turn]
    outcome: Outcome = Outcome.COMPLETED
    error: str | None = None
    effects: Effects | None = None


def text_of(turn: Turn) -> str:
    """All text of a turn, blocks joined without a separator, as the provider streams them."""
    return "".join(block.text for block in turn.content if isinstance(block, Text))


def results_after(turns: list[Turn], index: int) -> Iterator[tuple[int, ToolResultTurn]]:
    """The tool results that follow turn `index` directly, each with its own index."""
    for position in range(index + 1, len(turns)):
        turn = turns[position]
        if not isinstance(turn, ToolResultTurn):
            return
        yield position, turn
