"""Who is whom: expected and actual paired so that as many as possible fit, and the rest with least difference."""

from collections.abc import Callable
from typing import NamedTuple

Cost = Callable[[int, int], int | None]
"""What pairing expected i with actual j costs: 0 fits, more differs more, None cannot be a pair."""

_NO_PAIR = 1 << 40


class Pairing(NamedTuple):
    """Expected indices to actual ones: those that fit, those that only come nearest; and what is left of both."""

    fitting: dict[int, int]
    nearest: dict[int, int]
    lacking: list[int]
    surplus: list[int]


def paired(expected: int, actual: int, cost: Cost) -> Pairing:
    """The pairing of so many expected with so many actual ones.

    As many fitting pairs as there can be, whatever the order of either side; ties go to the lowest expected index,
    then to the lowest actual one. The rest is paired at the least total cost, to explain what came nearest.
    """
    costs = [[cost(row, column) for column in range(actual)] for row in range(expected)]
    fitting = first_matching([[column for column, one in enumerate(line) if one == 0] for line in costs])
    rows = [row for row in range(expected) if row not in fitting]
    taken = set(fitting.values())
    columns = [column for column in range(actual) if column not in taken]
    nearest = _cheapest(rows, columns, costs)
    lacking = [row for row in rows if row not in nearest]
    explained = set(nearest.values())
    return Pairing(fitting, nearest, lacking, [column for column in columns if column not in explained])


def first_matching(edges: list[list[int]]) -> dict[int, int]:
    """A maximum matching of rows with columns: of all of them the one with the lowest rows, then the lowest columns."""
    matching = _Matching([sum(1 << column for column in columns) for columns in edges])
    for row in range(len(edges)):
        matching.augment(row)
    return matching.lowered()


class _Matching:
    """A matching that grows by augmenting paths. Sets of columns are the bits of an integer, which makes it fast."""

    def __init__(self, edges: list[int]) -> None:
        self._edges = edges
        self._open = -1
        self._free = -1
        self._row_of: dict[int, int] = {}
        self._column_of: dict[int, int] = {}

    def augment(self, start: int) -> int | None:
        """Give row `start` a column, moving others to other columns of theirs where needed.

        None where that worked, else the columns that the search reached in vain.
        """
        reached, reached_from = 0, dict[int, int]()
        frontier = [start]
        for row in frontier:
            new = self._edges[row] & self._open & ~reached
            if new & self._free:
                column = _lowest(new & self._free)
                self._free &= ~(1 << column)
                self._flip(row, column, reached_from)
                return None
            reached |= new
            while new:
                column = _lowest(new)
                new &= new - 1
                reached_from[column] = row
                frontier.append(self._row_of[column])
        return reached

    def _flip(self, row: int, column: int, reached_from: dict[int, int]) -> None:
        while True:
            before = self._column_of.get(row)
            self._row_of[column], self._column_of[row] = row, column
            if before is None:
                return
            row, column = reached_from[before], before

    def lowered(self) -> dict[int, int]:
        """The same rows, each from the lowest on with the lowest column that leaves the others one."""
        for row in sorted(self._column_of):
            still_open = self._open
            while (column := _lowest(self._edges[row] & self._open)) != self._column_of[row]:
                in_vain = self._move(row, column)
                if in_vain is None:
                    break
                self._open &= ~in_vain
            self._open = still_open & ~(1 << self._column_of[row])
        return dict(sorted(self._column_of.items()))

    def _move(self, row: int, column: int) -> int | None:
        """Let the row take this column, if whoever has it finds another: then None.

        Else all stays as it was, and the columns that the search reached would be asked for in vain too.
        """
        old, bit = self._column_of[row], 1 << column
        self._free |= 1 << old
        if self._free & bit:
            self._free &= ~bit
            self._row_of[column], self._column_of[row] = row, column
            return None
        owner = self._row_of[column]
        del self._column_of[owner]
        self._row_of[column], self._column_of[row] = row, column
        self._open &= ~bit
        in_vain = self.augment(owner)
        self._open |= bit
        if in_vain is None:
            return None
        self._row_of[column], self._column_of[owner] = owner, column
        self._row_of[old], self._column_of[row] = row, old
        self._free &= ~(1 << old)
        return in_vain | bit


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def _cheapest(rows: list[int], columns: list[int], costs: list[list[int | None]]) -> dict[int, int]:
    """As many pairs as there can be, at the least total cost."""
    if not rows or not columns:
        return {}
    table = [[_NO_PAIR if (one := costs[row][column]) is None else one for column in columns] for row in rows]
    if len(rows) <= len(columns):
        pairs = [(row, column) for column, row in _assigned(table).items()]
    else:
        pairs = list(_assigned([list(line) for line in zip(*table, strict=True)]).items())
    return {rows[row]: columns[column] for row, column in sorted(pairs) if table[row][column] != _NO_PAIR}


def _assigned(table: list[list[int]]) -> dict[int, int]:
    """Column to row at the least total cost, no more rows than columns: the Hungarian method with potentials."""
    of_row, of_column = [0] * len(table), [0] * len(table[0])
    row_at: dict[int, int] = {}
    for start in range(len(table)):
        _assign(start, table, (of_row, of_column), row_at)
    return row_at


def _assign(
    start: int, table: list[list[int]], potentials: tuple[list[int], list[int]], row_at: dict[int, int]
) -> None:
    """Give one more row a column, along the path that raises the total least."""
    of_row, of_column = potentials
    open_columns = dict.fromkeys(range(len(of_column)), _NO_PAIR * _NO_PAIR)
    came_from: dict[int, int | None] = {}
    visited: list[int] = []
    row = start
    last: int | None = None
    while True:
        for column, slack in open_columns.items():
            reduced = table[row][column] - of_row[row] - of_column[column]
            if reduced < slack:
                open_columns[column], came_from[column] = reduced, last
        # A free column goes first among equals, since it ends the search.
        best = min(open_columns, key=lambda column: (open_columns[column], column in row_at, column))
        step = open_columns.pop(best)
        of_row[start] += step
        for column in visited:
            of_row[row_at[column]] += step
            of_column[column] -= step
        for column in open_columns:
            open_columns[column] -= step
        visited.append(best)
        last = best
        if best not in row_at:
            break
        row = row_at[best]
    while last is not None:
        before = came_from[last]
        row_at[last] = start if before is None else row_at[before]
        last = before
