"""Distortion: how far the best estimate of X from Y may be from X ((4) and (7) of [P4]).

The best estimator puts its estimate, for each y by itself, where the largest distance to [[X|y]] is smallest.
dmax is what it cannot do better than behind the least telling answer, dmin behind the most telling one. As in
all suprema here answers that are no open part of [[Y]] are ignored by dmax; dmin ignores no answer.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from noiseless.errors import RequestError
from noiseless.exact import ball, ball_below
from noiseless.theory.continuous.joint import ContinuousRange
from noiseless.theory.distortion.distances import Distance
from noiseless.theory.distortion.moving_cells import error_span
from noiseless.theory.distortion.radii import Cell, cell_dimension, cell_measure, cell_radius

if TYPE_CHECKING:
    from flint import arb

Cells = ContinuousRange | Sequence[Cell]
"""A joint range, or the cells [[X|y]] of a deterministic release by themselves."""

_PRECISION = 128
"""Bits of the balls; far more than a float shows."""


def max_distortion(cells: Cells) -> Distance:
    """The dmax of (4) of [P4] for the best estimator: ess sup_y of the Chebyshev radius of [[X|y]].

    How far the best guess of what is hidden can be from it, after the answer that helps least. The best
    guess is the centre of the smallest ball that holds what an answer leaves possible.

    >>> joint = ContinuousRange.from_function([("[0, 1/2)", 1, 0), ("[1/2, 1]", 0, 1)])
    >>> max_distortion(joint).exact, max_distortion_bound(joint)
    (Fraction(1, 4), 0.25)

    Inequalities:
        * `dmin <= dmax`.
        * `max_distortion_bound(joint) <= dmax`: Theorem II.1 of [P4].
    """
    if isinstance(cells, ContinuousRange):
        _check_numbers(cells)
        return max(error_span(answer)[1] for answer in cells.answers() if answer.counts)
    return max(cell_radius(cell) for cell in _checked(cells))


def min_distortion(cells: Cells) -> Distance:
    """The dmin of (7) of [P4] for the best estimator: the smallest Chebyshev radius of any [[X|y]].

    How far the best guess of what is hidden can be from it, after the answer that helps most: nobody is
    ever estimated more closely for certain.

    >>> min_distortion(["[0, 3]", "[3, 10]"])
    Distance(9/4)

    Inequalities:
        * `dmin <= dmax`.
        * `min_distortion_bound(joint) <= dmin`: Theorem II.2 of [P4].
    """
    if isinstance(cells, ContinuousRange):
        _check_numbers(cells)
        return min(error_span(answer)[0] for answer in cells.answers())
    return min(cell_radius(cell) for cell in _checked(cells))


def max_distortion_bound(cells: Cells) -> float:
    """Theorem II.1 of [P4]: no estimator has a smaller dmax; rounded down.

    Gamma(n/2+1)^(1/n) / sqrt(pi) * exp(h0(X|Y)/n) is the radius of the ball with the volume of the largest
    cell. A cell lies in a ball round its estimate, so the bound holds in every dimension n, for every joint
    range (Y need not be a function of X) and wherever the estimate lies. Balls, and intervals, attain it.
    """
    if isinstance(cells, ContinuousRange):
        sizes = [answer.posterior.measure for answer in cells.answers() if answer.counts]
        return radius_for_volume(max(sizes), cells.size_x)
    return radius_for_volume(max(map(cell_measure, cells)), cell_dimension(_checked(cells)[0]))


def min_distortion_bound(cells: Cells) -> float:
    """Theorem II.2 of [P4]: no estimator has a smaller dmin; the same with d0(X|Y), rounded down."""
    if isinstance(cells, ContinuousRange):
        sizes = [answer.posterior.measure for answer in cells.answers()]
        return radius_for_volume(min(sizes), cells.size_x)
    return radius_for_volume(min(map(cell_measure, cells)), cell_dimension(_checked(cells)[0]))


def radius_for_volume(volume: Fraction | float, dimension: int) -> float:
    """The radius of the ball with a given volume, Gamma(n/2+1)^(1/n) / sqrt(pi) * volume^(1/n), rounded down.

    >>> radius_for_volume(Fraction(1, 2), 1), radius_for_volume(1, 2)
    (0.25, 0.5641895835477563)
    """
    if volume == 0 or volume == float("inf"):
        return float(volume)
    if dimension == 1:
        return Distance(Fraction(volume) ** 2 / 4).lower
    from flint import ctx

    with ctx.workprec(_PRECISION):
        return ball_below(radius_ball(Fraction(volume), dimension))


def radius_ball(volume: Fraction, dimension: int) -> "arb":
    """The same as a ball of python-flint that holds the exact number, at flint's working precision."""
    from flint import arb

    gamma = ball(Fraction(dimension, 2) + 1).gamma()
    return (gamma * ball(volume)).root(dimension) / arb.pi().sqrt()


def _checked(cells: Sequence[Cell]) -> Sequence[Cell]:
    if not cells:
        raise RequestError("give at least one cell")
    if len({cell_dimension(cell) for cell in cells}) != 1:
        raise RequestError("all cells need equally many coordinates")
    return cells


def _check_numbers(joint: ContinuousRange) -> None:
    if joint.x_labels is not None:
        raise RequestError("labels of X have no distances; give X numbers")
