"""The ledger's SQL, in words that SQLite and PostgreSQL share; parameters are given in their order.

A list is given where it says `= ANY(?)`. `DatabaseTransaction` says it in the words of its database.
"""

from typing import TYPE_CHECKING, Any

from noiseless.ledger.schema import TABLES, columns_of, everything, insertion

if TYPE_CHECKING:
    from noiseless.ledger.transaction import DatabaseTransaction

# The chain

LAST_ENTRY = "SELECT seq, hash FROM ledger_entries ORDER BY seq DESC LIMIT 1"
APPEND = insertion("ledger_entries")
ENTRY_HASH = "SELECT hash FROM ledger_entries WHERE seq = ?"
CHAIN = f"{everything('ledger_entries')} ORDER BY seq"
"""All entries, whatever numbers they have."""

# Datasets and accounts

DATASET = f"{everything('ledger_datasets')} WHERE name = ?"
ALL_DATASETS = f"{everything('ledger_datasets')} ORDER BY id"
ADD_DATASET = insertion("ledger_datasets")
CHANGE_DATASET = (
    f"UPDATE ledger_datasets SET {', '.join(f'{name} = ?' for name in TABLES['ledger_datasets'][2:])}"
    " WHERE id = ?"
)
"""All of a dataset but its number and name."""
CHANGE_ACCOUNTS = "UPDATE ledger_datasets SET accounts = ? WHERE id = ?"

ALL_SURPLUSES = "SELECT cell, ratio, capacity FROM ledger_accounts WHERE dataset = ?"
SURPLUSES = f"{ALL_SURPLUSES} AND key = ANY(?)"
PUT_SURPLUS = (
    f"{insertion('ledger_accounts')} ON CONFLICT (dataset, key)"
    " DO UPDATE SET ratio = excluded.ratio, capacity = excluded.capacity"
)
FORGET_CELLS = "DELETE FROM ledger_accounts WHERE dataset = ?"

ALL_QUOTAS = "SELECT analyst, factors, capacity FROM ledger_analysts WHERE dataset = ?"
QUOTAS = f"{ALL_QUOTAS} AND analyst = ANY(?)"
PUT_QUOTA = (
    f"{insertion('ledger_analysts')} ON CONFLICT (dataset, analyst)"
    " DO UPDATE SET factors = excluded.factors, capacity = excluded.capacity"
)
FORGET_ANALYSTS = "DELETE FROM ledger_analysts WHERE dataset = ?"

# Questions

_TOLD = "SELECT question, grid, people, body, answer, charge FROM ledger_told WHERE"
TOLD_BY = {
    "question": f"{_TOLD} key = ANY(?)",
    "grid": f"{_TOLD} grid_key = ANY(?)",
    "people": f"{_TOLD} people_key = ANY(?)",
}
"""Questions by their own keys, by those of their grids, and of who takes part."""

PUT_TOLD = (
    f"{insertion('ledger_told')} ON CONFLICT (key) DO UPDATE SET question ="
    " CASE WHEN ledger_told.question = excluded.question THEN ledger_told.question END"
)
"""A question that was charged for; the first charge stands, if it is for the same question.

Another one that happens to have its key would lose its text, which the table refuses.
"""

ANSWER = "UPDATE ledger_told SET answer = ?, answered = ? WHERE key = ? AND question = ? AND answer IS NULL"

# Entries in pages

_MOST, _MOST_CHARACTERS = 1000, 4_000_000
"""Entries of a page, and characters of their bodies, which may be of any length."""


def read_page(session: "DatabaseTransaction", dataset: str | None, after: int) -> list[tuple[Any, ...]]:
    """The rows of the next entries of the ledger, or of one dataset, after a number; none at the end."""
    wanted, values = (
        ("seq > ?", [after]) if dataset is None else ("seq > ? AND dataset = ?", [after, dataset])
    )
    size = "coalesce(length(body), 0) AS size"
    sizes = f"SELECT seq, {size} FROM ledger_entries WHERE {wanted} ORDER BY seq LIMIT ?"
    sums = f"SELECT seq, sum(size) OVER (ORDER BY seq) - size AS before FROM ({sizes}) AS sizes"
    page = (
        f"SELECT {columns_of('ledger_entries')} FROM ledger_entries WHERE {wanted}"
        f" AND seq <= (SELECT max(seq) FROM ({sums}) AS sums WHERE before < ?) ORDER BY seq"
    )
    return session.rows(page, [*values, *values, _MOST, _MOST_CHARACTERS])
