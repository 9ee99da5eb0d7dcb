"""Exact quantities as a certificate writes them: fractions, roots of fractions, limits in bits."""

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import total_ordering

from noiseless.exact import Bits

_FRACTION = re.compile(r"(-?[0-9]{1,2000})(?:/([0-9]{1,2000}))?")
_DECIMAL = re.compile(r"(-?[0-9]{1,400})\.([0-9]{1,400})")
_INSIDE = re.compile(r"(sqrt|log2)\((.*)\)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?")
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_LARGEST_EXPONENT = 400
_MOST_DIGITS = 1000
"""A longer text is no number: to read it as one would take long."""

Written = str | int | Decimal
"""A number of the certificate: a text, a whole JSON number, or one with a fraction."""


class Unreadable(ValueError):  # noqa: N818 - what a text is, not what goes wrong
    """A text is no quantity of the kind that is wanted."""


def fraction(written: Written) -> Fraction:
    """The rational that "38/5", "-3", "2.5" or a JSON number stands for.

    >>> fraction("38/5"), fraction("2.50")
    (Fraction(38, 5), Fraction(5, 2))

    Raises:
        Unreadable: it is none, or one with thousands of digits.
    """
    if isinstance(written, int):
        return Fraction(written)
    if isinstance(written, Decimal):
        if not written.is_finite() or abs(written.adjusted()) > _LARGEST_EXPONENT:
            raise Unreadable
        return Fraction(written)
    if found := _FRACTION.fullmatch(written):
        below = int(found[2] or 1)
        if below:
            return Fraction(int(found[1]), below)
    if found := _DECIMAL.fullmatch(written):
        return Fraction(int(found[1] + found[2]), 10 ** len(found[2]))
    raise Unreadable


def bits(written: Written) -> Bits | Fraction:
    """A limit in bits: a rational number of them, or exactly "log2(38/5)".

    >>> bits("log2(8)") == 3, bits("2.5")
    (True, Fraction(5, 2))
    """
    inside = _inside(written, "log2")
    if inside is None:
        return fraction(written)
    ratio = fraction(inside)
    if ratio <= 0:
        raise Unreadable
    return Bits(ratio)


@total_ordering
@dataclass(frozen=True)
class ExactLength:
    """A distance, kept as its square, so that roots are exact."""

    squared: Fraction

    @classmethod
    def read(cls, written: Written) -> "ExactLength":
        """From "21/2", "10.5" or "sqrt(2)"; it is not negative.

        >>> str(ExactLength.read("sqrt(1/4)")), str(ExactLength.read("sqrt(8)"))
        ('1/2', 'sqrt(8)')
        """
        inside = _inside(written, "sqrt")
        value = fraction(written if inside is None else inside)
        if value < 0:
            raise Unreadable
        return cls(value**2 if inside is None else value)

    def __lt__(self, other: "ExactLength") -> bool:
        return self.squared < other.squared

    def __str__(self) -> str:
        """The fraction, or the root of one."""
        roots = math.isqrt(self.squared.numerator), math.isqrt(self.squared.denominator)
        whole = Fraction(*roots)
        return str(whole) if whole**2 == self.squared else f"sqrt({self.squared})"


def _inside(written: Written, function: str) -> str | None:
    """What stands in the brackets of "sqrt(...)"."""
    found = _INSIDE.fullmatch(written) if isinstance(written, str) else None
    return found[2] if found and found[1] == function else None


def is_number(text: str) -> bool:
    """Whether a canonical text is a number: plain digits, no zeros too many, no minus zero.

    >>> [is_number(text) for text in ("5", "-0.5", "5.0", "-0", "1e5", "007")]
    [True, True, False, False, False, False]
    """
    return len(text) <= _MOST_DIGITS and _NUMBER.fullmatch(text) is not None and text != "-0"


def is_day(text: str) -> bool:
    """Whether a canonical text is a day, such as 2020-12-31."""
    found = _DAY.fullmatch(text)
    if found is None:
        return False
    year, month, number = (int(part) for part in found.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return 1 <= month <= len(lengths) and 1 <= number <= lengths[month - 1]


def day_number(text: str) -> int:
    """How many days a day is after the first of March of the year 0; 400 years repeat.

    >>> day_number("2000-03-01") - day_number("2000-02-28"), day_number("0000-03-01")
    (2, 0)
    """
    year, month, number = (int(part) for part in text.split("-"))
    year, month = (year - 1, month + 9) if month <= 2 else (year, month - 3)  # noqa: PLR2004 - February ends it
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + number - 1


def day(written: Written) -> Fraction:
    """A day of a declared range, as a number."""
    if not isinstance(written, str) or not is_day(written):
        raise Unreadable
    return Fraction(day_number(written))
