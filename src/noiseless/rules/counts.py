"""Rules about counts: a least cell size, and the US Census Bureau's rounding."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from noiseless.errors import RequestError
from noiseless.ranges.quantizer import Listed, Quantizer
from noiseless.ranges.spans import Lattice, Span
from noiseless.rules.base import NumberCoarsening, as_number, begins_by, require_whole
from noiseless.rules.recoding import CodedEnds
from noiseless.rules.rounded_cells import multiple


@dataclass(frozen=True)
class MinCell(NumberCoarsening):
    """A least cell size: a group, or a count, below it is withheld.

    >>> rule = MinCell(5)
    >>> rule.passes(4), rule.told(4), rule.told(5), MinCell(5, zeros=True).told(0)
    (False, '<5', 5, 0)

    Attributes:
        least: the least count that is told.
        zeros: whether a count of 0 is told too.
    """

    name: ClassVar[str] = "min-cell"
    form: ClassVar[str] = "min-cell:K[:zeros]"
    used_by: ClassVar[str] = (
        "the US Centers for Medicare & Medicaid Services (no cell of 1 to 10: min-cell:11:zeros; CMS Cell"
        " Size Suppression Policy); other health and school statistics withhold below 5 or 10"
    )

    least: int
    zeros: bool = False

    def __post_init__(self) -> None:
        require_whole(self.least, 1, "the K of min-cell:K")

    @property
    def statement(self) -> str:
        """What is withheld."""
        zero = " but not 0" if self.zeros else ""
        return f'A count or a group below {self.least}{zero} is withheld ("<{self.least}").'

    def passes(self, count: object) -> bool:
        """Whether a count, or a group of this many, is told.

        Raises:
            RequestError: it is no whole number from 0 on.
        """
        number = as_count(count, self.form)
        return number >= self.least or (self.zeros and number == 0)

    def told(self, value: object) -> int | str:
        """The count, or that it is below the least."""
        return as_count(value, self.form) if self.passes(value) else f"<{self.least}"

    def quantizer(self, span: Span) -> Quantizer:
        """One cell for the counts below the least, perhaps one for 0, and one for each other."""
        lattice = whole_lattice(span, self.form)
        if self.zeros and lattice.low == 0:
            return CodedEnds.of(lattice, self._last(lattice), lattice.last, apart=1)
        return CodedEnds.of(lattice, self._last(lattice), lattice.last)

    def _last(self, lattice: Lattice) -> int:
        """The position of the last count that is withheld; -1 when there is none."""
        return int(-((lattice.low - self.least) // lattice.step)) - 1


_BANDS = ((100, 10), (1_000, 50), (10_000, 100), (100_000, 500), (1_000_000, 1_000))
"""Counts below the first number are rounded to the second."""

_LEAST = 15
_DIGITS = 4


@dataclass(frozen=True)
class CensusCounts(NumberCoarsening):
    """The US Census Bureau's rounding of counts.

    Halves go up below a million and to the even digit above, as in the Bureau's published tool.

    >>> rule = CensusCounts()
    >>> [rule.told(count) for count in (0, 14, 15, 94, 95, 124, 125, 12_249, 1_234_500)]
    ['<15', '<15', 20, 90, 100, 100, 150, 12000, 1234000]
    """

    name: ClassVar[str] = "census-counts"
    form: ClassVar[str] = "census-counts"
    used_by: ClassVar[str] = (
        "the US Census Bureau's Disclosure Review Board, for counts from confidential data, as an interim"
        " rule (Garfinkel, DRB Rounding Tools, 2019)"
    )

    @property
    def statement(self) -> str:
        """The bands."""
        return (
            'A count below 15 is published as "<15"; to 99 it is rounded to 10, to 999 to 50, to 9,999 to '
            "100, to 99,999 to 500, to 999,999 to 1,000, above to four significant digits."
        )

    def told(self, value: object) -> int | str:
        """The rounded count."""
        count = as_count(value, self.form)
        return f"<{_LEAST}" if count < _LEAST else _rounded(count)

    def quantizer(self, span: Span) -> Quantizer:
        """Cells that grow with the count."""
        lattice = whole_lattice(span, self.form)
        return Listed(lattice, begins_by(lattice, _last_alike))


def _rounded(count: int) -> int:
    base, exact = _base(count), Fraction(count)
    up = count < _BANDS[-1][0]
    return multiple(exact / base, "half-away" if up else "half-even") * base


def _base(count: int) -> int:
    """What a count is rounded to a multiple of."""
    for limit, base in _BANDS:
        if count < limit:
            return base
    return int(10 ** (len(str(count)) - _DIGITS))


def _last_alike(count: Fraction) -> Fraction:
    """The largest count that is told as this one is."""
    if count < _LEAST:
        return Fraction(_LEAST - 1)
    told = _rounded(int(count))
    base = _base(told)
    half_too = told >= _BANDS[-1][0] and told // base % 2 == 0
    return Fraction(told + base // 2 - (not half_too))


def as_count(value: object, form: str) -> int:
    """A count.

    Raises:
        RequestError: it is no whole number from 0 on.
    """
    number = as_number(value)
    if number.denominator != 1 or number < 0:
        raise RequestError(f"{form} is about counts: whole numbers from 0 on")
    return int(number)


def whole_lattice(span: Span, form: str) -> Lattice:
    """The counts that an answer can be.

    Raises:
        RequestError: it can also be something else.
    """
    if isinstance(span, Lattice) and span.low >= 0 and span.low.denominator == span.step.denominator == 1:
        return span
    raise RequestError(f"{form} is about counts: the answer must be a whole number from 0 on (--query count)")
