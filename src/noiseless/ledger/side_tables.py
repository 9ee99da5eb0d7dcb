"""Tables beside the chain: tokens, asked batches and notes of servers.

They say who may ask and what was asked, and no price depends on them, so that they are no part of the chain
that `Ledger.verify` follows. They are created when a server or `noiseless token` first needs them.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import BigInteger, ClauseElement, Column, MetaData, Table, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import CreateTable

if TYPE_CHECKING:
    from noiseless.ledger.ledger import Ledger
    from noiseless.ledger.session import Session

Found = TypeVar("Found")

side_metadata = MetaData()

tokens = Table(  # one row for each dataset that a token is for
    "ledger_tokens",
    side_metadata,
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

batches = Table(  # what each analyst asked for the first time
    "ledger_batches",
    side_metadata,
    Column("dataset", Text, primary_key=True),
    Column("analyst", Text, primary_key=True),
    Column("batch", Text, primary_key=True),  # a fingerprint of the version and of the statements
    Column("version", Text, nullable=False),
    Column("time", Text, nullable=False),
    Column("sql", Text, nullable=False),
    Column("charge", BigInteger),  # the number of the entry that charged for it
    Column("idempotency", Text),
)

notes = Table(  # what servers remember about a dataset
    "ledger_notes",
    side_metadata,
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
    return session.rows(text_of(statement, session.statements.dialect), parameters)


def have_tables(session: "Session") -> bool:
    """Whether the tables are there."""
    names = sorted(side_metadata.tables)
    if session.statements.is_postgresql:
        return all(session.rows(f"SELECT to_regclass('{name}')") != [(None,)] for name in names)
    listed = ", ".join(f"'{name}'" for name in names)
    found = session.rows(f"SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ({listed})")
    return found == [(len(names),)]


def create_tables(ledger: "Ledger") -> None:
    """Create the tables that are missing; of several processes that want to, one at a time."""
    if not read(ledger, have_tables):
        write(ledger, _create)


def _create(session: "Session") -> None:
    session.locked_head()
    for table in side_metadata.sorted_tables:
        session.run(text_of(CreateTable(table, if_not_exists=True), session.statements.dialect))


def read(ledger: "Ledger", work: Callable[["Session"], Found]) -> Found:
    """Read at one moment, without locking."""
    return ledger._database.read(work)  # noqa: SLF001 - a part of the ledger


def write(ledger: "Ledger", work: Callable[["Session"], Found]) -> Found:
    """Write in one durable transaction."""
    return ledger._database.write(work)  # noqa: SLF001 - a part of the ledger
