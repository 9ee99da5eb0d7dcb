"""The kinds of column: numbers, categories, booleans and days, as tables of a schema file describe them."""

import math
from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from reprlib import repr as short_repr
from typing import Annotated, ClassVar, get_args

from pydantic import BeforeValidator, Field, StrictBool, StrictInt, StrictStr

from noiseless.domain.base import PER, ROLE, Column, Hint, Kind
from noiseless.domain.literals import as_text, read_day, read_number
from noiseless.errors import SchemaError


class CategoryColumn(Column):
    """One of a list of texts or whole numbers.

    Attributes:
        categories: the possible values in the order of their numbers; each is there once, be it as
            text or as a number, for files do not tell the two apart.
    """

    kind: ClassVar[Kind] = "category"
    hints: ClassVar[Mapping[str, Hint]] = {
        "role": ROLE,
        "categories": Hint("must be a list of texts or whole numbers", 'categories = ["north", "south"]'),
        "missing": Hint("must be one of the categories", 'missing = "north"'),
        "per": PER,
    }

    categories: tuple[StrictStr | StrictInt, ...] = Field(min_length=1)
    missing: StrictStr | StrictInt | None = None

    def _check_domain(self) -> None:
        text, count = Counter(map(str, self.categories)).most_common(1)[0]
        if count > 1:
            raise SchemaError(
                f"categories must be different as text, and {short_repr(text)} is there {count:,}"
                " times; keep one of them"
            )

    @cached_property
    def _positions(self) -> Mapping[object, int]:
        return {category: number for number, category in enumerate(self.categories)}

    @property
    def size(self) -> int:
        """The number of categories."""
        return len(self.categories)

    def index(self, value: object) -> int | None:
        """The position of a category, or None when it is not one.

        A number stands for the whole number that it equals, never for a text; a boolean is neither.
        """
        if isinstance(value, str | int):
            return None if isinstance(value, bool) else self._positions.get(value)
        try:
            number = read_number(value)
        except ValueError:
            return None
        return self._positions.get(number)

    def value(self, index: int) -> str | int:
        """The category at a position."""
        self._check_index(index)
        return self.categories[index]

    def describe(self) -> str:
        """Such as "3 categories"."""
        return f"{self.size:,} categor{'y' if self.size == 1 else 'ies'}"


class BooleanColumn(Column):
    """False or true, numbered 0 and 1."""

    kind: ClassVar[Kind] = "boolean"
    hints: ClassVar[Mapping[str, Hint]] = {
        "role": ROLE,
        "missing": Hint("must be true or false", "missing = false"),
        "per": PER,
    }

    missing: StrictBool | None = None

    @property
    def size(self) -> int:
        """Two."""
        return 2

    def index(self, value: object) -> int | None:
        """0 for False, 1 for True, None for anything else (0 and 1 are numbers)."""
        return int(value) if isinstance(value, bool) else None

    def value(self, index: int) -> bool:
        """False for 0, True for 1."""
        self._check_index(index)
        return bool(index)

    def describe(self) -> str:
        """Always "true or false"."""
        return "true or false"


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
        "per": PER,
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


Number = Annotated[Decimal, BeforeValidator(read_number)]


