"""What PostgreSQL's catalogue says of a table: where it is, its columns, and whether it may have changed."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from noiseless.errors import SourceError
from noiseless.tables.postgres_session import Session, relation
from noiseless.tables.postgres_values import ServerColumn

_SHOWN, _LISTED = 8, 1000
Rows = Callable[[str, Sequence[object]], list[tuple[Any, ...]]]

_FIND = """
SELECT c.oid::bigint, n.nspname::text, c.relname::text,
    c.relkind IN ('r', 'p', 'v') AND has_table_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = to_regclass(%s) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
"""

_LIST = """
SELECT n.nspname || '.' || c.relname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    AND n.nspname NOT LIKE 'pg\\_%%' AND has_table_privilege(c.oid, 'SELECT')
ORDER BY NOT pg_table_is_visible(c.oid), n.nspname, c.relname LIMIT %s
"""

_COLUMNS = """
WITH RECURSIVE kinds AS (
    SELECT attnum, attname, atttypid AS type, atttypmod AS modifier
    FROM pg_catalog.pg_attribute WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT k.attnum, k.attname, t.typbasetype, t.typtypmod
    FROM kinds k JOIN pg_catalog.pg_type t ON t.oid = k.type WHERE t.typtype = 'd'
)
SELECT k.attname::text, k.type::bigint, k.modifier
FROM kinds k JOIN pg_catalog.pg_type t ON t.oid = k.type WHERE t.typtype <> 'd' ORDER BY k.attnum
"""

_STATE = """
WITH RECURSIVE parts AS (
    SELECT %s::oid AS oid
    UNION SELECT i.inhrelid FROM parts p JOIN pg_catalog.pg_inherits i ON i.inhparent = p.oid
)
SELECT
    bool_and(c.relkind IN ('r', 'p', 'm')) AND NOT pg_is_in_recovery() AND NOT row_security_active(%s::oid),
    pg_current_snapshot()::text, pg_postmaster_start_time()::text,
    string_agg(c.oid || ':' || coalesce(pg_relation_filenode(c.oid), 0), ' ' ORDER BY c.oid)
FROM parts p JOIN pg_catalog.pg_class c ON c.oid = p.oid
"""


class Found(NamedTuple):
    """A table in the catalogue.

    Attributes:
        oid: its number.
        schema: the schema it is in.
        name: its name.
        lockable: whether it may be locked by its name: tables and views may, other kinds not.
    """

    oid: int
    schema: str
    name: str
    lockable: bool


def find_table(session: Session, names: Sequence[str]) -> Found:
    """The table of a name; as it is written or, as in SQL, in small letters.

    Raises:
        SourceError: there is none; the message names some that there are.
    """
    for spelling in (names, [name.lower() for name in names]):
        if rows := session.rows(_FIND, [relation(spelling)]):
            return Found(*rows[0])
    known = [name for (name,) in session.rows(_LIST, [_LISTED])]
    close = get_close_matches(".".join(names), [*known, *(name.partition(".")[2] for name in known)])
    listed = ", ".join(known[:_SHOWN]) or "none that this user may read"
    hint = f"did you mean {close[0]}?" if close else f"the database has {listed}"
    raise SourceError(session.label, f"there is no such table; {hint}")


def columns_of(session: Session, found: Found) -> tuple[ServerColumn, ...]:
    """The columns of a table, domains as the types they are made from."""
    return tuple(ServerColumn(*row) for row in session.rows(_COLUMNS, [found.oid]))


def state_of(rows: Rows, found: Found) -> tuple[str, ...] | None:
    """What changes whenever other rows of a table may be visible than before; None if nothing tells.

    It is the set of transactions that are visible now: as long as nobody has finished one that wrote anything
    anywhere on the server, no table has changed. What a view or a foreign table shows, or a row-level policy,
    can depend on other things, and on a standby the set is not told in full: nothing tells there.
    """
    certain, *state = rows(_STATE, [found.oid, found.oid])[0]
    return tuple(state) if certain else None
