"""Columns of a table told as cells, chunk after chunk, and how far clamping moves readings."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from noiseless.arrays import BoolArray
from noiseless.collection.local.readings import CodedReadings, are_numbers, are_plain, check_size, encode
from noiseless.collection.local.scalar import LocalQuantizer, describe, strange_text
from noiseless.collection.local.schedule import Meters, Schedule
from noiseless.errors import ColumnError, DomainError, MissingValuesError
from noiseless.ranges.spans import Lattice, Span
from noiseless.rules.base import as_decimal, number_text
from noiseless.tables.base import Missing

ENDLESS = 1100
"""An exponent of two beyond all floats: of readings that are infinite."""

_SHORT = 15
"""Decimals of this many digits have a float each."""


def farthest(span: Span, readings: pa.Array) -> int:
    """How far readings are moved at most to lie in a span: the exponent of a power of two.

    No more is told: together with the bounds, the distance itself would be the largest reading.

    >>> from noiseless.questions import Continuum
    >>> farthest(Continuum.of(0, 1), pa.array([0.5, 2.25])), farthest(Continuum.of(0, 1), pa.array(["3"]))
    (1, 1)
    """
    ends = _ends(readings)
    if ends is None:
        return ENDLESS
    off_steps = span.step / 2 if isinstance(span, Lattice) else Fraction(0)
    return _exponent(max(off_steps, *(span.low - end for end in ends), *(end - span.high for end in ends)))


def distance(exponent: int | None) -> Fraction | float:
    """The power of two; 0 when nothing was moved, infinite beyond all floats."""
    if exponent is None:
        return Fraction(0)
    return math.inf if exponent >= ENDLESS else Fraction(2) ** exponent


def rounding(part: LocalQuantizer, *, texts: bool) -> Fraction:
    """How far the number written for a cell can be from its middle: where digits do not end, it is a float.

    >>> from noiseless.questions import Continuum
    >>> [float(rounding(LocalQuantizer.finest(Continuum.of(0, 10), cells), texts=True)) for cells in (4, 3)]
    [0.0, 1.7763568394002505e-15]
    """
    span, largest = part.span, max(abs(part.span.low), abs(part.span.high))
    unit = span.step / 2 if isinstance(span, Lattice) else span.width / (2 * part.cells)
    finest = as_decimal(Fraction(1, math.lcm(span.low.denominator, unit.denominator)))
    if finest is not None and (texts or largest < Fraction(10) ** (_SHORT + int(finest.as_tuple().exponent))):
        return Fraction(0)
    return Fraction(math.ulp(float(largest)))


def _exponent(size: Fraction) -> int:
    """The smallest power of two that is not below a number above 0, as an exponent."""
    found = size.numerator.bit_length() - size.denominator.bit_length() - 1
    while Fraction(2) ** found < size:
        found += 1
    return min(found, ENDLESS)


def _ends(readings: pa.Array) -> list[Fraction] | None:
    """The smallest and the largest of readings, perhaps others between; None when one is infinite."""
    kind = readings.type
    if pt.is_floating(kind) and pc.any(pc.is_inf(readings.cast(pa.float64()))).as_py():
        return None
    if pt.is_float64(kind) or pt.is_integer(kind):
        if pt.is_float64(kind):
            readings = readings.filter(pc.invert(pc.is_nan(readings)))
        ends = [end for end in pc.min_max(readings).as_py().values() if end is not None]
        return [Fraction(repr(end)) for end in ends]
    texts = pc.utf8_trim_whitespace(pc.unique(readings.cast(pa.string()).drop_null()))
    numbers = texts.filter(pa.array(are_numbers(texts)))
    plain = are_plain(numbers)
    short = pc.min_max(numbers.filter(pa.array(plain)).cast(pa.float64())).as_py().values()
    found = [Fraction(repr(end)) for end in short if end is not None]
    return found + [Fraction(Decimal(text)) for text in numbers.filter(pa.array(~plain)).to_pylist()]


ReleaseAs = Literal["midpoint", "interval", "cell"]
"""A cell is told by its middle, as an interval, or by its number from 0."""


@dataclass
class ColumnRelease:
    """Tell columns as cells; each coordinate of the mechanism is a column.

    Values are counted that lie outside their domain or are missing; `check` refuses them. A float in a table
    stands for the shortest decimal that reads back as it: a table tells the same as text and as floats.

    Attributes:
        schedule: what each reading of a person tells.
        release_as: how a cell is told.
        texts: whether texts are published, for a text file.
        clamp: whether values outside the domain are moved to its nearest value.
        missing: whether a missing value is told as missing, leaves its row out, or is an error.
        unit: the column that names a person, when readings are counted.
        rows: how many rows were released.
        outside: how many values of each column lay outside its domain.
        strange: how many of these are no numbers.
        absent: how many are missing.
        farthest: how far values were moved at most: exponents of two.
    """

    schedule: Schedule
    release_as: ReleaseAs = "midpoint"
    texts: bool = True
    clamp: bool = False
    missing: Missing = "error"
    unit: str | None = None
    rows: int = 0
    outside: dict[str, int] = field(default_factory=dict)
    strange: dict[str, int] = field(default_factory=dict)
    absent: dict[str, int] = field(default_factory=dict)
    farthest: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for part in self.parts:
            check_size(part.quantizer)
        self.meters = Meters(self.schedule)
        stages = [stage.mechanism.parts for stage in self.schedule.stages]
        told = {
            same[0].name: _of_one_type([self._told(part) for part in same])
            for same in zip(*stages, strict=True)
        }
        self._labels = [
            {name: several[stage] for name, several in told.items()} for stage in range(len(stages))
        ]

    @property
    def parts(self) -> tuple[LocalQuantizer, ...]:
        """The coordinates, at their finest."""
        return self.schedule.stages[0].mechanism.parts

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are replaced, and the one that names a person."""
        named = () if self.unit is None else (self.unit,)
        return tuple(dict.fromkeys((*(part.name for part in self.parts), *named)))

    @property
    def types(self) -> dict[str, pa.DataType]:
        """The types of the published columns."""
        return {name: labels.type for name, labels in self._labels[0].items()}

    def coded(self, given: Mapping[str, pa.Array]) -> list[CodedReadings]:
        """The finest cells of a chunk; nothing is counted."""
        return [encode(part.quantizer, given[part.name], "decimal") for part in self.parts]

    def blank(self, unit: str | None) -> "ColumnRelease":
        """The same with nothing counted yet."""
        return replace(self, unit=unit, rows=0, outside={}, strange={}, absent={}, farthest={})

    def release(
        self,
        given: Mapping[str, pa.Array],
        coded: Sequence[CodedReadings] | None = None,
        stages: npt.NDArray[np.int64] | None = None,
    ) -> tuple[dict[str, pa.Array], BoolArray | None]:
        """What is published in place of the values of a chunk, and which rows are kept (None: all).

        Args:
            given: the columns.
            coded: their finest cells, if these are known.
            stages: the stage of each row, if readings are counted elsewhere.
        """
        first = self.coded(given) if coded is None else coded
        size = len(first[0].codes)
        if self.clamp:
            self._measure(given, first)
        dropped = self._count(first, size)
        kept = np.flatnonzero(~dropped) if dropped is not None else None
        stages = self._stages(given, kept, size) if stages is None else stages
        self.rows += size if kept is None else len(kept)
        found = {
            part.name: self._column(number, given[part.name], coded, stages)
            for number, (part, coded) in enumerate(zip(self.parts, first, strict=True))
        }
        return found, None if dropped is None else ~dropped

    def fitting(self, given: Mapping[str, pa.Array], coded: Sequence[CodedReadings]) -> int:
        """How many rows come before the first that is refused; all when none is."""
        low, high = 0, len(given[self.parts[0].name])
        if not self._is_refused(given, coded):
            return high
        while high - low > 1:
            middle = (low + high) // 2
            part = {name: values.slice(low, middle - low) for name, values in given.items()}
            if self._is_refused(part, self.coded(part)):
                high = middle
            else:
                low = middle
        return low

    def refuse(self, given: Mapping[str, pa.Array], line: int) -> None:
        """Say what is wrong with one row that does not fit.

        Args:
            given: its columns.
            line: where it stands.

        Raises:
            DomainError: as `check`.
            MissingValuesError: as `check`.
        """
        alone = self.blank(self.unit)
        alone.release(given)
        alone.check(f"see line {line:,}; ")

    def _is_refused(self, given: Mapping[str, pa.Array], coded: Sequence[CodedReadings]) -> bool:
        for found in coded:
            if (found.strange if self.clamp else found.outside) or (
                self.missing == "error" and found.missing_count
            ):
                return True
        return self.unit is not None and given[self.unit].null_count > 0

    def check(self, where: str = "") -> None:
        """Refuse what was met and has no cell.

        Args:
            where: what messages say about the place.

        Raises:
            ColumnError: values are no numbers.
            DomainError: values lie outside their domain; they are counted, never shown.
            MissingValuesError: values are missing that may not be.
        """
        remedy = "declare wider bounds or a finer step, or pass --clamp to move them to the nearest value"
        for part in self.parts:
            if strange := self.strange.get(part.name, 0):
                raise ColumnError(part.name, strange_text(strange, where))
            outside = self.outside.get(part.name, 0)
            if outside and not self.clamp:
                raise DomainError(part.name, outside, describe(part.span), where + remedy)
        for column, count in self.absent.items():
            if count and (self.missing == "error" or column == self.unit):
                remedy = "name a person in each row" if column == self.unit else _FILL
                raise MissingValuesError(column, count, where + remedy)

    def _count(self, coded: Sequence[CodedReadings], size: int) -> BoolArray | None:
        """Count what is refused; which rows are dropped, if any may be."""
        dropped = np.zeros(size, bool)
        for part, found in zip(self.parts, coded, strict=True):
            for counts, more in (
                (self.outside, found.outside),
                (self.strange, found.strange),
                (self.absent, found.missing_count),
            ):
                counts[part.name] = counts.get(part.name, 0) + more
            if found.missing is not None:
                dropped |= found.missing
        return dropped if self.missing == "drop" and dropped.any() else None

    def _measure(self, given: Mapping[str, pa.Array], coded: Sequence[CodedReadings]) -> None:
        """How far values are moved."""
        for part, found in zip(self.parts, coded, strict=True):
            if found.outside > found.strange:
                here = farthest(part.span, given[part.name])
                self.farthest[part.name] = max(here, self.farthest.get(part.name, here))

    def roundings(self) -> dict[str, Fraction]:
        """How far the numbers that are written can be from the middles of cells, for each column."""
        if self.release_as != "midpoint":
            return {}
        stages = [stage.mechanism.parts for stage in self.schedule.stages]
        return {
            same[0].name: max(rounding(part, texts=self.texts) for part in same)
            for same in zip(*stages, strict=True)
        }

    def _stages(
        self, given: Mapping[str, pa.Array], kept: npt.NDArray[np.intp] | None, size: int
    ) -> npt.NDArray[np.int64] | None:
        """The stage of each row, None when all are in the only one; a row that is dropped is not counted."""
        if self.unit is None:
            return None
        persons = given[self.unit]
        self.absent[self.unit] = self.absent.get(self.unit, 0) + persons.null_count
        if kept is None:
            return self.meters.stages(persons)
        stages = np.zeros(size, np.int64)
        stages[kept] = self.meters.stages(persons.take(pa.array(kept)))
        return stages

    def _column(
        self, number: int, values: pa.Array, first: CodedReadings, stages: npt.NDArray[np.int64] | None
    ) -> pa.Array:
        """What one coordinate publishes: by stage, the label of each cell; past the last stage, nothing."""
        name = self.parts[number].name
        if stages is None:
            return self._labels[0][name].take(self._places(self.parts[number], first))
        told = pa.concat_arrays([labels[name] for labels in self._labels])
        offsets = np.cumsum([0, *(len(labels[name]) for labels in self._labels)])
        places = np.full(len(stages), -1, np.int64)
        for stage, current in enumerate(self.schedule.stages):
            rows = np.flatnonzero(stages == stage)
            part = current.mechanism.parts[number]
            if stage == 0:
                places[rows] = self._places(part, first).to_numpy()[rows]
            elif len(rows):
                coded = encode(part.quantizer, values.take(pa.array(rows)), "decimal")
                places[rows] = offsets[stage] + self._places(part, coded).to_numpy()
        return told.take(pa.array(places, mask=places < 0))

    @staticmethod
    def _places(part: LocalQuantizer, coded: CodedReadings) -> pa.Array:
        """Which label each value gets; a missing one gets the last, which is null."""
        codes = coded.codes.astype(np.int64)
        if coded.missing is not None:
            codes[coded.missing] = part.cells
        return pa.array(codes)

    def _told(self, part: LocalQuantizer) -> pa.Array:
        """How each cell is told, and null for nothing."""
        numbers = range(part.cells)
        if self.release_as == "interval":
            return pa.array([*(interval_text(part, cell) for cell in numbers), None], pa.string())
        if self.release_as == "cell":
            return pa.array([*(str(cell) if self.texts else cell for cell in numbers), None])
        middles = [part.answer(cell).value for cell in numbers]
        if self.texts:
            return pa.array([*map(middle_text, middles), None], pa.string())
        whole = all(middle.denominator == 1 and abs(middle) < 2**63 for middle in middles)
        read: Callable[[Fraction], int | float] = int if whole else float
        return pa.array([*map(read, middles), None], pa.int64() if whole else pa.float64())


def _of_one_type(several: list[pa.Array]) -> list[pa.Array]:
    """The published values of one column at each stage: floats if the middles of any stage are not whole."""
    types = {told.type for told in several}
    return several if len(types) == 1 else [told.cast(pa.float64()) for told in several]


_FILL = "fill them, or pass --missing drop, or --missing value to publish that they are missing"


def middle_text(value: Fraction) -> str:
    """A middle in digits: exactly where they end, else as the nearest float.

    >>> middle_text(Fraction(5, 8)), middle_text(Fraction(1, 3))
    ('0.625', '0.3333333333333333')
    """
    text = number_text(value)
    return repr(float(value)) if "/" in text else text


def interval_text(part: LocalQuantizer, cell: int) -> str:
    """A cell as an interval, exactly; all but the last are half open, those of lattices closed.

    >>> from noiseless.questions import Continuum
    >>> interval_text(LocalQuantizer.finest(Continuum.of(0, 1), 3), 0)
    '[0, 1/3)'
    """
    answer = part.answer(cell)
    closed = isinstance(part.span, Lattice) or cell == part.cells - 1
    return f"[{number_text(answer.lower)}, {number_text(answer.upper)}{']' if closed else ')'}"
