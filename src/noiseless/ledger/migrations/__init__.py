"""How the ledger's tables came about, step by step (alembic); `Ledger.open` applies what is missing."""
