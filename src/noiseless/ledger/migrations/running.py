"""Bringing a database up to date."""

from sqlalchemy import Connection

HEAD = "0002"
"""The newest step; the fast path of `Ledger.open` compares with it."""

VERSION_TABLE = "ledger_schema"
"""Not alembic's own name for it: the database may hold other programs' tables too."""


def upgrade(connection: Connection) -> None:
    """Apply the steps that are missing, within the connection's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "noiseless.ledger:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
