"""Dominance rules: a total is withheld when too much of it comes from too few.

For all of them the values that one person may have for the total to be told, others fixed, are an interval
from lam * m to mu * m when the others have m each; and whatever the others have, it lies within the interval
for some m that one of them has.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from noiseless.errors import RequestError
from noiseless.rules.base import Dominance, PassingInterval, number_text, require_whole

_NONE = PassingInterval(Fraction(0), Fraction(-1))
_ZERO = PassingInterval(Fraction(0), Fraction(0))


@dataclass(frozen=True)
class NK(Dominance):
    """The (n,k) rule: withheld if the `largest` largest contributors make more than `percent` % of the total.

    A total of 0 is told: nobody makes more than any share of it.

    >>> rule = NK(1, Fraction(75))
    >>> rule.passes([75, 20, 5]), rule.passes([76, 20, 5]), rule.passes([0, 0])
    (True, False, True)
    """

    name: ClassVar[str] = "nk"
    form: ClassVar[str] = "nk:N:PERCENT"
    used_by: ClassVar[str] = (
        "statistical offices, for tables of magnitudes (Handbook on Statistical Disclosure Control, 2010;"
        " FCSM Statistical Policy Working Paper 22, 2005)"
    )

    largest: int
    percent: Fraction

    def __post_init__(self) -> None:
        require_whole(self.largest, 1, "the N of nk:N:PERCENT")
        if not 0 < self.percent < 100:  # noqa: PLR2004 - per cent
            raise RequestError("the PERCENT of nk:N:PERCENT lies between 0 and 100")

    @property
    def statement(self) -> str:
        """What is withheld."""
        makes = "contributor makes" if self.largest == 1 else f"{self.largest} contributors make"
        share = number_text(self.percent)
        rule = f"A total is withheld if the largest {makes} more than {share} % of it"
        return f"{rule}; a total of 0 is published."

    def passes_each(self, totals: Any) -> Any:  # noqa: ANN401 - arrays of numpy
        """The same of many totals."""
        return (
            100 * self.percent.denominator * totals.top(self.largest) <= self.percent.numerator * totals.total
        )

    def passing(self, people: int, others: Fraction) -> PassingInterval:
        """N m <= p (Y + x) for x up to m, (N - 1) m + x <= p (Y + x) above; Y = (n - 1) m."""
        if not others or people <= self.largest:
            return _ZERO if not others or people == 1 else _NONE
        share, top = self.share, self.largest
        low = others * max(top / share - (people - 1), Fraction(0))
        return PassingInterval(low, others * (share * (people - top) / (1 - share) - (top - 1)))

    def always_passes(self, people: int, low: Fraction, high: Fraction) -> bool:
        """Most comes from few when the `largest` largest have the most and all others the least."""
        few = min(self.largest, people) * high
        return few <= self.share * (few + max(people - self.largest, 0) * low)


@dataclass(frozen=True)
class PPercent(Dominance):
    """The p% rule: withheld if the second largest could estimate the largest to within p %.

    That is if the total without the two largest is below p % of the largest. A total of 0 is told.

    >>> rule = PPercent(Fraction(10))
    >>> rule.passes([100, 50, 10]), rule.passes([100, 50, 9]), rule.passes([5, 5]), rule.passes([0])
    (True, False, False, True)
    """

    name: ClassVar[str] = "p-percent"
    form: ClassVar[str] = "p-percent:P"
    used_by: ClassVar[str] = (
        "the US Census Bureau's economic programmes and other statistical offices, for tables of magnitudes"
        " (FCSM Statistical Policy Working Paper 22, 2005; Handbook on Statistical Disclosure Control, 2010)"
    )

    percent: Fraction

    def __post_init__(self) -> None:
        if self.percent <= 0:
            raise RequestError("the P of p-percent:P is a number above 0")

    @property
    def statement(self) -> str:
        """What is withheld."""
        return (
            "A total is withheld if all but the two largest contributors make less than"
            f" {number_text(self.percent)} % of the largest; a total of 0 is published."
        )

    def passes_each(self, totals: Any) -> Any:  # noqa: ANN401 - arrays of numpy
        """The same of many totals."""
        rest = totals.total - totals.top(2)
        return 100 * self.percent.denominator * rest >= self.percent.numerator * totals.top(1)

    def passing(self, people: int, others: Fraction) -> PassingInterval:
        """(n - 3) m + x >= p m for x up to m, (n - 2) m >= p x above."""
        if not others or people <= 2:  # noqa: PLR2004 - the two largest are all
            return _ZERO if not others or people == 1 else _NONE
        low = others * max(self.share - (people - 3), Fraction(0))
        high = others * (people - 2) / self.share
        return PassingInterval(low, high) if low <= high else _NONE

    def always_passes(self, people: int, low: Fraction, high: Fraction) -> bool:
        """The others make least when all of them have the least."""
        return max(people - 2, 0) * low >= self.share * high


@dataclass(frozen=True)
class Customers(Dominance):
    """An aggregate of energy data is told if it has enough customers and none makes too much of it.

    A customer who used nothing is a customer too. A total of 0 is told, given enough customers.

    >>> rule = Customers(15, Fraction(15))
    >>> rule.passes([1] * 15), rule.passes([1] * 14), rule.passes([3, *[1] * 14]), rule.text
    (True, False, False, '15/15')
    """

    name: ClassVar[str] = "customers"
    form: ClassVar[str] = "15/15, or customers:N:PERCENT"
    used_by: ClassVar[str] = (
        "energy utilities in Illinois and other US states, with other numbers here and there, such as 4/50"
        " for whole buildings in Colorado (Energy Efficiency for All, Aggregated Data Access: The 15/15 Rule"
        " in Illinois and Beyond; 4 CCR 723-4-4034)"
    )

    least: int
    percent: Fraction

    def __post_init__(self) -> None:
        require_whole(self.least, 1, "the N of customers:N:PERCENT")
        if not 0 < self.percent <= 100:  # noqa: PLR2004 - per cent
            raise RequestError("the PERCENT of customers:N:PERCENT is above 0 and at most 100")

    @property
    def text(self) -> str:
        """As it is spoken of."""
        return f"{self.least}/{number_text(self.percent)}"

    @property
    def statement(self) -> str:
        """What is published."""
        return (
            f"An aggregate is published only if it has at least {self.least} customers and none makes "
            f"more than {number_text(self.percent)} % of it; a total of 0 of enough customers is published."
        )

    def passes_each(self, totals: Any) -> Any:  # noqa: ANN401 - arrays of numpy
        """The same of many totals."""
        shares = 100 * self.percent.denominator * totals.top(1) <= self.percent.numerator * totals.total
        return (totals.number >= self.least) & shares

    def passing(self, people: int, others: Fraction) -> PassingInterval:
        """As for the one largest: m <= p (Y + x) for x up to m, x <= p (Y + x) above; Y = (n - 1) m."""
        if people < self.least:
            return _NONE
        if self.share == 1:
            return PassingInterval(Fraction(0), None)
        return NK(1, self.percent).passing(people, others)

    def always_passes(self, people: int, low: Fraction, high: Fraction) -> bool:
        """Enough customers, and not too much from one when all others have the least."""
        return people >= self.least and high <= self.share * (high + (people - 1) * low)
