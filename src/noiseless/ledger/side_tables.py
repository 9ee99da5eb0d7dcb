"""Tables beside the chain: tokens, asked batches and notes of servers.

They say who may ask and what was asked, and no price depends on them. Entries say which tokens were issued
and revoked, and `Ledger.verify` compares; batches and notes are no part of the chain that it follows. Neither
an export nor `Ledger.restore` has any of them; a backup of SQLite is a copy of the whole file.
"""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import BigInteger, ClauseElement, Column, Index, Table, Text, text
from sqlalchemy.engine import Dialect

from noiseless.ledger.schema import metadata

if TYPE_CHECKING:
    from noiseless.ledger.ledger import Ledger
    from noiseless.ledger.session import Session

Found = TypeVar("Found")

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


def run(session: "Session", statement: ClauseElement, parameters: dict[str, object]) -> int:
    """Run a statement; how many rows it changed."""
    return session.run(text_of(statement, session.statements.dialect), parameters)


def rows(
    session: "Session", statement: ClauseElement, parameters: dict[str, object] | None = None
) -> list[tuple[object, ...]]:
    """All rows of a statement."""
    return session.rows(text_of(statement, session.statements.dialect), parameters or {})


def read(ledger: "Ledger", work: Callable[["Session"], Found]) -> Found:
    """Read at one moment, without locking."""
    return ledger._database.read(work)  # noqa: SLF001 - a part of the ledger


def write(ledger: "Ledger", work: Callable[["Session"], Found]) -> Found:
    """Write in one durable transaction."""
    return ledger._database.write(work)  # noqa: SLF001 - a part of the ledger


def listed(session: "Session", values: Sequence[str]) -> Any:  # noqa: ANN401 - as the statement wants them
    """Texts as one parameter: JSON for SQLite, an array for PostgreSQL."""
    return list(values) if session.statements.is_postgresql else json.dumps(list(values))
