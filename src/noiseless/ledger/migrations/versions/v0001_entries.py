"""The chain of entries, what follows from it, and a second line of defence: entries are never changed."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_SEQ = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_REFUSAL = "entries of the ledger are never changed"


def upgrade() -> None:
    """Create the tables and the triggers."""
    _entries()
    _datasets()
    _accounts()
    _told()
    if op.get_bind().dialect.name == "sqlite":
        _triggers_of_sqlite()
    else:
        _triggers_of_postgresql()


def _entries() -> None:
    op.create_table(
        "ledger_entries",
        sa.Column("seq", _SEQ, primary_key=True, autoincrement=False),
        sa.Column("time", sa.Text, nullable=False),
        sa.Column("dataset", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("analyst", sa.Text),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
    )


def _datasets() -> None:
    op.create_table(
        "ledger_datasets",
        sa.Column("id", _SEQ, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("declared", _SEQ, nullable=False),
        sa.Column("changed", _SEQ, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("budget", sa.Text, nullable=False),
        sa.Column("analyst_budget", sa.Text, nullable=False),
        sa.Column("accounts", sa.Text, nullable=False),
    )


def _accounts() -> None:
    op.create_table(
        "ledger_accounts",
        sa.Column("dataset", _SEQ, primary_key=True, autoincrement=False),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("cell", sa.Text, nullable=False),
        sa.Column("ratio", sa.Text, nullable=False),
        sa.Column("capacity", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "ledger_analysts",
        sa.Column("dataset", _SEQ, primary_key=True, autoincrement=False),
        sa.Column("analyst", sa.Text, primary_key=True),
        sa.Column("factors", sa.Text, nullable=False),
        sa.Column("capacity", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )


def _told() -> None:
    op.create_table(
        "ledger_told",
        sa.Column("key", _SEQ, primary_key=True, autoincrement=False),
        sa.Column("dataset", _SEQ, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("grid_key", _SEQ),
        sa.Column("grid", sa.Text),
        sa.Column("people_key", _SEQ),
        sa.Column("people", sa.Text),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("charge", _SEQ, nullable=False),
        sa.Column("answer", sa.Text),
        sa.Column("answered", _SEQ),
    )
    for name in ("grid", "people"):
        some = sa.text(f"{name}_key IS NOT NULL")
        op.create_index(
            f"ledger_told_by_{name}",
            "ledger_told",
            [f"{name}_key"],
            sqlite_where=some,
            postgresql_where=some,
        )


def _triggers_of_sqlite() -> None:
    for event in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER ledger_entries_no_{event.lower()} BEFORE {event} ON ledger_entries"
            f" BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
        )
    op.execute(  # INSERT OR REPLACE would delete without asking the trigger above
        "CREATE TRIGGER ledger_entries_no_replace BEFORE INSERT ON ledger_entries"
        " WHEN EXISTS (SELECT 1 FROM ledger_entries WHERE seq >= NEW.seq)"
        f" BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
    )


def _triggers_of_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
    )
    op.execute(
        "CREATE TRIGGER ledger_entries_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries"
        " FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()"
    )
