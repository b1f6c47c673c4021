"""How sure a score is: intervals, repeated trials, and whether two runs differ, in the standard library only.

Every figure is a function of its arguments. The bootstrap draws from SHAKE-256 of a given seed, so that the same
input gives the same interval on any machine and any Python.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from hashlib import shake_256
from struct import unpack
from typing import NamedTuple

ROUNDS = 10_000
_Z = 1.959963984540054  # the normal quantile of 97.5 %
_EXACT_PAIRS = 1_000  # up to here the binomial sum is exact in integers, beyond it runs in log space
_TAIL = (0.025, 0.975)
_WORD_BITS = 32
_SIZE_BITS = 40  # no run has 2**40 cases


class Interval(NamedTuple):
    """A 95 % interval of a share; `effective` is the number of independent trials it counts with."""

    low: float
    high: float
    effective: float


class Shift(NamedTuple):
    """How much the second run scores above the first, its 95 % interval, and how easily chance does as much."""

    mean: float
    low: float
    high: float
    p: float


def wilson(passed: float, trials: float) -> Interval:
    """Wilson's score interval of `passed` out of `trials`, which is above 0."""
    share = passed / trials
    spread = _Z * _Z / trials
    centre = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * math.sqrt(share * (1 - share) / trials + spread / (4 * trials))
    low = 0.0 if passed == 0 else max(centre - half, 0.0)
    high = 1.0 if passed == trials else min(centre + half, 1.0)
    return Interval(low, high, float(trials))


def clustered(groups: Sequence[tuple[int, int]]) -> Interval | None:
    """Wilson's interval for trials that come in groups, each `(passed, trials)`; None without a trial.

    Variants of one scenario pass and fail together, so that they count for less than as many scenarios: the interval
    is that of trials / design effect, where the design effect is the variance between groups over that of independent
    trials, 1 at least. Where all passed or all failed nothing says how alike a group is, and each group counts once.
    """
    groups = [(passed, trials) for passed, trials in groups if trials]
    passed, trials = sum(one for one, _ in groups), sum(one for _, one in groups)
    if not trials:
        return None
    share = passed / trials
    if len(groups) == trials:
        return wilson(passed, trials)
    if len(groups) == 1 or passed in (0, trials):
        effective = float(len(groups))
    else:
        between = math.fsum((one - share * count) ** 2 for one, count in groups) * len(groups) / (len(groups) - 1)
        effective = trials / max(between / (trials * share * (1 - share)), 1.0)
    return wilson(share * effective if passed < trials else effective, effective)


def pass_power(passed: int, trials: int, k: int) -> float:
    """The chance that k trials, drawn without putting back from these, all passed: C(passed, k) / C(trials, k)."""
    return math.comb(passed, k) / math.comb(trials, k)


def mcnemar(down: int, up: int) -> float:
    """The exact two-sided p of McNemar's test: `down` cases only the first run passes, `up` only the second."""
    pairs, fewer = down + up, min(down, up)
    if 2 * fewer >= pairs:
        return 1.0
    if pairs <= _EXACT_PAIRS:
        return min(float(Fraction(2 * sum(math.comb(pairs, count) for count in range(fewer + 1)), 2**pairs)), 1.0)
    return min(math.exp(_log_tail(pairs, fewer) + math.log(2)), 1.0)


def _log_tail(pairs: int, fewer: int) -> float:
    """The logarithm of the chance of at most `fewer` heads in `pairs` throws: the last term times a falling series."""
    last = math.lgamma(pairs + 1) - math.lgamma(fewer + 1) - math.lgamma(pairs - fewer + 1) - pairs * math.log(2)
    term, total = 1.0, 1.0
    for count in range(fewer, 0, -1):
        term *= count / (pairs - count + 1)
        total += term
        if term < total * 2**-54:
            break
    return last + math.log(total)


def paired_bootstrap(groups: Sequence[Sequence[Fraction]], *, seed: bytes) -> Shift | None:
    """The mean difference over cases, groups of cases drawn anew `ROUNDS` times; None without a case.

    Each group holds one scenario's differences, second run minus first, one a case.
    """
    groups = [group for group in groups if group]
    if not groups:
        return None
    scale = math.lcm(*(one.denominator for group in groups for one in group))
    # A group's sum and size in one integer, so that a draw is added up in one pass: the size in the low bits.
    packed = [(int(sum(group) * scale) << _SIZE_BITS) + len(group) for group in groups]
    means = sorted(_mean_of(sum(drawn)) for drawn in _draws(packed, seed))
    below, above = sum(mean <= 0 for mean in means), sum(mean >= 0 for mean in means)
    p = min(2 * (min(below, above) + 1) / (ROUNDS + 1), 1.0)
    low, high = (means[round(tail * (ROUNDS - 1))] / scale for tail in _TAIL)
    return Shift(_mean_of(sum(packed)) / scale, low, high, p)


def _mean_of(packed: int) -> float:
    return (packed >> _SIZE_BITS) / (packed & (1 << _SIZE_BITS) - 1)


def _draws(items: Sequence[int], seed: bytes) -> Iterator[Iterator[int]]:
    """`ROUNDS` times as many of the items as there are, put back each time, each as likely to one in 2**32."""
    count = len(items)
    for number in range(ROUNDS):
        words = unpack(f"<{count}I", shake_256(seed + number.to_bytes(4, "big")).digest(4 * count))
        yield (items[word * count >> _WORD_BITS] for word in words)
