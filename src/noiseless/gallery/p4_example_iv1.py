"""[P4] Example IV.1: two questions about two numbers, and what the optimal answers to them give away."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import asin, cos, nan, pi, sin, sqrt

from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.ranges.quantizer import Quantizer
from noiseless.theory.accuracy import (
    AccuracyPolicy,
    FunctionVolume,
    LinearVolume,
    fewest_cells,
    least_leakage,
)

SIDE = (-2, 2)
QUALITY = Fraction(2)
"""The gamma of Figures 1 and 2: an answer is off by at most 1/2."""

ON_X1, ON_X2 = 4, 8
"""The largest values of x1^2 + 2 x2^2 on the axes x2 = 0 and x1 = 0 of the square."""

POINTS = 40
"""Points of a level set in each quadrant."""

_EVEN = [Fraction(i, 20) for i in range(10, 61)]
_AFTER = [Fraction(i, 2) + Fraction(1, 1000) for i in range(1, 6)]
GAMMAS = tuple(sorted(_EVEN + _AFTER))
"""Also just after each place where a cell is added."""

BOWL_GAMMA = Fraction(10, 13)
"""One for the quadratic question, whose volumes are certified bounds and take a second each."""

HIGHEST = 12
EQUAL, BEST = "equal cells", "best cells (16)"
STEPS = 16
"""Points a cell of the staircases."""

NEAR = 1e-9
"""Nats by which edges that are rounded to rationals may miss the bound for the average."""

CERTIFIED = 1e-3
"""Nats by which certified bounds of the quadratic question may miss."""

SHOWN = Fraction(13, 10)
"""A gamma for which 2 gamma is not whole."""

Pair = tuple[AccuracyPolicy, AccuracyPolicy]
"""Equal cells and best cells."""


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
    """What is published: the b_i of [P4]."""
    edges = [quantizer.edge(cell) for cell in range(quantizer.cells + 1)]
    return tuple((low + high) / 2 for low, high in pairwise(edges))


def listed(numbers: tuple[Fraction, ...]) -> str:
    """Numbers in a row of text."""
    return ", ".join(f"{float(number):g}" for number in numbers)


def has_fewest_regions(policy: AccuracyPolicy) -> ClaimCheck:
    """Whether quantizing the answer is optimal."""
    return ClaimCheck(
        "No policy that is off by at most 1/2 has fewer regions: quantizing the answer loses nothing.",
        f"any policy needs at least {policy.least_cells}; this one is off by at most {policy.worst_error}",
        "regions = the fewest possible, error <= 1/2, exactly",
        policy.cells == policy.least_cells and policy.worst_error <= 1 / QUALITY,
    )


@reproduces(
    "[P4] Example IV.1",
    "Two questions about two numbers: the policies themselves",
    "For the average, and for x1^2 + 2 x2^2, of two numbers in [-2, 2] the optimal policy rounds the "
    "answer to ceil(2 gamma) and to ceil(6 gamma) equal cells.",
)
def figure() -> Parts:
    """Both questions, for gamma = 2 and for others."""
    mean, square = fewest_cells(mean_of_two(), 1 / QUALITY), bowl_policy()
    volume = mean_of_two()
    means = [(fewest_cells(volume, 1 / gamma), least_leakage(volume, 1 / gamma)) for gamma in GAMMAS]
    bowls = fewest_cells(bowl(), 1 / BOWL_GAMMA), least_leakage(bowl(), 1 / BOWL_GAMMA)
    # What is published against the truth, within the tolerated error.
    quantizer = mean.quantizer
    low, high = float(quantizer.edge(0)), float(quantizer.edge(quantizer.cells))
    truth = [low + (high - low) * i / (STEPS * quantizer.cells) for i in range(STEPS * quantizer.cells + 1)]
    told = [middles(quantizer)[min(i // STEPS, quantizer.cells - 1)] for i in range(len(truth))]
    error = float(mean.error)
    band = ([y - error for y in truth], [y + error for y in truth])
    yield Panel.of(
        "Average, gamma = 2",
        "true answer f(x)",
        "answer told",
        Curve.of("truth, and the tolerated error", truth, truth, band=band, style="dashed"),
        Curve.steps("told", truth, told),
    )
    across = [float(gamma) for gamma in GAMMAS]
    yield Panel.of(
        "Average: leakage L0",
        "gamma = 1 / tolerated error",
        "nats",
        Curve.of(EQUAL, across, (equal.leakage.upper for equal, _ in means)),
        Curve.of(BEST, across, (best.leakage.upper for _, best in means)),
        Curve.dashed("no policy below", across, (best.least_leakage.lower for _, best in means)),
    )
    # Which share of all datasets is behind each cell, over the answers.
    curves = []
    for label, policy in zip((EQUAL, BEST), bowls, strict=True):
        edges = [float(policy.quantizer.edge(cell)) for cell in range(policy.cells + 1)]
        heights = [float(share.lower) for share in policy.shares]
        curves.append(Curve.steps(label, edges, [*heights, heights[-1]]))
    yield Panel.of(
        "x1² + 2 x2²: datasets behind each cell",
        "true answer f(x)",
        "share of all datasets",
        *curves,
        note=f"gamma = 10/13; L0 = {bowls[0].leakage} with equal cells, {bowls[1].leakage} with the best",
    )
    yield from _checks(mean, square)
    yield _check_equal(means)
    gap, other = max(best.gap.upper for _, best in means), bowls[1].gap.upper
    yield ClaimCheck(
        "Cells chosen by (16) leak least of all policies (Theorem IV.3).",
        f"within {gap:.1g} nats of the bound for any policy for the average, within {other:.1g} for x1^2 + 2 "
        f"x2^2 at gamma = 10/13 ({bowls[1].leakage}; equal cells {bowls[0].leakage})",
        f"at most {NEAR} nats for the average, at most {CERTIFIED} (certified bounds) for the other",
        gap <= NEAR and other <= CERTIFIED and bowls[1].leakage.upper < bowls[0].leakage.upper,
    )
    yield (
        "Theorem IV.3 has two parts. For I* equal cells are optimal; for L0, by (16), cells "
        "are wide where datasets are rare: for the average as wide as allowed at both ends, narrower "
        "in between. Both agree where 2 gamma is whole, as in the paper's example."
    )


def _checks(mean: AccuracyPolicy, square: AccuracyPolicy) -> Parts:
    edges = tuple(mean.quantizer.edge(cell) for cell in range(mean.cells + 1))
    yield ClaimCheck(
        "(20): the average is published as -1.5, -0.5, 0.5 or 1.5, by whether it is below -1, 0, 1 or not.",
        f"edges {listed(edges)}; told {listed(middles(mean.quantizer))}",
        "the same edges, exactly",
        list(edges) == list(range(-2, 3)),
    )
    yield ClaimCheck(
        "(21): x1^2 + 2 x2^2 lies in [0, 12] and is published as i + 0.5 where i is its whole part.",
        f"range [{square.quantizer.edge(0)}, {square.quantizer.edge(square.cells)}], {square.cells} cells",
        "range [0, 12], edges 0, 1, ..., 12, exactly",
        [square.quantizer.edge(cell) for cell in range(square.cells + 1)] == list(range(HIGHEST + 1)),
    )
    yield ClaimCheck(
        "Quantizing the answer instead of dividing the datasets in any other way loses nothing, for I*.",
        f"{mean.cells} and {square.cells} answers; no policy has fewer than {mean.least_cells} and "
        f"{square.least_cells}",
        "as many answers as the fewest possible, exactly",
        (mean.cells, square.cells) == (mean.least_cells, square.least_cells),
    )


def _check_equal(means: list[Pair]) -> ClaimCheck:
    whole = [(2 * gamma).denominator == 1 or gamma <= 1 for gamma in GAMMAS]
    same = [one.leakage.upper - other.leakage.upper <= NEAR for one, other in means]
    equal, best = means[GAMMAS.index(SHOWN)]
    edges = tuple(best.quantizer.edge(i) for i in range(best.cells + 1))
    return ClaimCheck(
        "Ours: by the leakage L0, which Fig. 3 draws too, from three cells on equal ones are best only where "
        "2 gamma is whole.",
        f"equal cells are best at {sum(same)} of {len(same)} gammas, there are up to two or 2 gamma is whole "
        f"at {sum(whole)}; at gamma = {float(SHOWN)} they leak {equal.leakage}, and cells with the edges "
        f"{listed(edges)} {best.leakage}",
        f"L0 of equal cells is within {NEAR} nats of the least if and only if there are at most two or 2 "
        "gamma is whole",
        same == whole,
        about="ours",
    )
