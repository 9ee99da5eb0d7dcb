"""Local noiseless privacy: a person's own value is told only as the cell it lies in."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, floor
from typing import Any

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.collection.local.float_cells import CodeArray, code_type, looked_up
from noiseless.collection.local.readings import CodedReadings, Floats, check_size, encode
from noiseless.errors import ColumnError, DomainError, MissingValuesError, RequestError
from noiseless.exact import Bits, Rational
from noiseless.pricing.reach import allowed_reach
from noiseless.ranges.quantizer import CellInterval, Quantizer, Uniform
from noiseless.ranges.spans import Continuum, Lattice, Span
from noiseless.rules.base import number_text


@dataclass(frozen=True)
class LocalQuantizer:
    """Tell a person's value as its cell (Definition 2 of [P1]): an output for each cell.

    >>> from noiseless.questions import Lattice
    >>> ages = LocalQuantizer.finest(Lattice.of(0, 119, 1), 8)
    >>> ages.reach, ages.bits, ages.release(41)
    (8, Bits(8), CellInterval(lower=Fraction(30, 1), upper=Fraction(44, 1)))

    Attributes:
        quantizer: the cells, over the domain of the value.
        name: what messages call the value.
        missing: whether a missing value is told too, as an output of its own.

    Guarantee:
        * A reading tells at most log2 of the number of cells, and of one more if missing values are
          told. n readings of a person tell at most n times that.
        * A reading of the domain is off by half a cell at most. One that is clamped is off by as much as it
          lies outside, besides.
        * Nothing is assumed of the collector: it never sees more than the cell.
    """

    quantizer: Quantizer
    name: str = "value"
    missing: bool = False

    @classmethod
    def finest(
        cls, span: Span, reach: int, name: str = "value", *, missing: bool = False
    ) -> "LocalQuantizer":
        """The smallest worst error with at most `reach` outputs.

        On a continuum `reach` equal cells. On a lattice the fewest cells with that worst error, as equal as
        can be, so that the smallest cell holds as many values as possible.

        Raises:
            RequestError: no output is allowed.
        """
        cells = reach - missing
        if cells < 1:
            raise RequestError("a release has at least one cell; allow a larger reach")
        if isinstance(span, Lattice):
            points = ceil(Fraction(span.last + 1, cells))
            cells = ceil(Fraction(span.last + 1, points))
        return cls(Uniform(span, cells if span.width else 1), name, missing)

    @classmethod
    def for_budget(
        cls, name: str, bounds: tuple[Rational, Rational], budget: Rational, *, step: Rational | None = None
    ) -> "LocalQuantizer":
        """The finest cells for a column that keep each reading within a budget of bits.

        >>> LocalQuantizer.for_budget("age", (0, 119), 2, step=1).cells
        4

        Args:
            name: the column.
            bounds: the smallest and the largest value it can have, declared and not taken from the data.
            budget: the most bits that a reading may tell.
            step: the resolution of values; without it they can be any number between the bounds.

        Raises:
            RequestError: the bounds or the step make no sense.
        """
        span = Continuum.of(*bounds) if step is None else Lattice.of(*bounds, step)
        return cls.finest(span, allowed_reach(budget), name)

    @classmethod
    def coarsest(
        cls, span: Span, error: Rational, name: str = "value", *, missing: bool = False
    ) -> "LocalQuantizer":
        """The fewest cells whose middles are at most `error` from the truth (Theorem IV.2 of [P4]).

        Raises:
            RequestError: the error is negative, or 0 on a continuum.
        """
        return cls(Uniform(span, cells_for_error(span, Fraction(error))), name, missing)

    @property
    def parts(self) -> "tuple[LocalQuantizer, ...]":
        """Itself: the one coordinate that there is."""
        return (self,)

    def halved(self) -> "LocalQuantizer | None":
        """The finest release with half as many cells; None when one cell would be left."""
        cells = self.cells // 2
        if cells == 1:
            return None
        return LocalQuantizer.finest(self.span, cells + self.missing, self.name, missing=self.missing)

    @property
    def span(self) -> Span:
        """The domain of the value."""
        return self.quantizer.span

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.quantizer.cells

    @property
    def reach(self) -> int:
        """How many outputs the person can cause: all of them."""
        return self.cells + self.missing

    @property
    def bits(self) -> Bits:
        """The price of one reading: log2 of the reach."""
        return Bits(self.reach)

    @property
    def entropy_of_record(self) -> Bits | None:
        """H0 of the value, log2 of how many there are; None for a continuum, where it is infinite."""
        return Bits(self.span.last + 1 + self.missing) if isinstance(self.span, Lattice) else None

    @property
    def protects_nothing(self) -> bool:
        """Whether every value has a cell of its own."""
        return self.entropy_of_record is not None and self.bits >= self.entropy_of_record

    @property
    def worst_error(self) -> Fraction:
        """How far the middle of a cell can be from the truth."""
        return self.quantizer.worst_error

    @cached_property
    def cell_width(self) -> Fraction:
        """The distance from where the widest cell begins to where it ends."""
        if isinstance(self.span, Lattice):
            return 2 * self.worst_error + self.span.step
        return 2 * self.worst_error

    @property
    def smallest_posterior(self) -> int | None:
        """How many values the smallest cell holds; None for a continuum, where all hold infinitely many."""
        if not isinstance(self.span, Lattice):
            return None
        if isinstance(self.quantizer, Uniform):  # cells are as equal as can be
            return (self.span.last + 1) // self.cells
        begins = (self.quantizer.begin(cell) for cell in range(self.cells + 1))
        return min(after - before for before, after in pairwise(begins))

    def cell(self, value: Rational) -> int:
        """The cell of one exact value.

        Raises:
            DomainError: it lies outside the domain.
        """
        number = Fraction(value)
        off_lattice = (
            isinstance(self.span, Lattice) and ((number - self.span.low) / self.span.step).denominator > 1
        )
        if not self.span.low <= number <= self.span.high or off_lattice:
            raise DomainError(self.name, 1, describe(self.span), "declare wider bounds or a finer step")
        return self.quantizer.cell(number)

    def release(self, value: Rational) -> CellInterval:
        """What is published about one exact value: an interval that certainly holds it."""
        return self.quantizer.answer(self.cell(value))

    def answer(self, cell: int) -> CellInterval:
        """The interval of a cell."""
        return self.quantizer.answer(cell)

    def encode(self, readings: Any, *, clamp: bool = False, floats: Floats = "binary") -> CodeArray:  # noqa: ANN401
        """The cell of each reading; with `missing`, a missing reading gets the number `cells`.

        Args:
            readings: a numpy or Arrow array, or a list of numbers.
            clamp: move readings outside the domain to its nearest value instead of refusing them.
            floats: what a float stands for on a continuum: the number that it is ("binary"), or the shortest
                decimal that reads back as it ("decimal").

        Raises:
            DomainError: readings lie outside the domain; they are counted, never shown.
            MissingValuesError: readings are missing or NaN.
        """
        found = encode(self.quantizer, readings, floats)
        self.check(found, clamp=clamp)
        codes = found.codes.astype(code_type(self.reach), copy=False)
        if found.missing is not None and self.missing:
            codes[found.missing] = self.cells
        return codes

    def check(self, found: CodedReadings, *, clamp: bool) -> None:
        """Refuse readings that have no cell.

        Raises:
            ColumnError: some are no numbers.
            DomainError: some lie outside the domain.
            MissingValuesError: some are missing, and that is no output.
        """
        if found.strange:
            raise ColumnError(self.name, strange_text(found.strange))
        if found.outside and not clamp:
            remedy = "declare wider bounds or a finer step, or clamp them to the nearest value"
            raise DomainError(self.name, found.outside, describe(self.span), remedy)
        if found.missing_count and not self.missing:
            remedy = "fill them, drop them, or publish them as a value"
            raise MissingValuesError(self.name, found.missing_count, remedy)

    @cached_property
    def midpoints(self) -> FloatArray:
        """The middle of each cell as the nearest float; with `missing`, NaN at the end."""
        check_size(self.quantizer)
        middles = [float(self.answer(cell).value) for cell in range(self.cells)]
        return np.array(middles + [np.nan] * self.missing)

    def release_midpoints(
        self,
        readings: Any,  # noqa: ANN401 - any array
        *,
        clamp: bool = False,
        floats: Floats = "binary",
        out: FloatArray | None = None,
    ) -> FloatArray:
        """The middle of each reading's cell; NaN for a missing reading where that is told. As `encode`.

        With `out` the middles are written there: memory that is new takes longer to touch than the work.

        Raises:
            RequestError: `out` is no place for this many floats, or it overlaps the readings.
        """
        if out is not None:
            _check_place(out, readings)
        return looked_up(self.midpoints, self.encode(readings, clamp=clamp, floats=floats), out)


def _check_place(out: Any, readings: Any) -> None:  # noqa: ANN401 - any arrays
    """Check that a place is fit for the middles of some readings."""
    fit = isinstance(out, np.ndarray) and out.dtype == np.float64 and out.shape == (len(readings),)
    if not fit or not out.flags.carray:
        raise RequestError("out is a contiguous array of float64, as long as the readings")
    if isinstance(readings, np.ndarray) and np.may_share_memory(out, readings):
        raise RequestError("out and the readings overlap; give another place for the middles")


def cells_for_error(span: Span, error: Fraction) -> int:
    """The fewest cells with a worst error of at most `error`.

    >>> from noiseless.questions import Continuum, Lattice
    >>> cells_for_error(Lattice.of(0, 10, 1), Fraction(1)), cells_for_error(Continuum.of(0, 10), Fraction(1))
    (4, 5)
    """
    if error < 0 or (error == 0 and not isinstance(span, Lattice) and span.width):
        raise RequestError("a tolerated error is a number above 0")
    if isinstance(span, Lattice):
        return ceil(Fraction(span.last + 1, floor(2 * error / span.step) + 1))
    return max(1, ceil(span.width / (2 * error))) if span.width else 1


def strange_text(count: int, where: str = "") -> str:
    """That a column has values that are no numbers.

    >>> strange_text(2)
    'holds 2 values that are no numbers; mend them, or add --decimal , if that is how decimals are written'
    """
    values = "1 value that is no number" if count == 1 else f"{count:,} values that are no numbers"
    return f"holds {values}; {where}mend them, or add --decimal , if that is how decimals are written"


def describe(span: Span) -> str:
    """A domain in a few words.

    >>> from noiseless.questions import Lattice
    >>> describe(Lattice.of(0, 10, Fraction(1, 4)))
    '0..10 in steps of 0.25 (41 values)'
    """
    ends = f"{number_text(span.low)}..{number_text(span.high)}"
    if not isinstance(span, Lattice):
        return ends
    size = span.last + 1
    return f"{ends} in steps of {number_text(span.step)} ({size:,} value{'s' * (size != 1)})"
