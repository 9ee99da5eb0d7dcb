"""The adversary's error behind the answers of a policy: dmin and dmax of [P4]."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from noiseless.ranges.quantizer import Quantizer
from noiseless.theory.accuracy.pushforward import LinearVolume, Volume
from noiseless.theory.continuous.boxes import Box
from noiseless.theory.distortion import radius_for_volume
from noiseless.theory.polytopes import Distance, Polytope

MOST_AXES = 8
"""The cells of weights that differ are listed by their corners up to so many coordinates."""


@dataclass(frozen=True)
class AdversaryError:
    """How far the best estimate of the dataset is from it, behind each answer.

    Attributes:
        errors: for each cell, the largest error that the best estimate can have; or a lower bound.
        exact: whether these are exact; otherwise nobody's error is smaller.
    """

    errors: tuple[Distance, ...]
    exact: bool

    @property
    def smallest(self) -> Distance:
        """The dmin of [P4]: what everybody is granted."""
        return min(self.errors)

    @property
    def largest(self) -> Distance:
        """The dmax of [P4]."""
        return max(self.errors)


def adversary_error(volume: Volume, quantizer: Quantizer) -> AdversaryError:
    """The error of an adversary who sees the cell and estimates the whole dataset ((4) and (7) of [P4]).

    Exact for sums and means of any number of people, and for other linear queries of up to 8; else by
    Theorem II.2: a cell lies in a ball of at least its volume.

    >>> from noiseless.ranges.quantizer import Uniform
    >>> heights = LinearVolume.of((Fraction(1, 2),) * 2, [(100, 250)] * 2)
    >>> adversary_error(heights, Uniform(heights.span, 21)).smallest
    Distance(5000/49)
    """
    answers = [quantizer.answer(cell) for cell in range(quantizer.cells)]
    if isinstance(volume, LinearVolume) and volume.is_symmetric_in_people and volume.normal[0]:
        return AdversaryError(tuple(_symmetric_radii(volume, answers)), exact=True)
    if isinstance(volume, LinearVolume) and volume.dimension <= MOST_AXES:
        box = Box.of(*volume.sides)
        slabs = (Polytope.slab(box, volume.normal, cell.lower, cell.upper) for cell in answers)
        return AdversaryError(tuple(slab.radius for slab in slabs), exact=True)
    edges = [quantizer.edge(cell) for cell in range(quantizer.cells + 1)]
    radii = (radius_for_volume(share.lower * volume.size, volume.dimension) for share in volume.shares(edges))
    return AdversaryError(tuple(Distance(Fraction(radius) ** 2) for radius in radii), exact=False)


def _symmetric_radii(volume: LinearVolume, cells: Iterable[tuple[Fraction, Fraction]]) -> Iterable[Distance]:
    """The radii of {x in [0,R]^n: low <= sum of x <= high}, in units of R, for each cell.

    A cell is symmetric, so the centre is t (1, ..., 1); among the x with a given sum s the farthest from it
    have all entries but one at an end: their squares sum to floor(s) + (s - floor(s))^2.
    """
    people, weight, (start, end) = volume.dimension, volume.normal[0], volume.sides[0]
    length = end - start
    for cell in cells:
        low, high = sorted((answer / weight - people * start) / length for answer in cell)
        sums = {low, high} | {Fraction(k) for k in (ceil(low), floor(high)) if low <= k <= high}
        squares = {s: floor(s) + (s - floor(s)) ** 2 for s in sums}
        places = {s / people for s in sums}
        places |= {(squares[s] - squares[r]) / (2 * (s - r)) for s in sums for r in sums if r < s}
        least = min(people * t * t + max(squares[s] - 2 * t * s for s in sums) for t in places)
        yield Distance(least * length**2)
