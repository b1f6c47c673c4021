"""A transcript's turns as messages of another program: one message a turn, in order."""

from harness.providers.dialect import Request, dialect_of
from harness.transcript import AssistantTurn, Thinking, Turn
from harness.value import Json

_HOSTS_OWN = "field"  # under this key a thinking block says how its host of Chat Completions wrote it


def chat_messages_of(turns: list[Turn]) -> list[Json]:
    """Messages of Chat Completions, thinking under `reasoning_content` unless its host had another name for it."""
    return [_message_of(turn) for turn in turns]


def _message_of(turn: Turn) -> Json:
    dialect = dialect_of("chat")
    [message] = dialect.parts_of(dialect.body_of(Request("", "", [], {}, [turn]))).messages
    if isinstance(turn, AssistantTurn) and isinstance(message, dict):
        thoughts = [block for block in turn.content if isinstance(block, Thinking)]
        foreign = [one.thinking for one in thoughts if not (isinstance(one.opaque, dict) and _HOSTS_OWN in one.opaque)]
        if foreign:
            message["reasoning_content"] = "\n\n".join(foreign)
    return message
