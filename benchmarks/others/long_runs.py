"""Long conversations under each recorder: the size of what it keeps, the time of its replay, a stream's first token."""

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from loopback import Loopback, plain, stream
from recorders import Worker
from spoken import chat_body, chat_events

TURNS = (10, 60, 300)
LIMIT_S = 60
TEXT = "Where is my order, and when will it come? " * 5
STREAMS = 9
PAUSE_S = 0.1
PATH = "/v1/chat/completions"


class Long(NamedTuple):
    """One recorder's: bytes kept and CPU seconds of a replay at each length, seconds to a stream's first bytes.

    None where recording or replaying took more than the limit.
    """

    name: str
    sizes: list[int]
    seconds: list[float | None]
    first: float


def said_bytes(turns: int) -> int:
    """What was said in a conversation of that length, in bytes."""
    return sum(len(f"{turn}: {TEXT}") + len(TEXT) for turn in range(turns))


def figures(worker: Worker, name: str, directory: Path) -> Long:
    """Record and replay at each length, then streams."""
    sizes, seconds = list[int](), list[float | None]()
    for turns in TURNS:
        path = worker.cassette(directory, f"long-{turns}")
        with Loopback(plain(chat_body(TEXT))) as server:
            order: dict[str, Any] = {"turns": turns, "text": TEXT, "url": server.url + PATH, "body": _body()}
            order |= {"path": str(path), "limit": LIMIT_S}
            recorded = worker.ask("long", **order)["seconds"]
            asked = len(server.requests)
            seconds.append(worker.ask("long", **order)["seconds"] if recorded is not None else None)
            assert len(server.requests) == asked
        sizes.append(path.stat().st_size if path.exists() else 0)
    return Long(name, sizes, seconds, first_token(worker, directory))


def first_token(worker: Worker, directory: Path) -> float:
    """The median of some streams, each recorded, whose provider waits after its first event."""
    first, *rest = [
        event if isinstance(event, bytes) else json.dumps(event).encode() for event in chat_events(("a", "b"))
    ]
    seconds = []
    with Loopback(stream(first, PAUSE_S, *rest)) as server:
        for number in range(STREAMS):
            worker.ask("open", path=str(worker.cassette(directory, f"stream-{number}")))
            body = _body() | {"stream": True}
            seconds.append(worker.ask("first", url=server.url + PATH, body=body)["seconds"])
            worker.ask("close")
    return statistics.median(seconds)


def table(rows: list[Long], live: float) -> Iterator[str]:
    """The lines of a table; sizes beside what was said, times beside ours, which stand first."""
    lengths = " / ".join(map(str, TURNS))
    yield f"| | kept after {lengths} turns, times what was said | replay, times ours | first token, beyond live |"
    yield "|---|---|---|---|"
    for row in rows:
        sizes = [
            f"{size / said_bytes(turns):.1f}" if size else "-" for size, turns in zip(row.sizes, TURNS, strict=True)
        ]
        times = [_times(one, ours) for one, ours in zip(row.seconds, rows[0].seconds, strict=True)]
        first = f"{(row.first - live) * 1000:+.1f} ms"
        yield f"| {row.name} | {' / '.join(sizes)} | {' / '.join(times)} | {first} |"
    ours = " / ".join(f"{(one or 0) * 1000:.0f}" for one in rows[0].seconds)
    yield ""
    yield f"Our replays took {ours} ms of CPU; each stream's provider waited {PAUSE_S * 1000:.0f} ms after one event."


def _times(one: float | None, ours: float | None) -> str:
    return "none" if one is None or ours is None else f"{one / ours:.1f}"


def _body() -> dict[str, Any]:
    return {"model": "m-test", "messages": [{"role": "system", "content": "You answer customers."}]}
