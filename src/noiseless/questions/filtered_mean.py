"""The mean of those rows that pass a private filter, when enough of them are sure to."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from noiseless.errors import RequestError
from noiseless.questions.additive import EXCLUDED
from noiseless.questions.attribute import Attribute
from noiseless.questions.base import Query, require_people
from noiseless.questions.influence import Slide
from noiseless.ranges.spans import Continuum


@dataclass(frozen=True)
class FilteredMean(Query):
    """AVG(attribute) over the rows that pass a private filter; "too few" when fewer than `least_group` do.

    With others fixed, c of whom pass, the person's own value moves the mean over an interval no longer than
    the domain's width / (c + 1), which holds the mean without them too; c + 1 is at least `least_group` where
    there is an answer. "Too few" is one more output.

    Attributes:
        people: how many rows take part before the filter.
        attribute: the attribute whose mean is asked for.
        least_group: the declared smallest number of rows that a mean is told for.
        where: the numbers that pass; all of them when the filter is on another attribute.

    >>> FilteredMean(100, Attribute("pay", range(1001)), least_group=10).span.high
    Fraction(1000, 1)
    """

    people: int
    attribute: Attribute
    least_group: int
    where: frozenset[int] | None = None

    def __post_init__(self) -> None:
        require_people(self.people)
        if not 1 <= self.least_group <= self.people:
            raise RequestError(
                f"the smallest group is a number between 1 and the {self.people:,} who take part"
            )

    @property
    def attribute_name(self) -> str:
        """The attribute whose mean is asked for."""
        return self.attribute.name

    @property
    def span(self) -> Continuum:
        """The attribute's range: quotients of sums and counts lie densely in it."""
        return Continuum(self.attribute.span.low, self.attribute.span.high)

    @property
    def influences(self) -> tuple[Slide]:
        """The longest interval, and "too few"."""
        return (Slide(self.attribute.span.width / self.least_group, exact=False, more=1),)

    @property
    def filtered_elsewhere(self) -> bool:
        """Whether the filter is on another attribute."""
        return self.where is None

    @property
    def pieces(self) -> None:
        """The person can also be absent: no order helps."""
        return

    def mean(self, counts: Mapping[int, int]) -> Fraction | None:
        """The exact mean of the rows that pass, given how many have each number; None when too few do.

        Rows that a filter on another attribute leaves out are counted as number `EXCLUDED`.
        """
        passing = {
            number: count
            for number, count in counts.items()
            if number != EXCLUDED and (self.where is None or number in self.where)
        }
        rows = sum(passing.values())
        if rows < self.least_group:
            return None
        total = sum(number * count for number, count in passing.items())
        return self.attribute.origin + self.attribute.unit * Fraction(total, rows)
