"""Statistics: known values, what a second implementation says, and what must hold for any numbers."""

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report.statistics import ROUNDS, Shift, clustered, mcnemar, paired_bootstrap, pass_power, wilson

# scipy 1.17.1, binomtest(passed, trials).proportion_ci(method="wilson")
WILSON = {
    "none of one": ((0, 1), (0.0, 0.7934506856227626)),
    "all of one": ((1, 1), (0.20654931437723742, 1.0)),
    "65 of 72": ((65, 72), (0.8126495420487314, 0.9521036800263443)),
    "8 of 10": ((8, 10), (0.49016247153664183, 0.9433178485456247)),
}

# scipy 1.17.1, binomtest(down, down + up).pvalue
MCNEMAR = {
    "no flip": ((0, 0), 1.0),
    "as many both ways": ((7, 7), 1.0),
    "one down": ((1, 0), 1.0),
    "six down": ((6, 0), 0.03125),
    "one against nine": ((1, 9), 0.021484375),
    "ten against thirty": ((10, 30), 0.0022214337732293643),
    "in log space": ((480, 620), 2.7131381093006878e-05),
    "100,400 pairs": ((50_000, 50_400), 0.20794602416763086),
}


@pytest.mark.parametrize(("counts", "borders"), WILSON.values(), ids=WILSON)
def test_wilson_gives_the_known_interval(counts, borders):
    low, high, effective = wilson(*counts)

    assert (low, high) == pytest.approx(borders, rel=1e-14, abs=1e-15)
    assert effective == counts[1]


@given(st.integers(1, 10_000).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_wilson_holds_the_share_and_stays_between_none_and_all(counts):
    passed, trials = counts

    low, high, _ = wilson(passed, trials)

    assert 0 <= low <= passed / trials <= high <= 1


@pytest.mark.parametrize(("flips", "p"), MCNEMAR.values(), ids=MCNEMAR)
def test_mcnemar_gives_the_known_p(flips, p):
    assert mcnemar(*flips) == pytest.approx(p, rel=1e-9)


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_mcnemar_is_the_same_both_ways_and_a_probability(down, up):
    p = mcnemar(down, up)

    assert p == mcnemar(up, down)
    assert 0 <= p <= 1


@pytest.mark.parametrize("pairs", [990, 1000, 1002])
def test_the_sum_in_integers_and_the_one_in_log_space_meet(pairs):
    fewer = pairs // 2 - 40
    exact = 2 * sum(math.comb(pairs, count) for count in range(fewer + 1)) / 2**pairs

    assert mcnemar(fewer, pairs - fewer) == pytest.approx(exact, rel=1e-9)


def test_statistics_agree_with_scipy():
    binomtest = pytest.importorskip("scipy.stats", reason="the oracle is not installed").binomtest
    chance = random.Random(4)  # noqa: S311  no secret
    counts = [(chance.randint(0, trials), trials) for trials in chance.choices(range(1, 2000), k=60)]

    ours = [(*wilson(passed, trials)[:2], mcnemar(passed, trials - passed)) for passed, trials in counts]

    theirs = [
        (*binomtest(passed, trials).proportion_ci(method="wilson"), binomtest(passed, trials).pvalue)
        for passed, trials in counts
    ]
    assert [pytest.approx(one, rel=1e-9, abs=1e-15) for one in theirs] == ours


GROUPS = {
    "single cases are Wilson's": ([(1, 1)] * 65 + [(0, 1)] * 7, wilson(65, 72)),
    "variants that fail alike count once": ([(3, 3)] * 23 + [(0, 3)], wilson(23 / 24 * 23, 23)),
    "variants that differ count nearly each": ([(2, 3)] * 24, wilson(48, 72)),
    "where all pass each scenario counts once": ([(3, 3)] * 24, wilson(24, 24)),
    "where all fail each scenario counts once": ([(0, 3)] * 24, wilson(0, 24)),
    "one scenario counts once": ([(1, 2)], wilson(0.5, 1)),
    "empty groups count for nothing": ([(0, 0), (1, 1), (0, 1)], wilson(1, 2)),
}


@pytest.mark.parametrize(("groups", "interval"), GROUPS.values(), ids=GROUPS)
def test_an_interval_counts_scenarios_and_not_their_variants(groups, interval):
    assert clustered(groups) == pytest.approx(interval, rel=1e-9)


def test_nothing_scored_has_no_interval():
    assert clustered([]) is None
    assert clustered([(0, 0)]) is None


GROUP = st.integers(1, 5).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))


@given(st.lists(GROUP, min_size=1, max_size=30))
def test_groups_never_make_an_interval_narrower(groups):
    passed, trials = sum(one for one, _ in groups), sum(one for _, one in groups)

    interval = clustered(groups)

    assert interval.low <= wilson(passed, trials).low + 1e-12
    assert interval.low - 1e-12 <= passed / trials <= interval.high + 1e-12


@given(st.lists(GROUP, min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_an_interval_does_not_depend_on_the_order_of_groups(groups, chance):
    shuffled = chance.sample(groups, len(groups))

    assert clustered(shuffled) == clustered(groups)


@pytest.mark.parametrize(
    ("passed", "trials", "k", "share"),
    [(3, 4, 1, 0.75), (3, 4, 2, 0.5), (3, 4, 4, 0.0), (4, 4, 4, 1.0), (0, 3, 1, 0.0), (8, 10, 3, 56 / 120)],
)
def test_pass_power_counts_the_draws_in_which_all_pass(passed, trials, k, share):
    assert pass_power(passed, trials, k) == share


def differences(*sizes):
    return [[Fraction(one, 4) for one in group] for group in sizes]


def test_the_bootstrap_gives_the_same_numbers_everywhere():
    groups = differences([1, 2, 0], [0, 0], [-1], [2, 2, 2], [0], [1])

    assert paired_bootstrap(groups, seed=b"a run") == Shift(0.20454545454545456, -0.03125, 0.375, 0.11178882111788821)


def test_another_seed_draws_otherwise_and_says_much_the_same():
    groups = differences([1], [2], [0], [-1], [2], [0], [1], [3])

    one, other = (paired_bootstrap(groups, seed=seed) for seed in (b"one", b"other"))

    assert one != other
    assert one.p == pytest.approx(other.p, abs=0.02)


def test_no_difference_anywhere_is_no_difference():
    assert paired_bootstrap(differences([0, 0], [0]), seed=b"") == Shift(0.0, 0.0, 0.0, 1.0)


def test_no_case_has_no_difference():
    assert paired_bootstrap([[]], seed=b"") is None


def test_a_difference_in_every_case_is_hardly_chance():
    shift = paired_bootstrap(differences(*[[-4]] * 5), seed=b"")

    assert shift == Shift(-1.0, -1.0, -1.0, 2 / (ROUNDS + 1))
