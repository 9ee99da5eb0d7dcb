"""What each row of a table contributes to a declared query: a formula, or a value for each of some boxes."""

import heapq
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor, gcd, inf, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.domain import Schema
from noiseless.domain.expressions import Arithmetic, Call, Expression, Ranges, halved_along
from noiseless.domain.grammar import read_expression
from noiseless.errors import RequestError
from noiseless.questions.additive import Additive, RowTotal
from noiseless.questions.base import Attribute, Positions, common_unit, positions
from noiseless.questions.filters import Runs
from noiseless.ranges.spans import whole_numbers

Ints = npt.NDArray[Any]
"""Whole numbers: of 64 bits, or Python's own where those might not suffice."""

MOST_LISTED = 2**16
"""A function of at most this many combinations of values is listed: what a person can do is then exact."""
_FEW = 2**12
"""So few combinations are listed sooner than bounded."""
_MOST_BOXES = 200
"""How often a box is halved to bound a formula."""
_ARRAYS = Arithmetic[Any](Fraction, np.maximum)


@dataclass(frozen=True)
class RowFunction(ABC):
    """A number for every row, a multiple of `unit`, computed from the numbers of some private columns.

    Attributes:
        columns: the private columns, in the order of the schema.
        sizes: how many values each has.
    """

    columns: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    @abstractmethod
    def unit(self) -> Fraction:
        """All values are multiples of it."""

    @property
    @abstractmethod
    def enclosed(self) -> Positions:
        """Multiples that hold all values, where they are not listed; rows need not reach each of them."""

    @property
    @abstractmethod
    def text(self) -> str:
        """Canonical JSON that says all but what the columns may hold."""

    @abstractmethod
    def computed(self, numbers: Sequence[Ints]) -> Ints:
        """The multiple of the unit for each row, given the rows' numbers, one array a column."""

    @cached_property
    def listed(self) -> Ints | None:
        """The multiple for every combination of values; None where they are too many to list."""
        if prod(self.sizes) > MOST_LISTED:
            return None
        grid = np.indices(self.sizes).reshape(len(self.sizes), -1)
        return self.computed(list(grid)).reshape(self.sizes)

    @cached_property
    def _origin(self) -> tuple[int, int]:
        """The least multiple, and of what all others are multiples above it."""
        if self.listed is None:
            return self.enclosed[0], 1
        least = int(self.listed.min())
        return least, gcd(*map(int, np.unique(self.listed - least))) or 1

    def contributions(self, numbers: Sequence[Ints] | None = None) -> Ints:
        """What rows contribute above the least, in steps of `total`, given their numbers, one array a column.

        Without numbers, of every combination of values: they must be listed.
        """
        least, grain = self._origin
        if self.listed is None:
            assert numbers is not None  # noqa: S101 - as said
            return (self.computed(numbers) - least) // grain
        return ((self.listed if numbers is None else self.listed[tuple(numbers)]) - least) // grain

    def total(self, people: int, rows: int) -> Additive | RowTotal:
        """The sum over this many people, who have this many rows each at most.

        A listed function of one column is a sum like any other: what is published about the column's
        order and its counts helps to price it. Of other functions only the values that a row can contribute
        are known.
        """
        least, unit = self._origin[0] * self.unit, self._origin[1] * self.unit
        if self.listed is None:
            found = self.enclosed
            if isinstance(found, range):
                each: Positions = range(0, found[-1] - found[0] + 1, found.step)
            else:
                each = tuple(number - found[0] for number in found)
            return RowTotal(people, self.columns, each, least, unit, rows, exact=False)
        worth = self.contributions().ravel().tolist()
        if len(self.columns) == 1:
            numbers = range(self.sizes[0])
            return Additive(people, self.columns[0], numbers, tuple(worth), least, unit, rows=rows)
        return RowTotal(people, self.columns, positions(worth), least, unit, rows)


