"""Exact quantities as a certificate writes them: fractions, roots of fractions, logarithms, days.

Like all modules that `standalone.py` joins, this one runs on Python 3.9 with nothing installed.
"""

# ruff: noqa: PLR2004, UP007, UP045 - days of the calendar; Python 3.9 evaluates aliases

import math
import re
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import total_ordering
from typing import Any, Optional, Union

_FRACTION = re.compile(r"(-?[0-9]{1,2000})(?:/([0-9]{1,2000}))?")
_DECIMAL = re.compile(r"(-?[0-9]{1,400})\.([0-9]{1,400})")
_INSIDE = re.compile(r"(sqrt|log2)\((.*)\)")
_CANONICAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?")
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_LARGEST_EXPONENT = 400
_MOST_DIGITS = 1000
"""A longer text is no number: to read it as one would take long."""

Written = Union[str, int, Decimal]
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
        digits = len(written.as_tuple().digits)
        if not written.is_finite() or max(abs(written.adjusted()), digits) > _LARGEST_EXPONENT:
            raise Unreadable
        return Fraction(written)
    if quotient := _FRACTION.fullmatch(written):
        below = int(quotient[2] or 1)
        if below:
            return Fraction(int(quotient[1]), below)
    if decimal := _DECIMAL.fullmatch(written):
        return Fraction(int(decimal[1] + decimal[2]), 10 ** len(decimal[2]))
    raise Unreadable


@dataclass(frozen=True)
class LogRatio:
    """A number of bits, kept as the ratio whose log2 it is; compared with others and with rationals exactly.

    >>> LogRatio(Fraction(8)) <= Fraction(3) < LogRatio(Fraction(9))
    True
    """

    ratio: Fraction

    def __str__(self) -> str:
        return f"log2({self.ratio})"

    def __lt__(self, other: "LogRatio | Fraction") -> bool:
        return self._order(other) < 0

    def __le__(self, other: "LogRatio | Fraction") -> bool:
        return self._order(other) <= 0

    def __gt__(self, other: "LogRatio | Fraction") -> bool:
        return self._order(other) > 0

    def __ge__(self, other: "LogRatio | Fraction") -> bool:
        return self._order(other) >= 0

    def _order(self, other: "LogRatio | Fraction") -> int:
        """-1, 0 or 1 as it is less than, equal to or more than another number."""
        if isinstance(other, LogRatio):
            return (self.ratio > other.ratio) - (self.ratio < other.ratio)
        top, bottom = self.ratio.numerator, self.ratio.denominator
        if not top & (top - 1) and not bottom & (bottom - 1):  # the logarithm is a whole number
            whole = top.bit_length() - bottom.bit_length()
            return (whole > other) - (whole < other)
        digits = 50
        while True:  # it is irrational, so the bounds part from the other number
            low, high = self._bounds(digits)
            if high < other or low > other:
                return 1 if low > other else -1
            digits *= 2

    def _bounds(self, digits: int) -> tuple[Fraction, Fraction]:
        """Rationals below and above; each rounded operation is off by far less than the slack."""
        with localcontext(Context(prec=digits)):
            above, below = Decimal(self.ratio.numerator).ln(), Decimal(self.ratio.denominator).ln()
            middle = Fraction((above - below) / Decimal(2).ln())
            slack = Fraction(max(above, below, Decimal(1))) * 16 / 10 ** (digits - 2)
        return middle - slack, middle + slack


def bits(written: Written) -> LogRatio | Fraction:
    """A limit in bits: a rational number of them, or exactly "log2(38/5)".

    >>> bits("log2(8)"), bits("2.5")
    (LogRatio(ratio=Fraction(8, 1)), Fraction(5, 2))
    """
    inside = _inside(written, "log2")
    if inside is None:
        return fraction(written)
    ratio = fraction(inside)
    if ratio <= 0:
        raise Unreadable
    return LogRatio(ratio)


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
    call = _INSIDE.fullmatch(written) if isinstance(written, str) else None
    return call[2] if call and call[1] == function else None


def is_number(text: str) -> bool:
    """Whether a canonical text is a number: plain digits, no zeros too many, no minus zero.

    >>> [is_number(text) for text in ("5", "-0.5", "5.0", "-0", "1e5", "007")]
    [True, True, False, False, False, False]
    """
    return len(text) <= _MOST_DIGITS and _CANONICAL.fullmatch(text) is not None and text != "-0"


def is_day(text: str) -> bool:
    """Whether a canonical text is a day, such as 2020-12-31."""
    parts = _DAY.fullmatch(text)
    if parts is None:
        return False
    year, month, number = (int(part) for part in parts.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return 1 <= month <= len(lengths) and 1 <= number <= lengths[month - 1]


def day_number(text: str) -> int:
    """How many days a day is after the first of March of the year 0; 400 years repeat.

    >>> day_number("2000-03-01") - day_number("2000-02-28"), day_number("0000-03-01")
    (2, 0)
    """
    year, month, number = (int(part) for part in text.split("-"))
    year, month = (year - 1, month + 9) if month <= 2 else (year, month - 3)
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + number - 1


def point_on_line(text: str) -> Optional[Fraction]:
    """A number, or a day or moment in days, from its canonical text; None for what is neither.

    >>> point_on_line("-2.5"), point_on_line("flu")
    (Fraction(-5, 2), None)
    >>> point_on_line("2024-01-02 12:00:00") - point_on_line("2024-01-01")
    Fraction(3, 2)
    """
    return Fraction(text) if is_number(text) else point_in_time(text)


_DAY_AND_TIME = re.compile(
    r"([0-9-]{10})[ T]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]{0,8}[1-9])?))?(?:\+00)?"
)


def point_in_time(text: str) -> Optional[Fraction]:
    """A day, or a moment in any form that a column of dates may have, in days; None for what is neither.

    >>> point_in_time("2024-01-02T12:00") - point_in_time("2024-01-01"), point_in_time("2024-01-02 24:00")
    (Fraction(3, 2), None)
    """
    if is_day(text):
        return Fraction(day_number(text))
    parts = _DAY_AND_TIME.fullmatch(text)
    if parts is None or not is_day(parts[1]):
        return None
    hours, minutes, seconds = (Fraction(part or 0) for part in parts.groups()[1:])
    return day_number(parts[1]) + (hours + (minutes + seconds / 60) / 60) / 24


def time_end(written: Any) -> Fraction:  # noqa: ANN401 - any JSON
    """An end of a declared range of days or moments, as a number."""
    point = point_in_time(written) if isinstance(written, str) else None
    if point is None:
        raise Unreadable
    return point
