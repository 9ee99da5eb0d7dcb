"""Amounts of bits: what answers cost, budgets and what they leave; exactly as texts, rounded for people."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isinf
from typing import Any, NamedTuple

from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, as_fraction, ball, log2_bounds, round_down, round_up

Budget = Rational | Bits
"""A number of bits (int, Fraction, Decimal), or a reach k as `Bits(k)`, which is exactly log2(k) bits."""

_MOST_DECIMAL_BITS = 13_000
"""Python refuses to write longer integers in decimal; they are written in hexadecimal."""

_WHOLE = r"(?:0x[0-9a-f]+|[0-9]+)"
_RATIO = rf"{_WHOLE}(?:/{_WHOLE})?"
_FRACTION = re.compile(rf"(-?)({_RATIO})")
_COST = re.compile(rf"(?:([0-9]{{1,6}})|log2\(({_WHOLE})\))(?: \+ ({_RATIO}))?")
_BUDGET = re.compile(rf"(?:({_RATIO})|log2\(({_RATIO})\))")


@dataclass(frozen=True)
class Cost:
    """log2(outputs) + capacity bits.

    Attributes:
        outputs: at most this many joint answers one person can cause, everybody else staying as they are.
        capacity: bits that randomised answers add. With them the cost bounds the mutual information between
            a record and the answers, and no longer their number.
    """

    outputs: int = 1
    capacity: Fraction = Fraction(0)

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.outputs * other.outputs, self.capacity + other.capacity)

    def __str__(self) -> str:
        if self.is_reach:
            return str(Bits(self.outputs))
        return f"{rounded_up(self._upper)} bits of mutual information"

    @property
    def is_reach(self) -> bool:
        """Whether it counts outputs: no answer was randomised."""
        return not self.capacity

    @property
    def bits(self) -> Bits:
        """The cost as exact bits.

        Raises:
            RequestError: a randomised answer is among the answers.
        """
        if self.capacity:
            raise RequestError("randomised answers are no number of outputs; read `upper` instead of `bits`")
        return Bits(self.outputs)

    @property
    def upper(self) -> float:
        """A float that is not below the cost in bits."""
        return _rounded(self)

    @property
    def _upper(self) -> Fraction:
        return log2_bounds(Fraction(self.outputs))[1] + self.capacity

    @property
    def text(self) -> str:
        """The cost in bits, as a formula.

        >>> Cost(8).text, Cost(3).text, Cost(3, Fraction(1, 2)).text
        ('3', 'log2(3)', 'log2(3) + 1/2')
        """
        counted = _logarithm(Fraction(self.outputs))
        return f"{counted} + {fraction_text(self.capacity)}" if self.capacity else counted

    @classmethod
    def read(cls, text: str) -> "Cost":
        """The cost of a formula.

        Raises:
            ValueError: it is none.

        >>> Cost.read("3"), Cost.read("log2(3) + 1/2")
        (Cost(outputs=8, capacity=Fraction(0, 1)), Cost(outputs=3, capacity=Fraction(1, 2)))
        """
        formula = _COST.fullmatch(text)
        if formula is None:
            raise ValueError("no cost")
        power, outputs, capacity = formula.groups()
        number = 1 << int(power) if outputs is None else int(outputs, 0)
        if not number:
            raise ValueError("no cost")
        return cls(number, read_fraction(capacity or "0"))

    def within(self, budget: Budget) -> bool:
        """Whether it is at most the budget; the comparison is exact.

        >>> three = Cost(3)
        >>> three.within(Decimal("1.58")), three.within(Decimal("1.585")), three.within(Bits(3))
        (False, True, True)
        """
        if isinstance(budget, Bits):
            return Bits(budget.ratio / self.outputs) >= self.capacity
        if isinstance(budget, int) and not self.capacity:  # logarithms of long numbers take their time
            return budget >= 0 and (self.outputs - 1).bit_length() <= budget
        return (
            self.outputs.bit_length() - 1 <= budget and Bits(self.outputs) <= Fraction(budget) - self.capacity
        )

    def exceeds(self, other: "Cost") -> bool:
        """Whether it is more than another cost; the comparison is exact."""
        if self.capacity == other.capacity:
            return self.outputs > other.outputs
        return Bits(Fraction(self.outputs, other.outputs)) > other.capacity - self.capacity


@lru_cache(4096)
def _rounded(cost: Cost) -> float:
    return round_up(cost._upper)  # noqa: SLF001 - of the class above


def dearest(costs: Iterable[Cost], least: Cost) -> Cost:
    """The largest of some costs, and at least `least`."""
    for cost in set(costs):
        if cost.exceeds(least):
            least = cost
    return least


# Budgets, and what they leave


def checked_budget(budget: Budget) -> Budget:
    """A budget that makes sense.

    Raises:
        RequestError: it is negative, not finite, or a float, whose last digit nobody meant.
    """
    if isinstance(budget, float):
        raise RequestError('a budget is exact; write Decimal("1.58"), a whole number, or Bits(3) for a reach')
    if isinstance(budget, Decimal) and not budget.is_finite():
        raise RequestError("a budget is a finite number of bits")
    if budget < 0:
        raise RequestError("a budget is a number of bits, 0 or more")
    return budget


def budget_bits(budget: Budget | None) -> float | None:
    """A budget in bits, rounded down.

    >>> budget_bits(40), budget_bits(Bits(8)), budget_bits(None)
    (40.0, 3.0, None)
    """
    if budget is None:
        return None
    return budget.lower if isinstance(budget, Bits) else round_down(Fraction(budget))


def budget_text(budget: Budget | None) -> str | None:
    """A budget in bits, as a formula.

    >>> budget_text(40), budget_text(Bits(3)), budget_text(None)
    ('40', 'log2(3)', None)
    """
    if budget is None:
        return None
    if isinstance(budget, Bits):
        return f"log2({fraction_text(budget.ratio)})"
    return fraction_text(as_fraction(budget))


def read_budget_text(text: str) -> Fraction | Bits:
    """The budget of a formula.

    Raises:
        ValueError: it is none.

    >>> read_budget_text("79/50"), read_budget_text("log2(3)")
    (Fraction(79, 50), Bits(3))
    """
    formula = _BUDGET.fullmatch(text)
    if formula is None:
        raise ValueError("no budget")
    bits, reach = formula.groups()
    return read_fraction(bits) if reach is None else Bits(read_fraction(reach))


def shown_budget(budget: Budget | None) -> str:
    """A budget as people read it, never too much.

    >>> shown_budget(Fraction(40)), shown_budget(Bits(3)), shown_budget(None)
    ('40.00', '1.58', 'none')
    """
    if budget is None:
        return "none"
    return rounded_down(budget.lower if isinstance(budget, Bits) else Fraction(budget))


def floor_of_power(exponent: Fraction, factor: Fraction = Fraction(1)) -> int:
    """floor(2**exponent * factor) for a rational exponent; a number that is not whole unless the exponent is.

    >>> floor_of_power(Fraction(1, 2), Fraction(10))
    14
    """
    if exponent.denominator == 1:
        return floor(Fraction(2) ** exponent.numerator * factor)
    from flint import arb, ctx

    bits = 64 + max(0, ceil(exponent)) + ceil(factor).bit_length()
    while True:
        with ctx.workprec(bits):
            whole = ((ball(exponent) * arb.const_log2()).exp() * ball(factor)).floor().unique_fmpz()
        if whole is not None:
            return int(whole)
        bits *= 2


def most_outputs(budget: Budget, spent: Cost | None = None) -> int:
    """The largest number of outputs that a budget still allows after `spent`; 0 when it is overdrawn.

    >>> most_outputs(3), most_outputs(3, Cost(3)), most_outputs(Bits(10), Cost(3)), most_outputs(1, Cost(3))
    (8, 2, 3, 0)
    """
    before = spent or Cost()
    if not before.within(budget):
        return 0
    ratio, room = (budget.ratio, Fraction(0)) if isinstance(budget, Bits) else (Fraction(1), Fraction(budget))
    return floor_of_power(room - before.capacity, ratio / before.outputs)


def remaining_bits(budget: Budget | None, spent: Cost) -> float | None:
    """Bits that a budget leaves, rounded down; never less than 0; None without end.

    >>> remaining_bits(3, Cost(2)), remaining_bits(Bits(3), Cost(3)), remaining_bits(1, Cost(4))
    (2.0, 0.0, 0.0)
    """
    if budget is None:
        return None
    if isinstance(budget, Bits):
        left = log2_bounds(budget.ratio / spent.outputs)[0] - spent.capacity
    else:
        left = Fraction(budget) - log2_bounds(Fraction(spent.outputs))[1] - spent.capacity
    return max(round_down(left), 0.0)


def remaining_text(budget: Budget | None, spent: Cost) -> str | None:
    """Bits that a budget leaves, as a formula; None without end.

    >>> [remaining_text(budget, Cost(3)) for budget in (6, Bits(12), 1, None)], remaining_text(6, Cost(4))
    (['6 - log2(3)', '2', '0', None], '4')
    """
    if budget is None:
        return None
    if not spent.within(budget):
        return "0"
    if isinstance(budget, Bits):
        counted = _logarithm(budget.ratio / spent.outputs)
        return f"{counted} - {fraction_text(spent.capacity)}" if spent.capacity else counted
    kept, paid = as_fraction(budget) - spent.capacity, _logarithm(Fraction(spent.outputs))
    return f"{fraction_text(kept)} - {paid}" if "log2" in paid else fraction_text(kept - int(paid))


class Remainder(NamedTuple):
    """What a budget leaves; without end there is none of these.

    Attributes:
        bits: rounded down.
        text: exactly, as a formula.
        outputs: the most outputs that a batch about everybody may still have.
    """

    bits: float | None = None
    text: str | None = None
    outputs: int | None = None


@lru_cache(4096)
def remainder(budget: Budget | None, spent: Cost) -> Remainder:
    """What a budget leaves after `spent`; asked for again with every reply that is free."""
    if budget is None:
        return Remainder()
    bits, text = remaining_bits(budget, spent), remaining_text(budget, spent)
    return Remainder(bits, text, most_outputs(budget, spent))


# Numbers as texts


def standing(spent: Cost, left: Remainder) -> dict[str, Any]:
    """What is spent and what is left, as it is in JSON."""
    return {
        "spent": spent.upper,
        "spent_exact": spent.text,
        "remaining": left.bits,
        "remaining_exact": left.text,
        "remaining_outputs": None if left.outputs is None else integer_text(left.outputs),
    }


def integer_text(value: int) -> str:
    """An integer of any size; `int(text, 0)` reads it.

    >>> integer_text(12), integer_text(2**20_000)[:4], int(integer_text(2**20_000), 0) == 2**20_000
    ('12', '0x10', True)
    """
    return str(value) if value.bit_length() < _MOST_DECIMAL_BITS else hex(value)


def fraction_text(value: Fraction) -> str:
    """A rational number of any size; the denominator 1 is left out."""
    top = integer_text(value.numerator)
    return top if value.denominator == 1 else f"{top}/{integer_text(value.denominator)}"


@lru_cache(1024)
def read_fraction(text: str) -> Fraction:
    """The rational number of a text.

    Raises:
        ValueError: it is none.

    >>> read_fraction("-3/4"), read_fraction("0x10")
    (Fraction(-3, 4), Fraction(16, 1))
    """
    number = _FRACTION.fullmatch(text)
    if number is None:
        raise ValueError("no rational number")
    sign, ratio = number.groups()
    top, _, bottom = ratio.partition("/")
    below = int(bottom, 0) if bottom else 1
    if not below:
        raise ValueError("no rational number")
    return Fraction(-int(top, 0) if sign else int(top, 0), below)


def _logarithm(ratio: Fraction) -> str:
    """log2 of a ratio, whole where it is."""
    top, bottom = ratio.numerator.bit_length() - 1, ratio.denominator.bit_length() - 1
    if ratio == Fraction(1 << top, 1 << bottom):
        return str(top - bottom)
    return f"log2({fraction_text(ratio)})"


def rounded_up(value: Fraction | float) -> str:
    """A number of bits as people read it, never too little."""
    return _hundredths(value, ceil)


def rounded_down(value: Fraction | float) -> str:
    """A number of bits as people read it, never too much."""
    return _hundredths(value, floor)


def _hundredths(value: Fraction | float, whole: Callable[[Fraction], int]) -> str:
    if isinstance(value, float) and isinf(value):
        return "inf"
    return f"{Decimal(whole(Fraction(value) * 100)).scaleb(-2):.2f}"
