"""Columns of days."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field, StrictInt

from noiseless.domain.base import ROLE, Column, Hint, Kind
from noiseless.domain.reading import read_day
from noiseless.errors import SchemaError

Day = Annotated[date, BeforeValidator(read_day)]


class DateColumn(Column):
    """Days at regular distances, from the first of the bounds to the last.

    Attributes:
        bounds: the first and the last possible day.
        step: the resolution in days.
    """

    kind: ClassVar[Kind] = "date"
    hints: ClassVar[Mapping[str, Hint]] = {
        "role": ROLE,
        "bounds": Hint("must be two dates without a time", "bounds = [2020-01-01, 2020-12-31]"),
        "step": Hint("must be a whole number of days above 0", "step = 1"),
        "missing": Hint("must be a date without a time", "missing = 2020-01-01"),
    }

    bounds: tuple[Day, Day]
    step: StrictInt = Field(default=1, gt=0)
    missing: Day | None = None

    def _check_domain(self) -> None:
        first, last = self.bounds
        if first > last:
            raise SchemaError(f"bounds must be in order; write bounds = [{last}, {first}]")
        over = (last - first).days % self.step
        if over:
            earlier = date.fromordinal(last.toordinal() - over)
            raise SchemaError(
                f"bounds must be a whole number of steps of {self.step:,} days apart;"
                f" write e.g. bounds = [{first}, {earlier}]"
            )

    @property
    def size(self) -> int:
        """The number of possible days."""
        first, last = self.bounds
        return (last - first).days // self.step + 1

    def index(self, value: object) -> int | None:
        """The position of a day, or None when it is not one; a midnight stands for its day."""
        day = value
        if isinstance(value, datetime):
            try:
                day = date.fromisoformat(value.isoformat().removesuffix("T00:00:00"))
            except ValueError:
                return None
        if not isinstance(day, date):
            return None
        position, over = divmod((day - self.bounds[0]).days, self.step)
        return position if not over and 0 <= position < self.size else None

    def value(self, index: int) -> date:
        """The day at a position."""
        self._check_index(index)
        return date.fromordinal(self.bounds[0].toordinal() + index * self.step)

    def describe(self) -> str:
        """Such as "2020-01-01..2020-12-31 (366 days)"."""
        first, last = self.bounds
        if self.step == 1:
            return f"{first}..{last} ({self.size:,} day{'s' * (self.size != 1)})"
        values = f"{self.size:,} value{'s' * (self.size != 1)}"
        return f"{first}..{last} in steps of {self.step:,} days ({values})"
