"""What analysts asked, in their own words: a history beside the chain, for them and for the owner."""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import BindParameter, Select, Text, any_, bindparam, delete, func, literal_column, select

from noiseless.amounts import Cost
from noiseless.errors import NoiselessError
from noiseless.ledger.accounts import FREE
from noiseless.ledger.entries import Entry, now
from noiseless.ledger.replay import charged
from noiseless.ledger.schema import batches, entries, notes

if TYPE_CHECKING:
    from noiseless.ledger.ledger import Ledger
    from noiseless.ledger.transaction import DatabaseTransaction

_OF_DATASET = (
    select(batches, entries)
    .select_from(batches.outerjoin(entries, batches.c.charge == entries.c.seq))
    .where(batches.c.dataset == bindparam("of_dataset"))
)
_OF_ANALYST = _OF_DATASET.where(batches.c.analyst == bindparam("of_analyst"))
_KEYS: BindParameter[Any] = bindparam("of_keys")
_BY_KEYS = {
    True: _OF_DATASET.where(batches.c.idempotency == any_(_KEYS)),
    False: _OF_DATASET.where(batches.c.idempotency.in_(select(func.json_each(_KEYS).table_valued("value")))),
}


_BEYOND = "g"
"""Sorts after every fingerprint."""


def _latest(chosen: Select[Any]) -> Select[Any]:
    time, batch, analyst = (bindparam(name, type_=Text) for name in ("time", "batch", "analyst"))
    later = (batches.c.batch > batch) | ((batches.c.batch == batch) & (batches.c.analyst > analyst))
    return (
        chosen.where((batches.c.time <= time) & ((batches.c.time < time) | later))
        .order_by(batches.c.time.desc(), batches.c.batch, batches.c.analyst)
        .limit(bindparam("most"))
        .offset(literal_column("0"))  # SQLite's would be a parameter without a name of ours
    )


_LATEST, _LATEST_OF_ANALYST = _latest(_OF_DATASET), _latest(_OF_ANALYST)
_FREE = (
    (batches.c.dataset == bindparam("of_dataset"))
    & (batches.c.analyst == bindparam("of_analyst"))
    & batches.c.charge.is_(None)
)
_MOST_FREE = 1000
_FORGET = delete(batches).where(
    _FREE
    & (
        batches.c.time
        < select(batches.c.time)
        .where(_FREE)
        .order_by(batches.c.time.desc())
        .limit(literal_column("1"))
        .offset(literal_column(str(_MOST_FREE - 1)))
        .scalar_subquery()
    )
)
_NOTE = select(notes.c.value).where(
    (notes.c.dataset == bindparam("of_dataset")) & (notes.c.name == bindparam("of_name"))
)


class KeyReusedError(NoiselessError):
    """An idempotency key came with another batch before."""

    def __init__(self, message: str = "that key came with another batch; use a new one") -> None:
        super().__init__(message)


@dataclass(frozen=True)
class AskedBatch:
    """A batch as somebody asked it for the first time.

    Attributes:
        dataset: the dataset.
        analyst: who asked.
        version: the number of the dataset's version.
        time: when, in UTC.
        sql: the statements.
        charge: the number of the entry that charged for it; None if it was free.
        cost: what it cost.
        key: the idempotency key that came with it.
    """

    dataset: str
    analyst: str
    version: int
    time: str
    sql: tuple[str, ...]
    charge: int | None = None
    cost: Cost = FREE
    key: str | None = None

    @classmethod
    def now(
        cls, dataset: str, analyst: str, version: int, sql: Sequence[str], key: str | None = None
    ) -> "AskedBatch":
        """A batch that is asked now."""
        return cls(dataset, analyst, version, now(), tuple(sql), key=key)

    @property
    def fingerprint(self) -> str:
        """What tells it apart from other batches of the same analyst."""
        text = json.dumps([self.version, self.sql, self.key])
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def place(self) -> str:
        """Where it stands in a history: batches may have been asked at the same time."""
        return f"{self.time} {self.fingerprint} {self.analyst}"

    @property
    def row(self) -> tuple[str, str, str, str, str, str, int | None, str | None]:
        """Its row in the table; what tells it apart comes first."""
        named = (self.dataset, self.analyst, self.fingerprint)
        return *named, str(self.version), self.time, json.dumps(self.sql), self.charge, self.key


