"""Every way to tamper with a ledger's database that takes one statement, made from the database itself.

What can be changed is read off the database's own catalogue, not off the ledger's code, so that a new table,
column, index or trigger is tampered with too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from noiseless.amounts import Cost
from noiseless.ledger import Ledger, LedgerError, NewQuestion, Shares
from noiseless.ledger.analysts import (
    AskedBatch,
    NewToken,
    add_token,
    note_batches,
    note_charged,
    revoke_token,
    write_note,
)
from noiseless.ledger.database import LedgerDatabase
from noiseless.ledger.integrity import ChainReport, verify_session
from noiseless.ledger.transaction import DatabaseTransaction

KINDS = ("answers", "budget", "charge", "dataset", "randomised", "release", "revocation", "token", "version")


def fill(ledger: Ledger) -> None:
    """All kinds of entries and rows."""
    kept, revoked = NewToken.random(), NewToken.random()
    add_token(ledger, ["meters", "later"], name="olga", role="owner", token=kept)
    ledger.declare("meters", digest="a", budget=9, analyst_budget=7)
    ledger.declare("visits", digest="c", budget=None)
    price = Shares(Cost(2), {"north": Cost(4), "south": Cost(3)})
    asked = [NewQuestion("q1", "g1", "p1", {"n": 1}), NewQuestion("q2", "g1")]
    number = ledger.settle("meters", lambda books: books.charge(price, analyst="ann", questions=asked))
    batch = AskedBatch("meters", "ann", 1, "2026-01-01", ("SELECT 1",), charge=number, key="k")
    ledger._database.write(lambda session: note_charged(session, [batch]))
    ledger.store("meters", {"q1": {"value": 1}})
    add_token(ledger, ["meters"], name="rex", role="analyst", token=revoked, expires="2999-01-01")
    ledger.record_release("visits", "cert", Shares(Cost(2), {"north": Cost(4), "south": Cost(3)}))
    ledger.declare("meters", digest="b", budget=9, analyst_budget=7, new_version=True)
    ledger.change_budget("meters", 8)
    ledger.record_randomised("visits", "geometric", Cost(1, 1), analyst="bob")  # type: ignore[arg-type]
    revoke_token(ledger, revoked.id, ["meters"])
    note_batches(ledger, [AskedBatch.now("meters", "ann", 2, ["SELECT 2"])])
    write_note(ledger, "meters", "budget in file", "{}")
    assert tuple(sorted({entry.kind for entry in ledger.entries()})) == KINDS
    assert ledger.verify().ok


class UndoneError(Exception):
    """What was found, before all is undone."""

    def __init__(self, report: ChainReport) -> None:
        super().__init__()
        self.report = report


def is_found(database: LedgerDatabase, *statements: str) -> bool:
    """Whether somebody who may do everything, and cleans up afterwards, is found out; then all is undone."""

    def tamper(session: DatabaseTransaction) -> None:
        before, after = _disarmed(session) if statements[0].startswith(_ROWS) else ([], [])
        for sql in (*before, *statements, *after):
            session.run(sql)
        raise UndoneError(verify_session(session, None))

    try:
        database.write(tamper)
    except UndoneError as undone:
        return not undone.report.ok
    except LedgerError:
        return True
    raise AssertionError


_ROWS = ("UPDATE ledger", "DELETE", "INSERT")


def _disarmed(session: DatabaseTransaction) -> tuple[list[str], list[str]]:
    """What switches all triggers off, and on again."""
    if session.is_sqlite:
        named = session.rows("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        return [f"DROP TRIGGER {name}" for name, _ in named], [sql for _, sql in named]
    tables = ("ledger_entries", "ledger_tokens")
    return tuple([f"ALTER TABLE {name} {do} TRIGGER USER" for name in tables] for do in ("DISABLE", "ENABLE"))  # type: ignore[return-value]


@dataclass(frozen=True)
class Contents:
    """A table: its columns (name, type, whether it may be null), what tells rows apart, and the rows."""

    table: str
    columns: Sequence[tuple[str, str, bool]]
    keys: Sequence[str]
    rows: Sequence[Sequence[Any]]

    def where(self, row: Sequence[Any]) -> str:
        """A condition that only this row meets."""
        values = dict(zip([name for name, _, _ in self.columns], row, strict=True))
        return " AND ".join(f'"{name}" = {literal(values[name])}' for name in self.keys)


def contents(session: DatabaseTransaction) -> list[Contents]:
    """All tables of the ledger."""
    if session.is_sqlite:
        named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'ledger%' ORDER BY name"
        return [_of_sqlite(session, name) for (name,) in session.rows(named)]
    named = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename"
    return [_of_postgresql(session, name) for (name,) in session.rows(named)]


def _of_sqlite(session: DatabaseTransaction, table: str) -> Contents:
    info = session.rows(f"PRAGMA table_info({table})")
    columns = [(name, kind, not notnull) for _, name, kind, notnull, _, _ in info]
    keys = [name for _, name, _, _, _, key in info if key]
    return Contents(table, columns, keys, session.rows(f"SELECT * FROM {table}"))


def _of_postgresql(session: DatabaseTransaction, table: str) -> Contents:
    columns = session.rows(
        "SELECT column_name, upper(data_type), is_nullable = 'YES' FROM information_schema.columns"
        f" WHERE table_schema = current_schema() AND table_name = '{table}' ORDER BY ordinal_position"
    )
    keys = session.rows(
        "SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey)"
        f" WHERE indisprimary AND indrelid = '{table}'::regclass"
    )
    wanted = [(str(name), str(kind), bool(null)) for name, kind, null in columns]
    return Contents(table, wanted, [name for (name,) in keys], session.rows(f"SELECT * FROM {table}"))


def literal(value: object) -> str:
    """A value in SQL."""
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


def other_values(value: object, others: Sequence[object], kind: str, *, nullable: bool) -> list[str]:
    """What somebody may put in the place of a value: the like, those of other rows, what is of no kind."""
    found = [literal(other) for other in others]
    if "INT" in kind:
        found += [
            "0",
            "-1",
            str((value if isinstance(value, int) else 0) + 1),
            str(2**31 - 1),
            "'text'",
            "0.4",
        ]
    else:
        text = "" if value is None else str(value)
        found += ["''", literal(f"{text} "), literal(f"{text}\n"), literal(text.upper()), literal(text[:-1])]
        found += ["'{}'", "'null'", "'[]'", "'x'", "5", "1.5", "x'00ff'", "CAST(x'ff' AS TEXT)"]
    return [new for new in dict.fromkeys([*found, *(["NULL"] * nullable)]) if new != literal(value)]


def changes_of_rows(tables: Sequence[Contents]) -> Iterator[list[str]]:
    """Every column of every row changed, every row deleted or there once more, every table emptied."""
    for one in tables:
        assert one.rows, f"{one.table} has no rows to tamper with"
        for place, (column, kind, nullable) in enumerate(one.columns):
            others = [row[place] for row in one.rows]
            for row in one.rows:
                for value in other_values(row[place], others, kind, nullable=nullable):
                    yield [f'UPDATE {one.table} SET "{column}" = {value} WHERE {one.where(row)}']
        for row in one.rows:
            yield [f"DELETE FROM {one.table} WHERE {one.where(row)}"]
            for place, (column, kind, _) in enumerate(one.columns):
                if column in one.keys:
                    new = [literal(value) for value in row]
                    for other in (
                        ("0", "-1", "-7", str(-(2**63)), str(2**31 - 2)) if "INT" in kind else ("'other'",)
                    ):
                        new[place] = other
                        yield [f"INSERT INTO {one.table} VALUES ({', '.join(new)})"]
        yield [f"DELETE FROM {one.table}"]


def moves_of_entries(entries: Contents) -> Iterator[list[str]]:
    """Every two entries in each other's place, and every entry left out with later ones moved up."""
    numbers = sorted(row[0] for row in entries.rows)
    moved = "UPDATE ledger_entries SET seq = {} WHERE seq = {}"
    for place, one in enumerate(numbers):
        for other in numbers[place + 1 :]:
            yield [moved.format(-9, one), moved.format(one, other), moved.format(other, -9)]
        later = [moved.format(other - 1, other) for other in numbers[place + 1 :]]
        yield [f"DELETE FROM ledger_entries WHERE seq = {one}", *later]


