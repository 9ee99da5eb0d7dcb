"""What servers keep beside the chain: tokens, the batches that were asked, notes about datasets."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_KEYED, _FREE = sa.text("idempotency IS NOT NULL"), sa.text("charge IS NULL")
_REPEATED_KEYS = """
UPDATE ledger_batches SET idempotency = NULL WHERE idempotency IS NOT NULL AND EXISTS (
  SELECT 1 FROM ledger_batches AS other
  WHERE other.dataset = ledger_batches.dataset AND other.analyst = ledger_batches.analyst
    AND other.version = ledger_batches.version AND other.idempotency = ledger_batches.idempotency
    AND (other.time < ledger_batches.time
         OR (other.time = ledger_batches.time AND other.batch < ledger_batches.batch)))
"""


def upgrade() -> None:
    """Create the tables; servers before this step created them without indices."""
    _tokens()
    _batches()
    op.create_table(
        "ledger_notes",
        sa.Column("dataset", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
        if_not_exists=True,
    )


def _tokens() -> None:
    op.create_table(
        "ledger_tokens",
        sa.Column("dataset", sa.Text, primary_key=True),
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("expires", sa.Text),
        sa.Column("revoked", sa.Text),
        sa.Column("revoked_by", sa.Text),
        if_not_exists=True,
    )


def _batches() -> None:
    op.create_table(
        "ledger_batches",
        sa.Column("dataset", sa.Text, primary_key=True),
        sa.Column("analyst", sa.Text, primary_key=True),
        sa.Column("batch", sa.Text, primary_key=True),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("time", sa.Text, nullable=False),
        sa.Column("sql", sa.Text, nullable=False),
        sa.Column("charge", sa.BigInteger),
        sa.Column("idempotency", sa.Text),
        if_not_exists=True,
    )
    op.execute(_REPEATED_KEYS)  # of two batches that came with one key, the first had it
    op.create_index("ledger_batches_by_time", "ledger_batches", ["dataset", "time"])
    op.create_index(
        "ledger_batches_free",
        "ledger_batches",
        ["dataset", "analyst", "time"],
        sqlite_where=_FREE,
        postgresql_where=_FREE,
    )
    op.create_index(
        "ledger_batches_by_key",
        "ledger_batches",
        ["dataset", "idempotency", "analyst", "version"],
        unique=True,
        sqlite_where=_KEYED,
        postgresql_where=_KEYED,
    )