class NumberColumn(Column):
    """Numbers on the lattice `low + step * {0, 1, ..., K}`, whose last point is `high`.

    >>> column = NumberColumn(role="private", bounds=(0, 10), step=Decimal("0.001"))
    >>> column.describe(), column.index(0.3), column.index(0.1 + 0.2), column.value(300)
    ('0..10 in steps of 0.001 (10,001 values)', 300, None, Decimal('0.300'))

    Attributes:
        bounds: the smallest and the largest possible value.
        step: the resolution.
    """

    kind: ClassVar[Kind] = "number"
    hints: ClassVar[Mapping[str, Hint]] = {
        "role": ROLE,
        "bounds": Hint("must be two numbers or two dates", "bounds = [0, 10]"),
        "step": Hint("must be a number above 0", "step = 1"),
        "missing": Hint("must be a number", "missing = 0"),
        "per": PER,
    }

    bounds: tuple[Number, Number]
    step: Number = Field(default=Decimal(1), gt=0)
    missing: Number | None = None

    def _check_domain(self) -> None:
        low, high, step = (as_text(number) for number in (*self.bounds, self.step))
        if self.low_units > self.high_units:
            raise SchemaError(f"bounds must be in order; write bounds = [{high}, {low}]")
        over = (self.high_units - self.low_units) % self.step_units
        if over:
            upper = as_text(self._decimal(self.high_units - over + self.step_units))
            raise SchemaError(
                f"bounds must be a whole number of steps of {step} apart;"
                f" write e.g. bounds = [{low}, {upper}]"
            )

    @cached_property
    def _places(self) -> int:
        """How many digits after the point the bounds and the step need."""
        exponents = (int(number.as_tuple().exponent) for number in (*self.bounds, self.step))
        return max(-exponent for exponent in exponents)

    @property
    def scale(self) -> int:
        """The power of ten that makes the bounds and the step whole: a unit is one part of it."""
        return int(10**self._places)

    @cached_property
    def low_units(self) -> int:
        """The lower bound in units."""
        return int(Fraction(self.bounds[0]) * self.scale)

    @cached_property
    def high_units(self) -> int:
        """The upper bound in units."""
        return int(Fraction(self.bounds[1]) * self.scale)

    @cached_property
    def step_units(self) -> int:
        """The step in units."""
        return int(Fraction(self.step) * self.scale)

    @property
    def size(self) -> int:
        """The number of lattice points."""
        return (self.high_units - self.low_units) // self.step_units + 1

    def index(self, value: object) -> int | None:
        """The position of a value on the lattice, or None when it is not on it.

        A float stands for the lattice point whose nearest double it is. Should there be several,
        it stands for the shortest decimal that reads back as it, or else for one beside it.
        """
        try:
            number = read_number(value)
        except ValueError:
            return None
        position = (Fraction(number) * self.scale - self.low_units) / self.step_units
        if position.denominator == 1 and 0 <= position < self.size:
            return int(position)
        return self._index_of_double(float(value)) if isinstance(value, float) else None

    def _index_of_double(self, double: float) -> int | None:
        """The lattice point that rounds to a double: if there is one, a neighbour of it does."""
        below = math.floor((Fraction(double) * self.scale - self.low_units) / self.step_units)
        neighbours = (min(max(index, 0), self.size - 1) for index in (below, below + 1))
        return next((index for index in neighbours if float(self.value(index)) == double), None)

    def value(self, index: int) -> int | Decimal:
        """The lattice point at a position: an int when all of them are whole."""
        self._check_index(index)
        units = self.low_units + index * self.step_units
        return self._decimal(units) if self._places else units

    def _decimal(self, units: int) -> Decimal:
        """Exact at any length, which Decimal arithmetic is not."""
        return Decimal(f"{units}E-{self._places}")

    def describe(self) -> str:
        """Such as "0..10 in steps of 0.001 (10,001 values)"."""
        low, high, step = (as_text(number) for number in (*self.bounds, self.step))
        return f"{low}..{high} in steps of {step} ({self.size:,} value{'s' * (self.size != 1)})"


_COLUMNS: Mapping[Kind, type[Column]] = {
    column.kind: column for column in (NumberColumn, CategoryColumn, BooleanColumn, DateColumn)
}


def read_column(table: object) -> Column:
    """The column that a TOML table describes, recognised by its keys.

    `categories` make a category column, `bounds` a number or a date column, and `type = "boolean"`
    a boolean one; any `type` may be given and must then agree with the keys.

    Raises:
        SchemaError: it describes none, in one line that says how to mend it.
    """
    if not isinstance(table, Mapping):
        raise SchemaError('must be a table; write e.g. {role = "private", bounds = [0, 10]}')
    fields = {key: value for key, value in table.items() if key != "type"}
    kind = _agreed_kind(table.get("type"), _inferred_kind(fields))
    return _COLUMNS[kind].model_validate(fields)


def _inferred_kind(fields: Mapping[str, object]) -> Kind | None:
    """The kind that the keys alone tell; a boolean column has none that do."""
    if "categories" in fields:
        return "category"
    if "bounds" in fields:
        bounds = fields["bounds"]
        ends = bounds if isinstance(bounds, list | tuple) else ()
        return "date" if any(map(_is_day, ends)) else "number"
    return None


def _is_day(value: object) -> bool:
    if not isinstance(value, str):
        return isinstance(value, date)
    try:
        read_day(value)
    except ValueError:
        return False
    return True


def _agreed_kind(stated: object, inferred: Kind | None) -> Kind:
    kinds = get_args(Kind)
    if stated is not None and stated not in kinds:
        raise SchemaError(f"type must be one of {', '.join(kinds)}; or delete it")
    kind: Kind | None = next((kind for kind in kinds if kind == stated), inferred)
    if kind is None:
        raise SchemaError(
            'does not say what it holds; write bounds = [low, high], categories = [...] or type = "boolean"'
        )
    if inferred not in (kind, None):
        raise SchemaError(
            f'type = "{kind}" does not agree with the keys, which are those of a {inferred} column;'
            " delete the one or the other"
        )
    return kind
