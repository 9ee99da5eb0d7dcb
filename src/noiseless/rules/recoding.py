"""Recoding of values: top and bottom codes, dates told as periods, texts told by how they begin."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from math import ceil, floor
from typing import ClassVar, Literal, get_args

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.ranges.quantizer import Listed, Quantizer
from noiseless.ranges.spans import Lattice, Span
from noiseless.rules.base import (
    Coarsening,
    NumberCoarsening,
    as_number,
    begins_by,
    like,
    number_text,
    require_whole,
)


@dataclass(frozen=True)
class CodedEnds(Quantizer):
    """Each point for itself, but the positions apart..low are one cell and so are those from high on.

    Attributes:
        span: the lattice.
        apart: the first position of the low cell.
        low: its last position.
        high: the first position of the high cell.
    """

    span: Lattice
    apart: int
    low: int
    high: int

    @classmethod
    def of(cls, span: Lattice, low: int, high: int, apart: int = 0) -> "CodedEnds":
        """With ends anywhere, also beyond the lattice; both runs overlapping are one cell."""
        apart = min(apart, span.last)
        low = min(max(low, apart), span.last)
        if high <= low:
            low = high = span.last
        return cls(span, apart, low, min(high, span.last))

    @property
    def cells(self) -> int:
        """As many as the last point says."""
        return self.cell_at(self.span.last) + 1

    def begin(self, cell: int) -> int:
        """The positions of the low cell but one are skipped."""
        if cell >= self.cells:
            return self.span.last + 1
        return cell if cell <= self.apart else cell + self.low - self.apart

    def cell_at(self, position: int) -> int:
        """How many cells begin before it."""
        if position <= self.low:
            return min(position, self.apart)
        return min(position, self.high) - self.low + self.apart

    def most_met(self, sweep: int, first: int, last: int) -> tuple[int, int]:
        """The cell is a broken line of the position: most are met where a window's end is at a bend."""
        bends = (self.apart, self.low, self.high)
        starts = {first, last, *bends, *(bend - sweep for bend in bends)}
        return self.best_start(sweep, (start for start in starts if first <= start <= last))

    @property
    def worst_error(self) -> Fraction:
        """Half of the longer run."""
        return self.span.step * max(self.low - self.apart, self.span.last - self.high) / 2


@dataclass(frozen=True)
class EndCode(NumberCoarsening):
    """Values from a limit on, in one direction, are published as a sign and the limit."""

    sign: ClassVar[str]
    """What stands before the limit."""
    coded: ClassVar[str]
    """Which numbers are told so."""
    plain: ClassVar[str]
    """Which are published as they are."""

    limit: Fraction

    @property
    def statement(self) -> str:
        """Where coding begins."""
        limit = number_text(self.limit)
        label = f'"{self.sign}{limit}"'
        return f"A number of {limit} or {self.coded} is published as {label}, a {self.plain} one as it is."

    def told(self, value: object) -> Rational | str:
        """The number, or the label of the end."""
        number = as_number(value)
        coded = number >= self.limit if self.sign == ">=" else number <= self.limit
        return f"{self.sign}{number_text(self.limit)}" if coded else like(number, value)

    def quantizer(self, span: Span) -> Quantizer:
        """One cell for the points that are coded, and one for each other."""
        if not isinstance(span, Lattice):
            raise RequestError(
                f"{self.form} publishes all other numbers exactly, infinitely many; give the values' step"
                " (--step)"
            )
        place = (self.limit - span.low) / span.step
        low, high = (0, ceil(place)) if self.sign == ">=" else (floor(place), span.last)
        return CodedEnds.of(span, low, high)


@dataclass(frozen=True)
class Top(EndCode):
    """Top-coding: values from a limit on are published as ">=" and the limit.

    >>> Top(Fraction(90)).told(89), Top(Fraction(90)).told(90)
    (89, '>=90')
    """

    name: ClassVar[str] = "top"
    form: ClassVar[str] = "top:T"
    used_by: ClassVar[str] = (
        "HIPAA Safe Harbor (top:90 of ages, one part of it; 45 CFR 164.514(b)(2)(i)(C)) and the US"
        " Census Bureau's PUMS, in another form: incomes above a state's top code are published as their mean"
    )
    sign, coded, plain = ">=", "more", "smaller"


