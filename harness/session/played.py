"""The part of a recording that a replay has come to: what its agent has done so far, and no more."""

import msgspec

from harness.recording import Exchange, Recording, conversation_of
from harness.session.proposed import Place


def played_part(recording: Recording, given: set[int], runs: set[Place]) -> Recording:
    """The recording with the exchanges that answered and the tools that ran, numbered anew; whole where all did."""
    numbers = {old: new for new, old in enumerate(sorted(given))}
    if len(numbers) == len(recording.exchanges):
        return recording
    exchanges = [_moved(recording, recording.exchanges[old], numbers) for old in numbers]
    tools = [
        msgspec.structs.replace(run, exchange=numbers[run.exchange])
        for run in recording.tools
        if run.exchange in numbers and Place(run.exchange, run.position) in runs
    ]
    return msgspec.structs.replace(recording, exchanges=exchanges, tools=tools)


def _moved(recording: Recording, exchange: Exchange, numbers: dict[int, int]) -> Exchange:
    number = numbers[exchange.number]
    if exchange.parent is None or exchange.parent in numbers:
        parent = None if exchange.parent is None else numbers[exchange.parent]
        return msgspec.structs.replace(exchange, number=number, parent=parent)
    return msgspec.structs.replace(exchange, number=number, parent=None, messages=conversation_of(recording, exchange))
