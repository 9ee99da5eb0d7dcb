"""Hypothesis tests with probability beside those without: how often the best is right (section 4 of [P2]).

The two hypotheses have prior weights w and 1 - w and each output a probability given either. The best test
names the likelier one and is right with probability sum_y max(w p0(y), (1-w) p1(y)), which for w = 1/2 is
(1 + TV)/2, TV the total variation. (The proof of Theorem 3 of [P2] takes TV itself for it: Le Cam's 1 - TV is
the *sum* of the two errors.) A lower bound on the densities turns the sizes of the non-stochastic test into a
lower bound on that probability.
"""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from noiseless.errors import RequestError
from noiseless.theory.continuous.cuts import Number, finite
from noiseless.theory.hypothesis.privacy import size_of
from noiseless.theory.hypothesis.ranges import HypothesisRanges

Distribution = Mapping[Any, Number]
"""The probability of each output; floats are the rationals that they are."""

_ROUNDING = Fraction(1, 10**9)
"""How far a sum may be from 1: decimals that were rounded when they were written."""

_HALF = Fraction(1, 2)


class WorstPrior(NamedTuple):
    """The prior weight of p0 for which the best test is right least often, and how often that is."""

    prior: Fraction
    success: Fraction


def best_success(p0: Distribution, p1: Distribution, prior: Number = _HALF) -> Fraction:
    """How often the best test is right, exactly.

    The sum over the outputs of max(prior p0, (1 - prior) p1): each output is taken for the hypothesis that
    is likelier after it.

    >>> best_success({"a": "1/2", "b": "1/2"}, {"b": 1})
    Fraction(3, 4)

    Args:
        p0: the probability of each output under the null hypothesis; outputs left out have probability 0.
        p1: the same under the alternative.
        prior: the weight of the null hypothesis.

    Raises:
        RequestError: the probabilities or the weight lie outside 0..1 or do not sum to 1.

    Inequalities:
        * `max(prior, 1 - prior) <= success <= 1`: one can always bet on the likelier hypothesis.
        * `success = 1/2 + TV(p0, p1) / 2` for a prior of 1/2.
        * `success_bound <= success` where densities have a lower bound.
    """
    weight = _weight(prior)
    return sum((max(weight * a, (1 - weight) * b) for a, b in _pairs(p0, p1)), Fraction(0))


def worst_prior(p0: Distribution, p1: Distribution) -> WorstPrior:
    """The prior weight that makes testing hardest; no test does better against both hypotheses at once.

    The success is convex and piecewise linear in the weight, so it is smallest at 0, at 1 or at a kink, where
    an output is equally likely both ways. All kinks are met in one sweep in ascending order.

    >>> worst_prior({"a": "1/2", "b": "1/2"}, {"b": 1})
    WorstPrior(prior=Fraction(2, 3), success=Fraction(2, 3))
    """
    kinks = sorted((b / (a + b), a, b) for a, b in _pairs(p0, p1) if a or b)
    best = WorstPrior(Fraction(0), Fraction(1))
    mass0, mass1 = Fraction(0), Fraction(1)  # p0 of the outputs where the test says p0, p1 of the others
    for weight, a, b in kinks:
        best = min(best, WorstPrior(weight, weight * mass0 + (1 - weight) * mass1), key=lambda w: w.success)
        mass0, mass1 = mass0 + a, mass1 - b
    return best


def success_bound(ranges: HypothesisRanges[Any], least: Number, prior: Number | None = _HALF) -> Fraction:
    """A lower bound on the success of the best test when densities are at least `least` on their supports.

    Sharp: with a = least |surely p0| and b = least |surely p1| (the least probabilities of the two) some
    distributions attain max(w + (1-w) b, 1-w + w a), which is (1 + max(a,b))/2 for w = 1/2, and over all
    weights (1 - ab)/(2 - a - b). In terms of the size D of the symmetric difference alone this is
    1/2 + least D/4, for any weight: never below Theorem 3 of [P2] as printed. Without undecided outputs the
    test is always right.

    >>> ranges = HypothesisRanges.of("[0, 1]", "[0, 2]")
    >>> success_bound(ranges, "1/2"), success_bound(ranges, "1/2", prior=None)
    (Fraction(3, 4), Fraction(2, 3))

    Args:
        ranges: the supports.
        least: a number that no density (or probability) falls below on its support.
        prior: the weight of the null hypothesis; None for a bound that holds whatever it is.

    Raises:
        RequestError: no distribution on so large a support has such densities.
    """
    floor = _least(ranges, least)
    sizes = ranges.sizes
    if sizes.undecided == 0:
        return Fraction(1)
    a, b = floor * Fraction(sizes.surely_p0), floor * Fraction(sizes.surely_p1)
    if prior is None:
        return (1 - a * b) / (2 - a - b)
    weight = _weight(prior)
    return max(weight + (1 - weight) * b, 1 - weight + weight * a)


def _pairs(p0: Distribution, p1: Distribution) -> list[tuple[Fraction, Fraction]]:
    first, second = _normalised(p0), _normalised(p1)
    return [(first.get(y, Fraction(0)), second.get(y, Fraction(0))) for y in {**first, **second}]


def _normalised(distribution: Distribution) -> dict[Hashable, Fraction]:
    shares = {y: finite(share) for y, share in distribution.items()}
    total = sum(shares.values(), Fraction(0))
    if min(shares.values(), default=Fraction(-1)) < 0 or abs(total - 1) > _ROUNDING:
        raise RequestError(
            "the probabilities of the outputs lie in 0..1 and sum to 1; divide them by their sum"
        )
    return {y: share / total for y, share in shares.items()}


def _weight(prior: Number) -> Fraction:
    weight = finite(prior)
    if not 0 <= weight <= 1:
        raise RequestError("a prior weight lies in 0..1")
    return weight


def _least(ranges: HypothesisRanges[Any], least: Number) -> Fraction:
    floor = finite(least)
    largest = max(size_of(ranges.p0), size_of(ranges.p1))
    if floor <= 0 or largest > 1 / floor:
        raise RequestError(
            "no density is that large on the whole of its support; give a positive bound, at most 1 over the "
            "size of the larger support"
        )
    return floor
