"""A recorded answer as bytes: what a client read, chunk by chunk, and the id that the provider gave it."""

from base64 import b64decode
from typing import NamedTuple

from harness.providers.dialect import Dialect, Request
from harness.providers.failure import FIRST_ERROR_STATUS
from harness.providers.fields import object_at, text_at
from harness.recording import Chunk, Exchange
from harness.transcript import AssistantTurn
from harness.value import Json, NotJsonError, decode

_EVENT = b"data:"


class Piece(NamedTuple):
    """One read of an answer: milliseconds since the request was sent, and its bytes."""

    ms: float
    raw: bytes


def pieces_of(exchange: Exchange) -> list[Piece]:
    """The answer as it was read: a stream's chunks one for one, a plain body as one piece, nothing as none."""
    if exchange.chunks is not None:
        return [Piece(chunk.ms, _chunk_bytes(chunk)) for chunk in exchange.chunks]
    if exchange.body is not None:
        return [Piece(exchange.ms, exchange.body.encode())]
    return [Piece(exchange.ms, b64decode(exchange.base64))] if exchange.base64 is not None else []


def _chunk_bytes(chunk: Chunk) -> bytes:
    return chunk.text.encode() if chunk.text is not None else b64decode(chunk.base64 or "")


def answer_id_of(exchange: Exchange) -> str:
    """The id by which a later request may refer to this answer; empty where there is none."""
    raw = b"".join(piece.raw for piece in pieces_of(exchange))
    if exchange.chunks is None:
        return _id_in(raw)
    events = (line[len(_EVENT) :] for line in raw.splitlines() if line.startswith(_EVENT))
    return next(filter(None, map(_id_in, events)), "")


def is_kept(exchange: Exchange) -> bool:
    """Whether a server that holds the conversation adds this answer to it."""
    return exchange.complete and exchange.status < FIRST_ERROR_STATUS


def _id_in(raw: bytes) -> str:
    try:
        value = decode(raw)
    except NotJsonError:
        return ""
    wrapped = object_at(value, "response") or object_at(value, "message")
    return text_at(wrapped, "id") or text_at(value, "id")


def spoken_in(dialect: Dialect, exchange: Exchange) -> list[Json]:
    """The answer as messages of a conversation that goes on from it."""
    turn = _turn_of(dialect, exchange)
    return dialect.parts_of(dialect.body_of(Request("", "", [], {}, [turn]))).messages


def _turn_of(dialect: Dialect, exchange: Exchange) -> AssistantTurn:
    raw = b"".join(piece.raw for piece in pieces_of(exchange))
    if exchange.chunks is None:
        return dialect.reading_of_body(exchange.status, raw).turn
    return dialect.reading_of_stream(exchange.status, raw, complete=exchange.complete).turn
