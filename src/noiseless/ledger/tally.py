"""The sum of many prices as they came: how often each, not their product."""

from collections.abc import Iterable
from fractions import Fraction
from math import prod
from typing import NamedTuple

from noiseless.exact import log2_bounds, round_up
from noiseless.ledger.accounts import NO_BITS
from noiseless.ledger.wire import fraction_text, integer_text, read_fraction, read_integer
from noiseless.pricing.cost import Cost


class Tally(NamedTuple):
    """What an analyst's batches made a dataset pay.

    A person's account is bounded by the budget. An analyst's is not: a bit from each of a million groups is
    a million bits, and a number with as many digits would be written anew for each question.

    Attributes:
        factors: pairs of a number of outputs and how many batches had it, ascending.
        capacity: bits of randomised answers.
    """

    factors: tuple[tuple[int, int], ...] = ()
    capacity: Fraction = NO_BITS

    def plus(self, cost: Cost) -> "Tally":
        """The sum with one price more.

        >>> Tally().plus(Cost(2)).plus(Cost(3)).plus(Cost(2)).factors
        ((2, 2), (3, 1))
        """
        counts = dict(self.factors)
        if cost.outputs > 1:
            counts[cost.outputs] = counts.get(cost.outputs, 0) + 1
        capacity = self.capacity if cost.capacity is NO_BITS else self.capacity + cost.capacity
        return Tally(tuple(sorted(counts.items())), capacity)

    @property
    def cost(self) -> Cost:
        """The sum as a cost."""
        return Cost(prod(outputs**count for outputs, count in self.factors), self.capacity)

    @property
    def upper(self) -> float:
        """A float that is not below the sum in bits.

        >>> Tally(((2, 1_000_000),)).upper
        1000000.0
        """
        bits = sum(
            (log2_bounds(Fraction(outputs))[1] * count for outputs, count in self.factors), self.capacity
        )
        return round_up(bits)

    @property
    def texts(self) -> tuple[str, str]:
        """What is kept of it.

        >>> Tally(((2, 5), (3, 1))).texts
        ('2^5 3^1', '0')
        """
        factors = " ".join(f"{integer_text(outputs)}^{count}" for outputs, count in self.factors)
        return factors, fraction_text(self.capacity)

    @classmethod
    def read(cls, factors: str, capacity: str) -> "Tally":
        """The sum that texts say.

        >>> Tally.read("2^5 3^1", "0").cost.outputs, Tally.read("", "1/2").cost.capacity
        (96, Fraction(1, 2))
        """
        return cls(tuple(_pairs(factors.split())), read_fraction(capacity))


def _pairs(texts: Iterable[str]) -> Iterable[tuple[int, int]]:
    for text in texts:
        outputs, _, count = text.partition("^")
        yield read_integer(outputs), int(count)
