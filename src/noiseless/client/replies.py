"""What a batch comes to, now or in the history: intervals that certainly hold the truth, what they cost, what is spent and left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

from noiseless.client.errors import BadReply
from noiseless.client.frames import FrameMixin, plain
from noiseless.client.json_objects import Amount, JsonObject
from noiseless.display import Bound, html_answer, rounded_ends, shown_interval

if TYPE_CHECKING:
    import pyarrow as pa

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from noiseless.client.json_objects import rounded_down
from noiseless.display import aligned, html_rows, printable
from noiseless.exact import Bits

if TYPE_CHECKING:
    import pyarrow as pa


from noiseless.client.frames import Listing
from noiseless.client.json_objects import rounded_up

_UNEVEN = "the reply has rows that do not fit its columns; is the client as new as the server?"


@dataclass(frozen=True)
class RemoteAnswer:
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
class ResultColumn:
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
class RemoteResult(FrameMixin):
    """The rows of one statement.

    Attributes:
        sql: the statement.
        columns: what it asks for.
        rows: each row's numbers, in the order of the columns that do not name groups.
        cost: what its questions cost, in the batch.
    """

    sql: str
    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[RemoteAnswer, ...], ...]
    cost: Amount

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        return tuple(column.name for column in self.columns)

    @property
    def answers(self) -> tuple[RemoteAnswer, ...]:
        """The numbers, row by row; of a quote, one for each column without a number."""
        if self.rows:
            return tuple(answer for row in self.rows for answer in row)
        return tuple(
            RemoteAnswer(self.sql, each.name, {}, None, None, None, False, each.cost)
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

    def _line(self, row: Sequence[RemoteAnswer]) -> list[str]:
        numbers = iter(row)
        return [
            str(row[0].group[column.name]) if column.group else next(numbers).shown()
            for column in self.columns
        ]


def read_result(members: JsonObject) -> RemoteResult:
    """A statement of a reply.

    Raises:
        BadReply: it is not well formed.
    """
    sql = members.text("sql")
    columns = tuple(
        ResultColumn(each.text("name"), each.flag("group"), each.amount("bits"))
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
    return RemoteResult(sql, columns, rows, members.amount("bits"))


def _answer(sql: str, members: JsonObject, column: ResultColumn) -> RemoteAnswer:
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
    return RemoteAnswer(sql, column.name, group, value, lower, upper, missing, column.cost)


@dataclass(frozen=True, repr=False)
class RemoteQuote:
    """What a batch would cost: decided from public state alone.

    Attributes:
        results: the statements' columns and what each costs by itself; a quote has no rows.
        batch: what the batch costs, for those who pay most.
        rule: how that price came about.
        spent: what all batches cost so far (this one included, once it is answered), for those who paid most.
        remaining: bits that are left, rounded down; None without end.
        remaining_outputs: the most outputs that a batch about everybody may still have; None without end.
        allowed: whether the batch is within the budget.
        warnings: what is not protected, if anything.
        repeated: whether an earlier try of the same request was charged for already.
    """

    results: tuple[RemoteResult, ...]
    batch: Amount
    rule: str
    spent: Amount
    remaining: float | None
    remaining_outputs: int | None
    allowed: bool = True
    warnings: tuple[str, ...] = ()
    repeated: bool = False

    @cached_property
    def answers(self) -> tuple[RemoteAnswer, ...]:
        """All numbers, statement by statement and row by row; without the number in a quote."""
        return tuple(answer for result in self.results for answer in result.answers)

    @property
    def batch_bits(self) -> Bits:
        """What the batch costs, in exact bits."""
        return self.batch.bits

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
        rows = ([one.column, "free" if one.free else str(one.cost), one.sql] for one in self.answers)
        return [["column", "by itself", "statement"], *rows]


@dataclass(frozen=True, repr=False)
class RemoteReply(RemoteQuote, FrameMixin):
    """The answers to a batch: each holds the truth for certain, and comes back unchanged and free.

    Attributes:
        results: the statements' rows.
    """

    def to_arrow(self) -> "pa.Table":
        """A frame: of one statement its rows; of several one row an answer, with the statement."""
        import pyarrow as pa

        if len(self.results) == 1:
            return self.results[0].to_arrow()
        groups = list(dict.fromkeys(name for answer in self.answers for name in answer.group))
        numbers = [{**answer.numbers(), "bits": answer.bits} for answer in self.answers]
        return pa.table(
            {
                "sql": [answer.sql for answer in self.answers],
                "column": [answer.column for answer in self.answers],
                **{name: [plain(answer.group.get(name)) for answer in self.answers] for name in groups},
                **{
                    name: pa.array([each[name] for each in numbers], pa.float64())
                    for name in ("value", "lower", "upper", "bits")
                },
                "free": [answer.free for answer in self.answers],
            }
        )

    def _title(self) -> str:
        cost = "cost nothing" if self.batch == Amount() else f"cost {self.batch} ({self.rule})"
        return f"the answers {cost}; {self._account()}"

    def _lines(self) -> list[str]:
        return [line for result in self.results for line in aligned(result.lines())]


Kind = TypeVar("Kind", bound=RemoteQuote)


def read_reply(members: JsonObject, kind: type[Kind]) -> Kind:
    """A reply to a batch.

    Raises:
        BadReply: it is not well formed.
    """
    return kind(
        results=tuple(map(read_result, members.objects("answers"))),
        batch=members.amount("batch_bits"),
        rule=members.text("rule"),
        spent=members.amount("spent"),
        remaining=members.number_or_none("remaining"),
        remaining_outputs=members.count_or_none("remaining_outputs"),
        allowed=members.flag("allowed") if "allowed" in members else True,
        warnings=members.texts("warnings"),
        repeated=members.flag("repeated") if "repeated" in members else False,
    )


@dataclass(frozen=True)
class BatchRecord:
    """A batch that was asked before.

    Attributes:
        time: when, in UTC.
        analyst: who asked.
        version: the version of the dataset that it was about.
        sql: the statements.
        cost: what it cost then.
        charge: the number of the ledger's entry that charged for it; None if it was free.
        results: the answers; None of an earlier version, or where there are none.
    """

    time: str
    analyst: str
    version: int
    sql: tuple[str, ...]
    cost: Amount
    charge: int | None
    results: tuple[RemoteResult, ...] | None


def read_batch(members: JsonObject) -> BatchRecord:
    """A batch that was asked before.

    Raises:
        BadReply: it is not well formed.
    """
    told = "answers" in members
    return BatchRecord(
        time=members.text("time"),
        analyst=members.text("analyst"),
        version=members.whole("version"),
        sql=members.texts("sql"),
        cost=members.amount("bits"),
        charge=members.whole_or_none("charge"),
        results=tuple(map(read_result, members.objects("answers"))) if told else None,
    )


def listed(batches: Sequence[BatchRecord]) -> Listing[BatchRecord]:
    """Batches, the latest first."""
    columns: dict[str, list[object]] = {
        "time": [batch.time for batch in batches],
        "analyst": [batch.analyst for batch in batches],
        "bits": [batch.cost.upper for batch in batches],
        "sql": ["; ".join(batch.sql) for batch in batches],
    }
    shown = {
        "time": [batch.time.partition(".")[0].replace("T", " ") for batch in batches],
        "bits": [rounded_up(batch.cost.upper) for batch in batches],
    }
    title = f"{len(batches)} batch{'es' * (len(batches) != 1)}, the latest first"
    return Listing(tuple(batches), title, columns, shown)
