"""How much noise keeps one person to a number of bits."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.comparison.mechanisms import RandomisedMechanism
from noiseless.exact import Bits, round_up

_NEAR = 1.002
"""The scale is found within this factor, on the safe side."""
_ROUGH, _FINE = 1e-4, 1e-7
"""How near capacities are bounded, in nats: while searching, and at the end."""
_TRUTHS = 65
_SIGMAS = 9

_NORMAL = 10**5
"""From this variance on a binomial distribution is taken for a normal one, off by a millionth at most."""


def calibrated(
    make: Callable[[float], RandomisedMechanism], sweep: int, bits: Fraction
) -> tuple[float | None, float]:
    """The smallest scale of noise whose capacity, bounded from above, keeps to the bits; and that bound.

    Args:
        make: the mechanism with a scale in steps; the larger, the less it tells.
        sweep: how far one person moves the answer, in steps.
        bits: what they may tell.

    Returns:
        The scale, None when no noise is needed, and the bits that one person can then tell at most.
    """
    everything = Bits(sweep + 1)
    if everything <= bits:
        return None, everything.upper
    high = sweep / 2 ** (1 + float(bits))
    while not _keeps(make(high), sweep, bits, _ROUGH):
        high *= 2
    low = high / 2
    while _keeps(make(low), sweep, bits, _ROUGH):
        low, high = low / 2, low
    while high / low > _NEAR:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if _keeps(make(middle), sweep, bits, _ROUGH) else (middle, high)
    return high, min(make(high).bits(sweep, _FINE), round_up(bits))


def _keeps(mechanism: RandomisedMechanism, sweep: int, bits: Fraction, tolerance: float) -> bool:
    return Fraction(mechanism.bits(sweep, tolerance)) <= bits


def counted_by_response(people: int, keep: float) -> float:
    """The mean error of a count by randomised response whose bias is taken out, for counts spread evenly."""
    if keep == 1:
        return 0.0
    truths = np.unique(np.linspace(0, people, min(people + 1, _TRUTHS)).round().astype(int))
    return float(np.mean([_error_at(int(truth), people, keep) for truth in truths]))


def _error_at(truth: int, people: int, keep: float) -> float:
    """Those who have it and say so, and those who have not and say so all the same."""
    variance = people * keep * (1 - keep)
    if variance > _NORMAL:
        deviation = math.sqrt(variance) / (2 * keep - 1)
        return deviation * (_half_normal(truth / deviation) + _half_normal((people - truth) / deviation))
    first, second = _binomial(truth, keep), _binomial(people - truth, 1 - keep)
    masses = np.convolve(first[1], second[1])
    heard = first[0] + second[0] + np.arange(len(masses))
    told = np.clip((heard - people * (1 - keep)) / (2 * keep - 1), 0, people)
    return float(masses @ np.abs(told - truth))


def _half_normal(end: float) -> float:
    """The mean of a standard normal number's positive part, cut off at an end."""
    peak = 1 / math.sqrt(2 * math.pi)
    return peak * (1 - math.exp(-end * end / 2)) + end * math.erfc(end / math.sqrt(2)) / 2


def _binomial(trials: int, share: float) -> tuple[int, FloatArray]:
    """Where the bulk of a binomial distribution begins, and its masses."""
    from scipy.stats import binom

    away = math.ceil(_SIGMAS * math.sqrt(trials * share * (1 - share))) + _SIGMAS
    first = max(0, math.floor(trials * share) - away)
    numbers = np.arange(first, min(trials, math.ceil(trials * share) + away) + 1)
    return first, np.asarray(binom.pmf(numbers, trials, share))
