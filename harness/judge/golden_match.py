"""Which call stands for which golden call: all that fit, in order where order counts, then the nearest misses."""

from typing import NamedTuple

from harness.judge.order import longest_chain
from harness.judge.pairing import Cost, Pairing, first_matching, paired
from harness.judge.params import Fault, Setting, Wanted, faults_of
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
    if not demand.strict_turns and _one_for_one(demand.calls, setting):
        pairs = {index: index for index in range(len(calls))}
        return Match(pairs, {}, [], [], pairs, {})
    faults = {
        (index, call.number): faults_of(wanted, call, setting)
        for index, wanted in enumerate(demand.calls)
        for call in calls
        if call.name == wanted.tool
    }

    def cost(index: int, number: int) -> int | None:
        found = faults.get((index, number))
        if found is None:
            return None
        return _FAULT * _weight(found, demand.calls[index]) + (0 if calls[number].succeeded else _FAILED)

    pairing = paired(len(demand.calls), len(calls), cost)
    kept = pairing.fitting
    if demand.ordered:
        place = [call.turn if demand.strict_turns else call.number for call in calls]
        pairing, kept = _in_order(pairing, cost, place, len(demand.calls))
    wrong = {index: faults[index, number] for index, number in pairing.nearest.items()}
    return Match(*pairing, kept, wrong)


def _one_for_one(wanted: list[Wanted], setting: Setting) -> bool:
    """Whether call by call is what is wanted: the usual case, and its own best pairing."""
    calls = setting.trace.calls
    return len(calls) == len(wanted) and all(
        _serves(one, call, setting) for one, call in zip(wanted, calls, strict=True)
    )


def _serves(wanted: Wanted, call: Call, setting: Setting) -> bool:
    return call.name == wanted.tool and call.succeeded and not faults_of(wanted, call, setting)


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
