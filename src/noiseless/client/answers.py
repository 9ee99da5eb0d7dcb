"""The numbers of a reply: intervals that certainly hold the truth, and what they cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

from noiseless.client.errors import BadReply
from noiseless.client.frames import Framed, plain
from noiseless.client.numbers import Amount
from noiseless.client.reading import Members
from noiseless.display import Bound, html_answer, rounded_ends, shown_interval

if TYPE_CHECKING:
    import pyarrow as pa

_UNEVEN = "the reply has rows that do not fit its columns; is the client as new as the server?"


@dataclass(frozen=True)
class Answer:
    """One number of a reply.

    Attributes:
        sql: the statement that asked for it.
        column: the column of the reply that it stands in.
        group: the values that name its row, by column.
        value: the middle, off by half the width at most; None where there is no number, or only a price.
        lower: the truth is not below.
        upper: the truth is not above.
        may_be_missing: whether there may be no number at all.
        cost: what its questions cost by themselves; of a GROUP BY, in the dearest group.
    """

    sql: str
    column: str
    group: Mapping[str, Any] = field(hash=False)
    value: Fraction | None
    lower: Bound | None
    upper: Bound | None
    may_be_missing: bool
    cost: Amount

    @property
    def bits(self) -> float:
        """What its questions cost by themselves, in bits, rounded up."""
        return self.cost.upper

    @property
    def free(self) -> bool:
        """Whether they cost nothing."""
        return self.cost == Amount()

    def _repr_html_(self) -> str:
        told = "not told" if self.lower is None else self.shown()
        return html_answer(self.sql, self.column, self.group, told, self.free or self.cost)

    def numbers(self) -> dict[str, float | None]:
        """The middle, and bounds that are rounded outwards."""
        return rounded_ends(self.value, self.lower, self.upper)

    def shown(self) -> str:
        """The number as people read it."""
        if self.lower is None or self.upper is None:
            return "none"
        return shown_interval(self.value, self.lower, self.upper, may_be_missing=self.may_be_missing)


@dataclass(frozen=True)
class Output:
    """A column of a statement.

    Attributes:
        name: what it is called.
        group: whether it names groups.
        cost: what its questions cost by themselves.
    """

    name: str
    group: bool
    cost: Amount


@dataclass(frozen=True)
class Result(Framed):
    """The rows of one statement.

    Attributes:
        sql: the statement.
        columns: what it asks for.
        rows: each row's numbers, in the order of the columns that do not name groups.
        cost: what its questions cost, in the batch.
    """

    sql: str
    columns: tuple[Output, ...]
    rows: tuple[tuple[Answer, ...], ...]
    cost: Amount

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        return tuple(column.name for column in self.columns)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The numbers, row by row; of a quote, one for each column without a number."""
        if self.rows:
            return tuple(answer for row in self.rows for answer in row)
        return tuple(
            Answer(self.sql, each.name, {}, None, None, None, False, each.cost)
            for each in self.columns
            if not each.group
        )

    def to_arrow(self) -> "pa.Table":
        """A frame: the middle of each number under its name, its bounds under name_lower and name_upper."""
        import pyarrow as pa

        found: list[tuple[str, Any]] = []
        place = 0
        for column in self.columns:
            if column.group:
                found.append((column.name, pa.array([plain(row[0].group[column.name]) for row in self.rows])))
                continue
            numbers = [row[place].numbers() for row in self.rows]
            place += 1
            for key, ending in (("value", ""), ("lower", "_lower"), ("upper", "_upper")):
                found.append((column.name + ending, pa.array([each[key] for each in numbers], pa.float64())))
        return pa.table([values for _, values in found], [name for name, _ in found])

    def lines(self) -> list[list[str]]:
        """The names and the rows as people read them."""
        return [list(self.names), *(self._line(row) for row in self.rows)]

    def _line(self, row: Sequence[Answer]) -> list[str]:
        numbers = iter(row)
        return [
            str(row[0].group[column.name]) if column.group else next(numbers).shown()
            for column in self.columns
        ]


def read_result(members: Members) -> Result:
    """A statement of a reply.

    Raises:
        BadReply: it is not well formed.
    """
    sql = members.text("sql")
    columns = tuple(
        Output(each.text("name"), each.flag("group"), each.amount("bits"))
        for each in members.objects("columns")
    )
    told = [column for column in columns if not column.group]
    groups = {column.name for column in columns if column.group}
    numbers = members.objects("rows")
    if numbers and (not told or len(numbers) % len(told)):
        raise BadReply(_UNEVEN)
    rows = tuple(
        tuple(_answer(sql, each, column) for each, column in zip(numbers[start:], told, strict=False))
        for start in range(0, len(numbers), len(told) or 1)
    )
    for row in rows:
        if any(set(answer.group) != groups or answer.group != row[0].group for answer in row):
            raise BadReply(_UNEVEN)
    return Result(sql, columns, rows, members.amount("bits"))


def _answer(sql: str, members: Members, column: Output) -> Answer:
    if members.text("column") != column.name:
        raise BadReply(_UNEVEN)
    value = members.bound_or_none("value")
    value = value if isinstance(value, Fraction) else None
    lower, upper = members.bound_or_none("lower"), members.bound_or_none("upper")
    if (lower is None) != (upper is None) or (lower is None and value is not None):
        raise BadReply("the reply has an interval with one end; ask the server's owner")
    if lower is not None and upper is not None:
        middle = value if value is not None else lower
        if not lower <= middle <= upper or lower == inf or upper == -inf:
            raise BadReply("the reply has an interval whose ends are out of order; ask the server's owner")
    missing = members.flag("may_be_missing", default=False)
    group = members.plain("group")
    return Answer(sql, column.name, group, value, lower, upper, missing, column.cost)
