"""Tokens are issued and revoked by entries; those that were there before are recorded as found."""

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

from noiseless.ledger.entries import START, Anchor, Entry, chained
from noiseless.ledger.replay import ISSUED, REVOKED, issue_body, revocation_body

revision = "0003"
down_revision = "0002"

_REFUSAL = "tokens of the ledger are never changed, only revoked"
_KEPT = "dataset, id, name, role, hash, created, created_by, expires"
_SAME = "dataset = NEW.dataset AND id = NEW.id"
_PAGE = 2000


def upgrade() -> None:
    """Record the tokens that are there, and let no others be changed."""
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        _triggers_of_sqlite()
    else:
        _triggers_of_postgresql()
    last = connection.execute(
        sa.text("SELECT seq, hash FROM ledger_entries ORDER BY seq DESC LIMIT 1")
    ).first()
    place = START if last is None else Anchor(*last)
    found = connection.execute(sa.text("SELECT * FROM ledger_tokens ORDER BY created, id, dataset"))
    for row in found.mappings().all():
        for entry in _entries_of(dict(row), place):
            place = entry.anchor
            values = "(:seq, :time, :dataset, :kind, :analyst, :text, :previous, :hash)"
            connection.execute(sa.text(f"INSERT INTO ledger_entries VALUES {values}"), vars(entry))


def _entries_of(row: Mapping[str, Any], place: Anchor) -> Iterator[Entry]:
    """What entries say of a token that was found."""
    issued = Entry.after(place, row["dataset"], ISSUED, None, issue_body(row, found=True))
    yield issued
    if row["revoked"] is not None:
        body = revocation_body(row["id"], row["revoked"], row["revoked_by"])
        yield Entry.after(issued.anchor, row["dataset"], REVOKED, None, body)


def _triggers_of_sqlite() -> None:
    refused = f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
    for name, when in {
        "update": f"UPDATE OF {_KEPT} ON ledger_tokens",
        "reprieve": "UPDATE ON ledger_tokens WHEN OLD.revoked IS NOT NULL",
        "delete": "DELETE ON ledger_tokens",
        "replace": f"INSERT ON ledger_tokens WHEN EXISTS (SELECT 1 FROM ledger_tokens WHERE {_SAME})",
    }.items():
        op.execute(f"CREATE TRIGGER ledger_tokens_no_{name} BEFORE {when} {refused}")


def _triggers_of_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION ledger_tokens_refuse() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
    )
    for name, when in {
        "change": f"UPDATE OF {_KEPT} OR DELETE OR TRUNCATE ON ledger_tokens FOR EACH STATEMENT",
        "reprieve": "UPDATE ON ledger_tokens FOR EACH ROW WHEN (OLD.revoked IS NOT NULL)",
    }.items():
        op.execute(
            f"CREATE TRIGGER ledger_tokens_no_{name} BEFORE {when} EXECUTE FUNCTION ledger_tokens_refuse()"
        )


def downgrade() -> None:
    """Take the entries about tokens out of the chain: an earlier noiseless does not know them.

    Entries after the first of them get other numbers and hashes, and all that refers to them follows. Tokens
    stay in their table.
    """
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        for name in ("update", "reprieve", "delete", "replace"):
            op.execute(f"DROP TRIGGER ledger_tokens_no_{name}")
        table = "type = 'trigger' AND tbl_name = 'ledger_entries'"
        kept = connection.execute(sa.text(f"SELECT name, sql FROM sqlite_master WHERE {table}")).all()
        for name, _ in kept:
            op.execute(f"DROP TRIGGER {name}")
        _take_out(connection)
        for _, sql in kept:
            connection.exec_driver_sql(sql)
    else:
        op.execute("DROP TRIGGER ledger_tokens_no_change ON ledger_tokens")
        op.execute("DROP TRIGGER ledger_tokens_no_reprieve ON ledger_tokens")
        op.execute("DROP FUNCTION ledger_tokens_refuse()")
        op.execute("ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_no_change")
        _take_out(connection)
        op.execute("ALTER TABLE ledger_entries ENABLE TRIGGER ledger_entries_no_change")