def changes_of_structure(session: DatabaseTransaction, tables: Sequence[Contents]) -> Iterator[list[str]]:
    """Every index and trigger dropped, every table and column dropped, renamed or with other rules."""
    for one in tables:
        yield [f"ALTER TABLE {one.table} RENAME TO other"]
        yield [f"ALTER TABLE {one.table} ADD COLUMN other TEXT"]
        for column, _, _ in one.columns:
            yield [f'ALTER TABLE {one.table} RENAME COLUMN "{column}" TO other']
            yield [f'ALTER TABLE {one.table} DROP COLUMN "{column}"']
            yield [f'CREATE INDEX other ON {one.table} ("{column}")']
        yield [f"DROP TABLE {one.table}"]
    dialect = _sqlite_structure if session.is_sqlite else _postgresql_structure
    yield from dialect(session, tables)


def _sqlite_structure(session: DatabaseTransaction, tables: Sequence[Contents]) -> Iterator[list[str]]:
    named = "SELECT type, name, sql FROM sqlite_master WHERE tbl_name LIKE 'ledger%' AND sql IS NOT NULL"
    for kind, name, sql in session.rows(named):
        if kind != "table":
            yield [f"DROP {kind} {name}"]
            for other in dict.fromkeys(_rewritten(sql)):
                if other != sql:
                    yield [f"DROP {kind} {name}", other]
        for old, new in (("NOT NULL", ""), ("TEXT", "BLOB"), ("NOT NULL", "NOT NULL ON CONFLICT IGNORE")):
            if kind == "table" and old in sql:
                changed = f"UPDATE sqlite_master SET sql = {literal(sql.replace(old, new, 1))}"
                yield ["PRAGMA writable_schema = ON", f"{changed} WHERE name = '{name}'"]
    for one in tables:
        for event in ("INSERT", "UPDATE", "DELETE"):
            ignored = "BEGIN SELECT RAISE(IGNORE); END"
            yield [f"CREATE TRIGGER other BEFORE {event} ON {one.table} {ignored}"]
    told = "BEGIN DELETE FROM ledger_told; END"
    yield ["CREATE TABLE elsewhere (x)", f"CREATE TRIGGER other AFTER INSERT ON elsewhere {told}"]


