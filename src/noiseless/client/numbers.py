"""Exact numbers of a reply, read from their texts; no float comes between."""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, isinf

from noiseless.errors import RequestError
from noiseless.exact import Bits, log2_bounds, round_up

Budget = Fraction | Bits
"""A number of bits, or a reach k as `Bits(k)`."""

_WHOLE = r"(?:0x[0-9a-f]+|[0-9]+)"
_RATIO = rf"{_WHOLE}(?:/{_WHOLE})?"
_FRACTION = re.compile(rf"(-?)({_RATIO})")
_AMOUNT = re.compile(rf"(?:([0-9]{{1,6}})|log2\(({_WHOLE})\))(?: \+ ({_RATIO}))?")
_BUDGET = re.compile(rf"(?:({_RATIO})|log2\(({_RATIO})\))")


@dataclass(frozen=True)
class Amount:
    """log2(outputs) + capacity bits: what answers cost.

    Attributes:
        outputs: at most so many joint answers one person can cause, everybody else staying as they are.
        capacity: bits that randomised answers add.
    """

    outputs: int = 1
    capacity: Fraction = Fraction(0)

    def __str__(self) -> str:
        if not self.capacity:
            return str(Bits(self.outputs))
        return f"{rounded_up(self._upper)} bits of mutual information"

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
        return round_up(self._upper)

    @property
    def _upper(self) -> Fraction:
        return log2_bounds(Fraction(self.outputs))[1] + self.capacity


def read_amount(text: str) -> Amount:
    """A cost as a server writes it.

    Raises:
        ValueError: it is none.

    >>> read_amount("3"), read_amount("log2(3) + 1/2")
    (Amount(outputs=8, capacity=Fraction(0, 1)), Amount(outputs=3, capacity=Fraction(1, 2)))
    """
    found = _AMOUNT.fullmatch(text)
    if found is None:
        raise ValueError("no amount")
    power, outputs, capacity = found.groups()
    number = 1 << int(power) if outputs is None else int(outputs, 0)
    if not number:
        raise ValueError("no amount")
    return Amount(number, read_fraction(capacity or "0"))


def read_budget(text: str) -> Budget:
    """A budget as a server writes it.

    Raises:
        ValueError: it is none.

    >>> read_budget("79/50"), read_budget("log2(3)")
    (Fraction(79, 50), Bits(3))
    """
    found = _BUDGET.fullmatch(text)
    if found is None:
        raise ValueError("no budget")
    bits, reach = found.groups()
    return read_fraction(bits) if reach is None else Bits(read_fraction(reach))


def read_fraction(text: str) -> Fraction:
    """A rational number as a server writes it.

    Raises:
        ValueError: it is none.

    >>> read_fraction("-3/4"), read_fraction("0x10")
    (Fraction(-3, 4), Fraction(16, 1))
    """
    found = _FRACTION.fullmatch(text)
    if found is None:
        raise ValueError("no rational number")
    sign, ratio = found.groups()
    top, _, bottom = ratio.partition("/")
    below = int(bottom, 0) if bottom else 1
    if not below:
        raise ValueError("no rational number")
    return Fraction(-int(top, 0) if sign else int(top, 0), below)


def rounded_up(value: Fraction | float) -> str:
    """A number of bits as people read it, never too little."""
    if isinstance(value, float) and isinf(value):
        return "inf"
    return f"{Decimal(ceil(Fraction(value) * 100)).scaleb(-2):.2f}"


def rounded_down(value: Fraction | float) -> str:
    """A number of bits as people read it, never too much."""
    if isinstance(value, float) and isinf(value):
        return "inf"
    return f"{Decimal(floor(Fraction(value) * 100)).scaleb(-2):.2f}"


def shown_budget(budget: Budget | None) -> str:
    """A budget as people read it, never too much.

    >>> shown_budget(Fraction(40)), shown_budget(Bits(3)), shown_budget(None)
    ('40.00', '1.58', 'none')
    """
    if budget is None:
        return "none"
    return rounded_down(budget.lower if isinstance(budget, Bits) else budget)
