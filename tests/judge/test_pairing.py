"""Pairing: as many fitting pairs as there can be, the rest by least cost, ties to the lowest, never quadratic in time."""

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.judge.pairing import Pairing, paired

COSTS = st.integers(0, 4).flatmap(
    lambda rows: st.integers(0, 4).flatmap(
        lambda columns: st.lists(
            st.lists(st.sampled_from([0, 0, 1, 2, None]), min_size=columns, max_size=columns),
            min_size=rows,
            max_size=rows,
        )
    )
)


def pairing_of(costs, columns=None):
    wide = columns if columns is not None else len(costs[0]) if costs else 0
    return paired(len(costs), wide, lambda row, column: costs[row][column])


def every_pairing(rows, columns, costs):
    """Every set of possible pairs of these rows and columns."""
    sizes = range(min(len(rows), len(columns)) + 1)
    choices = (
        (chosen, order)
        for size in sizes
        for chosen in itertools.combinations(rows, size)
        for order in itertools.permutations(columns, size)
    )
    for chosen, order in choices:
        pairs = list(zip(chosen, order, strict=True))
        if all(costs[row][column] is not None for row, column in pairs):
            yield pairs


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        pytest.param([[0, 0], [0, None]], Pairing({0: 1, 1: 0}, {}, [], []), id="the-greedy-choice-would-lose-one"),
        pytest.param([[0, 0], [0, 0]], Pairing({0: 0, 1: 1}, {}, [], []), id="ties-in-order"),
        pytest.param([[0], [0]], Pairing({0: 0}, {}, [1], []), id="one-call-satisfies-one"),
        pytest.param([[0, 0]], Pairing({0: 0}, {}, [], [1]), id="the-lowest-actual"),
        pytest.param([[3, 1], [1, 3]], Pairing({}, {0: 1, 1: 0}, [], []), id="least-cost"),
        pytest.param([[1, 2], [2, 9]], Pairing({}, {0: 1, 1: 0}, [], []), id="least-in-total"),
        pytest.param([[1, 1]], Pairing({}, {0: 0}, [], [1]), id="nearest-lowest"),
        pytest.param([[None, None]], Pairing({}, {}, [0], [0, 1]), id="no-pair"),
        pytest.param([[1, None], [1, None]], Pairing({}, {0: 0}, [1], [1]), id="as-many-as-can"),
        pytest.param([[0, None], [None, 2]], Pairing({0: 0}, {1: 1}, [], []), id="fitting-and-nearest"),
    ],
)
def test_a_pairing(costs, expected):
    assert pairing_of(costs) == expected


def test_three_overlapping_expectations_all_find_a_call():
    """Row 3; column b; ink red: each call fits two of them, and only one assignment fits all."""
    assert pairing_of([[0, None, 0], [None, 0, 0], [0, 0, None]]).fitting == {0: 0, 1: 1, 2: 2} | {1: 2, 2: 1}


@given(COSTS)
def test_no_other_pairing_fits_more_or_costs_less(costs):
    columns = list(range(len(costs[0]) if costs else 0))
    found = pairing_of(costs, len(columns))

    fitting = [
        pairs for pairs in every_pairing(range(len(costs)), columns, costs) if all(costs[a][b] == 0 for a, b in pairs)
    ]
    most = max(map(len, fitting))
    first = min(
        (pairs for pairs in fitting if len(pairs) == most),
        key=lambda pairs: ([a for a, _ in pairs], [b for _, b in pairs]),
    )
    rows = [row for row in range(len(costs)) if row not in found.fitting]
    free = [column for column in columns if column not in found.fitting.values()]
    rest = list(every_pairing(rows, free, costs))
    least = min((-len(pairs), sum(costs[a][b] for a, b in pairs)) for pairs in rest)

    assert list(found.fitting.items()) == first
    assert (-len(found.nearest), sum(costs[a][b] for a, b in found.nearest.items())) == least
    assert sorted([*found.fitting, *found.nearest, *found.lacking]) == list(range(len(costs)))
    assert sorted([*found.fitting.values(), *found.nearest.values(), *found.surplus]) == columns


@given(COSTS, st.randoms(use_true_random=False))
def test_how_many_fit_does_not_depend_on_the_listing(costs, chance):
    columns = len(costs[0]) if costs else 0
    shuffled = chance.sample(costs, len(costs))

    assert len(pairing_of(shuffled, columns).fitting) == len(pairing_of(costs, columns).fitting)


@pytest.mark.parametrize(
    "cost",
    [
        pytest.param(lambda _row, _column: 0, id="all-equal"),
        pytest.param(lambda _row, _column: 2, id="all-equally-wrong"),
        pytest.param(lambda row, column: 0 if row + column < 200 else 1, id="each-has-one-choice-less"),
        pytest.param(lambda row, column: (row * 7 + column * 13) % 11 + 1, id="mixed"),
        pytest.param(lambda _row, _column: None, id="no-pair-at-all"),
    ],
)
def test_two_hundred_by_two_hundred_take_no_minutes(cost):
    start = time.process_time()

    paired(200, 200, cost)

    assert time.process_time() - start < 20  # some hundredths where nothing else runs