def _rewritten(sql: str) -> Iterator[str]:
    """An index or a trigger with another meaning; SQLite takes double quotes for those of a text."""
    for old, new in (("IS NOT NULL", "IS NULL"), ("RAISE", "coalesce"), ("(dataset, ", "(")):
        yield sql.replace(old, new)
    for condition in re.findall(r"WHE(?:RE|N) (.*?)\)?(?: BEGIN|$)", sql):
        yield sql.replace(condition, f'"{condition}"')
        for word in re.findall(r"[\w.]+", condition):
            yield sql.replace(condition, re.sub(rf"\b{re.escape(word)}\b", f'"{word}"', condition))


def _postgresql_structure(session: DatabaseTransaction, tables: Sequence[Contents]) -> Iterator[list[str]]:
    for name, table in session.rows(
        "SELECT indexname, tablename FROM pg_indexes WHERE schemaname = current_schema()"
    ):
        yield [f"DROP INDEX {name}"]
        yield [f"ALTER TABLE {table} DROP CONSTRAINT {name}"]
    ours = "tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)"
    for name, table in session.rows(f"SELECT tgname, tgrelid::regclass::text FROM pg_trigger WHERE {ours}"):
        yield [f"DROP TRIGGER {name} ON {table}"]
        yield [f"ALTER TABLE {table} DISABLE TRIGGER {name}"]
        yield [f"ALTER TABLE {table} ENABLE REPLICA TRIGGER {name}"]
    for name in ("ledger_refuse", "ledger_tokens_refuse"):
        changed = f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS"
        yield [f"{changed} $$ BEGIN RETURN NEW; END $$"]
    for one in tables:
        yield [f"ALTER TABLE {one.table} SET UNLOGGED"]
        yield [f"ALTER TABLE {one.table} ENABLE ROW LEVEL SECURITY"]
        yield [f"CREATE POLICY other ON {one.table} USING (false)"]
        yield [f"CREATE RULE other AS ON UPDATE TO {one.table} DO INSTEAD NOTHING"]
        yield [f"CREATE TABLE other () INHERITS ({one.table})"]
        for column, kind, nullable in one.columns:
            rule = "SET NOT NULL" if nullable else "DROP NOT NULL"
            yield [f'ALTER TABLE {one.table} ALTER "{column}" {rule}']
            yield [
                f'ALTER TABLE {one.table} ALTER "{column}" SET DEFAULT {0 if "INT" in kind else "chr(48)"}'
            ]
            if kind == "TEXT":
                yield [f'ALTER TABLE {one.table} ALTER "{column}" TYPE varchar']