@dataclass(frozen=True)
class Bottom(EndCode):
    """Bottom-coding: values up to a limit are published as "<=" and the limit.

    >>> Bottom(Fraction(10)).told(11), Bottom(Fraction(10)).told(10)
    (11, '<=10')
    """

    name: ClassVar[str] = "bottom"
    form: ClassVar[str] = "bottom:B"
    used_by: ClassVar[str] = (
        "the US Census Bureau's PUMS, in another form: losses below a state's bottom code are published as"
        " their mean"
    )
    sign, coded, plain = "<=", "less", "larger"


Period = Literal["decade", "year", "quarter", "month", "week"]

_MONTHS_OF_QUARTER = 3
_DAYS_OF_WEEK = 7


@dataclass(frozen=True)
class DatePeriod(Coarsening):
    """A date told as its period; weeks are those of ISO 8601, from Monday to Sunday.

    >>> for period in ("decade", "year", "quarter", "month", "week"):
    ...     print(DatePeriod(period).told(date(2027, 1, 2)))
    2020s
    2027
    2027-Q1
    2027-01
    2026-W53
    """

    name: ClassVar[str] = "date"
    form: ClassVar[str] = "date:year|quarter|month|week|decade"
    used_by: ClassVar[str] = (
        "HIPAA Safe Harbor (date:year, and not even that where it shows an age above 89; 45 CFR"
        " 164.514(b)(2)(i)(C))"
    )

    period: Period

    def __post_init__(self) -> None:
        if self.period not in get_args(Period):
            raise RequestError(
                f"a date is published by its {', '.join(get_args(Period)[:-1])} or week, not {self.period!r}"
            )

    @property
    def statement(self) -> str:
        """Which period."""
        iso = " (ISO 8601, from Monday)" if self.period == "week" else ""
        return f"A date is published as its {self.period}{iso}."

    def told(self, value: object) -> str:
        """The period's name, such as 2026-11; names of one period sort as time does.

        Raises:
            RequestError: it is no date.
        """
        day = as_date(value)
        if self.period == "week":
            year, week, _ = day.isocalendar()
            return f"{year:04d}-W{week:02d}"
        if self.period == "month":
            return f"{day.year:04d}-{day.month:02d}"
        if self.period == "quarter":
            return f"{day.year:04d}-Q{(day.month - 1) // _MONTHS_OF_QUARTER + 1}"
        return f"{day.year:04d}" if self.period == "year" else f"{day.year // 10 * 10:04d}s"

    def quantizer(self, first: date, last: date) -> Listed:
        """The periods of the days between two dates, on the lattice of their ordinals."""
        days = Lattice(Fraction(first.toordinal()), Fraction(1), last.toordinal() - first.toordinal())
        return Listed(days, begins_by(days, self._last_alike))

    def _last_alike(self, ordinal: Fraction) -> Fraction:
        """The last day of a day's period."""
        day = date.fromordinal(int(ordinal))
        if self.period == "week":
            return ordinal + _DAYS_OF_WEEK - day.isoweekday()
        year, month = day.year, 12
        if self.period == "decade":
            year += 9 - year % 10
        elif self.period == "quarter":
            month = day.month + (-day.month) % _MONTHS_OF_QUARTER
        elif self.period == "month":
            month = day.month
        return Fraction(date(year, month, monthrange(year, month)[1]).toordinal())


def as_date(value: object) -> date:
    """The day of a date or of a time.

    Raises:
        RequestError: it is neither.
    """
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    raise RequestError("the rule date:PERIOD is about dates")


_MASK = "*"


@dataclass(frozen=True)
class Prefix(Coarsening):
    """A text told by its first characters, the rest as stars: how long it is stays visible.

    >>> Prefix(3).told("90210"), Prefix(3).told("90")
    ('902**', '90')
    """

    name: ClassVar[str] = "prefix"
    form: ClassVar[str] = "prefix:K"
    used_by: ClassVar[str] = (
        "HIPAA Safe Harbor (prefix:3 of a ZIP code, and 000 where 20,000 people or fewer live; 45 CFR"
        " 164.514(b)(2)(i)(B)) and publishers of shortened postcodes"
    )

    kept: int

    def __post_init__(self) -> None:
        require_whole(self.kept, 0, "the K of prefix:K")

    @property
    def statement(self) -> str:
        """How many characters are told."""
        if not self.kept:
            return "Only the length of a text is published."
        first = "first character" if self.kept == 1 else f"first {self.kept} characters"
        return f"A text is published by its {first}, the rest as stars."

    def told(self, value: object) -> str:
        """The first characters, and a star for each of the others.

        Raises:
            RequestError: it is no text.
        """
        if not isinstance(value, str):
            raise RequestError("the rule prefix:K is about texts")
        return value[: self.kept] + _MASK * max(len(value) - self.kept, 0)
