"""The ledger's tables: the chain of entries, what follows from it, and tokens, batches and notes."""

from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, ClauseElement, Column, Index, Integer, MetaData, Table, Text, text
from sqlalchemy.engine import Dialect

metadata = MetaData()

STEPS = ("0001", "0002", "0003")
HEAD = STEPS[-1]
"""The newest step; the fast path of `Ledger.open` compares with it."""

VERSION_TABLE = "ledger_schema"
"""Not alembic's own name for it: the database may hold other programs' tables too."""


def _where(condition: str) -> dict[str, Any]:
    """An index of some rows only."""
    return {"sqlite_where": text(condition), "postgresql_where": text(condition)}


_SEQ = BigInteger().with_variant(Integer, "sqlite")  # a rowid in SQLite

entries = Table(
    "ledger_entries",
    metadata,
    Column("seq", _SEQ, primary_key=True, autoincrement=False),
    Column("time", Text, nullable=False),
    Column("dataset", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("analyst", Text),
    Column("body", Text, nullable=False),
    Column("previous", Text, nullable=False),
    Column("hash", Text, nullable=False),
)

datasets = Table(
    "ledger_datasets",
    metadata,
    Column("id", _SEQ, primary_key=True, autoincrement=False),  # the entry that declared it
    Column("name", Text, nullable=False, unique=True),
    Column("version", Integer, nullable=False),
    Column("declared", _SEQ, nullable=False),  # the entry that declared the version
    Column("changed", _SEQ, nullable=False),  # the last entry that changed any of this but the accounts
    Column("digest", Text, nullable=False),
    Column("record", Text, nullable=False),
    Column("budget", Text, nullable=False),
    Column("analyst_budget", Text, nullable=False),
    Column("accounts", Text, nullable=False),  # of the others, and the largest surplus of a cell
)

accounts = Table(  # of public cells, relative to the others
    "ledger_accounts",
    metadata,
    Column("dataset", _SEQ, primary_key=True, autoincrement=False),
    Column("key", Text, primary_key=True),  # a hash of the cell's text, which may be too long for an index
    Column("cell", Text, nullable=False),
    Column("ratio", Text, nullable=False),
    Column("capacity", Text, nullable=False),
    sqlite_with_rowid=False,
)

analysts = Table(  # what each analyst's batches made the dataset pay
    "ledger_analysts",
    metadata,
    Column("dataset", _SEQ, primary_key=True, autoincrement=False),
    Column("analyst", Text, primary_key=True),
    Column("factors", Text, nullable=False),
    Column("capacity", Text, nullable=False),
    sqlite_with_rowid=False,
)

told = Table(  # questions that were charged for, and their answers
    "ledger_told",
    metadata,
    Column("key", _SEQ, primary_key=True, autoincrement=False),  # hashes: short keys are found fast
    Column("dataset", _SEQ, nullable=False),
    Column("version", Integer, nullable=False),
    Column("question", Text, nullable=False),
    Column("grid_key", _SEQ),
    Column("grid", Text),
    Column("people_key", _SEQ),
    Column("people", Text),
    Column("body", Text, nullable=False),
    Column("charge", _SEQ, nullable=False),  # the entry that charged for it
    Column("answer", Text),
    Column("answered", _SEQ),  # the entry that holds the answer
    Index("ledger_told_by_grid", "grid_key", **_where("grid_key IS NOT NULL")),
    Index("ledger_told_by_people", "people_key", **_where("people_key IS NOT NULL")),
)


tokens = Table(  # one row for each dataset that a token is for
    "ledger_tokens",
    metadata,
    Column("dataset", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("hash", Text, nullable=False),  # SHA-256 of the secret, which has 256 random bits
    Column("created", Text, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("expires", Text),
    Column("revoked", Text),
    Column("revoked_by", Text),
)

_KEYED, _FREE = text("idempotency IS NOT NULL"), text("charge IS NULL")

batches = Table(  # what each analyst asked for the first time
    "ledger_batches",
    metadata,
    Column("dataset", Text, primary_key=True),
    Column("analyst", Text, primary_key=True),
    Column("batch", Text, primary_key=True),  # a fingerprint of the version and of the statements
    Column("version", Text, nullable=False),
    Column("time", Text, nullable=False),
    Column("sql", Text, nullable=False),
    Column("charge", BigInteger),  # the number of the entry that charged for it
    Column("idempotency", Text),
    Index("ledger_batches_by_time", "dataset", "time"),
    Index("ledger_batches_free", "dataset", "analyst", "time", sqlite_where=_FREE, postgresql_where=_FREE),
    Index(
        "ledger_batches_by_key",
        "dataset",
        "idempotency",
        "analyst",
        "version",
        unique=True,
        sqlite_where=_KEYED,
        postgresql_where=_KEYED,
    ),
)

notes = Table(  # what servers remember about a dataset
    "ledger_notes",
    metadata,
    Column("dataset", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)


@lru_cache(maxsize=256)
def text_of(statement: ClauseElement, dialect: Dialect) -> str:
    """A statement as the drivers take it; parameters are named."""
    return str(statement.compile(dialect=dialect))
