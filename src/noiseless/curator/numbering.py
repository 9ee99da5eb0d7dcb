"""From the values that an engine tells apart to the numbers that a column's domain gives them."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from noiseless.domain import Column, NumberColumn
from noiseless.domain.columns import CategoryColumn
from noiseless.errors import DomainError
from noiseless.tables import Tally

Numbers = npt.NDArray[np.int64]


def numbered(tally: Tally, name: str, column: Column) -> Numbers:
    """The number of each combination's value of one column.

    Raises:
        DomainError: a value lies outside the domain, which conforming would have found.
    """
    codes = tally.codes(name)
    present, places = np.unique(codes, return_inverse=True)
    values = tally.coding(name).decode(present)
    return _of_values(name, column, values)[places]


def _of_values(name: str, column: Column, values: pa.Array) -> Numbers:
    """Numbers of distinct values; doubles by arithmetic, and one by one where that is off."""
    if isinstance(column, NumberColumn) and pa.types.is_floating(values.type):
        doubles = values.to_numpy(zero_copy_only=False).astype(np.float64)
        steps = np.rint((doubles * column.scale - column.low_units) / column.step_units)
        points = (column.low_units + steps * column.step_units) / column.scale
        if (points == doubles).all() and (steps >= 0).all() and (steps < column.size).all():
            numbers: Numbers = steps.astype(np.int64)
            return numbers
    index = _position if isinstance(column, CategoryColumn) else type(column).index
    found = [index(column, value) for value in values.to_pylist()]
    if outside := sum(number is None for number in found):
        raise DomainError(name, outside, column.describe(), "mend the data or the schema")
    return np.array(found, np.int64)


def _position(column: Column, value: object) -> int | None:
    """Engines read categories as text, also where they are declared as whole numbers."""
    number = column.index(value)
    if number is None and isinstance(value, str) and value.lstrip("-").isdecimal():
        number = column.index(int(value))
    return number if number is None or str(column.value(number)) == str(value) else None


def persons(tally: Tally, unit: str) -> tuple[Numbers, tuple[str, ...]]:
    """The number of the person behind each combination, and what persons are called, in order."""
    present, places = np.unique(tally.codes(unit), return_inverse=True)
    texts = [str(value) for value in tally.coding(unit).decode(present).to_pylist()]
    names = sorted(set(texts))
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers[text] for text in texts], np.int64)[places], tuple(names)
