"""What holds for calls and results in every API: their order, and ids that do not tell them apart."""

from collections import Counter

from harness.transcript import AssistantTurn, ToolResultTurn, Turn


def in_call_order(turns: list[Turn]) -> list[Turn]:
    """The turns with each answer's results in the order of its calls, whichever tool was done first."""
    ordered: list[Turn] = []
    results: list[ToolResultTurn] = []
    for turn in turns:
        if isinstance(turn, ToolResultTurn):
            results.append(turn)
            continue
        ordered += _sorted(results, ordered)
        results = []
        ordered.append(turn)
    return ordered + _sorted(results, ordered)


def _sorted(results: list[ToolResultTurn], before: list[Turn]) -> list[ToolResultTurn]:
    last = before[-1] if before else None
    places = {call.id: place for place, call in enumerate(last.calls)} if isinstance(last, AssistantTurn) else {}
    return sorted(results, key=lambda result: places.get(result.tool_use_id, len(places)))


def repeated_ids(ids: list[str]) -> list[str]:
    """A note for each id that more than one call of an answer has."""
    if len(set(ids)) == len(ids):
        return []
    return [f"{count} calls have the id {id_}" for id_, count in Counter(ids).items() if count > 1]
