"""Persons as the rows of a table: a number of all rows of each, and what is the same in all of them."""

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from noiseless.domain import Column, NumberColumn, Schema
from noiseless.errors import RequestError
from noiseless.questions.attributes import attribute_of, column_of
from noiseless.questions.base import common_unit
from noiseless.questions.row_values import shown

PersonFunction = Literal["sum", "min", "max", "count"]


@dataclass(frozen=True)
class PersonNumber:
    """A number of all rows of a person.

    Attributes:
        name: its canonical SQL.
        function: what is computed.
        column: of which column of the rows; a count needs none.
    """

    name: str
    function: PersonFunction
    column: str | None = None


@dataclass(frozen=True)
class PersonView:
    """SELECT unit, columns, numbers FROM table GROUP BY unit.

    Attributes:
        unit: the column that names a person.
        per: declared columns that are the same in all rows of a person.
        numbers: what is computed of each person's rows.
        text: the subquery, in canonical SQL.
        schema: what the columns of the view may hold.
    """

    unit: str
    per: tuple[str, ...]
    numbers: tuple[PersonNumber, ...]
    text: str
    schema: Schema = field(compare=False, repr=False)

    @classmethod
    def of(  # noqa: PLR0917 - each is part of what a view is
        cls,
        unit: str,
        per: tuple[str, ...],
        numbers: tuple[PersonNumber, ...],
        text: str,
        rows: Schema,
        most: int,
    ) -> "PersonView":
        """The view of persons who have at most this many rows each.

        Raises:
            RequestError, ColumnError: a number has no step, or its column holds none.
        """
        columns: dict[str, Column] = {name: rows.columns[name] for name in per}
        for number in numbers:
            if number.name in rows.columns:
                raise RequestError("a column has the name of a number of persons; rename it in the schema")
            columns[number.name] = _column(number, rows, most)
        return cls(unit, per, numbers, text, Schema(columns))


def _column(number: PersonNumber, rows: Schema, most: int) -> Column:
    """What a number of one to this many rows can be: at least all that a person can make it."""
    if number.column is None:
        return _numbers(Fraction(1), Fraction(most), Fraction(1))
    attribute = attribute_of(number.column, column_of(number.column, rows))
    low, high, unit = attribute.span.low, attribute.span.high, attribute.unit
    if number.function == "sum":
        low, high = min(low, most * low), max(high, most * high)
        unit = common_unit([each for each in (unit, abs(attribute.origin)) if each])
    return _numbers(low, high, unit)


def _numbers(low: Fraction, high: Fraction, unit: Fraction) -> NumberColumn:
    ends = [shown(each) for each in (low, high, unit)]
    if any(isinstance(end, Fraction) for end in ends):
        raise RequestError("a number of persons has a step that is no decimal; put ROUND around it")
    bounds = (Decimal(ends[0]), Decimal(ends[1]))
    return NumberColumn(role="private", per="person", bounds=bounds, step=Decimal(ends[2]))
