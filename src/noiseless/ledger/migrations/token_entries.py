"""Step 0003: tokens are issued and revoked by entries; those that were there before are recorded as found."""

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any

from noiseless.ledger.entries import Anchor, Entry, chained
from noiseless.ledger.replay import ISSUED, REVOKED, issue_body, revocation_body
from noiseless.ledger.schema import TABLES, everything
from noiseless.ledger.transaction import DatabaseTransaction

_REFUSAL = "tokens of the ledger are never changed, only revoked"
_KEPT = "dataset, id, name, role, hash, created, created_by, expires"
_SAME = "dataset = NEW.dataset AND id = NEW.id"
_PAGE = 2000

_TRIGGERS_OF_SQLITE = [
    f"CREATE TRIGGER ledger_tokens_no_{name} BEFORE {when} BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
    for name, when in {
        "update": f"UPDATE OF {_KEPT} ON ledger_tokens",
        "reprieve": "UPDATE ON ledger_tokens WHEN OLD.revoked IS NOT NULL",
        "delete": "DELETE ON ledger_tokens",
        "replace": f"INSERT ON ledger_tokens WHEN EXISTS (SELECT 1 FROM ledger_tokens WHERE {_SAME})",
    }.items()
]
_TRIGGERS_OF_POSTGRESQL = [
    (
        "CREATE FUNCTION ledger_tokens_refuse() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
    ),
    *(
        f"CREATE TRIGGER ledger_tokens_no_{name} BEFORE {when} EXECUTE FUNCTION ledger_tokens_refuse()"
        for name, when in {
            "change": f"UPDATE OF {_KEPT} OR DELETE OR TRUNCATE ON ledger_tokens FOR EACH STATEMENT",
            "reprieve": "UPDATE ON ledger_tokens FOR EACH ROW WHEN (OLD.revoked IS NOT NULL)",
        }.items()
    ),
]


def record_tokens(session: DatabaseTransaction) -> None:
    """Record the tokens that are there, and let no others be changed."""
    for sql in _TRIGGERS_OF_SQLITE if session.is_sqlite else _TRIGGERS_OF_POSTGRESQL:
        session.put(sql)
    for row in session.rows(f"{everything('ledger_tokens')} ORDER BY created, id, dataset"):
        for entry in _entries_of(dict(zip(TABLES["ledger_tokens"], row, strict=True)), session.head()):
            session.append(entry)


def _entries_of(row: Mapping[str, Any], place: Anchor) -> Iterator[Entry]:
    """What entries say of a token that was found."""
    issued = Entry.after(place, row["dataset"], ISSUED, None, issue_body(row, found=True))
    yield issued
    if row["revoked"] is not None:
        body = revocation_body(row["id"], row["revoked"], row["revoked_by"])
        yield Entry.after(issued.anchor, row["dataset"], REVOKED, None, body)


def take_out_tokens(session: DatabaseTransaction) -> None:
    """Take the entries about tokens out of the chain: an earlier noiseless does not know them.

    Entries after the first of them get other numbers and hashes, and all that refers to them follows. Tokens
    stay in their table.
    """
    if session.is_sqlite:
        for name in ("update", "reprieve", "delete", "replace"):
            session.put(f"DROP TRIGGER ledger_tokens_no_{name}")
        table = "type = 'trigger' AND tbl_name = 'ledger_entries'"
        kept = session.rows(f"SELECT name, sql FROM sqlite_master WHERE {table}")
        for name, _ in kept:
            session.put(f"DROP TRIGGER {name}")
        _take_out(session)
        for _, sql in kept:
            session.put(sql)
    else:
        session.put("DROP TRIGGER ledger_tokens_no_change ON ledger_tokens")
        session.put("DROP TRIGGER ledger_tokens_no_reprieve ON ledger_tokens")
        session.put("DROP FUNCTION ledger_tokens_refuse()")
        session.put("ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_no_change")
        _take_out(session)
        session.put("ALTER TABLE ledger_entries ENABLE TRIGGER ledger_entries_no_change")


def _take_out(session: DatabaseTransaction) -> None:
    about_tokens = f"kind IN ('{ISSUED}', '{REVOKED}')"
    gone = session.rows(f"SELECT seq, previous FROM ledger_entries WHERE {about_tokens} ORDER BY seq")
    if not gone:
        return
    session.put(f"DELETE FROM ledger_entries WHERE {about_tokens}")
    first, previous = gone[0]
    _chain_anew(session, Anchor(first - 1, previous))
    numbers = [seq for seq, _ in gone]
    for (old,) in session.rows("SELECT id FROM ledger_datasets ORDER BY id"):
        _renumber_dataset(session, old, old - bisect_left(numbers, old))
    _renumber_references(session, numbers)


def _chain_anew(session: DatabaseTransaction, place: Anchor) -> None:
    """Give all entries after a place the numbers and hashes that follow from it."""
    page = f"{everything('ledger_entries')} WHERE seq > ? ORDER BY seq LIMIT ?"
    after = place.seq
    while rows := session.rows(page, [after, _PAGE]):
        for old, *fields, _, _ in rows:
            after, previous = old, place.hash
            place = Anchor(place.seq + 1, chained(previous, place.seq + 1, *fields))
            change = "UPDATE ledger_entries SET seq = ?, previous = ?, hash = ? WHERE seq = ?"
            session.put(change, [place.seq, previous, place.hash, old])


def _renumber_dataset(session: DatabaseTransaction, old: int, new: int) -> None:
    """Lower numbers first: no two datasets have the same one meanwhile."""
    if old == new:
        return
    for table in ("ledger_accounts", "ledger_analysts"):
        session.put(f"UPDATE {table} SET dataset = ? WHERE dataset = ?", [new, old])
    session.put("UPDATE ledger_datasets SET id = ? WHERE id = ?", [new, old])
    chosen = "SELECT key, version, question, grid, people FROM ledger_told WHERE dataset = ?"
    for found, version, *fingerprints in session.rows(chosen, [old]):
        keys = [
            None if text is None else _told_key(what, new, version, text)
            for what, text in zip(("question", "grid", "people"), fingerprints, strict=True)
        ]
        change = "UPDATE ledger_told SET dataset = ?, key = ?, grid_key = ?, people_key = ? WHERE key = ?"
        session.put(change, [new, *keys, found])


def _told_key(what: str, dataset: int, version: int, fingerprint: str) -> int:
    """What a question is found by, as it was at this step."""
    said = f"{what} {dataset} {version} {fingerprint}".encode()
    return int.from_bytes(hashlib.sha256(said).digest()[:8]) >> 1


def _renumber_references(session: DatabaseTransaction, gone: list[int]) -> None:
    """Let what refers to an entry refer to its new number."""
    session.put("CREATE TEMPORARY TABLE ledger_gone (seq BIGINT)")
    session.many("INSERT INTO ledger_gone VALUES (?)", [(seq,) for seq in gone])
    for table, columns in {
        "ledger_datasets": ("declared", "changed"),
        "ledger_told": ("charge", "answered"),
        "ledger_batches": ("charge",),
    }.items():
        for column in columns:
            before = f"(SELECT count(*) FROM ledger_gone WHERE ledger_gone.seq < {table}.{column})"
            session.put(f"UPDATE {table} SET {column} = {column} - {before}")
    session.put("DROP TABLE ledger_gone")
