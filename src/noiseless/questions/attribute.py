"""A private attribute of a record as numbers: what a person's value can be."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from noiseless.domain import Column, NumberColumn
from noiseless.domain.columns import BooleanColumn
from noiseless.errors import ColumnError, RequestError
from noiseless.questions.influence import Positions, length, positions
from noiseless.ranges.spans import Continuum, Lattice


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
