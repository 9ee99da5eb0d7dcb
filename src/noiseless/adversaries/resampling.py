"""Confidence intervals of means that are not shares of independent rounds: the bootstrap."""

from collections.abc import Sequence

import numpy as np

from noiseless.adversaries.intervals import CONFIDENCE

_RESAMPLES = 4000


def bootstrap_mean(values: Sequence[float], seed: int) -> tuple[float, float]:
    """The percentile bootstrap's 95 % interval of a mean: the values are drawn anew, again and again.

    A value stands for a block (a target, a round), so that what depends on each other stays together.

    >>> low, high = bootstrap_mean([0.0, 1.0, 2.0, 3.0], seed=0)
    >>> 0 < low < 1.5 < high < 3
    True
    """
    numbers = np.asarray(values, float)
    if np.ptp(numbers) == 0:  # so that rounding does not move the ends apart
        return float(numbers[0]), float(numbers[0])
    rng = np.random.Generator(np.random.PCG64(seed))
    means = numbers[rng.integers(0, len(numbers), (_RESAMPLES, len(numbers)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)
