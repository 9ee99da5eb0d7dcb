"""How far an adversary's estimate of the whole dataset is off, behind each answer: dmin and dmax of [P4]."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from noiseless.errors import RequestError
from noiseless.questions import Additive, LinearOnBox, OrderStatistic, Query
from noiseless.ranges.quantizer import Quantizer
from noiseless.theory.accuracy.peaks import OrderVolume, largest_of_all
from noiseless.theory.accuracy.pushforward import LinearVolume, Volume
from noiseless.theory.continuous.boxes import Box
from noiseless.theory.distortion import radius_for_volume
from noiseless.theory.polytopes import Distance, Polytope, symmetric_radius, symmetric_slab_radius

MOST_AXES = 8
"""The cells of weights that differ are listed by their corners up to this many coordinates."""

Ends = tuple[Fraction, Fraction]
"""The lowest and the highest answer of a cell."""


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


def adversary_error(asked: Volume | Query, quantizer: Quantizer) -> AdversaryError:
    """The error of an adversary who sees the cell and estimates the whole dataset ((4) and (7) of [P4]).

    Exact for sums, means and order statistics of any number of people, and for other linear queries of up to
    8; for other volumes by Theorem II.2: a cell lies in a ball of at least its volume. An estimate may be any
    numbers, also on a lattice.

    >>> from noiseless.ranges.quantizer import Uniform
    >>> heights = LinearVolume.of((Fraction(1, 2),) * 2, [(100, 250)] * 2)
    >>> adversary_error(heights, Uniform(heights.span, 21)).smallest
    Distance(5000/49)

    Raises:
        RequestError: nothing is known of that kind of question.
    """
    answers = [quantizer.answer(cell) for cell in range(quantizer.cells)]
    alike = symmetric_radii(asked, answers)
    if alike is not None:
        return AdversaryError(tuple(alike), exact=True)
    if not isinstance(asked, Volume):
        raise RequestError("an adversary's error is known for sums, means and order statistics")
    if isinstance(asked, LinearVolume) and asked.dimension <= MOST_AXES:
        box = Box.of(*asked.sides)
        slabs = (Polytope.slab(box, asked.normal, cell.lower, cell.upper) for cell in answers)
        return AdversaryError(tuple(slab.radius for slab in slabs), exact=True)
    edges = [quantizer.edge(cell) for cell in range(quantizer.cells + 1)]
    radii = (radius_for_volume(share.lower * asked.size, asked.dimension) for share in asked.shares(edges))
    return AdversaryError(tuple(Distance(Fraction(radius) ** 2) for radius in radii), exact=False)


def symmetric_radii(asked: Volume | Query, cells: Iterable[Ends]) -> list[Distance] | None:
    """The radius of each cell where all people are alike: the best estimate is the same for all of them."""
    match asked:
        case LinearOnBox() if len(set(asked.weights)) == 1 and asked.weights[0]:
            weight, side = asked.weights[0], asked.attribute.span
            return _sum_radii(asked.people, side.low, side.high, ((a / weight, b / weight) for a, b in cells))
        case LinearVolume() if asked.is_symmetric_in_people and asked.normal[0]:
            weight, (low, high) = asked.normal[0], asked.sides[0]
            return _sum_radii(asked.dimension, low, high, ((a / weight, b / weight) for a, b in cells))
        case OrderVolume():
            return _order_radii(asked.people, asked.rank, asked.span.low, asked.span.high, cells)
        case OrderStatistic():
            own = asked.attribute.span
            return _order_radii(asked.people, asked.rank, own.low, own.high, cells)
        case Additive() if (most := largest_of_all(asked.contributions)) is not None and _is_plain(asked):
            low, high = asked.least, asked.least + most * asked.unit
            return _sum_radii(
                asked.people, low, high, ((a / asked.factor, b / asked.factor) for a, b in cells)
            )
    return None


def _is_plain(asked: Additive) -> bool:
    """Whether people contribute their own numbers."""
    return asked.contributions == asked.numbers or tuple(asked.contributions) == tuple(asked.numbers)


def _sum_radii(people: int, low: Fraction, high: Fraction, cells: Iterable[Ends]) -> list[Distance]:
    """Of sums. On a lattice they are the same: the farthest of a sum have all entries but one at an end."""
    if low == high:
        return [Distance(0) for _ in cells]
    return [
        symmetric_slab_radius(people, *sorted((end - people * low) / (high - low) for end in cell))
        * (high - low)
        for cell in cells
    ]


def _order_radii(
    people: int, rank: int, low: Fraction, high: Fraction, cells: Iterable[Ends]
) -> list[Distance]:
    """Of the value with a rank: those below it are farthest at the low end or at it, and so those above.

    That value is farthest at an end of its cell, since distances are convex.
    """
    found = []
    for cell in cells:
        squares: dict[Fraction, Fraction] = {}
        for own, below, above in product([end - low for end in cell], (0, 1), (0, 1)):
            under, over = own * below, own if above else high - low
            total = (rank - 1) * under + own + (people - rank) * over
            square = (rank - 1) * under**2 + own**2 + (people - rank) * over**2
            squares[total] = max(square, squares.get(total, square))
        found.append(symmetric_radius(people, squares))
    return found
