"""What a batch comes to: intervals that hold the truth for certain, their cost, what is spent and left.

A curator's replies and those that a server sends are the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from noiseless.amounts import Cost, Remainder, rounded_down
from noiseless.display import FrameMixin, aligned, html_rows, html_table, printable
from noiseless.exact import Bits
from noiseless.intervals import AnswerInterval, Bound, Tolerance

if TYPE_CHECKING:
    import pyarrow as pa

Cell = object
"""A value that names a group (a text, a number, a boolean or a date), an interval, or None for no number."""

_NO_NUMBER: dict[str, Any] = {
    **dict.fromkeys(("value", "lower", "upper", "value_exact", "lower_exact", "upper_exact")),
    "may_be_missing": False,
}
"""What JSON has where there is no number."""


@dataclass(frozen=True)
class Answer:
    """One number of a reply.

    Attributes:
        sql: the statement that asked for it.
        column: the column of the reply that it stands in.
        group: the values that name its row, by column.
        interval: what is certain; None where there is no number, or when only a price was asked for.
        cost: what its questions cost by themselves; of a GROUP BY, in the dearest group.
        tolerance: when only a price was asked for, how sharp the answer would be; of a GROUP BY, the least
            sharp one.
    """

    sql: str
    column: str
    group: Mapping[str, Any] = field(hash=False)
    interval: AnswerInterval | None
    cost: Cost
    tolerance: Tolerance | None = None

    @property
    def value(self) -> Fraction | None:
        """The middle, off by half the width at most; None where an end is infinite."""
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
    def may_be_missing(self) -> bool:
        """Whether there may be no number at all."""
        return self.interval is not None and self.interval.may_be_missing

    @property
    def bits(self) -> Bits:
        """What its questions cost by themselves."""
        return self.cost.bits

    @property
    def free(self) -> bool:
        """Whether they cost nothing."""
        return self.cost == Cost()

    def _repr_html_(self) -> str:
        rows = {"answer": "withheld" if self.interval is None else str(self.interval)}
        rows |= {name: str(value) for name, value in self.group.items()}
        rows |= {"cost": "free" if self.free else str(self.cost), "statement": self.sql}
        return html_table(self.column, rows)

    def number(self) -> dict[str, Any]:
        """The number as it is in JSON: its middle, its bounds rounded outwards, and exactly."""
        group = {name: plain(value) for name, value in self.group.items()}
        number = _NO_NUMBER if self.interval is None else self.interval.to_dict()
        return {"group": group, "column": self.column, **number}

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON, with its statement and its cost."""
        cost = {"bits": self.cost.upper, "outputs": self.cost.outputs, "free": self.free}
        foretold = {} if self.tolerance is None else self.tolerance.to_dict()
        return {"sql": self.sql, "column": self.column, **self.number(), **cost, **foretold}

    @property
    def price(self) -> str:
        """What it costs by itself, and how sharp it would be where that is known."""
        said = "free" if self.free else str(self.cost)
        return said if self.tolerance is None else f"{said}, {self.tolerance}"


@dataclass(frozen=True)
class Result(FrameMixin):
    """The rows of one statement.

    Attributes:
        sql: the statement.
        names: the columns.
        rows: values that name groups, and intervals.
        costs: what each column's questions cost by themselves; None for a column that names groups.
        tolerances: in a quote, how sharp the answers of each column would be at least.
    """

    sql: str
    names: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    costs: tuple[Cost | None, ...]
    tolerances: tuple[Tolerance | None, ...] = ()

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """The numbers, row by row."""
        return tuple(answer for row in self.rows for answer in self._answers(row))

    @property
    def prices(self) -> tuple[Answer, ...]:
        """What each column costs by itself, as an answer without a number."""
        foretold = self.tolerances or (None,) * len(self.names)
        named = zip(self.names, self.costs, foretold, strict=True)
        return tuple(
            Answer(self.sql, name, {}, None, cost, off) for name, cost, off in named if cost is not None
        )

    def _answers(self, row: tuple[Cell, ...]) -> Iterator[Answer]:
        cells = list(zip(self.names, row, self.costs, strict=True))
        group = {name: cell for name, cell, cost in cells if cost is None}
        for name, cell, cost in cells:
            if cost is not None:
                interval = cell if isinstance(cell, AnswerInterval) else None
                yield Answer(self.sql, name, group, interval, cost)

    def to_arrow(self) -> "pa.Table":
        """A frame: the middle of each number under its name, its bounds under name_lower and name_upper."""
        import pyarrow as pa

        columns: list[tuple[str, Any]] = []
        for place, (name, cost) in enumerate(zip(self.names, self.costs, strict=True)):
            cells = [row[place] for row in self.rows]
            if cost is None:
                columns.append((name, pa.array([plain(cell) for cell in cells])))
                continue
            numbers = [cell.to_dict() if isinstance(cell, AnswerInterval) else _NO_NUMBER for cell in cells]
            for key, ending in (("value", ""), ("lower", "_lower"), ("upper", "_upper")):
                columns.append((name + ending, pa.array([each[key] for each in numbers], pa.float64())))
        return pa.table([values for _, values in columns], [name for name, _ in columns])

    def lines(self) -> list[list[str]]:
        """The names and the rows as people read them."""
        return [list(self.names), *([shown(cell) for cell in row] for row in self.rows)]


