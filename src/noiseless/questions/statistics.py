"""Statistics that are no sum and no order: the mean over a private filter, and the variance."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, pairwise
from math import comb

from noiseless.errors import RequestError
from noiseless.questions.additive import EXCLUDED
from noiseless.questions.base import (
    Attribute,
    CountedQuery,
    Images,
    Influence,
    Positions,
    Query,
    Slide,
    positions,
    sums,
)
from noiseless.questions.order import OrderStatistic, rank_of
from noiseless.ranges.spans import Continuum, Lattice
from noiseless.work import check


class FilteredQuery(Query):
    """A statistic of the rows that pass a private filter; none when fewer than `least_group` do.

    That there is none is one more output, which is paid for.
    """

    least_group: int

    pieces = None  # the person can also be absent: no order helps

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.least_group <= self.people:
            raise RequestError(
                f"the smallest group is a number between 1 and the {self.people:,} who take part"
            )

    @property
    def filtered_elsewhere(self) -> bool:
        """Whether the filter is on another attribute."""
        return True

    def told(self, counts: Mapping[int, int]) -> Fraction | None:
        """The exact answer, given how many rows have each number; None when too few pass.

        Rows that a filter on another attribute leaves out are counted as number `EXCLUDED`.
        """
        passing = {number: count for number, count in counts.items() if self._passes(number)}
        return self._of(passing) if sum(passing.values()) >= self.least_group else None

    def _passes(self, number: int) -> bool:
        return number != EXCLUDED

    @abstractmethod
    def _of(self, passing: Mapping[int, int]) -> Fraction:
        """The answer of the rows that pass."""


@dataclass(frozen=True)
class FilteredMean(FilteredQuery):
    """AVG(attribute) over the rows that pass a private filter; "too few" when fewer than `least_group` do.

    With others fixed, c of whom pass, the person's own r rows move the mean over an interval no longer than
    r / (c + r) of the domain's width, which holds the means with fewer of these rows too; c + r is at least
    `least_group` where there is an answer. "Too few" is one more output.

    Attributes:
        people: how many rows take part before the filter.
        attribute: the attribute whose mean is asked for.
        least_group: the declared smallest number of rows that a mean is told for.
        where: the numbers that pass; all of them when the filter is on another attribute.
        rows: the most rows that one person has.

    >>> FilteredMean(100, Attribute("pay", range(1001)), least_group=10).span.high
    Fraction(1000, 1)
    """

    people: int
    attribute: Attribute
    least_group: int
    where: frozenset[int] | None = None
    rows: int = 1

    @property
    def span(self) -> Continuum:
        """The attribute's range: quotients of sums and counts lie densely in it."""
        return Continuum(self.attribute.span.low, self.attribute.span.high)

    @property
    def influences(self) -> tuple[Slide]:
        """The longest interval, and "too few"."""
        share = min(Fraction(self.rows, self.least_group), Fraction(1))
        return (Slide(self.attribute.span.width * share, exact=False, more=1),)

    @property
    def filtered_elsewhere(self) -> bool:
        """Whether the filter is on another attribute."""
        return self.where is None

    def _passes(self, number: int) -> bool:
        return number != EXCLUDED and (self.where is None or number in self.where)

    def _of(self, passing: Mapping[int, int]) -> Fraction:
        total = sum(number * count for number, count in passing.items())
        return self.attribute.origin + self.attribute.unit * Fraction(total, sum(passing.values()))


