"""Derived attributes: expressions of one row as columns of their own, with their values and level sets.

The *image* (the values that rows can have) and the *level sets* (which combinations of declared values
have each) come from the declared domains alone. They are listed up to `MOST_LISTED` combinations; beyond, the
image is bounded by interval arithmetic (`row_bounds`). To a price a derived attribute is one more attribute
of a person's record: a record (x, y, f(x, y)) is one of all (x, y, z), and what holds for these holds for it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, Literal

import numpy as np

from noiseless.domain import Column, Schema
from noiseless.errors import RequestError
from noiseless.questions.row_bounds import Image, image_of, image_of_column
from noiseless.questions.row_expression import Ints, Kind, RowExpression, Vector, day_of, days_since
from noiseless.questions.row_functions import evaluated
from noiseless.questions.row_values import broadcast, distinct_values, plain_value, present, shown, vector_of
from noiseless.work import spend

MOST_LISTED = 2**20
"""Functions of at most this many combinations of values are listed; their images are then exact."""
MOST_VALUES = 2**40
"""A bounded image with more values is refused."""
_MOST_ROWS = 2**16
"""Combinations of several keys that are numbered without being listed."""
_STEPS = 4
"""Combinations that a function is evaluated for in a step of about a microsecond take so much of it."""
PREFIX = "= "
"""What the name of a derived attribute begins with, before its canonical SQL."""


@dataclass(frozen=True, eq=False)
class DerivedColumn:
    """A function of one row, with values that are numbered in order; a missing one is the last.

    Attributes:
        name: its canonical SQL after `PREFIX`.
        expression: the function.
        inputs: the declared columns that it depends on, in the order of the schema.
        parts: the columns in the expression, which may be derived themselves.
        kind: what its values are.
        values: the values, as plain numbers and days where they are listed.
        lattice: the first number or day, the step, and how many there are, where they are only bounded.
        codes: the number of every combination of the inputs' values, where they are listed.
    """

    name: "DerivedName"
    expression: RowExpression
    inputs: "Mapping[str, Column]"
    parts: "Mapping[str, Domain]"
    kind: Kind
    values: Sequence[Any]
    lattice: tuple[Fraction, Fraction, int] | None
    codes: Ints | None

    missing = None

    @property
    def role(self) -> Literal["public", "private"]:
        """Public if all inputs are."""
        return "private" if any(each.role == "private" for each in self.inputs.values()) else "public"

    @property
    def per(self) -> Literal["person"] | None:
        """Whether it is the same in all rows of a person, as all inputs are."""
        return "person" if all(each.per for each in self.inputs.values()) else None

    @property
    def text(self) -> str:
        """Its canonical SQL."""
        return self.name.text

    @property
    def exact(self) -> bool:
        """Whether some row can have each of the values."""
        return self.codes is not None

    @property
    def nullable(self) -> bool:
        """Whether a value may be missing."""
        return len(self.values) > 0 and self.values[-1] is None

    @property
    def listed(self) -> int:
        """How many numbers of combinations are kept."""
        return 0 if self.codes is None else len(self.codes)

    @cached_property
    def size(self) -> int:
        """How many values there are."""
        return len(self.values) + (0 if self.lattice is None else self.lattice[2])

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that a row of several has."""
        return tuple(part.value for part in _keys(self))

    def plain(self, number: int) -> Any:  # noqa: ANN401 - any kind of value
        """The value with a number: numbers as fractions."""
        if self.lattice is not None and number < self.lattice[2]:
            low, unit, _ = self.lattice
            value = low + unit * number
            return day_of(int(value)) if self.kind == "date" else value
        return self.values[number - (0 if self.lattice is None else self.lattice[2])]

    def value(self, number: int) -> Any:  # noqa: ANN401 - any kind of value
        """The value with a number, as replies show it."""
        return shown(self.plain(number))

    def index(self, value: object) -> int | None:
        """The number of a value."""
        if self.lattice is not None and value is not None:
            plain = plain_value(value)
            place = (Fraction(days_since(plain) if isinstance(plain, date) else plain) - self.lattice[0]) / (
                self.lattice[1]
            )
            return int(place) if place.denominator == 1 and 0 <= place < self.lattice[2] else None
        return self._places.get(plain_value(value))

    @cached_property
    def _places(self) -> Mapping[object, int]:
        first = 0 if self.lattice is None else self.lattice[2]
        return {value: first + number for number, value in enumerate(self.values)}

    def describe(self) -> str:
        """Its SQL."""
        return self.text

    def numbers(self, numbers: Callable[[str], Ints]) -> Ints:
        """The numbers of rows, given those of their declared columns."""
        own = [numbers(name) for name in self.inputs]
        if self.codes is not None:
            if not own:
                return np.asarray(self.codes[0])
            sizes = tuple(column.size for column in self.inputs.values())
            found: Ints = self.codes[np.ravel_multi_index(tuple(np.broadcast_arrays(*own)), sizes)]
            return found
        if self.expression.function == "row":
            return _row_numbers(self, numbers)
        return self._numbered(_evaluated(self, numbers))

    def _numbered(self, vector: Vector) -> Ints:
        """The numbers of values."""
        shape = np.broadcast_shapes(vector.data.shape, np.shape(vector.below))
        null = np.broadcast_to(np.array(False) if vector.null is None else vector.null, shape)
        if self.lattice is not None and isinstance(vector.below, int):
            low, unit, _ = self.lattice
            top = vector.data.astype(object) * low.denominator - low.numerator * vector.below
            places = top * unit.denominator // (vector.below * low.denominator * unit.numerator)
            found = np.where(null, self.size - 1, places)
        else:
            values, inverse = distinct_values(vector)
            places = np.array([self.size - 1 if v is None else self.index(v) for v in values], np.int64)
            found = places[inverse].reshape(shape)
        numbers: Ints = found.astype(np.int64)
        return numbers