def plain(value: object) -> Any:  # noqa: ANN401 - whatever JSON and frames hold
    """A value as JSON and frames hold it."""
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value


def shown(cell: Cell) -> str:
    """A value, or the ends of an interval, which are rounded outwards.

    >>> shown(AnswerInterval.of(7)), shown(None)
    ('7', 'none')
    """
    return "none" if cell is None else str(cell)


@dataclass(frozen=True, repr=False)
class Quote:
    """What a batch would cost: decided from public state alone.

    Attributes:
        results: the statements' columns and what each costs by itself; a quote has no rows.
        batch: what the batch costs, for those who pay most.
        rule: how that price came about.
        spent: what all batches cost so far (this one included, once it is answered), for those who paid most.
        left: what the dataset's budget leaves.
        allowed: whether the batch is within the budget.
        warnings: what is not protected, if anything.
        repeated: whether an earlier try of the same request was charged for already.
    """

    results: tuple[Result, ...]
    batch: Cost
    rule: str
    spent: Cost
    left: Remainder
    allowed: bool = True
    warnings: tuple[str, ...] = ()
    repeated: bool = False

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """One for each number asked for; without the number in a quote."""
        return tuple(answer for result in self.results for answer in result.prices)

    @property
    def batch_bits(self) -> Bits:
        """What the batch costs, in exact bits."""
        return self.batch.bits

    @property
    def remaining(self) -> float | None:
        """Bits that are left, rounded down; None without end."""
        return self.left.bits

    @property
    def remaining_outputs(self) -> int | None:
        """The most outputs that a batch about everybody may still have; None without end."""
        return self.left.outputs

    def cost_of(self, result: Result) -> Cost:
        """What one of the statements costs: at most what its columns cost one by one, and the batch."""
        if len(self.results) == 1:
            return self.batch
        total = sum((cost for cost in result.costs if cost is not None), Cost())
        return self.batch if total.exceeds(self.batch) else total

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "answers": [answer.to_dict() for answer in self.answers],
            "batch_bits": self.batch.upper,
            "batch_outputs": self.batch.outputs,
            "rule": self.rule,
            "spent": self.spent.upper,
            "spent_outputs": self.spent.outputs,
            "remaining": self.remaining,
            "remaining_outputs": self.remaining_outputs,
            "allowed": self.allowed,
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        lines = [self._title(), *(f"  {line}" for line in self._lines()), *self.warnings]
        return "\n".join(map(printable, lines))

    def _repr_html_(self) -> str:
        told = [result.lines() for result in self.results if result.rows] or [self._prices()]
        return html_rows([], self._title()) + "".join(map(html_rows, told)) + html_rows([], "", self.warnings)

    def _title(self) -> str:
        verb = "would cost" if self.allowed else "would cost too much:"
        return f"the batch {verb} {self.batch} ({self.rule}); {self._account()}"

    def _account(self) -> str:
        left = "" if self.remaining is None else f", {rounded_down(self.remaining)} bits are left"
        return f"{self.spent} are spent{left}"

    def _lines(self) -> list[str]:
        return [f"{column}: {cost}  {sql}" for column, cost, sql in self._prices()[1:]]

    def _prices(self) -> list[list[str]]:
        """What each number would cost by itself."""
        rows = ([one.column, one.price, one.sql] for one in self.answers)
        return [["column", "price alone", "statement"], *rows]


@dataclass(frozen=True, repr=False)
class Reply(Quote, FrameMixin):
    """The answers to a batch: each holds the truth for certain, and comes back unchanged and free.

    Attributes:
        results: the statements' rows.
    """

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """All numbers, statement by statement and row by row."""
        return tuple(answer for result in self.results for answer in result.answers)

    @property
    def free(self) -> bool:
        """Whether it cost nothing."""
        return self.batch == Cost()

    def to_arrow(self) -> "pa.Table":
        """A frame: of one statement its rows; of several one row an answer, with the statement."""
        import pyarrow as pa

        if len(self.results) == 1:
            return self.results[0].to_arrow()
        groups = list(dict.fromkeys(name for answer in self.answers for name in answer.group))
        listed = [answer.to_dict() for answer in self.answers]
        columns = {name: [each[name] for each in listed] for name in ("sql", "column")}
        columns |= {name: [plain(answer.group.get(name)) for answer in self.answers] for name in groups}
        numbers = {name: [each[name] for each in listed] for name in ("value", "lower", "upper", "bits")}
        return pa.table(
            {
                **columns,
                **{name: pa.array(values, pa.float64()) for name, values in numbers.items()},
                "free": [answer.free for answer in self.answers],
            }
        )

    def _title(self) -> str:
        cost = "cost nothing" if self.free else f"cost {self.batch} ({self.rule})"
        return f"the answers {cost}; {self._account()}"

    def _lines(self) -> list[str]:
        return [line for result in self.results for line in aligned(result.lines())]
