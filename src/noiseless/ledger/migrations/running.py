"""Bringing a database up to date, and back to a step before."""

from typing import TYPE_CHECKING

from sqlalchemy import Connection

if TYPE_CHECKING:
    from alembic.config import Config

STEPS = ("0001", "0002", "0003")
HEAD = STEPS[-1]
"""The newest step; the fast path of `Ledger.open` compares with it."""

VERSION_TABLE = "ledger_schema"
"""Not alembic's own name for it: the database may hold other programs' tables too."""


def upgrade(connection: Connection, step: str = HEAD) -> None:
    """Apply the steps that are missing, up to one, within the connection's transaction."""
    from alembic import command

    command.upgrade(_config(connection), step)


def downgrade(connection: Connection, step: str) -> None:
    """Undo all steps after one, within the connection's transaction."""
    from alembic import command

    command.downgrade(_config(connection), step)


def _config(connection: Connection) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "noiseless.ledger:migrations")
    config.attributes["connection"] = connection
    return config
