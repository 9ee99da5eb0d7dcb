"""The tables, indices and triggers that a database has for a ledger, against those that the steps create.

`structure.json` holds what the steps create; a test holds it against them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from noiseless.ledger import side_tables  # noqa: F401 - its tables belong to the metadata too
from noiseless.ledger.migrations.running import HEAD, VERSION_TABLE
from noiseless.ledger.schema import metadata

if TYPE_CHECKING:
    from noiseless.ledger.session import Session

_NAMES = ", ".join(f"'{name}'" for name in (*sorted(metadata.tables), VERSION_TABLE))

_OF_SQLITE = f"""
SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_master
WHERE tbl_name IN ({_NAMES}) OR type = 'trigger' AND instr(lower(sql), 'ledger_')
"""

_OF_POSTGRESQL = f"""
WITH ours AS (SELECT to_regclass(name) AS oid, name FROM unnest(ARRAY[{_NAMES}]) AS name)
SELECT 'table ' || name, concat_ws(' ', relkind, relpersistence, relrowsecurity, relforcerowsecurity,
    (SELECT count(*) FROM pg_inherits WHERE inhrelid = c.oid OR inhparent = c.oid))
  FROM pg_class c JOIN ours USING (oid)
UNION ALL SELECT 'column ' || attname || ' of ' || name, concat_ws(' ', format_type(atttypid, atttypmod),
    attnotnull, attidentity, attgenerated,
    (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = attrelid AND adnum = attnum),
    (SELECT collname FROM pg_collation WHERE pg_collation.oid = attcollation))
  FROM pg_attribute JOIN ours ON attrelid = ours.oid WHERE attnum > 0 AND NOT attisdropped
UNION ALL SELECT 'constraint ' || conname || ' of ' || name,
    concat_ws(' ', pg_get_constraintdef(c.oid), convalidated)
  FROM pg_constraint c JOIN ours ON conrelid = ours.oid WHERE contype <> 'n'
UNION ALL SELECT 'index ' || relname, concat_ws(' ', pg_get_indexdef(indexrelid), indisvalid, indisready)
  FROM pg_index JOIN ours ON indrelid = ours.oid JOIN pg_class c ON c.oid = indexrelid
UNION ALL SELECT 'trigger ' || tgname || ' of ' || name, concat_ws(' ', pg_get_triggerdef(t.oid), tgenabled,
    prosrc, prosecdef, proconfig, (SELECT lanname FROM pg_language WHERE pg_language.oid = prolang))
  FROM pg_trigger t JOIN ours ON tgrelid = ours.oid JOIN pg_proc p ON p.oid = tgfoid WHERE NOT tgisinternal
UNION ALL SELECT 'rule ' || rulename || ' of ' || name, '' FROM pg_rewrite JOIN ours ON ev_class = ours.oid
UNION ALL SELECT 'policy ' || polname || ' of ' || name, '' FROM pg_policy JOIN ours ON polrelid = ours.oid
"""
_SCHEMA = "SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = to_regclass('ledger_entries')"

_SWITCHED_OFF = """
SELECT 1 WHERE current_setting('session_replication_role') <> 'origin'
UNION ALL SELECT 1 FROM pg_db_role_setting, unnest(setconfig) AS said
  WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
    AND setrole IN (0, to_regrole(quote_ident(current_user)))
    AND lower(split_part(said, '=', 1)) = 'session_replication_role' AND split_part(said, '=', 2) <> 'origin'
"""


def found_structure(session: "Session") -> dict[str, str]:
    """All that the database has for a ledger, by kind and name, as SQL."""
    if not session.statements.is_postgresql:
        return {name: _plain(sql) for name, sql in session.rows(_OF_SQLITE)}
    schemas = [f"{name}." for (name,) in session.rows(_SCHEMA)]
    return {name: _plain(said, *schemas) for name, said in session.rows(_OF_POSTGRESQL)}


def _plain(sql: str, *schemas: str) -> str:
    """SQL without what says nothing: line ends, the schema's name.

    Quotes stay, since SQLite takes what stands in double quotes for a text where it names nothing, and so do
    spaces beyond ASCII, which are letters of names.
    """
    for schema in schemas:
        sql = sql.replace(schema, "")
    return re.sub(r" ?([(),]) ?", r"\1", re.sub(r"[ \t\r\n]+", " ", sql).strip(" "))


@cache
def expected_structure() -> Mapping[str, Mapping[str, str]]:
    """All that the steps create, by the kind of database."""
    found: dict[str, dict[str, str]] = json.loads((files("noiseless.ledger") / "structure.json").read_text())
    return found


def differ(session: "Session") -> Iterator[str]:
    """What is too much, missing or changed."""
    expected = expected_structure()[session.statements.dialect.name]
    found = found_structure(session)
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            yield f"the {name} is missing"
        elif name not in expected:
            yield f"the {name} belongs to no ledger"
        elif found[name] != expected[name]:
            yield f"the {name} was changed"
    if session.statements.is_postgresql and session.rows(_SWITCHED_OFF):
        yield "the setting session_replication_role switches triggers off; reset it"
    if session.rows(f"SELECT version_num FROM {VERSION_TABLE}") != [(HEAD,)]:
        yield f"the table {VERSION_TABLE} does not say that its step is {HEAD}"
