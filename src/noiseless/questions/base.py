"""A question as far as its price needs to know it, and the private attribute that it is about."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm

from noiseless.domain import Column, NumberColumn
from noiseless.domain.columns import BooleanColumn
from noiseless.errors import ColumnError, RequestError
from noiseless.questions.influence import Images, Influence, Positions, Slide, length, positions
from noiseless.ranges.spans import Continuum, Lattice, Span

_MOST_LISTED = 2**20


class Query(ABC):
    """A question with a number for an answer, asked about `people` persons; who they are is public.

    Nothing here looks at data: this is what its price depends on.
    """

    people: int
    """How many persons (or rows, with several a person) take part."""
    attribute: "Attribute | Quantity"
    """The private attribute that the answer depends on."""

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
            f" declare a coarser step, with at most {_MOST_LISTED:,}",
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
