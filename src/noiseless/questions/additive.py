"""Questions whose answer is a sum over persons: counts, sums, means and weighted sums."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import gcd

from noiseless.errors import RequestError
from noiseless.questions.base import (
    Attribute,
    CountedQuery,
    Influence,
    Positions,
    Quantity,
    Query,
    Slide,
    common_unit,
    monotone_pieces,
    most_listed,
    positions,
    require_listable,
    require_people,
    sums,
)
from noiseless.ranges.spans import Continuum, Lattice, Span


@dataclass(frozen=True)
class Additive(CountedQuery):
    """The sum of what each row contributes, times a factor.

    Attributes:
        people: how many rows take part; the number is public.
        name: the private attribute.
        numbers: the attribute's numbers.
        contributions: what a row with each number contributes, in units above the least contribution.
        least: the least contribution.
        unit: the unit of contributions.
        factor: 1, or 1 / people for a mean.
        rows: the most rows that one person may have.
    """

    people: int
    name: str
    numbers: Positions
    contributions: Positions | tuple[int, ...]
    least: Fraction
    unit: Fraction
    factor: Fraction = Fraction(1)
    rows: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rows < 1:
            raise RequestError("a person has at least one row")

    @property
    def attribute_name(self) -> str:
        """The private attribute that is added up."""
        return self.name

    @cached_property
    def span(self) -> Lattice:
        """From everybody contributing the least to everybody contributing the most."""
        most = max(self.contributions) if isinstance(self.contributions, tuple) else self.contributions[-1]
        low = self.least * self.people * self.factor
        return Lattice(low, self.unit * self.factor, most * self.people)

    @cached_property
    def influences(self) -> tuple[Influence]:
        """A person moves the sum by the sums of their rows; others' rows make the base."""
        rows = min(self.rows, self.people)
        moves, moves_exact = sums([(self._each, rows)])
        bases, bases_exact = sums([(self._each, self.people - rows)])
        return (Influence(moves, bases, moves_exact and bases_exact),)

    @cached_property
    def attainable(self) -> Positions:
        """All sums."""
        return sums([(self._each, self.people)])[0]

    @cached_property
    def listed(self) -> int:
        """The sums of a person's rows, of others' rows, and of all, where they leave gaps."""
        rows = min(self.rows, self.people)
        return sum(most_listed(self._each, times) for times in (rows, self.people - rows, self.people))

    @cached_property
    def pieces(self) -> int | None:
        """How often the contribution turns as the attribute ascends.

        Unknown with several rows a person, or with a filter on another attribute.
        """
        if self.rows > 1 or self.filtered_elsewhere:
            return None
        return 1 if isinstance(self.contributions, range) else monotone_pieces(self.contributions)

    @property
    def filtered_elsewhere(self) -> bool:
        """Whether rows can be left out."""
        return self.numbers[0] == EXCLUDED

    def position(self, counts: Mapping[int, int]) -> int:
        """The sum, in whole numbers of any size."""
        worth = dict(zip(self.numbers, self.contributions, strict=True)) if not self._plain else None
        return sum((number if worth is None else worth[number]) * count for number, count in counts.items())

    @property
    def _plain(self) -> bool:
        return self.contributions == self.numbers

    @cached_property
    def _each(self) -> Positions:
        """The different contributions."""
        return self.contributions if isinstance(self.contributions, range) else positions(self.contributions)


