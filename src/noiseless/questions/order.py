"""Questions about the order of values: minimum, maximum, median and other quantiles."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.questions.additive import LinearOnBox
from noiseless.questions.base import (
    Attribute,
    CountedQuery,
    Influence,
    Positions,
    Quantity,
    Query,
    Slide,
    sums,
)
from noiseless.ranges.spans import Continuum, Lattice


def rank_of(share: Rational, people: int) -> int:
    """Which of the sorted values, from 1, is the quantile: the first with at least this share at or below it.

    >>> rank_of(0, 5), rank_of(Fraction(1, 2), 4), rank_of(1, 5)
    (1, 2, 5)
    """
    if not 0 <= share <= 1:
        raise RequestError("a quantile is asked for with a share between 0 and 1")
    wanted = Fraction(share) * people
    return max(1, -(-wanted.numerator // wanted.denominator))


@dataclass(frozen=True)
class OrderStatistic(CountedQuery):
    """The value with a certain rank: 1 is the minimum, `people` the maximum.

    With others fixed it is the person's own value, clamped between two neighbouring values of others; where
    these are the ends of the domain, it is the person's own value.
    """

    people: int
    attribute: Attribute
    rank: int

    pieces = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.rank <= self.people:
            raise RequestError(f"of {self.people:,} values none has rank {self.rank:,}")

    @property
    def span(self) -> Lattice:
        """The attribute's own values."""
        return self.attribute.span

    @property
    def attainable(self) -> Positions:
        """The attribute's numbers."""
        return self.attribute.numbers

    @property
    def influences(self) -> tuple[Influence]:
        """When the others stand at both ends, all of the domain is the person's."""
        return (Influence(self.attribute.numbers, range(1)),)

    def position(self, counts: Mapping[int, int]) -> int:
        """The number with the rank."""
        left = self.rank
        for number in sorted(counts):
            left -= counts[number]
            if left <= 0:
                return number
        raise RequestError("fewer rows are counted than take part")


@dataclass(frozen=True)
class MiddleMedian(CountedQuery):
    """The median of an even number of values: the mean of the middle two, on a lattice twice as fine.

    With others fixed it is their middle value plus the person's own one, clamped, halved. Somebody with two
    rows or more can be both of the middle ones.
    """

    people: int
    attribute: Attribute
    rows: int = 1

    pieces = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.people % 2:
            raise RequestError("an odd number of values has one in the middle; ask for the order statistic")

    @property
    def span(self) -> Lattice:
        """The attribute's values and the points between them."""
        own = self.attribute.span
        return Lattice(own.low, own.step / 2, own.last * 2)

    @cached_property
    def attainable(self) -> Positions:
        """The sums of two numbers."""
        return sums([(self.attribute.numbers, 2)])[0]

    @cached_property
    def influences(self) -> tuple[Influence]:
        """Others stand at both ends and one in the middle, at any value; or none, with several rows."""
        if self.rows > 1:
            moves, exact = sums([(self.attribute.numbers, 2)])
            return (Influence(moves, range(1), exact),)
        return (Influence(self.attribute.numbers, self.attribute.numbers),)

    def position(self, counts: Mapping[int, int]) -> int:
        """The sum of the middle two numbers."""
        half = self.people // 2
        return sum(OrderStatistic(self.people, self.attribute, r).position(counts) for r in (half, half + 1))


@dataclass(frozen=True)
class OrderOnInterval(Query):
    """Any order statistic of quantities: for planning before a step is chosen."""

    people: int
    attribute: Quantity

    pieces = 1

    @property
    def span(self) -> Continuum:
        """The quantity's own interval."""
        return self.attribute.span

    @property
    def influences(self) -> tuple[Slide]:
        """All of the interval can be the person's."""
        return (Slide(self.attribute.span.width),)


@dataclass(frozen=True)
class MiddleMedianOnInterval(OrderOnInterval):
    """The median of an even number of quantities: to one person it is the mean of the middle two.

    The others at both ends leave the person's value and one more in the middle, which can be anything.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.people % 2:
            raise RequestError("an odd number of values has one in the middle; ask for the order statistic")

    @property
    def middle_two(self) -> LinearOnBox:
        """Their mean."""
        return LinearOnBox((Fraction(1, 2),), self.attribute, times=2)

    @property
    def influences(self) -> tuple[Slide]:
        """Half of the interval can be the person's, anywhere in it."""
        return (Slide(self.attribute.span.width / 2),)


def minimum(people: int, attribute: Attribute) -> OrderStatistic:
    """MIN(attribute).

    Its range is the attribute's own. Where everybody else is at the upper end it is the person's own value:
    it can tell all there is to know of them, and costs as much as the cells that it is told in.

    >>> ages = minimum(10, Attribute("age", range(121)))
    >>> ages.span.last, ages.pieces
    (120, 1)
    """
    return OrderStatistic(people, attribute, 1)


def maximum(people: int, attribute: Attribute) -> OrderStatistic:
    """MAX(attribute).

    Its range is the attribute's own. Where everybody else is at the lower end it is the person's own value:
    it can tell all there is to know of them, and costs as much as the cells that it is told in.

    >>> ages = maximum(10, Attribute("age", range(121)))
    >>> ages.span.last, ages.pieces
    (120, 1)
    """
    return OrderStatistic(people, attribute, people)


def quantile(people: int, attribute: Attribute, share: Rational) -> OrderStatistic:
    """The smallest value with at least this share of all at or below it (SQL's PERCENTILE_DISC).

    It is a value that somebody has. Where others stand at both ends of the range, on the right sides of the
    rank, it is the person's own value.

    >>> ninth = quantile(10, Attribute("age", range(121)), Fraction(9, 10))
    >>> ninth.rank, ninth.span.last
    (9, 120)
    """
    return OrderStatistic(people, attribute, rank_of(share, people))


def median(people: int, attribute: Attribute, rows: int = 1) -> OrderStatistic | MiddleMedian:
    """The value in the middle; of an even number, the mean of the middle two.

    Of an odd number its range is the attribute's own, of an even number half a step finer. Where others
    stand at both ends it is the person's own value, or half of the way to it.

    >>> median(11, Attribute("age", range(121))).span.last, median(10, Attribute("age", range(121))).span.last
    (120, 240)
    """
    if people % 2:
        return OrderStatistic(people, attribute, people // 2 + 1)
    return MiddleMedian(people, attribute, rows)
