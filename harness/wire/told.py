"""Whether what is kept of an exchange, its secrets taken out, can still be read as what crossed the wire."""

from harness import errors
from harness.providers.dialect import Dialect
from harness.recording import Exchange
from harness.transcript import AssistantTurn, Turn, text_of
from harness.value import Json
from harness.wire.answers import pieces_of
from harness.wire.capture import Attempt


def check_told(dialect: Dialect, sent: list[Json], attempt: Attempt, exchange: Exchange) -> None:
    """Raises `SecretInTheWay` where a secret was a word that the protocol needs, as the name of a field."""
    kept = b"".join(piece.raw for piece in pieces_of(exchange))
    if exchange.messages != sent and _request(dialect, sent) != _request(dialect, exchange.messages):
        raise errors.SecretInTheWay("the request can no longer be read")
    if kept != attempt.body and _answer(dialect, attempt, attempt.body) != _answer(dialect, attempt, kept):
        raise errors.SecretInTheWay("the answer can no longer be read")


def _request(dialect: Dialect, messages: list[Json]) -> object:
    try:
        return [_shape(turn) for turn in dialect.turns_of(messages)]
    except errors.UnreadableAnswer:
        return None


def _answer(dialect: Dialect, attempt: Attempt, raw: bytes) -> object:
    if attempt.is_stream:
        reading = dialect.reading_of_stream(attempt.status, raw, complete=attempt.complete)
    else:
        reading = dialect.reading_of_body(attempt.status, raw)
    return reading.outcome, _shape(reading.turn)


def _shape(turn: Turn) -> object:
    """What there is to read: whose turn, whether it says something, which calls have arguments."""
    calls = turn.calls if isinstance(turn, AssistantTurn) else []
    return type(turn), bool(text_of(turn)), [call.arguments is None for call in calls]
