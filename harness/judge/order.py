"""Order: the longest part of a golden sequence that the calls follow."""

from bisect import bisect_left


def longest_chain(edges: list[list[int]], place: list[int]) -> dict[int, int]:
    """The most rows that can have one of their columns each, in rising places; `place` says where a column stands.

    Two columns in one place are never both in the chain: with turns for places, each row stands in a later turn.
    """
    tails: list[int] = []
    ends: list[tuple[int, int]] = []
    before: dict[tuple[int, int], tuple[int, int] | None] = {}
    for row, columns in enumerate(edges):
        # From the last place down, so that a row never follows itself; of equal places the lowest column stays.
        for column in sorted(columns, key=lambda one: (place[one], one), reverse=True):
            length = bisect_left(tails, place[column])
            before[row, column] = ends[length - 1] if length else None
            if length == len(tails):
                tails.append(place[column])
                ends.append((row, column))
            elif place[column] < tails[length] or ends[length][0] == row:
                tails[length], ends[length] = place[column], (row, column)
    chain: list[tuple[int, int]] = []
    end: tuple[int, int] | None = ends[-1] if ends else None
    while end is not None:
        chain.append(end)
        end = before[end]
    return dict(reversed(chain))