def note_charged(session: "DatabaseTransaction", several: Sequence[AskedBatch]) -> None:
    """Note batches within the transaction that charges for them; the first note of each stands.

    Raises:
        KeyReusedError: the key of one came with another batch, at the same time perhaps; nothing is charged.
    """
    keyed = [batch for batch in several if batch.key is not None]
    for batch in several:
        if batch.key is None:  # written with all else, at the end of the transaction
            row = batch.row
            session.put(session.statements.note_batch, row[:3], row)
    if not keyed or _added(session, keyed) == len(keyed):
        return
    keys = [batch.key for batch in keyed if batch.key is not None]
    came = {
        (batch.analyst, batch.key, batch.version): batch.sql
        for dataset in {batch.dataset for batch in keyed}
        for batch in _with_keys(session, dataset, keys)
    }
    for batch in keyed:
        if came.get((batch.analyst, batch.key, batch.version), batch.sql) != batch.sql:
            raise KeyReusedError


def _added(session: "DatabaseTransaction", several: Sequence[AskedBatch]) -> int:
    """Add the batches that are not there; how many."""
    return int(session.many(session.statements.note_batch.one, [batch.row for batch in several]).rowcount)


def _with_keys(session: "DatabaseTransaction", dataset: str, keys: Sequence[str]) -> list[AskedBatch]:
    if not keys:
        return []
    statement = _BY_KEYS[session.statements.is_postgresql]
    of_keys = list(keys) if session.statements.is_postgresql else json.dumps(list(keys))
    return [_batch(row) for row in session.rows(statement, {"of_dataset": dataset, "of_keys": of_keys})]


def note_batches(ledger: "Ledger", several: Sequence[AskedBatch]) -> None:
    """Note batches that cost nothing, in a transaction of their own; of each analyst the latest are kept."""
    who = {(batch.dataset, batch.analyst) for batch in several}

    def note(session: "DatabaseTransaction") -> None:
        _added(session, several)
        for dataset, analyst in who:
            session.run(_FORGET, {"of_dataset": dataset, "of_analyst": analyst})

    if several:
        ledger.write(note)


def list_batches(
    ledger: "Ledger", dataset: str, analyst: str | None, *, before: str | None, most: int
) -> list[AskedBatch]:
    """Batches about a dataset, the latest first.

    Args:
        ledger: where they are kept.
        dataset: the dataset.
        analyst: who asked; None for everybody.
        before: only those that come after this place, or are earlier than this time.
        most: how many.
    """
    latest = _LATEST if analyst is None else _LATEST_OF_ANALYST
    time, _, rest = (before or "9").partition(" ")
    batch, _, last = rest.partition(" ")
    place = {"time": time, "batch": batch or _BEYOND, "analyst": last}
    parameters: dict[str, object] = {"of_dataset": dataset, "most": most, **place}
    if analyst is not None:
        parameters["of_analyst"] = analyst
    return [_batch(row) for row in ledger.read(lambda session: session.rows(latest, parameters))]


def find_batches(
    ledger: "Ledger", dataset: str, wanted: Collection[tuple[str, str]]
) -> dict[tuple[str, str], AskedBatch]:
    """The batches that came with idempotency keys, by analyst and key; of several versions the latest."""
    if not wanted:
        return {}
    keys = sorted({key for _, key in wanted})
    several = ledger.read(lambda session: _with_keys(session, dataset, keys))
    by_version = sorted(several, key=lambda batch: batch.version)
    return {(batch.analyst, batch.key): batch for batch in by_version if batch.key is not None}


def find_batch(ledger: "Ledger", dataset: str, analyst: str, key: str) -> AskedBatch | None:
    """The batch that came with an idempotency key."""
    return find_batches(ledger, dataset, [(analyst, key)]).get((analyst, key))


def write_note(ledger: "Ledger", dataset: str, name: str, value: str) -> None:
    """Remember something about a dataset."""
    ledger.write(lambda session: session.run(session.statements.put_note.one, (dataset, name, value)))


def read_note(ledger: "Ledger", dataset: str, name: str) -> str | None:
    """What was remembered about a dataset."""
    parameters: dict[str, object] = {"of_dataset": dataset, "of_name": name}
    noted = ledger.read(lambda session: session.rows(_NOTE, parameters))
    return str(noted[0][0]) if noted else None


def _batch(row: Sequence[Any]) -> AskedBatch:
    dataset, analyst, _, version, time, sql, charge, key, *entry = row
    cost = FREE if charge is None else charged(Entry(*entry)).most
    return AskedBatch(dataset, analyst, int(version), time, tuple(json.loads(sql)), charge, cost, key)
