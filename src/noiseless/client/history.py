"""Batches that were asked before, with their answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from noiseless.client.answers import Result, read_result
from noiseless.client.listings import Listing
from noiseless.client.numbers import Amount, rounded_up
from noiseless.client.reading import Members


@dataclass(frozen=True)
class PastBatch:
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
    results: tuple[Result, ...] | None


def read_batch(members: Members) -> PastBatch:
    """A batch that was asked before.

    Raises:
        BadReply: it is not well formed.
    """
    told = "answers" in members
    return PastBatch(
        time=members.text("time"),
        analyst=members.text("analyst"),
        version=members.whole("version"),
        sql=members.texts("sql"),
        cost=members.amount("bits"),
        charge=members.whole_or_none("charge"),
        results=tuple(map(read_result, members.objects("answers"))) if told else None,
    )


def listed(batches: Sequence[PastBatch]) -> Listing[PastBatch]:
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
