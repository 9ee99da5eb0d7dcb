"""Rates of codes: exact numbers (1/n) log2 k."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import total_ordering
from math import floor

from noiseless.exact import Bits, log2_bounds, round_down, round_up


@total_ordering
@dataclass(frozen=True, eq=False)
class Rate:
    """The exact number (1/length) log2(words): the bits a use that a code of so many words carries.

    Comparisons with other rates and with `Bits` are exact. As a rate is what is surely achieved, floats and
    texts of it are rounded down.

    >>> Rate(5, 2) > Rate(2), Rate(4, 2) == Bits(2), float(Rate(8)), str(Rate(5, 2))
    (True, True, 3.0, '1.16 bits')
    """

    words: int
    length: int = 1

    def __post_init__(self) -> None:
        if self.words < 1 or self.length < 1:
            raise ValueError("a code has at least one word of at least one letter")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Rate | Bits):
            ratio, length = _parts(other)
            return bool(self.words**length == ratio**self.length)
        return NotImplemented

    def __lt__(self, other: "Rate | Bits") -> bool:
        if isinstance(other, Rate | Bits):
            ratio, length = _parts(other)
            return bool(self.words**length < ratio**self.length)
        return NotImplemented

    def __hash__(self) -> int:
        words, length = self.words, self.length
        for divisor in range(length, 1, -1):  # equal rates have the same shortest form
            root = _root(words, divisor)
            if length % divisor == 0 and root**divisor == words:
                return hash(Rate(root, length // divisor))
        return hash(Bits(words)) if length == 1 else hash((words, length))

    def __float__(self) -> float:
        return self.lower

    def __repr__(self) -> str:
        return f"Rate({self.words})" if self.length == 1 else f"Rate({self.words}, {self.length})"

    def __str__(self) -> str:
        return f"{self.rounded_down(2)} bits"

    def rounded_down(self, places: int) -> str:
        """The value with so many decimals, never above the exact one."""
        return f"{Decimal(floor(self._bounds()[0] * 10**places)).scaleb(-places):.{places}f}"

    @property
    def lower(self) -> float:
        """The largest float found that is not above the exact value."""
        return round_down(self._bounds()[0])

    @property
    def upper(self) -> float:
        """The smallest float found that is not below the exact value."""
        return round_up(self._bounds()[1])

    def _bounds(self) -> tuple[Fraction, Fraction]:
        low, high = log2_bounds(Fraction(self.words))
        return low / self.length, high / self.length


def _root(number: int, degree: int) -> int:
    """The smallest whole number whose power of that degree is not below `number`."""
    low, high = 0, 1 << -(-number.bit_length() // degree)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**degree < number else (low, middle)
    return low


def _parts(value: Rate | Bits) -> tuple[Fraction, int]:
    return (Fraction(value.words), value.length) if isinstance(value, Rate) else (value.ratio, 1)
