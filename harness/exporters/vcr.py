"""Recordings as a cassette of vcrpy."""

from collections import Counter
from collections.abc import Iterable

import yaml

from harness.derivation import answer_bytes
from harness.exporters.bodies import body_of, url_of
from harness.recording import Exchange, Recording
from harness.value import encode

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


def cassette_of(recordings: Iterable[Recording], _: Counter[str]) -> bytes:
    """Every exchange in order, bodies as text; bytes that are no text stay bytes."""
    interactions = [_interaction(one, exchange) for one in recordings for exchange in one.exchanges]
    dumped = yaml.dump(
        {"interactions": interactions, "version": 1},
        Dumper=yaml.CSafeDumper,
        allow_unicode=True,
        sort_keys=False,
        encoding="utf-8",
    )
    assert isinstance(dumped, bytes)  # noqa: S101  with an encoding it is bytes
    return dumped


def _interaction(recording: Recording, exchange: Exchange) -> dict[str, object]:
    return {
        "request": {
            "body": encode(body_of(recording, exchange)).decode(),
            "headers": {"content-type": ["application/json"]},
            "method": "POST",
            "uri": url_of(recording, exchange),
        },
        "response": {
            "body": {"string": _string_of(answer_bytes(exchange))},
            "headers": {name: [value] for name, value in exchange.headers.items()},
            "status": {"code": exchange.status, "message": _REASONS.get(exchange.status, "")},
        },
    }


def _string_of(answer: bytes) -> str | bytes:
    try:
        text = answer.decode()
    except UnicodeDecodeError:
        return answer
    # YAML would fold these line ends into others
    return answer if "\r" in text or "\x85" in text or "\u2028" in text or "\u2029" in text else text
