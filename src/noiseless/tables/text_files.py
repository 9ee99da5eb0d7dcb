"""Text files: CSV and TSV by their header, JSON object by object; no row is skipped, no type guessed."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from noiseless.errors import SourceError
from noiseless.tables.csv_grammar import Dialect, check_names, csv_dialect, not_text
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.engine import SOURCE, OwnEngine, files, identifier, literal

_LONGEST_LINE = 2**26


def read_csv_sql(paths: Sequence[Path], names: Sequence[str] | None) -> tuple[str, Dialect]:
    """The SQL that reads some text files with equal headers as text columns c0, c1, ...

    Args:
        paths: one or more files.
        names: the columns' names when the files have no header line.

    Returns:
        The SQL of a table function, and the dialect it assumes.
    """
    dialect = _dialect(paths[0], names)
    for path in paths[1:]:
        if _dialect(path, names) != dialect:
            raise SourceError(str(path), f"has another header than {paths[0]}; read them apart")
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(dialect.names)))
    sql = (
        f"read_csv({files(paths)}, columns = {{{columns}}}, auto_detect = false, "
        f"header = {str(dialect.header).lower()}, delim = {literal(dialect.separator)}, "
        """quote = '"', escape = '"', nullstr = '', strict_mode = true, null_padding = false, """
        f"max_line_size = {_LONGEST_LINE}, hive_partitioning = false)"
    )
    return sql, dialect


def _dialect(path: Path, names: Sequence[str] | None) -> Dialect:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            begin = "".join(islice(file, 2))
    except UnicodeDecodeError:
        with path.open("rb") as data:
            raise SourceError(str(path), not_text(data.read(64))) from None
    except OSError as error:
        raise SourceError(str(path), f"cannot be opened ({error.strerror})") from None
    return csv_dialect(str(path), begin, names, tabs=path.suffix.lower() == ".tsv")


def open_json(source: str, paths: Sequence[Path], layout: str) -> DuckDBTable:
    """A table whose columns are the keys of all objects.

    Texts stay texts, numbers are typed like those of a CSV file when they are selected; a key that holds
    texts beside other things, and anything nested, is compared as JSON.

    Args:
        source: what messages call it.
        paths: the files.
        layout: `newline_delimited`, or `auto` for a file that holds one array.
    """
    reader = f"read_json_objects({files(paths)}, format = '{layout}', hive_partitioning = false)"
    objects = DuckDBTable(OwnEngine.start(), f"SELECT json FROM {reader}", {"json": "JSON"}, source)
    strange, double = objects.fetch(_PROBLEMS)[0]
    if strange:
        raise SourceError(source, f"holds {strange:,} values that are no objects; write one object a line")
    if double:
        raise SourceError(source, f"has {double:,} objects in which a key stands twice; mend them")
    names = [name for (name,) in objects.fetch(_KEYS)]
    if not names:
        raise SourceError(source, "has no object with keys; write one object a line")
    check_names(source, names)
    texts = ", ".join(f"bool_and(coalesce({_kind(name)} IN ('VARCHAR', 'NULL'), true))" for name in names)
    plain = objects.fetch(f"SELECT {texts} FROM {SOURCE}")[0]
    columns = ", ".join(_column(name, plain=text) for name, text in zip(names, plain, strict=True))
    query = objects.over(f"SELECT {columns} FROM {SOURCE}")
    kinds = dict.fromkeys(names, "VARCHAR")
    return DuckDBTable(objects.engine, query, kinds, source, textual=True)


_PROBLEMS = f"""
SELECT count(*) FILTER (WHERE json_type(json) <> 'OBJECT'),
       count(*) FILTER (WHERE len(json_keys(json)) <> len(list_distinct(json_keys(json)))) FROM {SOURCE}
"""

_KEYS = f"""
SELECT key FROM (SELECT unnest(json_keys(json)) AS key, row_number() OVER () AS row FROM {SOURCE})
GROUP BY key ORDER BY min(row), key
"""


def _path(name: str) -> str:
    """A key as a JSON pointer, in which no character but `~` and `/` means anything."""
    return literal("/" + name.replace("~", "~0").replace("/", "~1"))


def _kind(name: str) -> str:
    return f"json_type(json, {_path(name)})"


def _column(name: str, *, plain: bool) -> str:
    """One key as text: the text itself when it only holds texts, else its JSON; null is missing."""
    if plain:
        return f"json_extract_string(json, {_path(name)}) AS {identifier(name)}"
    return f"nullif(json_extract(json, {_path(name)})::VARCHAR, 'null') AS {identifier(name)}"
