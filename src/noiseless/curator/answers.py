"""The numbers of a reply: intervals that certainly hold the truth, and what they cost."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from noiseless.display import Bound, exact_text, html_answer, rounded_ends, shown_interval
from noiseless.domain import Value
from noiseless.exact import Bits
from noiseless.pricing.cost import Cost
from noiseless.questions.sql import Interval

if TYPE_CHECKING:
    import pyarrow as pa

Cell = Value | Interval | None


@dataclass(frozen=True)
class Answer:
    """One number of a reply.

    Attributes:
        sql: the statement that asked for it.
        column: the column of the reply that it stands in.
        group: the values that name its row, by column.
        interval: what is certain; None where there is no number, or when only a price was asked for.
        cost: what its questions cost by themselves; of a GROUP BY, in the dearest group.
    """

    sql: str
    column: str
    group: Mapping[str, Value]
    interval: Interval | None
    cost: Cost

    @property
    def value(self) -> Fraction | None:
        """The middle, off by half the width at most."""
        return None if self.interval is None else self.interval.value

    @property
    def lower(self) -> Bound | None:
        """The truth is not below."""
        return None if self.interval is None else self.interval.lower

    @property
    def upper(self) -> Bound | None:
        """The truth is not above."""
        return None if self.interval is None else self.interval.upper

    @property
    def bits(self) -> Bits:
        """What its questions cost by themselves."""
        return self.cost.bits

    @property
    def free(self) -> bool:
        """Whether they cost nothing."""
        return self.cost == Cost()

    def _repr_html_(self) -> str:
        told = "not told" if self.interval is None else shown(self.interval)
        return html_answer(self.sql, self.column, self.group, told, self.free or self.cost)

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "sql": self.sql,
            "column": self.column,
            "group": {name: plain(value) for name, value in self.group.items()},
            **_numbers(self.interval),
            "value_exact": exact_text(self.value),
            "lower_exact": exact_text(self.lower),
            "upper_exact": exact_text(self.upper),
            "may_be_missing": self.interval is not None and self.interval.may_be_missing,
            "bits": self.cost.upper,
            "outputs": self.cost.outputs,
            "free": self.free,
        }


@dataclass(frozen=True)
class Result:
    """The rows of one statement.

    Attributes:
        sql: the statement.
        names: the columns.
        rows: values that name groups, and intervals.
        costs: what each column's questions cost by themselves; None for a column that names groups.
    """

    sql: str
    names: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    costs: tuple[Cost | None, ...]

    def answers(self) -> Iterator[Answer]:
        """The numbers, row by row."""
        for row in self.rows:
            cells = list(zip(self.names, row, self.costs, strict=True))
            group: Any = {name: cell for name, cell, cost in cells if cost is None}
            for name, cell, cost in cells:
                if cost is not None:
                    yield Answer(self.sql, name, group, cell if isinstance(cell, Interval) else None, cost)

    def to_arrow(self) -> "pa.Table":
        """A frame: the middle of each number under its name, its bounds under name_lower and name_upper."""
        import pyarrow as pa

        columns: list[tuple[str, Any]] = []
        for place, (name, cost) in enumerate(zip(self.names, self.costs, strict=True)):
            cells = [row[place] for row in self.rows]
            if cost is None:
                columns.append((name, pa.array([plain(cell) for cell in cells])))
                continue
            numbers = [_numbers(cell if isinstance(cell, Interval) else None) for cell in cells]
            for key, ending in (("value", ""), ("lower", "_lower"), ("upper", "_upper")):
                columns.append((name + ending, pa.array([each[key] for each in numbers], pa.float64())))
        return pa.table([values for _, values in columns], [name for name, _ in columns])

    def to_pandas(self) -> Any:  # noqa: ANN401 - a pandas DataFrame
        """The frame in pandas, which must be installed."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:  # noqa: ANN401 - a polars DataFrame
        """The frame in polars, which must be installed."""
        import polars as pl

        return pl.from_arrow(self.to_arrow())

    def lines(self) -> list[list[str]]:
        """The names and the rows as people read them."""
        return [list(self.names), *([shown(cell) for cell in row] for row in self.rows)]


def plain(value: object) -> Any:  # noqa: ANN401 - whatever JSON and frames hold
    """A value as JSON and frames hold it."""
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value


def shown(cell: Cell) -> str:
    """A value, or an interval: its middle and its ends, which are rounded outwards.

    >>> shown(Interval.of(Fraction(1, 3), Fraction(2, 3))), shown(Interval.of(7)), shown(None)
    ('0.5 (0.333333 to 0.666667)', '7', 'none')
    """
    if cell is None:
        return "none"
    if not isinstance(cell, Interval):
        return str(cell)
    return shown_interval(cell.value, cell.lower, cell.upper, may_be_missing=cell.may_be_missing)


def _numbers(interval: Interval | None) -> dict[str, float | None]:
    """The middle, and bounds that are rounded outwards."""
    if interval is None:
        return rounded_ends(None, None, None)
    return rounded_ends(interval.value, interval.lower, interval.upper)
