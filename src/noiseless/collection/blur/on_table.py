"""Blurring tables: computed once for each distinct combination, joined to the rows where the table is."""

from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from noiseless.arrays import IntArray
from noiseless.collection.blur.arrays import Whole
from noiseless.collection.blur.on_lattice import Blur, Bounds
from noiseless.collection.blur.pairing import Mode
from noiseless.domain import NumberColumn, Schema
from noiseless.domain.literals import as_text, read_number
from noiseless.errors import RequestError
from noiseless.exact import Rational, round_down, round_up
from noiseless.tables import open_table
from noiseless.tables.replacement import DeclaredColumns, MissingRows
from noiseless.tables.spark_table import spark_frame


@dataclass(frozen=True, eq=False, repr=False)
class BlurredTable:
    """A table whose compared column is blurred, and what that did to it.

    Attributes:
        mechanism: the blur, with its guarantee for the declared range.
        rows: how many rows are released.
        dropped: how many were left out because a value was missing.
        moved: how many rows had their value changed.
        protected_rows: how many rows have a released value that leaves both answers possible.
        max_change: the most that a value was moved, exactly.
    """

    mechanism: Blur
    rows: int
    dropped: int
    moved: int
    protected_rows: int
    max_change: Fraction
    _columns: DeclaredColumns
    _released: pa.Array

    def __repr__(self) -> str:
        return (
            f"BlurredTable({self.mechanism.hypothesis}: {self.moved:,} of {self.rows:,} rows moved,"
            f" {self.protected_rows:,} protected)"
        )

    @property
    def protected_share(self) -> Fraction:
        """The share of the declared range that is undecidable, or a lower bound."""
        return self.mechanism.protected_share

    @property
    def privacy_nats(self) -> float:
        """Priv with the reference h0(Y), rounded down."""
        return self.mechanism.privacy("Y").nats

    def write(self, out: str | PathLike[str]) -> None:
        """Write the blurred table: all columns, in the order of the rows, whole or not at all.

        Args:
            out: a CSV, TSV, Parquet or JSON-lines file, by its ending.

        Raises:
            OutputError: it cannot be written, or is the table itself.
            RequestError: no format goes with its ending.
        """
        self._columns.write(self.mechanism.hypothesis.column, self._released, Path(out))

    def to_arrow(self) -> pa.Table:
        """The blurred table in memory."""
        return self._columns.to_arrow(self.mechanism.hypothesis.column, self._released)

    def to_dict(self) -> dict[str, Any]:
        """All results as plain values, the keys of `--format json`."""
        blur, census = self.mechanism, self.mechanism.census
        return {
            "rows": self.rows,
            "dropped": self.dropped,
            "moved": self.moved,
            "protected_rows": self.protected_rows,
            "protected_share": round_down(census.protected_share) + 0.0,  # not -0.0
            "protected_share_exact": str(census.protected_share) if census.is_exact else None,
            "protected_share_at_most": round_up(census.protected_share_at_most),
            "privacy_nats": self.privacy_nats,
            "privacy_reference": "h0(Y)",
            "privacy_x_nats": blur.privacy("X").nats,
            "max_change": round_up(self.max_change),
            "max_change_exact": str(self.max_change),
            "allowed_change_exact": str(blur.max_change),
            "mode": blur.mode,
            "column": blur.hypothesis.column,
            "hypothesis": str(blur.hypothesis),
            "declared": {name: column.describe() for name, column in blur.lattice.columns.items()},
        }


def blur(
    table: Any,  # noqa: ANN401 - any frame or source
    hypothesis: str,
    *,
    max_change: Rational | float,
    bounds: Bounds | None = None,
    schema: Schema | str | PathLike[str] | None = None,
    mode: Mode = "stretch",
    missing: MissingRows = "error",
) -> BlurredTable:
    """Hide a yes/no fact about each row of a table by moving one column a little.

    Args:
        table: any table: a file name, a frame, an opened table.
        hypothesis: the fact: a comparison of one column with an expression of others.
        max_change: the most that a value may move.
        bounds: for each column of the hypothesis its lowest and highest value and, unless it is 1, its step.
        schema: declared domains, or the file that holds them; `bounds` stand over it.
        mode: "stretch" keeps released values spread out; "collapse" releases one value a fibre.
        missing: whether rows without a value are left out or an error.

    Raises:
        ExpressionError: the hypothesis cannot be read, or divides by 0 somewhere in the declared range.
        RequestError: a domain is missing, or the change is too small.
        DomainError: the table has values outside the declared domains; they are counted, never shown.
        MissingValuesError: values are missing and may not be dropped.
    """
    declared = schema if schema is None or isinstance(schema, Schema) else Schema.read(schema)
    mechanism = Blur.of(hypothesis, max_change=max_change, bounds=bounds, schema=declared, mode=mode)
    return apply_blur(mechanism, table, missing)


def apply_blur(mechanism: Blur, source: Any, missing: MissingRows = "error") -> BlurredTable:  # noqa: ANN401
    """Blur a table, or whatever can be opened as one."""
    if (frame := spark_frame(source)) is not None:
        from noiseless.collection.blur.spark import blur_frame

        return blur_frame(frame, mechanism, missing)
    table = open_table(source)
    if missing not in ("drop", "error"):
        raise RequestError('missing values are an "error", or their rows are left out: "drop"')
    lattice, name = mechanism.lattice, mechanism.hypothesis.column
    columns = DeclaredColumns.read(table, mechanism.schema, mechanism.hypothesis.columns, missing)
    tally = columns.tally
    points = {c: _points(columns.values(c), lattice.columns[c]) for c in columns.columns}
    fibres = lattice.fibres({other: points[other] for other in mechanism.hypothesis.others})
    released = fibres.release(points[name])
    change = np.abs(released - points[name])
    largest = Fraction(int(change.max()) * lattice.compared.step_units, lattice.compared.scale)
    return BlurredTable(
        mechanism,
        rows=tally.total,
        dropped=table.count() - tally.total,
        moved=int(tally.counts[change > 0].sum()),
        protected_rows=int(tally.counts[fibres.contain(points[name])].sum()),
        max_change=largest,
        _columns=columns,
        _released=_texts(released, lattice.compared),
    )


def _points(values: pa.Array, column: NumberColumn) -> IntArray:
    """The numbers of values that are known to lie in a domain."""
    if column.size == 1:
        return np.zeros(len(values), np.int64)
    if pt.is_int64(values.type):
        above = Whole.of(values.to_numpy()) - Whole.of(column.low_units)
        return np.asarray((above // Whole.of(column.step_units)).values, np.int64)
    if not pt.is_float64(values.type):
        return np.array([column.index(value) for value in values.to_pylist()], np.int64)
    numbers, scale = values.to_numpy(), float(column.scale)
    units = np.rint((np.rint(numbers * scale) - column.low_units) / column.step_units)
    points = units.astype(np.int64)
    # Of very many units some may be off by one in doubles: a point is right if its double is the value.
    wrong = (points * column.step_units + column.low_units) / scale != numbers
    points[wrong] = [column.index(float(number)) for number in numbers[wrong]]
    return cast("IntArray", points)


def _texts(points: IntArray, column: NumberColumn) -> pa.Array:
    """Points as plain digits; all rows alike, for a spelling of its own would tell what was not moved."""
    distinct, place = np.unique(points, return_inverse=True)
    texts = [as_text(read_number(column.value(int(point)))) for point in distinct]
    return pa.array(texts, pa.string()).take(pa.array(place))
