"""Which calls of two conversations stand for each other: in order, by name, by the likeness of their arguments."""

from typing import TypeAlias

from harness.judge.values import equal
from harness.trace import Call

Pair: TypeAlias = tuple[Call | None, Call | None]

_GAP = 1.0  # a call without its like; two of them cost more than any pair of one name


def aligned(before: list[Call], after: list[Call]) -> list[Pair]:
    """The calls in order, each beside its like or beside nothing, so that as little as possible differs."""
    start = 0
    while start < min(len(before), len(after)) and _cost(before[start], after[start]) == 0:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and _cost(before[-1 - end], after[-1 - end]) == 0:
        end += 1
    same: list[Pair] = [*zip(before[:start], after[:start], strict=True)]
    last: list[Pair] = [*zip(before[len(before) - end :], after[len(after) - end :], strict=True)]
    return same + _cheapest(before[start : len(before) - end], after[start : len(after) - end]) + last


def _cost(one: Call, other: Call) -> float | None:
    """How much two calls differ, from 0 to 1; None where they are no pair at all."""
    if one.name != other.name:
        return None
    mine, its = one.arguments, other.arguments
    if mine is None or its is None:
        return 0.0 if (mine, one.raw) == (its, other.raw) else 1.0
    keys = mine.keys() | its.keys()
    same = sum(key in mine and key in its and equal(mine[key], its[key]) for key in keys)
    return 1 - same / len(keys) if keys else 0.0


def _cheapest(before: list[Call], after: list[Call]) -> list[Pair]:
    table = [[_GAP * column for column in range(len(after) + 1)]]
    for row, one in enumerate(before, 1):
        table.append([_GAP * row])
        for column, other in enumerate(after, 1):
            gap = min(table[row - 1][column], table[row][column - 1]) + _GAP
            cost = _cost(one, other)
            table[row].append(gap if cost is None else min(gap, table[row - 1][column - 1] + cost))
    return _path(table, before, after)


def _path(table: list[list[float]], before: list[Call], after: list[Call]) -> list[Pair]:
    """The way back through the table: a pair where one is as cheap as anything else."""
    pairs: list[Pair] = []
    row, column = len(before), len(after)
    while row or column:
        cost = _cost(before[row - 1], after[column - 1]) if row and column else None
        if cost is not None and table[row][column] == table[row - 1][column - 1] + cost:
            row, column = row - 1, column - 1
            pairs.append((before[row], after[column]))
        elif row and table[row][column] == table[row - 1][column] + _GAP:
            row -= 1
            pairs.append((before[row], None))
        else:
            column -= 1
            pairs.append((None, after[column]))
    return pairs[::-1]


def moved_among(pairs: list[Pair]) -> dict[int, Call]:
    """Of the calls that have no like beside them, those that are made elsewhere: by number, the call there."""
    waiting = [other for one, other in pairs if one is None and other is not None]
    moved: dict[int, Call] = {}
    for one, other in pairs:
        if one is None or other is not None:
            continue
        twin = next((call for call in waiting if _cost(one, call) == 0), None)
        if twin is not None:
            waiting.remove(twin)
            moved[one.number] = twin
    return moved