@dataclass(frozen=True)
class RowTotal(Query):
    """The sum of what each row contributes, where that depends on several columns or is not listed.

    Attributes:
        people: how many rows take part; the number is public.
        columns: the private columns that a contribution depends on.
        each: what a row can contribute, in units above the least contribution.
        least: the least contribution.
        unit: the unit of contributions.
        rows: the most rows that one person may have.
        exact: whether a row can contribute each of those; otherwise what is counted is an upper bound.
    """

    people: int
    columns: tuple[str, ...]
    each: Positions
    least: Fraction
    unit: Fraction
    rows: int = 1
    exact: bool = True

    pieces = None  # no order of one column helps

    @property
    def attribute_name(self) -> str:
        """The first of the columns."""
        return self.columns[0]

    @property
    def span(self) -> Lattice:
        """From everybody contributing the least to everybody contributing the most."""
        return Lattice(self.least * self.people, self.unit, self.each[-1] * self.people)

    @cached_property
    def influences(self) -> tuple[Influence]:
        """A person moves the sum by the sums of their rows; others' rows make the base."""
        rows = min(self.rows, self.people)
        (moves, one), (bases, two) = sums([(self.each, rows)]), sums([(self.each, self.people - rows)])
        return (Influence(moves, bases, self.exact and one and two),)

    @cached_property
    def attainable(self) -> Positions | None:
        """All sums of what rows can contribute; some need not occur where that is only an upper bound."""
        return sums([(self.each, self.people)])[0]

    @cached_property
    def listed(self) -> int:
        """The sums of a person's rows, of others' rows, and of all, where they leave gaps."""
        rows = min(self.rows, self.people)
        return sum(most_listed(self.each, times) for times in (rows, self.people - rows, self.people))


EXCLUDED = -1
"""The number of a row that a filter on another private attribute leaves out."""


def total(
    people: int,
    attribute: Attribute,
    where: Collection[int] | None = None,
    rows: int = 1,
    *,
    excluded: bool = False,
) -> Additive:
    """SUM(attribute), of the rows whose number is in `where` if that is given (a private filter).

    Its range is `people` times the attribute's. One person moves it by the width of the attribute's range,
    and takes no part where a filter leaves them out.

    >>> total(10, Attribute("age", range(121))).span.last
    1200

    Args:
        people: how many rows take part.
        attribute: what is added up.
        where: the numbers that count; others contribute nothing.
        rows: the most rows that one person has.
        excluded: whether a filter on another private attribute can leave a row out, as number `EXCLUDED`.
    """
    if where is None and not excluded:
        return _plain(people, attribute, rows, Fraction(1))
    scale = common_unit([attribute.origin, attribute.unit])
    origin, unit = int(attribute.origin / scale), int(attribute.unit / scale)
    if excluded:
        values = [0, *(origin + unit * n for n in _listed(attribute))]
        found = _weighed(people, attribute, values, rows, scale)
        return replace(found, numbers=(EXCLUDED, *attribute.numbers))
    values = [origin + unit * n if where is not None and n in where else 0 for n in _listed(attribute)]
    return _weighed(people, attribute, values, rows, scale)


def count(people: int, attribute: Attribute, where: Collection[int], rows: int = 1) -> Additive:
    """COUNT(*) of the rows whose number is in `where` (a private filter).

    Its range is 0 to `people`. One person moves it by 1, or by as many rows as they have.

    >>> adults = count(10, Attribute("age", range(121)), range(18, 121))
    >>> adults.span.last, adults.pieces
    (10, 1)

    Args:
        people: how many rows take part.
        attribute: what the filter looks at.
        where: the numbers that count.
        rows: the most rows that one person has.
    """
    return _weighed(people, attribute, [int(n in where) for n in _listed(attribute)], rows)


def mean(people: int, attribute: Attribute, rows: int = 1) -> Additive:
    """AVG(attribute) over a group whose size is public.

    Its range is the attribute's, in steps of step / n. One person moves it by the width of that range,
    divided by n. It is told without telling the sum exactly: the number of people is public.

    >>> ages = mean(10, Attribute("age", range(121)))
    >>> ages.span.high, ages.span.step
    (Fraction(120, 1), Fraction(1, 10))
    """
    require_people(people)
    return _plain(people, attribute, rows, Fraction(1, people))


def _plain(people: int, attribute: Attribute, rows: int, factor: Fraction) -> Additive:
    numbers, origin, unit = attribute.numbers, attribute.origin, attribute.unit
    return Additive(people, attribute.name, numbers, numbers, origin, unit, factor, rows)


def _listed(attribute: Attribute) -> Positions:
    """The numbers, when they are not too many to be looked at one by one."""
    require_listable(attribute.name, attribute.size)
    return attribute.numbers


