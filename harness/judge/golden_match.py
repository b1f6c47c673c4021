"""Which call stands for which golden call: all that fit, in order where order counts, then the nearest misses."""

from itertools import pairwise
from typing import NamedTuple

from harness.judge.order import longest_chain
from harness.judge.pairing import Cost, Pairing, first_matching, paired
from harness.judge.params import Fault, Setting, Wanted, faults_of
from harness.judge.values import equal
from harness.trace import Call

_FAULT = 10
_FAILED = 1


class Match(NamedTuple):
    """`fitting` and `nearest` map golden indices to call numbers; `kept` are the fitting ones that stand in order.

    `faults` holds, for each nearest pair, what is wrong with it; nothing where the call only failed.
    """

    fitting: dict[int, int]
    nearest: dict[int, int]
    lacking: list[int]
    surplus: list[int]
    kept: dict[int, int]
    faults: dict[int, list[Fault]]


class Demand(NamedTuple):
    """What the golden calls are, and whether their order counts; `strict_turns` wants each in a later turn."""

    calls: list[Wanted]
    ordered: bool = False
    strict_turns: bool = False


def match_of(demand: Demand, setting: Setting) -> Match:
    """The pairing of golden calls with the calls of a trace. Failed calls fit nothing; they may come nearest."""
    calls = setting.trace.calls
    if not demand.strict_turns and _one_for_one(demand.calls, calls):
        pairs = {index: index for index in range(len(calls))}
        return Match(pairs, {}, [], [], pairs, {})
    faults = _faults(demand.calls, setting)

    def cost(index: int, number: int) -> int | None:
        found = faults.get((index, number))
        if found is None:
            return None
        return _FAULT * _weight(found, demand.calls[index]) + (0 if calls[number].succeeded else _FAILED)

    sizes = len(demand.calls), len(calls)
    pairing = _plainly_paired(sizes, calls, faults) or paired(*sizes, cost)
    kept = pairing.fitting
    if demand.ordered:
        place = [call.turn if demand.strict_turns else call.number for call in calls]
        if not _rises([place[number] for number in kept.values()]):
            pairing, kept = _in_order(pairing, cost, place, len(demand.calls))
    wrong = {index: faults[index, number] for index, number in pairing.nearest.items()}
    return Match(*pairing, kept, wrong)


def _one_for_one(wanted: list[Wanted], calls: list[Call]) -> bool:
    """Whether the calls are what is wanted to the letter, one by one: the usual case, and its own best pairing."""
    if len(calls) != len(wanted):
        return False
    for one, call in zip(wanted, calls, strict=True):
        if call.name != one.tool or one.exact is None or not call.succeeded or not equal(one.exact, call.arguments):
            return False
    return True


def _faults(wanted: list[Wanted], setting: Setting) -> dict[tuple[int, int], list[Fault]]:
    """What is wrong with each call as each golden call of its name."""
    faults: dict[tuple[int, int], list[Fault]] = {}
    for index, one in enumerate(wanted):
        tool = one.tool
        for call in setting.trace.calls:
            if call.name == tool:
                faults[index, call.number] = faults_of(one, call, setting)
    return faults


def _plainly_paired(
    sizes: tuple[int, int], calls: list[Call], faults: dict[tuple[int, int], list[Fault]]
) -> Pairing | None:
    """The pairing where nothing has to give way, which is `paired`'s own then; None where something has to.

    Each golden call takes the lowest call that fits and is free; what is left has one partner at most.
    """
    fitting: dict[int, int] = {}
    nearest: dict[int, int] = {}
    taken: set[int] = set()
    near: list[tuple[int, int]] = []
    contested: set[int] = set()
    for (index, number), found in faults.items():
        if found or not calls[number].succeeded:
            near.append((index, number))
        elif index not in fitting and number not in taken:
            fitting[index] = number
            taken.add(number)
        else:
            contested.add(index)
    if not contested <= fitting.keys():
        return None
    for index, number in near:
        if index not in fitting and number not in taken:
            if index in nearest or number in nearest.values():
                return None
            nearest[index] = number
    taken.update(nearest.values())
    lacking = [index for index in range(sizes[0]) if index not in fitting and index not in nearest]
    return Pairing(fitting, nearest, lacking, [number for number in range(sizes[1]) if number not in taken])


def _rises(places: list[int]) -> bool:
    return all(one < other for one, other in pairwise(places))


def _weight(faults: list[Fault], wanted: Wanted) -> int:
    """How many parameters are wrong; arguments that cannot be read are wrong in all and one more."""
    return len(wanted.args) + 1 if faults and not faults[0].param else len(faults)


def _in_order(pairing: Pairing, cost: Cost, place: list[int], count: int) -> tuple[Pairing, dict[int, int]]:
    """The pairing that keeps the longest part of the sequence in order, unless it would leave more calls out."""
    columns = range(len(place))
    edges = [[column for column in columns if cost(row, column) == 0] for row in range(count)]
    kept = longest_chain(edges, place)
    used = set(kept.values())
    free = [[] if row in kept else [column for column in line if column not in used] for row, line in enumerate(edges)]
    fitting = kept | first_matching(free)
    if len(fitting) < len(pairing.fitting):
        own = [[pairing.fitting[row]] if row in pairing.fitting else [] for row in range(count)]
        return pairing, longest_chain(own, place)
    taken = set(fitting.values())

    def rest(row: int, column: int) -> int | None:
        if row in fitting or column in taken:
            return 0 if fitting.get(row) == column else None
        return cost(row, column)

    return paired(count, len(place), rest), kept
