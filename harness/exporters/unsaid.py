"""What a recording holds that another format has no place for, counted by what it is."""

from collections import Counter

from harness.providers.failure import FIRST_ERROR_STATUS
from harness.recording import Recording, leaves_of
from harness.transcript import NO_LEDGER, AssistantTurn, Thinking, ToolResultTurn, Turn

FAILED_RESULT = "that a result was an error"
_HOSTS_OWN = "field"  # under this key a thinking block says how its host of Chat Completions wrote it


def count_beside_traffic(recording: Recording, left_out: Counter[str]) -> None:
    """For formats of requests and answers: what the tools and the world did, and what tells of the connection."""
    last = {exchange.number for exchange in leaves_of(recording)}
    left_out["a result that no request carried"] += sum(run.exchange in last for run in recording.tools)
    left_out[FAILED_RESULT] += sum(
        run.error
        and run.exchange not in last
        and recording.contexts[recording.exchanges[run.exchange].context].api != "messages"
        for run in recording.tools
    )
    left_out["an earlier try at a request"] += sum(len(exchange.retried) for exchange in recording.exchanges)
    left_out["when the pieces of a stream came"] += sum(len(one.chunks or []) > 1 for one in recording.exchanges)
    count_changes(recording, left_out)


def count_beside_words(recording: Recording, left_out: Counter[str]) -> None:
    """For formats of conversations: answers that failed, and what the calls did to the world."""
    left_out["an answer that failed"] += sum(one.status >= FIRST_ERROR_STATUS for one in recording.exchanges)
    count_changes(recording, left_out)


def count_changes(recording: Recording, left_out: Counter[str]) -> None:
    """What the calls did to the world."""
    left_out["what a call changed in the world"] += len(recording.state.changes) if recording.state else 0


def count_ledgers(turns: list[Turn], left_out: Counter[str]) -> None:
    """Token counts, where only words are written."""
    ledgers = [turn.token_ledger for turn in turns if isinstance(turn, AssistantTurn)]
    left_out["the token counts of an answer"] += sum(ledger != NO_LEDGER for ledger in ledgers)


def count_signatures(turns: list[Turn], left_out: Counter[str]) -> None:
    """What proves a thought to its own API, where its text alone is written."""
    blocks = [block for turn in turns if isinstance(turn, AssistantTurn) for block in turn.content]
    left_out["the signature of a thought"] += sum(
        isinstance(block, Thinking) and isinstance(block.opaque, dict) and _HOSTS_OWN not in block.opaque
        for block in blocks
    )


def count_failed_results(turns: list[Turn], left_out: Counter[str]) -> None:
    """Errors, where a result is nothing but a text."""
    left_out[FAILED_RESULT] += sum(isinstance(turn, ToolResultTurn) and turn.is_error for turn in turns)
