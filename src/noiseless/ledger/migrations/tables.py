"""Steps 0001 and 0002: the chain and what follows from it, then what servers keep beside it."""

from noiseless.ledger.transaction import DatabaseTransaction

_REFUSAL = "entries of the ledger are never changed"

_CHAIN = (
    """
CREATE TABLE ledger_entries (
  seq {number} NOT NULL, time TEXT NOT NULL, dataset TEXT NOT NULL, kind TEXT NOT NULL, analyst TEXT,
  body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (seq))""",
    """
CREATE TABLE ledger_datasets (
  id {number} NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, declared {number} NOT NULL,
  changed {number} NOT NULL, digest TEXT NOT NULL, record TEXT NOT NULL, budget TEXT NOT NULL,
  analyst_budget TEXT NOT NULL, accounts TEXT NOT NULL, PRIMARY KEY (id), UNIQUE (name))""",
    """
CREATE TABLE ledger_accounts (
  dataset {number} NOT NULL, "key" TEXT NOT NULL, cell TEXT NOT NULL, ratio TEXT NOT NULL,
  capacity TEXT NOT NULL, PRIMARY KEY (dataset, "key")){without_rowid}""",
    """
CREATE TABLE ledger_analysts (
  dataset {number} NOT NULL, analyst TEXT NOT NULL, factors TEXT NOT NULL, capacity TEXT NOT NULL,
  PRIMARY KEY (dataset, analyst)){without_rowid}""",
    """
CREATE TABLE ledger_told (
  "key" {number} NOT NULL, dataset {number} NOT NULL, version INTEGER NOT NULL, question TEXT NOT NULL,
  grid_key {number}, grid TEXT, people_key {number}, people TEXT, body TEXT NOT NULL,
  charge {number} NOT NULL, answer TEXT, answered {number}, PRIMARY KEY ("key"))""",
    "CREATE INDEX ledger_told_by_grid ON ledger_told (grid_key) WHERE grid_key IS NOT NULL",
    "CREATE INDEX ledger_told_by_people ON ledger_told (people_key) WHERE people_key IS NOT NULL",
)
_TRIGGERS_OF_SQLITE = (
    *(
        f"CREATE TRIGGER ledger_entries_no_{event.lower()} BEFORE {event} ON ledger_entries"
        f" BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
        for event in ("UPDATE", "DELETE")
    ),
    # INSERT OR REPLACE would delete without asking the trigger above
    (
        "CREATE TRIGGER ledger_entries_no_replace BEFORE INSERT ON ledger_entries"
        " WHEN EXISTS (SELECT 1 FROM ledger_entries WHERE seq >= NEW.seq)"
        f" BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
    ),
)
_TRIGGERS_OF_POSTGRESQL = (
    (
        "CREATE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
    ),
    (
        "CREATE TRIGGER ledger_entries_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries"
        " FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse()"
    ),
)


def create_chain(session: DatabaseTransaction) -> None:
    """The chain of entries, what follows from it, and a second line of defence: entries are never changed."""
    kinds = {"number": "INTEGER", "without_rowid": " WITHOUT ROWID"}  # a rowid in SQLite
    if not session.is_sqlite:
        kinds = {"number": "BIGINT", "without_rowid": ""}
    for sql in _CHAIN:
        session.put(sql.strip().format(**kinds))
    for sql in _TRIGGERS_OF_SQLITE if session.is_sqlite else _TRIGGERS_OF_POSTGRESQL:
        session.put(sql)


_BESIDE = (  # servers before this step created the tables without indices
    """
CREATE TABLE IF NOT EXISTS ledger_tokens (
  dataset TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, hash TEXT NOT NULL,
  created TEXT NOT NULL, created_by TEXT NOT NULL, expires TEXT, revoked TEXT, revoked_by TEXT,
  PRIMARY KEY (dataset, id))""",
    """
CREATE TABLE IF NOT EXISTS ledger_batches (
  dataset TEXT NOT NULL, analyst TEXT NOT NULL, batch TEXT NOT NULL, version TEXT NOT NULL,
  time TEXT NOT NULL, sql TEXT NOT NULL, charge BIGINT, idempotency TEXT,
  PRIMARY KEY (dataset, analyst, batch))""",
    # Of two batches that came with one key, the first had it.
    """
UPDATE ledger_batches SET idempotency = NULL WHERE idempotency IS NOT NULL AND EXISTS (
  SELECT 1 FROM ledger_batches AS other
  WHERE other.dataset = ledger_batches.dataset AND other.analyst = ledger_batches.analyst
    AND other.version = ledger_batches.version AND other.idempotency = ledger_batches.idempotency
    AND (other.time < ledger_batches.time
         OR (other.time = ledger_batches.time AND other.batch < ledger_batches.batch)))""",
    "CREATE INDEX ledger_batches_by_time ON ledger_batches (dataset, time)",
    "CREATE INDEX ledger_batches_free ON ledger_batches (dataset, analyst, time) WHERE charge IS NULL",
    (
        "CREATE UNIQUE INDEX ledger_batches_by_key ON ledger_batches (dataset, idempotency, analyst, version)"
        " WHERE idempotency IS NOT NULL"
    ),
    """
CREATE TABLE IF NOT EXISTS ledger_notes (
  dataset TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (dataset, name))""",
)


def create_beside(session: DatabaseTransaction) -> None:
    """What servers keep beside the chain: tokens, the batches that were asked, notes about datasets."""
    for sql in _BESIDE:
        session.put(sql.strip())
