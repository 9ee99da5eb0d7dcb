"""A query: which answers there can be, and what one person can do to them."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import pairwise
from math import gcd, lcm

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray
from noiseless.domain import Column, NumberColumn
from noiseless.domain.columns import BooleanColumn
from noiseless.errors import ColumnError, RequestError
from noiseless.ranges.spans import Continuum, Lattice, Span, whole_numbers

Positions = range | tuple[int, ...]
"""Ascending whole numbers: a range where they are regular."""


_MOST = 2**20
"""Sets of positions are added exactly up to this many positions; beyond, as the range that holds them."""


@dataclass(frozen=True)
class Influence:
    """Others fix a base; the person then moves the answer over base + moves.

    Attributes:
        moves: where the person can take the answer, from the base; the first is 0.
        bases: the bases that others can cause.
        exact: whether each base occurs and each move is possible from it; otherwise both are supersets, and
            what is counted with them is an upper bound.
        most: how many different answers the person can cause at most, where that is less than moves tell.
        more: how many further answers the person can cause, such as that there is none.
    """

    moves: Positions
    bases: Positions
    exact: bool = True
    most: int | None = None
    more: int = 0

    @property
    def sweep(self) -> int:
        """How far the person can move the answer, in steps."""
        return self.moves[-1]

    @property
    def cap(self) -> int:
        """How many different answers the person can cause at most, told exactly."""
        moves = length(self.moves)
        return self.more + (moves if self.most is None else min(moves, self.most))


@dataclass(frozen=True)
class Images:
    """All that one person can do, listed: for each thing that others can be, the positions of the answer.

    Attributes:
        listed: the positions of each image, ascending.
    """

    listed: frozenset[tuple[int, ...]]

    exact = True

    @property
    def sweep(self) -> int:
        """How far the person can move the answer, in steps."""
        return max(image[-1] - image[0] for image in self.listed)

    @cached_property
    def table(self) -> npt.NDArray[np.int64 | np.object_]:
        """An image a row, filled up with its last position."""
        longest = max(map(len, self.listed))
        rows = [image + image[-1:] * (longest - len(image)) for image in sorted(self.listed)]
        return np.array(rows, whole_numbers(max(row[-1] for row in rows)))


@dataclass(frozen=True)
class Slide:
    """On a continuum: the person moves the answer over a closed interval, which others can shift anywhere.

    Attributes:
        length: the length of the longest such interval.
        exact: whether an interval of that length occurs at each place.
        more: how many further answers the person can cause, such as that there is none.
    """

    length: Fraction
    exact: bool = True
    more: int = 0


def length(numbers: Positions) -> int:
    """How many positions there are, also where `len` would overflow.

    >>> length(range(0, 10**30, 5)) == 2 * 10**29
    True
    """
    return (numbers[-1] - numbers[0]) // numbers.step + 1 if isinstance(numbers, range) else len(numbers)


def is_consecutive(numbers: Positions) -> bool:
    """Whether there is no gap between them."""
    return isinstance(numbers, range) and (numbers.step == 1 or len(numbers) == 1)


def positions(numbers: Iterable[int]) -> Positions:
    """Distinct numbers in order, as a range where they are regular.

    >>> positions([4, 0, 2]), positions([0, 4, 5])
    (range(0, 5, 2), (0, 4, 5))
    """
    found = sorted(set(numbers))
    if len(found) == 1:
        return range(found[0], found[0] + 1)
    step = found[1] - found[0]
    if found[-1] - found[0] == step * (len(found) - 1):
        regular = range(found[0], found[-1] + 1, step)
        if found == list(regular):
            return regular
    return tuple(found)


def sums(parts: Sequence[tuple[Positions, int]]) -> tuple[Positions, bool]:
    """All sums of one number out of each set, each set taken this many times.

    Args:
        parts: sets that begin with 0, and how often each is taken.

    Returns:
        The sums, and whether they are exact; if not, a range that holds them all.

    >>> sums([((0, 4, 5), 2)])
    ((0, 4, 5, 8, 9, 10), True)
    """
    if len(parts) == 1 and isinstance(only := parts[0][0], range):  # the common case, and the quick one
        return range(0, only[-1] * parts[0][1] + 1, only.step), True
    parts = [(moves, times) for moves, times in parts if times and len(moves) > 1]
    if not parts:
        return range(1), True
    if all(isinstance(moves, range) for moves, _ in parts) and (found := _regular_sums(parts)) is not None:
        return found, True
    step = reduce(gcd, (number for moves, _ in parts for number in moves))
    total = sum(moves[-1] * times for moves, times in parts)
    if total // step > _MOST:
        return range(0, total + 1, step), False
    reached = reduce(_added, (_times(moves, times, step) for moves, times in parts))
    return positions((np.flatnonzero(reached) * step).tolist()), True


def most_listed(moves: Positions, times: int) -> int:
    """How many positions `sums` lists at most, for one set.

    >>> most_listed((0, 4, 5), 2), most_listed((0, 4, 5), 10**6), most_listed(range(6), 10**9)
    (11, 0, 0)
    """
    if isinstance(moves, range):
        return 0
    total = moves[-1] * times // gcd(*moves)
    return total + 1 if total <= _MOST else 0


def _regular_sums(parts: Sequence[tuple[Positions, int]]) -> range | None:
    """Sums of regular sets whose steps divide the smallest step and leave no gap: again a regular set."""
    ordered = sorted(parts, key=lambda part: part[0][1])
    step, reached = ordered[0][0][1], 0
    for moves, times in ordered:
        if moves[1] % step or (reached and moves[1] > reached + step):
            return None
        reached += moves[-1] * times
    return range(0, reached + 1, step)


def _times(moves: Positions, times: int, step: int) -> BoolArray:
    """The sums of this many numbers of one set, as truth values by position, by doubling."""
    power = np.zeros(moves[-1] // step + 1, bool)
    power[np.asarray(moves) // step] = True
    found = np.ones(1, bool)
    while times:
        if times & 1:
            found = _added(found, power)
        times >>= 1
        power = _added(power, power) if times else power
    return found


def _added(first: BoolArray, second: BoolArray) -> BoolArray:
    """The sums of two sets: a convolution counts the ways to reach each, with an error far below a half."""
    length = len(first) + len(second) - 1
    size = 1 << (length - 1).bit_length()
    ways = np.fft.irfft(np.fft.rfft(first, size) * np.fft.rfft(second, size), size)
    return np.asarray(ways[:length] > 1 / 2)


_MOST_LISTED = 2**20


class Query(ABC):
    """A question with a number for an answer, asked about `people` persons; who they are is public.

    Nothing here looks at data: this is what its price depends on.
    """

    people: int
    """How many persons (or rows, with several a person) take part."""
    attribute: "Attribute | Quantity"
    """The private attribute that the answer depends on."""

    def __post_init__(self) -> None:
        require_people(self.people)

    @property
    @abstractmethod
    def span(self) -> Span:
        """The values that the answer can take."""

    @property
    @abstractmethod
    def influences(self) -> Sequence[Influence | Images | Slide]:
        """What each kind of person can do to the answer."""

    @property
    def attainable(self) -> Positions | None:
        """The positions of the span that an answer can really be at; None when all of them may be."""
        return None

    @property
    def listed(self) -> int:
        """How many positions are listed, at most, to say what people can do; known before they are."""
        return 0

    @property
    def attribute_name(self) -> str:
        """What the private attribute is called."""
        return self.attribute.name

    @property
    @abstractmethod
    def pieces(self) -> int | None:
        """Into how many monotone pieces the answer falls as one person's attribute ascends.

        1: it only rises or only falls; 2: it goes up, then down (or down, then up); None: unknown.
        """

    @property
    def filtered_elsewhere(self) -> bool:
        """Whether it also depends on another private attribute, which decides which rows count."""
        return False


class CountedQuery(Query):
    """A question whose answer depends only on how many rows have each value."""

    @abstractmethod
    def position(self, counts: Mapping[int, int]) -> int:
        """The exact answer, as its position on the span, given how many rows have each number."""


def require_people(people: int) -> None:
    """Check the size of a group.

    Raises:
        RequestError: it is empty.
    """
    if people < 1:
        raise RequestError("nobody takes part; a group has at least one person")


def require_listable(name: str, size: int) -> None:
    """Check that a column's values can be looked at one by one, as private filters and histograms do.

    Raises:
        ColumnError: they are too many.
    """
    if size > _MOST_LISTED:
        raise ColumnError(
            name,
            f"has {size:,} values, too many for private filters and histograms;"
            f" declare a coarser step, or ROUND an expression, to at most {_MOST_LISTED:,}",
        )


def monotone_pieces(values: Sequence[int]) -> int:
    """Into how many rising or falling pieces a sequence falls; a flat one is one piece.

    >>> monotone_pieces([0, 1, 1, 3]), monotone_pieces([0, 1, 1, 0]), monotone_pieces([0, 1, 0, 1])
    (1, 2, 3)
    """
    signs = [after > before for before, after in pairwise(values) if after != before]
    return 1 + sum(after != before for before, after in pairwise(signs))


@dataclass(frozen=True)
class Attribute:
    """A person's value is origin + unit * number for one of the numbers, which ascend from 0.

    Attributes:
        name: the column's name.
        numbers: the numbers that the domain has.
        origin: the smallest value.
        unit: the distance of neighbouring numbers.
    """

    name: str
    numbers: Positions
    origin: Fraction = Fraction(0)
    unit: Fraction = Fraction(1)

    @classmethod
    def of(cls, name: str, column: Column) -> "Attribute":
        """The attribute that a declared column describes.

        Raises:
            ColumnError: its values are no numbers.
        """
        if isinstance(column, NumberColumn):
            low, step = Fraction(column.bounds[0]), Fraction(column.step)
            return cls(name, range(column.size), low, step)
        if isinstance(column, BooleanColumn):
            return cls(name, range(2))
        raise ColumnError(name, "holds no numbers; count its values or make a histogram of them")

    @classmethod
    def on(cls, name: str, lattice: Lattice) -> "Attribute":
        """The attribute whose values are a lattice."""
        return cls(name, range(lattice.last + 1), lattice.low, lattice.step)

    @classmethod
    def among(cls, name: str, values: Iterable[Fraction]) -> "Attribute":
        """The attribute with any finite set of values.

        >>> Attribute.among("x", [Fraction(1, 2), Fraction(2), Fraction(5, 2)])
        Attribute(name='x', numbers=(0, 3, 4), origin=Fraction(1, 2), unit=Fraction(1, 2))
        """
        distinct = sorted(set(values))
        if not distinct:
            raise RequestError("a domain has at least one value")
        origin = distinct[0]
        unit = common_unit(value - origin for value in distinct)
        return cls(name, positions(int((value - origin) / unit) for value in distinct), origin, unit)

    @property
    def size(self) -> int:
        """How many values there are."""
        return length(self.numbers)

    @property
    def span(self) -> Lattice:
        """The lattice that holds the values."""
        return Lattice(self.origin, self.unit, self.numbers[-1])

    def value(self, number: int) -> Fraction:
        """The value with this number."""
        return self.origin + self.unit * number


@dataclass(frozen=True)
class Quantity:
    """A private attribute that can be any real number of an interval: before a step is chosen."""

    name: str
    span: Continuum


def common_unit(distances: Iterable[Fraction]) -> Fraction:
    """The largest number of which all distances are multiples; 1 when all are 0.

    >>> common_unit([Fraction(3, 2), Fraction(2)])
    Fraction(1, 2)
    """
    top, bottom = 0, 1
    for distance in distances:
        bottom_all = lcm(bottom, distance.denominator)
        top = gcd(top * (bottom_all // bottom), distance.numerator * (bottom_all // distance.denominator))
        bottom = bottom_all
    return Fraction(top, bottom) if top else Fraction(1)
