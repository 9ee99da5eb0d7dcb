"""The smallest posterior set: how few values of a record can be left for one who knows all other records.

Noiseless privacy bounds how many answers a person can cause, not how few of their values lead to one of them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from itertools import chain, combinations_with_replacement

import numpy as np

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import (
    Additive,
    Influence,
    LinearOnBox,
    MiddleMedian,
    MiddleMedianOnInterval,
    OrderOnInterval,
    OrderStatistic,
    Query,
    Variance,
    Weighted,
)
from noiseless.questions.additive import EXCLUDED
from noiseless.questions.base import Positions, is_consecutive, length
from noiseless.questions.statistics import FilteredMean, few_groups
from noiseless.ranges.quantizer import Quantizer, Uniform

MOST_WORK = 2**24
"""Up to this many pairs of a base and a move are looked at; beyond, there is a bound."""

MOST_LISTED = 50_000
"""Records of others and of the person are listed one by one up to this many."""

_LARGE = 2**62
"""Below this whole numbers of 64 bits are exact."""


@dataclass(frozen=True)
class Posterior:
    """The smallest set of values that some answer leaves of somebody's record, all others being known.

    Attributes:
        smallest: how many values it has, or how long it is where a record is any number of an interval; at
            least this many if it is not exact.
        whole: the same of all that a record can be.
        counted: whether values are counted; else they are measured by their length.
        exact: whether such a set occurs, or is come near to as one likes.
    """

    smallest: Fraction
    whole: Fraction
    counted: bool
    exact: bool


def smallest_posterior(mechanism: QuantizedQuery) -> Posterior:
    """The fewest values of x_i that agree with an answer, over all persons, others and answers.

    >>> from noiseless.questions import Attribute, mean
    >>> from noiseless.ranges.quantizer import Stepped
    >>> asked = mean(3, Attribute("x", range(5)))
    >>> smallest_posterior(QuantizedQuery(asked, Stepped(asked.span, 5))).smallest
    Fraction(1, 1)

    Raises:
        RequestError: nothing is known of that kind of question.
    """
    return _posterior(mechanism.query, mechanism.quantizer)


@singledispatch
def _posterior(query: Query, quantizer: Quantizer) -> Posterior:  # noqa: ARG001 - a kind that nobody declared
    raise RequestError(f"no posterior is known for a {type(query).__name__}; ask for a sum, mean or quantile")


@dataclass(frozen=True)
class PersonKind:
    """A kind of person: others fix a base, and this many values of theirs lead to each move from it."""

    ways: Mapping[int, int]
    bases: Positions
    exact: bool

    @property
    def is_regular(self) -> bool:
        """Whether moves are consecutive, one value each, and so are bases."""
        last = len(self.ways) - 1
        return is_consecutive(self.bases) and max(self.ways) == last and set(self.ways.values()) == {1}


def _counted(kinds: Iterable[PersonKind], values: int, quantizer: Quantizer) -> Posterior:
    counts = [_fewest(kind, quantizer) for kind in kinds]
    least = min(count for count, _ in counts)
    exact = any(exact for count, exact in counts if count == least)
    return Posterior(Fraction(least), Fraction(values), counted=True, exact=exact)


@_posterior.register
def _of_additive(query: Additive, quantizer: Quantizer) -> Posterior:
    """A person's rows: this many combinations of values lead to each sum."""
    rows, (influence,) = min(query.rows, query.people), query.influences
    values = length(query.numbers) ** rows
    top = max(query.contributions) if isinstance(query.contributions, tuple) else query.contributions[-1]
    if top * rows > MOST_WORK:
        return Posterior(Fraction(1), Fraction(values), counted=True, exact=False)
    each = Counter(query.contributions)
    ways = each if rows == 1 else _sums_of(each, rows)
    return _counted([PersonKind(ways, influence.bases, influence.exact)], values, quantizer)


