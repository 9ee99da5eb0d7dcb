"""How well an adversary with a prior can estimate a record: Theorem 4 of [P1], corrected and sharp."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from noiseless.errors import RequestError
from noiseless.exact import Rational

ABSOLUTE, SQUARED = 1, 2
"""The powers of the error whose best estimates on a lattice are rational: medians and means."""


def estimation_error_bound(
    length: Rational, outputs: int, power: int = 1, density: Rational | None = None
) -> Fraction:
    """E|X_i - Xh_i|^p >= rho mu^(p+1) N^-p / ((p+1) 2^p): no estimate does better (Theorem 4 of [P1]).

    It holds for every mechanism that lets x_i cause at most N outputs, whatever the sets behind them look
    like: a set of length m has an error of at least rho m^(p+1) / ((p+1) 2^p), and by convexity N equal sets
    have least. The uniform quantizer attains it. It says nothing about records on a lattice.

    >>> estimation_error_bound(10, 4)
    Fraction(5, 8)

    Args:
        length: mu, the length of the range of a record.
        outputs: N = floor(2^eps), how many outputs a record can cause.
        power: p, a whole number from 1 on.
        density: rho, the least density of the record given all others; without it the uniform one, 1 / mu.

    Raises:
        RequestError: a number makes no sense; no density can be above 1 / mu everywhere.
    """
    whole = Fraction(length)
    if whole <= 0 or outputs < 1 or power < 1:
        raise RequestError("the length is positive, and outputs and power are whole numbers from 1 on")
    rho = 1 / whole if density is None else Fraction(density)
    if not 0 <= rho * whole <= 1:
        raise RequestError("a density that is never below this bound would have more than all probability")
    bound: Fraction = rho * whole ** (power + 1) / (outputs**power * (power + 1) * 2**power)
    return bound


@dataclass(frozen=True)
class BestPartition:
    """The partition of a finite domain into this many cells that an adversary learns most from.

    Attributes:
        error: the expected error that is left, E|X - Xh|^p.
        cells: the values of each cell, ascending.
    """

    error: Fraction
    cells: tuple[tuple[Fraction, ...], ...]


def least_estimation_error(
    values: Sequence[Rational], outputs: int, power: int = SQUARED, prior: Sequence[Rational] | None = None
) -> BestPartition:
    """The least expected error of any estimate of a record on a lattice that can cause at most N outputs.

    Contiguous cells suffice: give each value to the estimate nearest to it, and no error grows. So this is
    the optimum over all partitions, of absolute errors (p = 1) or squares (p = 2), exactly.

    >>> least_estimation_error([0, 1], 2).error
    Fraction(0, 1)
    >>> least_estimation_error(range(6), 2).error
    Fraction(2, 3)

    Args:
        values: the domain.
        outputs: N.
        power: p, 1 or 2.
        prior: the probability of each value given all other records; without it all are alike.

    Raises:
        RequestError: a number makes no sense.
    """
    if power not in (ABSOLUTE, SQUARED):
        raise RequestError("on a lattice the error is absolute (power 1) or squared (power 2)")
    weights = [Fraction(1, len(values))] * len(values) if prior is None else [Fraction(p) for p in prior]
    if len(weights) != len(values) or not values or min(weights) < 0 or sum(weights) != 1:
        raise RequestError("give a probability for each value, none negative, that sum to 1")
    if len(set(values)) != len(values) or outputs < 1:
        raise RequestError("values differ from each other, and there is at least one output")
    ordered = sorted((Fraction(value), weight) for value, weight in zip(values, weights, strict=True))
    costs = _Costs([value for value, _ in ordered], [weight for _, weight in ordered], power)
    return _partitioned(costs, min(outputs, len(values)))


def least_guessing_error(prior: Sequence[Rational], outputs: int) -> Fraction:
    """The least probability of guessing a record wrong when it can cause at most N outputs.

    Behind each output one value is guessed, so that no more than the N likeliest values are guessed right.

    >>> least_guessing_error([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], 2)
    Fraction(1, 4)
    """
    chances = sorted((Fraction(p) for p in prior), reverse=True)
    if not chances or chances[-1] < 0 or sum(chances) != 1 or outputs < 1:
        raise RequestError("give probabilities that sum to 1, and at least one output")
    return 1 - sum(chances[:outputs], Fraction(0))


class _Costs:
    """The least expected error of one estimate for a run of values, from sums over all that come before."""

    def __init__(self, values: list[Fraction], weights: list[Fraction], power: int) -> None:
        self.values, self.power = values, power
        self.weight = list(accumulate(weights, initial=Fraction(0)))
        pairs = list(zip(values, weights, strict=True))
        self.first = list(accumulate((w * v for v, w in pairs), initial=Fraction(0)))
        self.second = list(accumulate((w * v * v for v, w in pairs), initial=Fraction(0)))

    def of(self, start: int, stop: int) -> Fraction:
        """For the values from start to stop - 1."""
        weight = self.weight[stop] - self.weight[start]
        first = self.first[stop] - self.first[start]
        if not weight:
            return Fraction(0)
        if self.power == SQUARED:
            return self.second[stop] - self.second[start] - first * first / weight
        # The first value with at least half of the weight at or before it: the median.
        middle = bisect_left(self.weight, self.weight[start] + weight / 2, start + 1, stop) - 1
        below = self.values[middle] * (self.weight[middle] - self.weight[start])
        above = self.values[middle] * (self.weight[stop] - self.weight[middle])
        lower = self.first[middle] - self.first[start]
        return below - lower + (first - lower) - above


def _partitioned(costs: _Costs, cells: int) -> BestPartition:
    """Cell by cell; where the best last cell begins ascends with its end, which halves the work (Monge)."""
    size = len(costs.values)
    best = [costs.of(0, stop) for stop in range(size + 1)]
    begins: list[list[int]] = []
    for _ in range(cells - 1):
        best, begun = _with_one_more(costs, best)
        begins.append(begun)
    stops = [size]
    for begun in reversed(begins):
        stops.append(begun[stops[-1]])
    edges = sorted({0, *stops})
    runs = (tuple(costs.values[a:b]) for a, b in pairwise(edges))
    return BestPartition(best[size], tuple(runs))


def _with_one_more(costs: _Costs, best: list[Fraction]) -> tuple[list[Fraction], list[int]]:
    """The least errors of the values before each stop with one cell more, and where that cell begins."""
    size = len(costs.values)
    errors, begun = list(best), list(range(size + 1))
    waiting = [(1, size, 0, size)]
    while waiting:
        low, high, first, last = waiting.pop()
        if low > high:
            continue
        stop = (low + high) // 2
        starts = range(first, min(last, stop) + 1)
        errors[stop], start = min((best[start] + costs.of(start, stop), start) for start in starts)
        begun[stop] = start
        waiting += [(low, stop - 1, first, start), (stop + 1, high, start, last)]
    return errors, begun
