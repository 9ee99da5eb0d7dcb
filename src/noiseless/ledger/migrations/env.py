"""What alembic runs: the steps that are missing, on the connection and in the transaction it is given."""

from alembic import context

from noiseless.ledger.schema import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