@dataclass(frozen=True)
class RowFormula(RowFunction):
    """A formula of a row's numbers, rounded to the nearest multiple of a step (halves upwards).

    >>> schema = Schema.parse('columns.kwh = {role = "private", bounds = [0, 4]}')
    >>> RowFormula.of("max(kwh - 1, 0)**2 / 2", Fraction(1), schema).listed.tolist()
    [0, 0, 1, 2, 5]

    Attributes:
        expression: the formula.
        step: the step.
        attributes: what the columns hold.
    """

    expression: Expression
    step: Fraction
    attributes: tuple[Attribute, ...]

    @classmethod
    def of(cls, formula: str, step: Fraction, schema: Schema) -> "RowFormula":
        """The formula in a text.

        Raises:
            RequestError, ColumnError, ExpressionError: it is none of private numbers, or may divide by 0.
        """
        expression = read_expression(formula)
        columns = tuple(name for name in schema.columns if name in expression.columns)
        for name in sorted(expression.columns):
            if name not in schema.private:
                raise RequestError(f"{name!r} is no private column; a formula is of private numbers")
        if not columns:
            raise RequestError("the formula names no column; name private columns")
        attributes = tuple(Attribute.of(name, schema.columns[name]) for name in columns)
        found = cls(columns, tuple(each.size for each in attributes), expression, step, attributes)
        found.check()
        return found

    def check(self) -> None:
        """Refuse a formula that has no value for some rows.

        Raises:
            RequestError: a divisor is 0 somewhere, or cannot be shown not to be.
        """
        with suppress(ZeroDivisionError):  # quicker than a long list
            if prod(self.sizes) > min(_FEW, MOST_LISTED) and self.enclosed:
                return
        with suppress(ZeroDivisionError):
            if self.listed is not None:
                return
        raise RequestError("the formula may divide by 0; add to the divisor what keeps it above")

    @property
    def unit(self) -> Fraction:
        """The step."""
        return self.step

    @cached_property
    def enclosed(self) -> range:
        """Between bounds that interval arithmetic proves (`Enclosure`), on ever smaller boxes."""
        high, low = self._most(self.expression), self._most(Call("-", (self.expression,)))
        return range(self._rounded(-low), self._rounded(high) + 1)

    @property
    def text(self) -> str:
        """The formula as it reads back, and the step."""
        return json.dumps({"formula": str(self.expression), "step": str(self.step)})

    def computed(self, numbers: Sequence[Ints]) -> Ints:
        """Exactly, in fractions, once for each different combination."""
        stacked = np.stack(numbers)
        different, places = np.unique(stacked, axis=1, return_inverse=True)
        values = {
            each.name: np.array([each.value(number) for number in row.tolist()], object)
            for each, row in zip(self.attributes, different, strict=True)
        }
        found = self.expression.evaluate(values, _ARRAYS)
        rounded = [self._rounded(value) for value in np.broadcast_to(found, different.shape[1:])]
        most = max(map(abs, rounded), default=0)
        return np.array(rounded, whole_numbers(most))[places.ravel()]

    def _rounded(self, value: Fraction) -> int:
        return floor(value / self.step + Fraction(1, 2))

    def _most(self, expression: Expression) -> Fraction:
        """No value of an expression is above it.

        Raises:
            ZeroDivisionError: a divisor may be 0.
        """
        ranges: Ranges = {each.name: (each.span.low, each.span.high) for each in self.attributes}
        heap: list[tuple[Fraction | float, int, Ranges]] = [(_lowest(expression, ranges), 0, ranges)]
        for number in range(_MOST_BOXES):
            box = heap[0][2]
            if all(low == high for low, high in box.values()):
                break
            for half, part in enumerate(halved_along(box, expression.steepest(box))):
                place = (_lowest(expression, part), 2 * number + half + 1, part)
                heapq.heappush(heap, place) if half else heapq.heapreplace(heap, place)
        if heap[0][0] == -inf:
            raise ZeroDivisionError
        return Fraction(-heap[0][0])


def _lowest(expression: Expression, box: Ranges) -> Fraction | float:
    """Less an upper bound of an expression on a box: heaps have the smallest first."""
    try:
        return -expression.over(box).upper
    except ZeroDivisionError:
        return -inf


Piece = tuple[Fraction, tuple[tuple[str, Runs], ...]]
"""A value, and the numbers of columns that have it: all conditions must hold."""


@dataclass(frozen=True)
class RowPieces(RowFunction):
    """The value of the first piece that holds a row (the Q(X) of [P4], section IV), and another elsewhere.

    Attributes:
        pieces: the values, and where a row has them.
        otherwise: the value of all other rows.
    """

    pieces: tuple[Piece, ...]
    otherwise: Fraction

    @classmethod
    def of(cls, pieces: Sequence[Piece], otherwise: Fraction, schema: Schema) -> "RowPieces":
        """The pieces over the columns that they name."""
        named = {name for _, conditions in pieces for name, _ in conditions}
        columns = tuple(name for name in schema.columns if name in named)
        return cls(columns, tuple(schema.columns[name].size for name in columns), tuple(pieces), otherwise)

    @cached_property
    def unit(self) -> Fraction:
        """The largest of which all values are multiples."""
        return common_unit([self.otherwise, *(value for value, _ in self.pieces)])

    @cached_property
    def enclosed(self) -> Positions:
        """All values that are declared."""
        values = [self.otherwise, *(value for value, _ in self.pieces)]
        return positions(int(value / self.unit) for value in values)

    @property
    def text(self) -> str:
        """The pieces as runs of numbers."""
        pieces = [[str(value), dict(conditions)] for value, conditions in self.pieces]
        return json.dumps({"pieces": pieces, "otherwise": str(self.otherwise)}, sort_keys=True)

    def computed(self, numbers: Sequence[Ints]) -> Ints:
        """By looking the numbers up in each piece, the last one first."""
        own: Mapping[str, Ints] = dict(zip(self.columns, numbers, strict=True))
        multiples = [int(value / self.unit) for value in (self.otherwise, *(v for v, _ in self.pieces))]
        found = np.full(len(numbers[0]), multiples[0], whole_numbers(max(map(abs, multiples))))
        for (_, conditions), multiple in reversed(list(zip(self.pieces, multiples[1:], strict=True))):
            inside = np.ones(len(found), bool)
            for name, runs in conditions:
                edges = np.array([edge for run in runs for edge in run], np.int64)
                inside &= np.searchsorted(edges, own[name], side="right") % 2 == 1
            found[inside] = multiple
        return found


def read_row_function(text: str, schema: Schema) -> RowFunction:
    """The function that was written as a text."""
    data = json.loads(text)
    if "formula" in data:
        return RowFormula.of(data["formula"], Fraction(data["step"]), schema)
    pieces = [
        (Fraction(value), tuple((name, tuple(map(tuple, runs))) for name, runs in conditions.items()))
        for value, conditions in data["pieces"]
    ]
    return RowPieces.of(pieces, Fraction(data["otherwise"]), schema)