def _take_out(connection: sa.Connection) -> None:
    about_tokens = f"kind IN ('{ISSUED}', '{REVOKED}')"
    chosen = f"SELECT seq, previous FROM ledger_entries WHERE {about_tokens} ORDER BY seq"
    gone = connection.execute(sa.text(chosen)).all()
    if not gone:
        return
    connection.execute(sa.text(f"DELETE FROM ledger_entries WHERE {about_tokens}"))
    _chain_anew(connection, Anchor(gone[0].seq - 1, gone[0].previous))
    numbers = [row.seq for row in gone]
    for (old,) in connection.execute(sa.text("SELECT id FROM ledger_datasets ORDER BY id")).all():
        _renumber_dataset(connection, old, old - bisect_left(numbers, old))
    _renumber_references(connection, numbers)


def _chain_anew(connection: sa.Connection, place: Anchor) -> None:
    """Give all entries after a place the numbers and hashes that follow from it."""
    page = sa.text("SELECT * FROM ledger_entries WHERE seq > :after ORDER BY seq LIMIT :most")
    change = sa.text(
        "UPDATE ledger_entries SET seq = :seq, previous = :previous, hash = :hash WHERE seq = :old"
    )
    after = place.seq
    while rows := connection.execute(page, {"after": after, "most": _PAGE}).all():
        for old, *fields, _, _ in rows:
            after, previous = old, place.hash
            place = Anchor(place.seq + 1, chained(previous, place.seq + 1, *fields))
            new = {"old": old, "seq": place.seq, "previous": previous, "hash": place.hash}
            connection.execute(change, new)


def _renumber_dataset(connection: sa.Connection, old: int, new: int) -> None:
    """Lower numbers first: no two datasets have the same one meanwhile."""
    if old == new:
        return
    for table in ("ledger_accounts", "ledger_analysts"):
        moved = sa.text(f"UPDATE {table} SET dataset = :new WHERE dataset = :old")
        connection.execute(moved, {"old": old, "new": new})
    connection.execute(
        sa.text("UPDATE ledger_datasets SET id = :new WHERE id = :old"), {"old": old, "new": new}
    )
    chosen = sa.text("SELECT key, version, question, grid, people FROM ledger_told WHERE dataset = :old")
    change = sa.text(
        "UPDATE ledger_told SET key = :key, dataset = :new, grid_key = :grid_key, people_key = :people_key"
        " WHERE key = :found"
    )
    for found, version, *fingerprints in connection.execute(chosen, {"old": old}).all():
        keys = [
            None if text is None else _told_key(what, new, version, text)
            for what, text in zip(("question", "grid", "people"), fingerprints, strict=True)
        ]
        named = dict(zip(("key", "grid_key", "people_key"), keys, strict=True))
        connection.execute(change, {"found": found, "new": new, **named})


def _told_key(what: str, dataset: int, version: int, fingerprint: str) -> int:
    """What a question is found by, as it was at this step."""
    said = f"{what} {dataset} {version} {fingerprint}".encode()
    return int.from_bytes(hashlib.sha256(said).digest()[:8]) >> 1


def _renumber_references(connection: sa.Connection, gone: list[int]) -> None:
    """Let what refers to an entry refer to its new number."""
    op.execute("CREATE TEMPORARY TABLE ledger_gone (seq BIGINT)")
    connection.execute(sa.text("INSERT INTO ledger_gone VALUES (:seq)"), [{"seq": seq} for seq in gone])
    for table, columns in {
        "ledger_datasets": ("declared", "changed"),
        "ledger_told": ("charge", "answered"),
        "ledger_batches": ("charge",),
    }.items():
        for column in columns:
            before = f"(SELECT count(*) FROM ledger_gone WHERE ledger_gone.seq < {table}.{column})"
            op.execute(f"UPDATE {table} SET {column} = {column} - {before}")
    op.execute("DROP TABLE ledger_gone")
