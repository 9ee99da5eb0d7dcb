"""Columns of numbers: a lattice of decimals, held as whole units so that nothing is rounded."""

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from noiseless.domain.base import ROLE, Column, Hint, Kind
from noiseless.domain.reading import as_text, read_number
from noiseless.errors import SchemaError

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
