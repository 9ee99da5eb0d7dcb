"""How sure a game is of its score: intervals of a success probability, of an advantage, and of a mean."""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from noiseless.errors import RequestError

CONFIDENCE = 0.95
"""How often an interval holds the truth, unless asked for otherwise."""

_HALVINGS = 60

_RESAMPLES = 4000


class Advantage(NamedTuple):
    """How much better than a coin an adversary is, from 0 to 1.

    Attributes:
        value: the estimate, without the upward bias of an absolute value.
        low: where the confidence interval begins.
        high: where it ends.
    """

    value: float
    low: float
    high: float


def wilson(successes: int, rounds: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's score interval of a success probability; it never leaves [0, 1] and never has width 0.

    >>> [round(end, 4) for end in wilson(500, 1000)]
    [0.4691, 0.5309]
    >>> wilson(0, 10)[0], wilson(10, 10)[1]
    (0.0, 1.0)

    Args:
        successes: how often the guess was right.
        rounds: how many guesses there were.
        confidence: how often such an interval holds the true probability, about.

    Raises:
        RequestError: there were no rounds, or the numbers make no sense.
    """
    if rounds < 1 or not 0 <= successes <= rounds:
        raise RequestError("a game has at least one round, and at most as many successes as rounds")
    if not 0 < confidence < 1:
        raise RequestError("a confidence lies between 0 and 1, such as 0.95")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, spread = successes / rounds, z * z / rounds
    centre = (share + spread / 2) / (1 + spread)
    half = math.sqrt(share * (1 - share) * spread + spread * spread / 4) / (1 + spread)
    # At the ends the interval reaches exactly 0 or 1; rounding must not move it off.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == rounds else min(1.0, centre + half)
    return low, high


def advantage(successes: int, rounds: int, confidence: float = CONFIDENCE) -> Advantage:
    """Adv = 2 |P(success) - 1/2| of [P1], corrected for its upward bias.

    The share of successes put into that formula is never below 0, so mere guessing seems to have an
    advantage of about 0.8 / sqrt(rounds). The estimate is the advantage for which the plain formula gives
    on average what was seen (the mean of a folded normal distribution), and 0 where less was seen than
    guessing gives on average. The interval maps Wilson's: it begins at 0 where Wilson's holds 1/2.

    >>> advantage(500, 1000).value, advantage(510, 1000).value, advantage(1000, 1000).value
    (0.0, 0.0, 1.0)
    >>> [round(number, 3) for number in advantage(530, 1000)], round(advantage(600, 1000).value, 3)
    ([0.059, 0.0, 0.122], 0.2)

    Args:
        successes: how often the guess was right.
        rounds: how many guesses there were.
        confidence: how often the interval holds the true advantage, about.
    """
    ends = [2 * end - 1 for end in wilson(successes, rounds, confidence)]
    low = 0.0 if ends[0] <= 0 <= ends[1] else min(map(abs, ends))
    high = max(map(abs, ends))
    share = successes / rounds
    return Advantage(_unfolded(abs(2 * share - 1), 2 * math.sqrt(share * (1 - share) / rounds)), low, high)


def _unfolded(seen: float, deviation: float) -> float:
    """The number whose absolute value, measured with a normal error, is on average what was seen; or 0."""
    if not deviation:
        return seen
    if seen <= _folded(0.0, deviation):
        return 0.0
    low, high = 0.0, seen
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _folded(middle, deviation) < seen else (low, middle)
    return high


def _folded(number: float, deviation: float) -> float:
    """The mean of the absolute value of a normal number."""
    ratio = number / deviation
    peak = math.sqrt(2 / math.pi) * math.exp(-ratio * ratio / 2)
    return deviation * peak + number * math.erf(ratio / math.sqrt(2))


def bootstrap_mean(values: Sequence[float], seed: int) -> tuple[float, float]:
    """The percentile bootstrap's 95 % interval of a mean: the values are drawn anew, again and again.

    A value stands for a block (a target, a round), so that dependent observations stay together.

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