@dataclass(frozen=True)
class FilteredOrder(FilteredQuery):
    """A quantile, or the median, of the rows that pass a private filter.

    Where others stand at both ends of the range it can be the person's own value: all cells, and "too few".

    Attributes:
        people: how many rows take part before the filter.
        attribute: the attribute.
        least_group: the smallest number of rows that it is told for.
        share: which quantile (SQL's PERCENTILE_DISC); None for the median, the mean of the middle two.
    """

    people: int
    attribute: Attribute
    least_group: int
    share: Fraction | None = None

    @property
    def span(self) -> Lattice:
        """The attribute's own values; of the median, also the points between them."""
        own = self.attribute.span
        return own if self.share is not None else Lattice(own.low, own.step / 2, own.last * 2)

    @cached_property
    def attainable(self) -> Positions:
        """The attribute's numbers; of the median, the sums of two."""
        return self.attribute.numbers if self.share is not None else sums([(self.attribute.numbers, 2)])[0]

    @property
    def influences(self) -> tuple[Influence]:
        """Any value, and "too few"."""
        return (Influence(self.attainable, range(1), exact=False, more=1),)

    def _of(self, passing: Mapping[int, int]) -> Fraction:
        rows = sum(passing.values())
        ranks = [(rows + 1) // 2, rows // 2 + 1] if self.share is None else [rank_of(self.share, rows)]
        found = [OrderStatistic(rows, self.attribute, rank).position(passing) for rank in ranks]
        return self.attribute.origin + self.attribute.unit * Fraction(sum(found), len(found))


@dataclass(frozen=True)
class FilteredVariance(FilteredQuery):
    """VAR_POP(attribute) over the rows that pass a private filter, divided by their number.

    With c others who pass, of variance V and mean m, the person is absent, and it is V, or adds a value v:
    V c / (c + 1) + (v - m)^2 c / (c + 1)^2. With a domain of width W these lie within W^2 c / (c + 1)^2 of
    each other, for V is at most W^2 / 4; that falls from c = 1 on, and c + 1 is at least `least_group`.

    Attributes:
        people: how many rows take part before the filter.
        attribute: the attribute.
        least_group: the smallest number of rows that it is told for.
        rows: the most rows that one person has; with several, no bound but the range is known.
    """

    people: int
    attribute: Attribute
    least_group: int
    rows: int = 1

    @property
    def span(self) -> Continuum:
        """From all alike to one half at each end."""
        return Continuum(Fraction(0), self.attribute.span.width**2 / 4)

    @property
    def influences(self) -> tuple[Slide]:
        """The longest interval, and "too few"."""
        least = max(self.least_group, 2) if self.rows == 1 else 2
        return (Slide(self.attribute.span.width**2 * Fraction(least - 1, least**2), exact=False, more=1),)

    def _of(self, passing: Mapping[int, int]) -> Fraction:
        rows = sum(passing.values())
        first = Fraction(sum(number * count for number, count in passing.items()), rows)
        second = Fraction(sum(number * number * count for number, count in passing.items()), rows)
        return self.attribute.unit**2 * (second - first**2)


_MOST = 50_000
"""What a person can do is listed while there are at most this many values of others and their own."""

_EACH = 4
"""What each image takes besides its positions, in positions."""


def few_groups(size: int, people: int, most: int) -> bool:
    """Whether others and a person, C(size + n - 2, n - 1) * size in all, are at most this many.

    >>> few_groups(3, 3, 18), few_groups(3, 3, 17), few_groups(10**12, 10**9, 10**6)
    (True, False, False)
    """
    fewer, more = sorted((people - 1, size - 1))
    ways = size
    for chosen in range(1, fewer + 1):  # C(more + chosen, chosen) only grows
        if ways > most:
            break
        ways = ways * (more + chosen) // chosen
    return ways <= most


@dataclass(frozen=True)
class Variance(CountedQuery):
    """The variance: n * sum of squares - square of the sum, in units of (unit / n)^2.

    Its range is 0 to the variance of one half at each end. One person moves it by (n - 1) times the square
    of the attribute's range over n^2, at most: with everybody else at one end.

    With others fixed it is a parabola in the person's value: down to the others' mean, then up.

    Attributes:
        people: how many rows take part, the n below.
        attribute: the private attribute.

    >>> Variance(10, Attribute("age", range(121))).span.high
    Fraction(3600, 1)
    """

    people: int
    attribute: Attribute

    pieces = 2  # down, then up

    @property
    def span(self) -> Lattice:
        """From everybody alike to one half at each end."""
        half, top = self.people // 2, self.attribute.numbers[-1]
        step = (self.attribute.unit / self.people) ** 2
        return Lattice(Fraction(0), step, half * (self.people - half) * top * top)

    @cached_property
    def influences(self) -> tuple[Influence | Images]:
        """All sets of others while they are few; else the longest interval a person can move it over."""
        if not self.listed:
            return (self._bound(),)
        return (Images(frozenset(self._image(*sums) for sums in self._others())),)

    @cached_property
    def listed(self) -> int:
        """Everything that others and a person can be, while it is little."""
        size, others = self.attribute.size, self.people - 1
        if not few_groups(size, self.people, _MOST):
            return 0
        return comb(size - 1 + others, others) * (size + _EACH)

    @cached_property
    def attainable(self) -> Positions | None:
        """Where some dataset puts it, while datasets are few."""
        (found,) = self.influences
        return positions(p for image in found.listed for p in image) if isinstance(found, Images) else None

    def _bound(self) -> Influence:
        """With all others at one end a person moves it by (n - 1) top^2, and never by more."""
        sweep = (self.people - 1) * self.attribute.numbers[-1] ** 2
        return Influence(
            range(sweep + 1), range(self.span.last - sweep + 1), exact=False, most=self.attribute.size
        )

    def position(self, counts: Mapping[int, int]) -> int:
        """The variance without its divisor."""
        first = sum(number * count for number, count in counts.items())
        second = sum(number * number * count for number, count in counts.items())
        return self.people * second - first * first

    def _others(self) -> Iterator[tuple[int, int]]:
        """The sum of all others' numbers and that of their squares, for all that they can be.

        Others are listed one by one, or as how many have at most each number: whichever is shorter.
        """
        numbers, others = self.attribute.numbers, self.people - 1
        if others < self.attribute.size:
            for rest in combinations_with_replacement(numbers, others):
                yield sum(rest), sum(n * n for n in rest)
            return
        steps = [(after - before, after**2 - before**2) for before, after in pairwise(numbers)]
        first, second = others * numbers[-1], others * numbers[-1] ** 2
        for below in combinations_with_replacement(range(others + 1), len(steps)):
            yield (
                first - sum(times * step for times, (step, _) in zip(below, steps, strict=True)),
                second - sum(times * step for times, (_, step) in zip(below, steps, strict=True)),
            )

    def _image(self, first: int, second: int) -> tuple[int, ...]:
        """Where a person can take it from the sums of the others."""
        check()
        found = {self.people * (second + n * n) - (first + n) ** 2 for n in self.attribute.numbers}
        return tuple(sorted(found))
