"""Recordings as an HTTP archive."""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterable

from harness.derivation import answer_bytes
from harness.exporters.bodies import body_of, url_of
from harness.exporters.unsaid import count_beside_traffic
from harness.recording import Exchange, Recording
from harness.value import Json, JsonObject, encode

_NOTHING: JsonObject = {"cookies": [], "queryString": [], "headersSize": -1}


def archive_of(recordings: Iterable[Recording], left_out: Counter[str]) -> bytes:
    """Every exchange in order as an entry."""
    entries: list[Json] = []
    version = ""
    for recording in recordings:
        version = version or recording.header.agent_version
        count_beside_traffic(recording, left_out)
        entries += [_entry(recording, exchange) for exchange in recording.exchanges]
    creator: JsonObject = {"name": "fc-record", "version": version}
    return encode({"log": {"version": "1.2", "creator": creator, "entries": entries}}) + b"\n"


def _entry(recording: Recording, exchange: Exchange) -> JsonObject:
    body = encode(body_of(recording, exchange)).decode()
    return {
        "startedDateTime": exchange.at,
        "time": exchange.ms,
        "request": {
            "method": "POST",
            "url": url_of(recording, exchange),
            "httpVersion": "HTTP/1.1",
            **_NOTHING,
            "headers": [{"name": "content-type", "value": "application/json"}],
            "bodySize": len(body.encode()),
            "postData": {"mimeType": "application/json", "text": body},
        },
        "response": {
            "status": exchange.status,
            "statusText": "",
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": [{"name": name, "value": value} for name, value in exchange.headers.items()],
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": -1,
            "content": _content_of(exchange),
        },
        "cache": {},
        "timings": {"send": 0, "wait": exchange.ms, "receive": 0},
    }


def _content_of(exchange: Exchange) -> JsonObject:
    answer = answer_bytes(exchange)
    content: JsonObject = {"size": len(answer), "mimeType": exchange.headers.get("content-type", "")}
    try:
        return {**content, "text": answer.decode()}
    except UnicodeDecodeError:
        return {**content, "text": b64encode(answer).decode(), "encoding": "base64"}
