"""Replies of a server to a batch, now or in the history, as the curator's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeVar

from noiseless.amounts import Cost, Remainder, rounded_up
from noiseless.client.errors import BadReply
from noiseless.client.frames import Listing
from noiseless.client.json_objects import JsonObject
from noiseless.intervals import AnswerInterval, Tolerance
from noiseless.replies import Quote, Result

_UNEVEN = "the reply has rows that do not fit its columns; is the client as new as the server?"

Kind = TypeVar("Kind", bound=Quote)


def read_reply(members: JsonObject, kind: type[Kind]) -> Kind:
    """A reply to a batch.

    Raises:
        BadReply: it is not well formed.
    """
    return kind(
        results=tuple(map(_result, members.objects("answers"))),
        batch=members.cost("batch_bits"),
        rule=members.text("rule"),
        spent=members.cost("spent"),
        left=read_remainder(members),
        allowed=members.flag("allowed") if "allowed" in members else True,
        warnings=members.texts("warnings"),
        repeated=members.flag("repeated") if "repeated" in members else False,
    )


def read_remainder(members: JsonObject) -> Remainder:
    """What is left.

    Raises:
        BadReply: it is not well formed.
    """
    return Remainder(
        members.number_or_none("remaining"),
        members.text_or_none("remaining_exact"),
        members.count_or_none("remaining_outputs"),
    )


def _result(members: JsonObject) -> Result:
    """A statement of a reply; its numbers come row by row, those of one row in the order of the columns."""
    columns = members.objects("columns")
    names = tuple(column.text("name") for column in columns)
    costs = tuple(None if column.flag("group") else column.cost("bits") for column in columns)
    groups = {name for name, cost in zip(names, costs, strict=True) if cost is None}
    told = [name for name, cost in zip(names, costs, strict=True) if cost is not None]
    numbers = members.objects("rows")
    if numbers and (not told or len(numbers) % len(told)):
        raise BadReply(_UNEVEN)
    rows = []
    for start in range(0, len(numbers), len(told) or 1):
        row = numbers[start : start + len(told)]
        group = row[0].plain("group")
        if [number.text("column") for number in row] != told or set(group) != groups:
            raise BadReply(_UNEVEN)
        if any(number.plain("group") != group for number in row):
            raise BadReply(_UNEVEN)
        intervals = map(_interval, row)
        rows.append(
            tuple(
                group[name] if cost is None else next(intervals)
                for name, cost in zip(names, costs, strict=True)
            )
        )
    foretold = tuple(map(_tolerance, columns))
    return Result(members.text("sql"), names, tuple(rows), costs, foretold if any(foretold) else ())


def _tolerance(column: JsonObject) -> Tolerance | None:
    """How sharp a column's answers would be, where the server says so."""
    error = column.bound_or_none("worst_error")
    if error is None:
        return None
    missing = column.flag("may_be_missing", default=False)
    derived = column.bound_or_none("derived_error")
    return Tolerance(error, missing, column.flag("tells_nothing", default=False), derived)


def _interval(members: JsonObject) -> AnswerInterval | None:
    value, lower, upper = (members.bound_or_none(name) for name in ("value", "lower", "upper"))
    missing = members.flag("may_be_missing", default=False)
    if lower is None or upper is None:
        if value is lower is upper:
            return None
        raise BadReply("the reply has an interval with one end; ask the server's owner")
    middle = lower if value is None else value
    if not lower <= middle <= upper or lower == inf or upper == -inf:
        raise BadReply("the reply has an interval whose ends are out of order; ask the server's owner")
    return AnswerInterval(lower, upper, missing)


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
    cost: Cost
    charge: int | None
    results: tuple[Result, ...] | None


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
        cost=members.cost("bits"),
        charge=members.whole_or_none("charge"),
        results=tuple(map(_result, members.objects("answers"))) if told else None,
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