Domain = Column | DerivedColumn
"""What a column may hold, declared or derived."""


class DerivedName(str):
    """The name of a derived attribute: its canonical SQL after `PREFIX`."""

    __slots__ = ()

    @property
    def text(self) -> str:
        """The canonical SQL."""
        return self.lstrip("=").removeprefix(" ")


def shown_name(name: str) -> str:
    """What a column is called: a derived one by its SQL."""
    return name.text if isinstance(name, DerivedName) else name


def name_of(text: str, schema: Schema) -> DerivedName:
    """What the derived attribute with a canonical text is called: like no declared column."""
    name = PREFIX + text
    while name in schema.columns:
        name = "=" + name
    return DerivedName(name)


def derive(
    name: DerivedName, expression: RowExpression, parts: Mapping[str, Domain], schema: Schema
) -> DerivedColumn:
    """The attribute that an expression is.

    Args:
        name: what it is called.
        expression: the function.
        parts: the columns in it.
        schema: the declared columns.

    Raises:
        RequestError: its parts do not fit together, it may divide by 0, or nothing bounds it.
    """
    declared = _declared(parts)
    inputs = {each: schema.columns[each] for each in schema.columns if each in declared}
    sizes = tuple(column.size for column in inputs.values())
    found = DerivedColumn(name, expression, inputs, parts, "null", (), None, None)
    if prod(sizes) > MOST_LISTED:
        return _bounded(found)
    spend(prod(sizes) * expression.length // _STEPS)
    grid = {
        each: np.arange(size).reshape([size if place == axis else 1 for place in range(len(sizes))])
        for axis, (each, size) in enumerate(zip(inputs, sizes, strict=True))
    }
    if expression.function == "row":
        kind: Kind = "row"
        codes = np.broadcast_to(_row_numbers(found, grid.__getitem__), sizes).ravel()
        keys, codes = present(codes)
        values: Sequence[Any] = tuple(_row_value(found, int(number)) for number in keys)
    else:
        vector = _evaluated(found, grid.__getitem__)
        kind = vector.kind
        values, codes = distinct_values(broadcast(vector, sizes))
    return DerivedColumn(name, expression, inputs, parts, kind, values, None, codes)


def _declared(parts: Mapping[str, Domain]) -> set[str]:
    found: set[str] = set()
    for name, domain in parts.items():
        found |= set(domain.inputs) if isinstance(domain, DerivedColumn) else {name}
    return found


def _bounded(found: DerivedColumn) -> DerivedColumn:
    """The attribute whose values are only bounded."""
    if found.expression.function == "row":
        sizes = _radices(found)
        if prod(sizes) > _MOST_ROWS:
            raise RequestError(
                f"the keys have {prod(sizes):,} combinations; group by fewer or coarser ones,"
                f" at most {_MOST_ROWS:,}"
            )
        values = tuple(
            _row_value(found, number) for number in range(prod(sizes) + bool(found.expression.value))
        )
        return _with(found, "row", values, None)
    image = _image(found)
    null = (None,) if image.nullable else ()
    if image.kind == "boolean":
        return _with(found, "boolean", (False, True, *null), None)
    if image.kind == "text":
        return _with(found, "text", (*image.words, *null), None)
    if image.unit is None:
        raise RequestError(
            "an expression of this many values has no smallest step; put ROUND or FLOOR around a division"
        )
    unit = image.unit or Fraction(1)
    steps = int((image.high - image.low) / unit) + 1
    if steps > MOST_VALUES:
        raise RequestError("an expression has too many values; round it to a coarser step with ROUND")
    return _with(found, image.kind, null, (image.low, unit, steps))


def _image(found: DerivedColumn) -> Image:
    def column(name: str) -> Image:
        domain = found.parts[name]
        return _image(domain) if isinstance(domain, DerivedColumn) else image_of_column(name, domain)

    return image_of(found.expression, column)


def _with(
    found: DerivedColumn,
    kind: Kind,
    values: tuple[Any, ...],
    lattice: tuple[Fraction, Fraction, int] | None,
) -> DerivedColumn:
    return DerivedColumn(found.name, found.expression, found.inputs, found.parts, kind, values, lattice, None)


def _evaluated(found: DerivedColumn, numbers: Callable[[str], Ints]) -> Vector:
    def column(name: str) -> Vector:
        domain = found.parts[name]
        if isinstance(domain, DerivedColumn):
            return _evaluated(domain, numbers)
        return vector_of(name, domain, numbers(name))

    return evaluated(found.expression, column, lambda name: _part_numbers(found, name, numbers))


def _part_numbers(found: DerivedColumn, name: str, numbers: Callable[[str], Ints]) -> Ints:
    domain = found.parts[name]
    return domain.numbers(numbers) if isinstance(domain, DerivedColumn) else numbers(name)


def _radices(found: DerivedColumn) -> list[int]:
    """How many numbers each key of a row has; a condition that rows must pass is no key."""
    return [found.parts[part.value].size for part in _keys(found)]


def _keys(found: DerivedColumn) -> Sequence[RowExpression]:
    return found.expression.parts[1:] if found.expression.value else found.expression.parts


def _row_numbers(found: DerivedColumn, numbers: Callable[[str], Ints]) -> Ints:
    """The keys of a row as one number; the one after all of them where a row does not pass."""
    whole: Ints = np.array(0)
    for part, size in zip(_keys(found), _radices(found), strict=True):
        whole = whole * size + _part_numbers(found, part.value, numbers)
    if not found.expression.value:
        return whole
    passing = _evaluated(replace(found, expression=found.expression.parts[0]), numbers)
    true = passing.data.astype(bool) & (True if passing.null is None else ~passing.null)
    kept: Ints = np.where(true, whole, prod(_radices(found)))
    return kept


def _row_value(found: DerivedColumn, number: int) -> tuple[Any, ...] | None:
    sizes, values = _radices(found), []
    if number == prod(sizes):
        return None
    for part, size in zip(reversed(_keys(found)), reversed(sizes), strict=True):
        number, place = divmod(number, size)
        domain = found.parts[part.value]
        values.append(
            domain.plain(place) if isinstance(domain, DerivedColumn) else plain_value(domain.value(place))
        )
    return tuple(reversed(values))
