"""Dates told as the period they lie in."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import ClassVar, Literal, get_args

from noiseless.errors import RequestError
from noiseless.ranges.quantizer import Listed
from noiseless.ranges.spans import Lattice
from noiseless.rules.base import Coarsening
from noiseless.rules.listing import begins_by

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
                f"a date is told by its {', '.join(get_args(Period)[:-1])} or week, not {self.period!r}"
            )

    @property
    def text(self) -> str:
        """The period."""
        return f"date:{self.period}"

    @property
    def statement(self) -> str:
        """Which period."""
        iso = " (ISO 8601, from Monday)" if self.period == "week" else ""
        return f"A date is told as its {self.period}{iso}."

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