def _weighed(
    people: int, attribute: Attribute, values: Sequence[int], rows: int, scale: Fraction = Fraction(1)
) -> Additive:
    """The sum of a value, a multiple of the scale, for each number."""
    least = min(values)
    unit = gcd(*(value - least for value in values))
    worth = tuple((value - least) // unit for value in values) if unit else (0,) * len(values)
    step = unit * scale if unit else Fraction(1)
    return Additive(people, attribute.name, attribute.numbers, worth, least * scale, step, rows=rows)


@dataclass(frozen=True)
class Weighted(Query):
    """The sum of weight * value over persons; each person's weight is public.

    One person moves it by the width of the attribute's range times their own weight; a weight of 0 tells
    nothing.

    Which sums of others can occur is a subset-sum problem: beyond some size the reach is a bound.

    >>> shares = Weighted((Fraction(1), Fraction(2)), Attribute("x", range(11)))
    >>> shares.span.last, shares.pieces
    (30, 1)
    """

    weights: tuple[Fraction, ...]
    attribute: Attribute

    pieces = 1

    @property
    def people(self) -> int:  # type: ignore[override]  # the weights say how many
        """As many as there are weights."""
        return len(self.weights)

    @cached_property
    def unit(self) -> Fraction:
        """The largest unit of which all weights are multiples."""
        return common_unit(self.weights)

    @cached_property
    def span(self) -> Lattice:
        """From the smallest weighted sum to the largest."""
        top = self.attribute.numbers[-1]
        low = sum((w * self.attribute.value(0 if w > 0 else top) for w in self.weights), Fraction(0))
        steps = sum(abs(int(w / self.unit)) for w in self.weights) * top
        return Lattice(low, self.unit * self.attribute.unit, steps)

    @cached_property
    def influences(self) -> tuple[Influence, ...]:
        """One for each weight; weights of 0 tell nothing of their person."""
        kinds = Counter(weight for weight in self.weights if weight)
        found = []
        for weight in kinds:
            others = [(self._moves(other), times - (other == weight)) for other, times in kinds.items()]
            bases, exact = sums(others)
            found.append(Influence(self._moves(weight), bases, exact))
        return tuple(found) or (Influence(range(1), range(1)),)

    @cached_property
    def attainable(self) -> Positions:
        """All weighted sums."""
        kinds = Counter(weight for weight in self.weights if weight)
        return sums([(self._moves(weight), times) for weight, times in kinds.items()])[0]

    def position(self, numbers: Sequence[int]) -> int:
        """The exact answer as its position, given each person's number in the order of the weights."""
        return sum(self._moved(weight, n) for weight, n in zip(self.weights, numbers, strict=True))

    def _moves(self, weight: Fraction) -> Positions:
        """Where a person with this weight can take the answer; a negative weight turns the domain round."""
        numbers = self.attribute.numbers
        if isinstance(numbers, range):
            size = abs(int(weight / self.unit))
            return range(0, numbers[-1] * size + 1, numbers.step * size)
        return positions(self._moved(weight, number) for number in numbers)

    def _moved(self, weight: Fraction, number: int) -> int:
        size = int(weight / self.unit)
        return size * number if size >= 0 else -size * (self.attribute.numbers[-1] - number)


@dataclass(frozen=True)
class LinearOnBox(Query):
    """A weighted sum or a mean of quantities from one interval: for planning before a step is chosen.

    Attributes:
        weights: the public weights.
        attribute: the quantity.
        times: how many people have each of the weights.
    """

    weights: tuple[Fraction, ...]
    attribute: Quantity
    times: int = 1

    pieces = 1

    @property
    def people(self) -> int:  # type: ignore[override]  # the weights say how many
        """As many as have a weight."""
        return len(self.weights) * self.times

    @cached_property
    def span(self) -> Span:
        """From the smallest weighted sum to the largest."""
        own = self.attribute.span
        ends = [sorted((self.times * w * own.low, self.times * w * own.high)) for w in self.weights]
        return Continuum(sum((a for a, _ in ends), Fraction(0)), sum((b for _, b in ends), Fraction(0)))

    @property
    def sizes(self) -> frozenset[Fraction]:
        """The different weights, without their signs."""
        return frozenset(map(abs, self.weights))

    @cached_property
    def influences(self) -> tuple[Slide]:
        """The person with the largest weight slides the answer farthest, wherever others put it."""
        return (Slide(max(self.sizes) * self.attribute.span.width),)
