"""The ledger's tables, by their columns; `migrations` creates them, `structure.json` says how."""

STEPS = ("0001", "0002", "0003")
HEAD = STEPS[-1]
"""The newest step; the fast path of `Ledger.open` compares with it."""

VERSION_TABLE = "ledger_schema"
"""Its one row says which step was taken last."""

TABLES = {
    "ledger_entries": ("seq", "time", "dataset", "kind", "analyst", "body", "previous", "hash"),
    "ledger_datasets": (
        "id",  # the entry that declared it
        "name",
        "version",
        "declared",  # the entry that declared the version
        "changed",  # the last entry that changed any of this but the accounts
        "digest",
        "record",
        "budget",
        "analyst_budget",
        "accounts",  # of the others, and the largest surplus of a cell
    ),
    "ledger_accounts": (  # of public cells, relative to the others
        "dataset",
        "key",  # a hash of the cell's text, which may be too long for an index
        "cell",
        "ratio",
        "capacity",
    ),
    "ledger_analysts": ("dataset", "analyst", "factors", "capacity"),  # what each made the dataset pay
    "ledger_told": (  # questions that were charged for, and their answers
        "key",  # hashes: short keys are found fast
        "dataset",
        "version",
        "question",
        "grid_key",
        "grid",
        "people_key",
        "people",
        "body",
        "charge",  # the entry that charged for it
        "answer",
        "answered",  # the entry that holds the answer
    ),
    "ledger_tokens": (  # one row for each dataset that a token is for
        "dataset",
        "id",
        "name",
        "role",
        "hash",  # SHA-256 of the secret, which has 256 random bits
        "created",
        "created_by",
        "expires",
        "revoked",
        "revoked_by",
    ),
    "ledger_batches": (  # what each analyst asked for the first time
        "dataset",
        "analyst",
        "batch",  # a fingerprint of the version and of the statements
        "version",
        "time",
        "sql",
        "charge",  # the number of the entry that charged for it
        "idempotency",
    ),
    "ledger_notes": ("dataset", "name", "value"),  # what servers remember about a dataset
}


def columns_of(table: str) -> str:
    """All columns of a table, each with the table's name.

    >>> columns_of("ledger_notes")
    'ledger_notes.dataset, ledger_notes.name, ledger_notes.value'
    """
    return ", ".join(f"{table}.{column}" for column in TABLES[table])


def everything(table: str) -> str:
    """All rows of a table."""
    return f"SELECT {columns_of(table)} FROM {table}"


def insertion(table: str) -> str:
    """A new row of a table; its values are in the order of the columns.

    >>> insertion("ledger_notes")
    'INSERT INTO ledger_notes (dataset, name, value) VALUES (?, ?, ?)'
    """
    columns = TABLES[table]
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