def _sums_of(each: Mapping[int, int], rows: int) -> Counter[int]:
    from flint import fmpz_poly

    power = fmpz_poly([each.get(k, 0) for k in range(max(each) + 1)]) ** rows
    return Counter({place: int(count) for place, count in enumerate(power.coeffs()) if count})


@_posterior.register
def _of_weighted(query: Weighted, quantizer: Quantizer) -> Posterior:
    """One value a move; a person without weight keeps all values."""
    size = query.attribute.size
    if not any(query.weights):
        return Posterior(Fraction(size), Fraction(size), counted=True, exact=True)
    return _of_moves(query.influences, size, quantizer)


@_posterior.register(OrderStatistic)
@_posterior.register(MiddleMedian)
def _of_order(query: OrderStatistic | MiddleMedian, quantizer: Quantizer) -> Posterior:
    """Others clamp the person's value; the wider they leave it, the fewer values share an answer.

    Beyond the clamp all values lead to the answer at the clamp: what agrees with an answer then holds all
    that would agree with it without a clamp.
    """
    if isinstance(query, MiddleMedian) and query.rows > 1:
        values = query.attribute.size ** min(query.rows, query.people)
        return Posterior(Fraction(1), Fraction(values), counted=True, exact=False)
    return _of_moves(query.influences, query.attribute.size, quantizer)


def _of_moves(influences: Sequence[Influence], size: int, quantizer: Quantizer) -> Posterior:
    """One value leads to each move."""
    if size > MOST_WORK:
        return Posterior(Fraction(1), Fraction(size), counted=True, exact=False)
    kinds = (PersonKind(dict.fromkeys(one.moves, 1), one.bases, one.exact) for one in influences)
    return _counted(kinds, size, quantizer)


@_posterior.register
def _of_variance(query: Variance, quantizer: Quantizer) -> Posterior:
    attribute = query.attribute

    def told(counts: Counter[int]) -> int:
        return quantizer.cell_at(query.position(counts))

    return _listed(attribute.numbers, attribute.size, query.people, told)


@_posterior.register
def _of_filtered_mean(query: FilteredMean, quantizer: Quantizer) -> Posterior:
    """An answer of "too few" is one too."""

    def told(counts: Counter[int]) -> int | None:
        mean = query.told(counts)
        return None if mean is None else quantizer.cell(mean)

    numbers = chain(query.attribute.numbers, [EXCLUDED] if query.filtered_elsewhere else [])
    return _listed(numbers, query.attribute.size + query.filtered_elsewhere, query.people, told)


def _listed(
    numbers: Iterable[int], size: int, people: int, told: Callable[[Counter[int]], int | None]
) -> Posterior:
    """By listing all others, while they are few; an answer is told of the counts of everybody's numbers."""
    if not few_groups(size, people, MOST_LISTED):
        return Posterior(Fraction(1), Fraction(size), counted=True, exact=False)
    own = list(numbers)
    least = min(
        min(Counter(told(Counter((*others, number))) for number in own).values())
        for others in combinations_with_replacement(own, people - 1)
    )
    return Posterior(Fraction(least), Fraction(size), counted=True, exact=True)


@_posterior.register
def _of_linear(query: LinearOnBox, quantizer: Quantizer) -> Posterior:
    """The person slides the answer over a closed interval that others shift.

    An end of it comes to lie on an edge, or just before one, unless all edges lie inside of it wherever
    others put it: then a single value, or arbitrarily few, agree with an answer.
    """
    span, width = query.span, query.attribute.span.width
    widths = [width]
    if quantizer.cells == 1:
        return Posterior(width, width, counted=False, exact=True)
    least, most = quantizer.edge(1), quantizer.edge(quantizer.cells - 1)
    for weight in query.sizes - {0}:
        low, high = span.low + weight * width, span.high - weight * width
        if most >= low or least <= high:
            widths.append(Fraction(0))
        else:
            inner = _widths(quantizer, range(1, quantizer.cells - 1))
            widths.append(min(least - high, low - most, *inner) / weight)
    return Posterior(min(widths), width, counted=False, exact=True)


