"""Several recordings as one, to be played from together."""

from collections.abc import Iterable

import msgspec

from harness.recording import Aside, Context, Exchange, Recording, ToolRun
from harness.wire.replay import Script


def script_of(recordings: Iterable[tuple[str, Recording]], *, name: str, command: str) -> Script:
    """A script out of (name, recording) pairs, at least one: their exchanges one after the other, in this order."""
    contexts: dict[str, Context] = {}
    exchanges: list[Exchange] = []
    tools: list[ToolRun] = []
    asides: list[Aside] = []
    places: list[tuple[str, int]] = []
    headers = []
    for own_name, recording in recordings:
        start = len(exchanges)
        headers.append(recording.header)
        contexts |= recording.contexts
        exchanges += [_moved(one, start) for one in recording.exchanges]
        tools += [msgspec.structs.replace(run, exchange=run.exchange + start) for run in recording.tools]
        asides += [msgspec.structs.replace(one, after=one.after + start) for one in recording.asides]
        places += [(own_name, one.number) for one in recording.exchanges]
    return Script(Recording(headers[0], contexts, exchanges, tools, asides=asides), name, command, places)


def _moved(exchange: Exchange, by: int) -> Exchange:
    parent = None if exchange.parent is None else exchange.parent + by
    return msgspec.structs.replace(exchange, number=exchange.number + by, parent=parent)
