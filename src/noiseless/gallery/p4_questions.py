"""The two questions of Example IV.1 of [P4], on datasets of two numbers in [-2, 2]."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import asin, cos, nan, pi, sin, sqrt

from noiseless.ranges.quantizer import Quantizer
from noiseless.theory.accuracy import AccuracyPolicy, FunctionVolume, LinearVolume, fewest_cells

SIDE = (-2, 2)
QUALITY = Fraction(2)
"""The gamma of Figures 1 and 2: an answer is off by at most 1/2."""

ON_X1, ON_X2 = 4, 8
"""The largest values of x1^2 + 2 x2^2 on the axes x2 = 0 and x1 = 0 of the square."""

POINTS = 40
"""Points of a level set in each quadrant."""


def mean_of_two() -> LinearVolume:
    """The average (x1 + x2) / 2."""
    return LinearVolume.of((Fraction(1, 2),) * 2, [SIDE] * 2)


@cache
def bowl() -> FunctionVolume:
    """x1^2 + 2 x2^2."""
    return FunctionVolume.of_formula("x1**2 + 2*x2**2", {"x1": SIDE, "x2": SIDE})


@cache
def bowl_policy() -> AccuracyPolicy:
    """The policy of Figure 2."""
    return fewest_cells(bowl(), 1 / QUALITY)


def bowl_level(level: int) -> Iterator[tuple[float, float]]:
    """The level set of x1^2 + 2 x2^2 in the square as a line, with breaks between its pieces."""
    # On the ellipse x1 = sqrt(y) cos t, x2 = sqrt(y/2) sin t; in the first quadrant the square keeps t
    # between these two.
    start = 0.0 if level <= ON_X1 else asin(sqrt(1 - ON_X1 / level))
    end = pi / 2 if level <= ON_X2 else asin(sqrt(ON_X2 / level))
    quarter = [start + (end - start) * i / POINTS for i in range(POINTS + 1)]
    turns = [quarter, [pi - t for t in reversed(quarter)]]
    turns += [[pi + t for t in quarter], [2 * pi - t for t in reversed(quarter)]]
    for number, arc in enumerate(turns):
        for t in arc:
            yield sqrt(level) * cos(t), sqrt(level / 2) * sin(t)
        if level > (ON_X1 if number % 2 else ON_X2):  # the next arc does not begin where this one ends
            yield nan, nan


def middles(quantizer: Quantizer) -> tuple[Fraction, ...]:
    """What is told: the b_i of [P4]."""
    edges = [quantizer.edge(cell) for cell in range(quantizer.cells + 1)]
    return tuple((low + high) / 2 for low, high in pairwise(edges))


def listed(numbers: tuple[Fraction, ...]) -> str:
    """Numbers in a row of text."""
    return ", ".join(f"{float(number):g}" for number in numbers)