@_posterior.register
def _of_order_on_interval(query: OrderOnInterval, quantizer: Quantizer) -> Posterior:
    """Where others leave all of the interval, the values of a cell; elsewhere more."""
    widths = _widths(quantizer, range(quantizer.cells))
    return Posterior(min(widths), query.attribute.span.width, counted=False, exact=True)


@_posterior.register
def _of_middle_median_on_interval(query: MiddleMedianOnInterval, quantizer: Quantizer) -> Posterior:
    """To one person it is the mean of two."""
    return _of_linear(query.middle_two, quantizer)


def _widths(quantizer: Quantizer, cells: range) -> set[Fraction]:
    """How wide some cells of a continuum are."""
    if isinstance(quantizer, Uniform):
        cells = cells[:1]
    return {quantizer.edge(cell + 1) - quantizer.edge(cell) for cell in cells}


def _fewest(kind: PersonKind, quantizer: Quantizer) -> tuple[int, bool]:
    """The fewest values behind an answer of one kind of person, and whether that is exact."""
    if quantizer.last >= _LARGE:
        return min(kind.ways.values()), False
    if kind.is_regular and quantizer.cells <= MOST_WORK:
        return _of_window(len(kind.ways) - 1, kind.bases, _begins(quantizer)), kind.exact
    bases = _telling_bases(kind, quantizer)
    if bases is None:
        return min(kind.ways.values()), False
    return _looked_at(kind.ways, bases, _begins(quantizer)), kind.exact


def _of_window(sweep: int, bases: Positions, begins: IntArray) -> int:
    """The fewest points that sweep + 1 consecutive points share with a cell that they meet.

    For each cell that number is concave in the place of the window, so it is smallest at the first or the
    last place at which they meet.
    """
    start, stop = begins[:-1], begins[1:]
    first, last = np.maximum(bases[0], start - sweep), np.minimum(bases[-1], stop - 1)
    met = (first <= last) & (start < stop)

    def shared(base: IntArray) -> IntArray:
        return np.minimum(stop - 1, base + sweep) - np.maximum(start, base) + 1

    return int(min(shared(first)[met].min(), shared(last)[met].min()))


def _telling_bases(kind: PersonKind, quantizer: Quantizer) -> IntArray | None:
    """The bases to look at: all of them, or those at which some move passes an edge."""
    moves, bases = len(kind.ways), kind.bases
    if length(bases) * moves <= MOST_WORK:
        return np.asarray(bases, np.int64)
    if is_consecutive(bases) and quantizer.cells * moves * moves <= MOST_WORK:
        passing = np.subtract.outer(_begins(quantizer), np.array(list(kind.ways), np.int64)).ravel()
        inside = passing[(passing >= bases[0]) & (passing <= bases[-1])]
        return np.unique(np.append(inside, bases[0]))
    return None


def _looked_at(ways: Mapping[int, int], bases: IntArray, begins: IntArray) -> int:
    """Move by move, for all bases at once: how many values have led to the present cell so far."""
    exact = np.int64 if sum(ways.values()) < _LARGE else object
    moves = sorted(ways)
    least = np.full(len(bases), sum(ways.values()), exact)
    run = np.full(len(bases), ways[moves[0]], exact)
    cell = np.searchsorted(begins, bases + moves[0], side="right")
    for move in moves[1:]:
        following = np.searchsorted(begins, bases + move, side="right")
        changed = following != cell
        least = np.where(changed, np.minimum(least, run), least)
        run = np.where(changed, 0, run) + ways[move]
        cell = following
    return int(np.minimum(least, run).min())


def _begins(quantizer: Quantizer) -> IntArray:
    """The first position of each cell, and the one after the last."""
    return np.append(quantizer.first_points.astype(np.int64), quantizer.last + 1)
