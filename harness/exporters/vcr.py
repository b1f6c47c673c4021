"""Recordings as a cassette of vcrpy."""

from collections import Counter
from collections.abc import Iterable

import yaml

from harness.derivation import answer_bytes
from harness.exporters.bodies import body_of, url_of
from harness.exporters.unsaid import count_beside_traffic
from harness.importers.times import UNKNOWN_TIME
from harness.recording import Exchange, Recording
from harness.value import encode

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


def cassette_of(recordings: Iterable[Recording], left_out: Counter[str]) -> bytes:
    """Every exchange in order, bodies as text; bytes that are no text stay bytes."""
    interactions: list[dict[str, object]] = []
    for recording in recordings:
        count_beside_traffic(recording, left_out)
        left_out["when an exchange was"] += sum(one.at != UNKNOWN_TIME for one in recording.exchanges)
        interactions += [_interaction(recording, exchange) for exchange in recording.exchanges]
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
