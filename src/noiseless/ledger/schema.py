"""The ledger's tables: the chain of entries, and what follows from it so that it can be found fast.

All but `ledger_entries` can be computed from the entries; `Ledger.verify` does, and compares.
"""

from typing import Any

from sqlalchemy import BigInteger, Column, Index, Integer, MetaData, Table, Text, text

metadata = MetaData()


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
