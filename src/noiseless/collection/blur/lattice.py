"""The blur: hides a yes/no fact about each record by moving one column a little, on its lattice."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import pyarrow as pa

from noiseless.collection.blur.census import BlurCensus, take_census
from noiseless.collection.blur.fibres import BlurLattice, Mode, points_of, texts_of
from noiseless.collection.blur.hypotheses import Hypothesis
from noiseless.display import FrameMixin
from noiseless.domain import NumberColumn, Schema
from noiseless.domain.grammar import Sides, read_comparison
from noiseless.domain.literals import as_text, read_number
from noiseless.errors import ColumnError, ExpressionError, RequestError, SchemaError
from noiseless.exact import Rational, round_down, round_up
from noiseless.tables import open_table
from noiseless.tables.replacement import DeclaredColumns, MissingRows
from noiseless.tables.spark_table import spark_frame
from noiseless.theory.hypothesis.privacy import Privacy

ColumnBounds = Mapping[str, Sequence[int | Decimal | float]]
"""For each column its lowest and highest value and, unless it is 1, its step."""

_MOST_POINTS = 2**60
"""Points of a column are counted in 64 bits."""


@dataclass(frozen=True)
class Blur(BlurLattice):
    """Hides "column >= g(other columns)" from anyone who sees the release: Theorem 4 of [P2] on lattices.

    In each fibre, where the other columns stand still, the points of the compared column within `max_change`
    of the boundary g are merged, those below it (L) with those above it (U), so that neither answer can be
    excluded. Nothing moves by more than `max_change`. A fibre with points on one side only is left alone.

    - `stretch`: L and U are split into min(|L|, |U|) consecutive runs each, paired in order; the midrange of
      a pair, on the lattice, is released for all of it. (Stretching each half over the band, as one does with
      real numbers, would part the halves of a lattice and give the hypothesis away.)
    - `collapse`: one value is released for all points of the band, as in the paper: the one nearest to g that
      none of them is too far from. Where there is none, the point furthest from g is left out.

    >>> blur = Blur.of("weight >= 30*(height/100)**2", max_change=5,
    ...                bounds={"weight": (0, 200), "height": (0, 250)})
    >>> blur.release({"weight": 99, "height": 180}), blur.release({"weight": 130, "height": 180})
    ({'weight': 96, 'height': 180}, {'weight': 130, 'height': 180})
    >>> blur.protected_share
    Fraction(2392, 50451)

    Guarantee:
        * Anyone who sees the released value of a point in a band cannot exclude either answer.
        * No value moves by more than `max_change`. Outside of the bands the table is as it was, and the
          answer is plain to see: `protected_share` says how much is inside.
    """

    @classmethod
    def of(
        cls,
        hypothesis: str,
        *,
        max_change: Rational | float,
        bounds: ColumnBounds | None = None,
        schema: Schema | None = None,
        mode: Mode = "stretch",
    ) -> Self:
        """From what a user writes.

        Args:
            hypothesis: a comparison of one column with an expression of others.
            max_change: D, the most that a value may move; a float is read as the decimal it is written as.
            bounds: the domains of columns, which stand over those of the schema.
            schema: declared domains.
            mode: "stretch" or "collapse".

        Raises:
            ExpressionError: the hypothesis is none.
            RequestError: a domain is missing or of another kind, or D is too small.
            SchemaError: a domain is not well formed, or the schema is only a proposal.
        """
        sides = read_comparison(hypothesis)
        columns = _declared(hypothesis, sides, _domains(bounds), schema)
        ranges = {name: (Fraction(c.bounds[0]), Fraction(c.bounds[1])) for name, c in columns.items()}
        parsed = Hypothesis.of(hypothesis, sides, ranges)
        if mode not in ("stretch", "collapse"):
            raise RequestError('the mode is "stretch" or "collapse"')
        change = _change(max_change, parsed.column, columns[parsed.column])
        return cls(parsed, columns, change, mode)

    @cached_property
    def schema(self) -> Schema:
        """The declared domains of the columns of the hypothesis."""
        return Schema(self.columns)

    @cached_property
    def census(self) -> BlurCensus:
        """The sizes of the parts of the declared range.

        Raises:
            ExpressionError: the boundary divides by 0 somewhere in it.
        """
        return take_census(self)

    @property
    def protected_share(self) -> Fraction:
        """The share of the declared range that is undecidable (a lower bound if it is too vast to count)."""
        return self.census.protected_share

    def privacy(self, reference: Literal["Y", "X"] = "Y") -> Privacy:
        """Priv, (10) of [P2], with its reference: [[Y]] as defined there; with [[X]] it is log(1 + e)."""
        census = self.census
        whole = census.outputs if reference == "Y" else census.points
        return Privacy(reference, whole, census.decided, counted=True)

    def release(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """What is released for one record: the compared column changed, all others as they are.

        Raises:
            ColumnError: a column of the hypothesis is not there or not in its domain.
        """
        points = {name: _point(name, column, record) for name, column in self.columns.items()}
        fibre = self.fibres({name: points[name] for name in self.hypothesis.others})
        name = self.hypothesis.column
        return {**record, name: self.compared.value(int(fibre.release(points[name])[0]))}

    def apply(self, table: Any, *, missing: MissingRows = "error") -> "BlurredTable":  # noqa: ANN401
        """Blur a table, or any frame; see `blur`."""
        if missing not in ("drop", "error"):
            raise RequestError('missing values are an "error", or their rows are left out: "drop"')
        if (frame := spark_frame(table)) is not None:
            from noiseless.collection.blur.spark import blur_frame

            return blur_frame(frame, self, missing)
        opened = open_table(table)
        name, compared = self.hypothesis.column, self.compared
        columns = DeclaredColumns.read(opened, self.schema, self.hypothesis.columns, missing)
        tally = columns.tally
        points = {c: points_of(columns.values(c), self.columns[c]) for c in columns.columns}
        fibres = self.fibres({other: points[other] for other in self.hypothesis.others})
        released = fibres.release(points[name])
        change = np.abs(released - points[name])
        largest = Fraction(int(change.max()) * compared.step_units, compared.scale)
        return BlurredColumn(
            mechanism=self,
            rows=tally.total,
            dropped=opened.count() - tally.total,
            moved=int(tally.counts[change > 0].sum()),
            protected_rows=int(tally.counts[fibres.contain(points[name])].sum()),
            max_change=largest,
            columns=columns,
            released=texts_of(released, compared),
        )


def _domains(bounds: ColumnBounds | None) -> dict[str, NumberColumn]:
    found = {}
    for name, numbers in (bounds or {}).items():
        if len(numbers) not in (2, 3):
            raise RequestError(
                f"the bounds of {name!r} are its lowest and highest value and perhaps its step"
            )
        low, high, *step = numbers
        try:
            fields = {"bounds": (low, high), "step": step[0] if step else 1}
            found[name] = NumberColumn.model_validate({"role": "private", **fields})
        except SchemaError as error:
            raise SchemaError(f"column {name!r}: {error}") from None
    return found


def _declared(
    text: str, sides: Sides, bounds: Mapping[str, NumberColumn], schema: Schema | None
) -> dict[str, NumberColumn]:
    """The domain of each column of a comparison."""
    needed = sorted(sides.left.columns | sides.right.columns)
    if unused := sorted(set(bounds) - set(needed)):
        raise ExpressionError(
            text, f"does not name column {unused[0]!r}, for which bounds are given; leave them out"
        )
    if schema is not None:
        schema.require_declared()
    known = {**({} if schema is None else schema.columns), **bounds}
    found = {}
    for name in needed:
        column = known.get(name)
        if column is None:
            raise RequestError(
                f"column {name!r} has no declared bounds; give them, as in --bounds {name}=0:100"
            )
        if not isinstance(column, NumberColumn):
            raise RequestError(f"column {name!r} is declared as {column.kind}; a hypothesis compares numbers")
        if column.size > _MOST_POINTS:
            raise RequestError(
                f"column {name!r} has too many values, {column.describe()}; declare a coarser step"
            )
        found[name] = column
    return found


def _change(max_change: Rational | float, name: str, column: NumberColumn) -> Fraction:
    """D as an exact number, at least a step: nothing can be moved by less."""
    try:
        change = max_change if isinstance(max_change, Fraction) else Fraction(read_number(max_change))
    except ValueError as error:
        raise RequestError(f"the largest change must be a number, {error}") from None
    if change <= 0:
        raise RequestError("the largest change must be above 0")
    step = Fraction(column.step)
    if change < step:
        raise RequestError(
            f"no value of {name!r} can move by less than its step, {as_text(column.step)}; allow at least"
            " that much change, or declare a finer step"
        )
    return change


def _point(name: str, column: NumberColumn, record: Mapping[str, Any]) -> Any:  # noqa: ANN401 - an array
    if name not in record:
        raise ColumnError(name, "is not in the record; give all columns of the hypothesis")
    point = column.index(record[name])
    if point is None:
        raise ColumnError(name, f"of the record is not one of {column.describe()}")
    return np.array([point])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BlurredTable(FrameMixin, ABC):
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

    @abstractmethod
    def write(self, out: str | PathLike[str]) -> None:
        """Write the blurred table: all columns, whole or not at all."""

    @property
    @abstractmethod
    def frame(self) -> Any:  # noqa: ANN401 - any frame
        """The blurred table, in the kind of frame that the original came as."""

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """The blurred table in this machine's memory."""

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
            "declared": {name: column.describe() for name, column in blur.columns.items()},
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BlurredColumn(BlurredTable):
    """A blurred table of this machine.

    Attributes:
        columns: the columns of the hypothesis, as they were read.
        released: what is released in place of the compared one.
    """

    columns: DeclaredColumns
    released: pa.Array

    def write(self, out: str | PathLike[str]) -> None:
        """Write the blurred table: all columns, in the order of the rows, whole or not at all.

        Args:
            out: a CSV, TSV, Parquet or JSON-lines file, by its ending.

        Raises:
            OutputError: it cannot be written, or is the table itself.
            RequestError: no format goes with its ending.
        """
        self.columns.write(self.mechanism.hypothesis.column, self.released, Path(out))

    @property
    def frame(self) -> Any:  # noqa: ANN401 - any frame
        """The blurred table, in the kind of frame that the original came as; Arrow for a file."""
        return self.columns.table.came_as.frame(self.to_arrow(), in_order=True)

    def to_arrow(self) -> pa.Table:
        """All columns, in the order of the rows."""
        return self.columns.to_arrow(self.mechanism.hypothesis.column, self.released)


def blur(
    table: Any,  # noqa: ANN401 - any frame or source
    hypothesis: str,
    *,
    max_change: Rational | float,
    bounds: ColumnBounds | None = None,
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

    >>> import noiseless as nl
    >>> people = pa.table({"weight": [78, 81, 95]})
    >>> hidden = nl.blur(people, "weight >= 80", max_change=5, bounds={"weight": (0, 200)})
    >>> hidden.protected_rows, hidden.max_change <= 5
    (2, True)
    """
    declared = schema if schema is None or isinstance(schema, Schema) else Schema.read(schema)
    mechanism = Blur.of(hypothesis, max_change=max_change, bounds=bounds, schema=declared, mode=mode)
    return mechanism.apply(table, missing=missing)
